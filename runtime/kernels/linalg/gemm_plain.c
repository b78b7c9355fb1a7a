/* Plain products of matrices: of ints, of complex numbers, and of doubles whose columns are apart. On x86-64 compiled
 * once more for AVX2 (loops.h, TSM_LOOPS). */
#include "runtime/kernels/linalg/gemm.h"

#define ELEMENT double
#define NAME plain_f64
#include "runtime/kernels/linalg/gemm_plain.h"
#define ELEMENT uint64_t /* overflow wraps */
#define NAME plain_i64
#include "runtime/kernels/linalg/gemm_plain.h"

/* Pairs of doubles; strides count pairs. */
static void plain_c128(const gemm_any *g) {
    const double *a = g->a, *b = g->b;
    for (size_t i = 0; i < g->m; i++) {
        double *c = (double *)g->c + 2 * (ptrdiff_t)i * g->c_row;
        for (size_t n = 0; n < g->n; n++) {
            const double *s = a + 2 * (ptrdiff_t)i * g->a_row, *t = b + 2 * (ptrdiff_t)n * g->b_col;
            double re = 0, im = 0;
            for (size_t k = 0; k < g->k; k++, s += 2 * g->a_col, t += 2 * g->b_row) {
                re += s[0] * t[0] - s[1] * t[1];
                im += s[0] * t[1] + s[1] * t[0];
            }
            c[2 * n] = re;
            c[2 * n + 1] = im;
        }
    }
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
