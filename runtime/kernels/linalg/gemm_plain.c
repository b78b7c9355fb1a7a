/* Plain products of matrices: of ints, of complex numbers, and of doubles whose columns are apart. On x86-64 compiled
 * once more for AVX2 (loops.h, TSM_LOOPS). */
#include "runtime/kernels/linalg/gemm.h"

#define ELEMENT double
#define NAME plain_f64
#include "runtime/kernels/linalg/gemm_plain.h"
#define ELEMENT uint64_t /* overflow wraps */
#define NAME plain_i64
#include "runtime/kernels/linalg/gemm_plain.h"

static double dot_f64(const double *a, const double *b, size_t n) {
    enum { PARTS = 8 };
    double part[PARTS] = {0}, sum = 0;
    size_t i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int j = 0; j < PARTS; j++)
            part[j] += a[i + (size_t)j] * b[i + (size_t)j];
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (int j = 0; j < PARTS; j++)
        sum += part[j];
    return sum;
}

/* One column of complex numbers, which are pairs of doubles; strides count pairs. A block of it after the other: by
 * (re, -im) a row of A gives real parts, by (im, re) imaginary ones. */
static void column_c128(const gemm_any *g, const double *b, double *c) {
    enum { DEPTH = 32 };
    double for_re[2 * DEPTH], for_im[2 * DEPTH], row[2 * DEPTH];
    for (size_t i = 0; i < g->m; i++)
        c[2 * (ptrdiff_t)i * g->c_row] = c[2 * (ptrdiff_t)i * g->c_row + 1] = 0;
    for (size_t k = 0; k < g->k; k += DEPTH) {
        const size_t depth = g->k - k < DEPTH ? g->k - k : DEPTH;
        const double *s = (const double *)g->a + 2 * (ptrdiff_t)k * g->a_col;
        for (size_t j = 0; j < depth; j++) {
            const double *t = b + 2 * (ptrdiff_t)(k + j) * g->b_row;
            for_re[2 * j] = for_im[2 * j + 1] = t[0];
            for_re[2 * j + 1] = -t[1];
            for_im[2 * j] = t[1];
        }
        for (size_t i = 0; i < g->m; i++, s += 2 * g->a_row) {
            for (size_t j = 0; g->a_col != 1 && j < depth; j++)
                memcpy(row + 2 * j, s + 2 * (ptrdiff_t)j * g->a_col, 2 * sizeof(double));
            const double *from = g->a_col == 1 ? s : row;
            c[2 * (ptrdiff_t)i * g->c_row] += dot_f64(from, for_re, 2 * depth);
            c[2 * (ptrdiff_t)i * g->c_row + 1] += dot_f64(from, for_im, 2 * depth);
        }
    }
}

static void plain_c128(const gemm_any *g) {
    for (size_t n = 0; n < g->n; n++)
        column_c128(g, (const double *)g->b + 2 * (ptrdiff_t)n * g->b_col, (double *)g->c + 2 * n);
}

typedef struct {
    void (*f64)(const gemm_any *g);
    void (*i64)(const gemm_any *g);
    void (*c128)(const gemm_any *g);
} plain_products;
TSM_TABLE_CHOSEN(plain_products, plain_products, {plain_f64, plain_i64, plain_c128})

#if !defined(TSM_WIDE_LOOPS)
void tsm_gemm_others(tsm_exec *x, tsm_dtype dtype, const gemm_any *g) {
    const plain_products *products = plain_products_for(x);
    (dtype == TSM_FLOAT64 ? products->f64 : dtype == TSM_INT64 ? products->i64 : products->c128)(g);
}
#endif
