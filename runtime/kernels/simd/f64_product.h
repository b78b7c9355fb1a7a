/* The product of matrices of doubles, in tiles that stay in registers. Included once for each instruction set. */
#include "runtime/kernels/simd/f64.h"
#include "runtime/kernels/simd/vec.h"

/* Columns of a vector, vectors and rows of a tile: sums take half of the registers of SSE2 and AVX2. */
#if VEC_LANES > 1 && !defined(VEC_MVE)
enum { LANES = VEC_LANES >= 8 ? 4 : 2 };
typedef double vec_f64 __attribute__((vector_size(8 * (VEC_LANES >= 8 ? 4 : 2))));
typedef double vec_f64_anywhere __attribute__((vector_size(8 * (VEC_LANES >= 8 ? 4 : 2)), aligned(8), may_alias));
#define LOAD(p) (*(const vec_f64_anywhere *)(p))
#define STORE(p, v) (*(vec_f64_anywhere *)(p) = (v))
#else
enum { LANES = 1 };
typedef double vec_f64;
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#endif
enum { ROWS = 4, VECTORS = 2, DEPTH = 128 };

/* `rows` rows and `vectors` vectors of C from (i, j) on, over steps [from, to) of k. */
VEC_INLINE void tile(const tsm_f64_product *p, size_t i, size_t j, size_t from, size_t to, const size_t rows,
                     const size_t vectors) {
    vec_f64 sum[ROWS][VECTORS] = {{{0}}};
    const double *a = p->a + (ptrdiff_t)i * p->a_row, *b = p->b + j;
    for (size_t k = from; k < to; k++) {
        const double *row = b + (ptrdiff_t)k * p->b_row;
        for (size_t r = 0; r < rows; r++) {
            const double s = a[(ptrdiff_t)r * p->a_row + (ptrdiff_t)k * p->a_col];
            for (size_t v = 0; v < vectors; v++)
                sum[r][v] += s * LOAD(row + v * LANES);
        }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t v = 0; v < vectors; v++) {
            double *c = p->c + (ptrdiff_t)(i + r) * p->c_row + j + v * LANES;
            STORE(c, p->subtract ? LOAD(c) - sum[r][v] : LOAD(c) + sum[r][v]);
        }
}

/* The columns that do not fill a vector. */
static void last_columns(const tsm_f64_product *p, size_t j, size_t from, size_t to) {
    for (size_t i = 0; i < p->m; i++)
        for (size_t c = j; c < p->n; c++) {
            const double *a = p->a + (ptrdiff_t)i * p->a_row;
            double sum = 0;
            for (size_t k = from; k < to; k++)
                sum += a[(ptrdiff_t)k * p->a_col] * p->b[(ptrdiff_t)k * p->b_row + (ptrdiff_t)c];
            p->c[(ptrdiff_t)i * p->c_row + (ptrdiff_t)c] += p->subtract ? -sum : sum;
        }
}

static void add_steps(const tsm_f64_product *p, size_t from, size_t to) {
    size_t j = 0;
    for (; j + VECTORS * LANES <= p->n; j += VECTORS * LANES) {
        size_t i = 0;
        for (; i + ROWS <= p->m; i += ROWS)
            tile(p, i, j, from, to, ROWS, VECTORS);
        for (; i < p->m; i++)
            tile(p, i, j, from, to, 1, VECTORS);
    }
    for (; j + LANES <= p->n; j += LANES)
        for (size_t i = 0; i < p->m; i++)
            tile(p, i, j, from, to, 1, 1);
    if (j < p->n)
        last_columns(p, j, from, to);
}

static void add_product(const tsm_f64_product *p) {
    for (size_t k = 0; k < p->k; k += DEPTH)
        add_steps(p, k, p->k - k < DEPTH ? p->k : k + DEPTH);
}
