/* Products so small that cutting and packing them would cost more than calculating: B is read where it lies. */
#include "runtime/kernels/linalg/gemm.h"
#include "runtime/kernels/simd/vec.h"

/* MOST_STEPS: the most multiplications (of vectors, where possible) of a product that counts as small. SMALL_ROWS: the
 * rows of a group. */
enum { MOST_STEPS = 128, SMALL_ROWS = 4 };

/* A group of rows by one vector of columns. */
static inline void group_product(const gemm_product *p, const float *a, const float *b, float *c, size_t rows) {
    vec_f32 sums[SMALL_ROWS];
    ptrdiff_t a_row = p->a_row, c_row = p->c_row;
    for (size_t r = 0; r < rows; r++)
        sums[r] = vec_set(0.0f);
    ptrdiff_t from_a = 0, from_b = 0;
    for (size_t k = p->k; k; k--, from_a += p->a_col, from_b += p->b_row) {
        vec_f32 line = vec_load(b + from_b);
        for (size_t r = 0; r < rows; r++)
            sums[r] += vec_set(a[from_a + (ptrdiff_t)r * a_row]) * line;
    }
    for (size_t r = 0; r < rows; r++)
        vec_store(c + (ptrdiff_t)r * c_row, sums[r]);
}

static TSM_OUT_OF_LINE void single_columns(const gemm_product *p, const float *a, const float *b, float *c,
                                           size_t from) {
    for (size_t row = 0; row < p->m; row++)
        for (size_t n = from; n < p->n; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < p->k; k++)
                sum += a[(ptrdiff_t)row * p->a_row + (ptrdiff_t)k * p->a_col] *
                       b[(ptrdiff_t)k * p->b_row + (ptrdiff_t)n * p->b_col];
            c[(ptrdiff_t)row * p->c_row + (ptrdiff_t)n] = sum;
        }
}

/* All rows by one vector of columns. */
static inline void vector_column(const gemm_product *p, const float *a, const float *b, float *c) {
    size_t row = 0;
    for (; row + SMALL_ROWS <= p->m; row += SMALL_ROWS)
        group_product(p, a + (ptrdiff_t)row * p->a_row, b, c + (ptrdiff_t)row * p->c_row, SMALL_ROWS);
    for (; row < p->m; row++)
        group_product(p, a + (ptrdiff_t)row * p->a_row, b, c + (ptrdiff_t)row * p->c_row, 1);
}

bool tsm_gemm_small(const gemm_product *p) {
    /* Columns that are calculated as vectors; the rest is done one by one. */
    size_t wide = p->b_col == 1 ? p->n / VEC_LANES * VEC_LANES : 0, columns = wide / VEC_LANES + (p->n - wide);
    if (p->finish || (p->batch | p->m | p->n | p->k) > MOST_STEPS || p->batch * p->m * columns * p->k > MOST_STEPS)
        return false;
    for (size_t i = 0; i < p->batch; i++) {
        const float *a = p->a + (ptrdiff_t)i * p->a_batch, *b = p->b + (ptrdiff_t)i * p->b_batch;
        float *c = p->c + (ptrdiff_t)i * p->c_batch;
        for (size_t n = 0; n < wide; n += VEC_LANES)
            vector_column(p, a, b + n, c + n);
        if (wide < p->n)
            single_columns(p, a, b, c, wide);
    }
    return true;
}
