/* Products so small that cutting and packing them would cost more than calculating: B is read where it lies. */
#include "runtime/kernels/gemm.h"
#include "runtime/kernels/simd/vec.h"

/* MOST_STEPS: multiplications, of vectors where there are some, that a product may take to count as small. ROWS: of a group. */
enum { MOST_STEPS = 128, ROWS = 4 };

/* Columns that are calculated as vectors; the rest is done one by one. */
static size_t vector_columns(const gemm_product *p) { return p->b_col == 1 ? p->n / VEC_LANES * VEC_LANES : 0; }

bool gemm_is_small(const gemm_product *p) {
    size_t wide = vector_columns(p), columns = wide / VEC_LANES + (p->n - wide);
    return !p->finish && p->batch <= MOST_STEPS && p->m <= MOST_STEPS && p->n <= MOST_STEPS && p->k <= MOST_STEPS &&
           p->batch * p->m * columns * p->k <= MOST_STEPS;
}

/* A group of rows by one vector of columns. */
static inline void group_product(const gemm_product *p, const float *a, const float *b, float *c, size_t rows) {
    vec_f32 sums[ROWS];
    for (size_t r = 0; r < rows; r++)
        sums[r] = vec_set(0.0f);
    for (size_t k = 0; k < p->k; k++) {
        vec_f32 line = vec_load(b + (ptrdiff_t)k * p->b_row);
        for (size_t r = 0; r < rows; r++)
            sums[r] += vec_set(a[(ptrdiff_t)r * p->a_row + (ptrdiff_t)k * p->a_col]) * line;
    }
    for (size_t r = 0; r < rows; r++)
        vec_store(c + (ptrdiff_t)r * p->c_row, sums[r]);
}

static void single_columns(const gemm_product *p, const float *a, const float *b, float *c, size_t from) {
    for (size_t row = 0; row < p->m; row++)
        for (size_t n = from; n < p->n; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < p->k; k++)
                sum += a[(ptrdiff_t)row * p->a_row + (ptrdiff_t)k * p->a_col] * b[(ptrdiff_t)k * p->b_row + (ptrdiff_t)n * p->b_col];
            c[(ptrdiff_t)row * p->c_row + (ptrdiff_t)n] = sum;
        }
}

void gemm_small(const gemm_product *p) {
    size_t wide = vector_columns(p);
    for (size_t i = 0; i < p->batch; i++) {
        const float *a = p->a + (ptrdiff_t)i * p->a_batch, *b = p->b + (ptrdiff_t)i * p->b_batch;
        float *c = p->c + (ptrdiff_t)i * p->c_batch;
        for (size_t n = 0; n < wide; n += VEC_LANES) {
            size_t row = 0;
            for (; row + ROWS <= p->m; row += ROWS)
                group_product(p, a + (ptrdiff_t)row * p->a_row, b + n, c + (ptrdiff_t)row * p->c_row + n, ROWS);
            for (; row < p->m; row++)
                group_product(p, a + (ptrdiff_t)row * p->a_row, b + n, c + (ptrdiff_t)row * p->c_row + n, 1);
        }
        if (wide < p->n)
            single_columns(p, a, b, c, wide);
    }
}
