/* Products and rotations of columns. On x86-64 this is compiled once more for AVX2 (loops.h, TSM_LOOPS says how); sums
 * have the same order there. */
#include "runtime/kernels/linalg/svd_columns.h"

enum { SVD_PARTS = 8 }; /* of a sum, which compilers turn into vectors */

static tsm_complex svd_product_f64(const void *a, const void *b, tsm_dim n) {
    const double *p = a, *q = b;
    double part[SVD_PARTS] = {0}, sum = 0;
    tsm_dim i = 0;
    for (; i + SVD_PARTS <= n; i += SVD_PARTS)
        for (int k = 0; k < SVD_PARTS; k++)
            part[k] += p[i + k] * q[i + k];
    for (; i < n; i++)
        sum += p[i] * q[i];
    for (int k = 0; k < SVD_PARTS / 2; k++)
        sum += part[k] + part[k + SVD_PARTS / 2];
    return cx(sum, 0);
}

static tsm_complex svd_product_c128(const void *a, const void *b, tsm_dim n) {
    const tsm_complex *p = a, *q = b;
    tsm_complex sum = cx(0, 0);
    for (tsm_dim i = 0; i < n; i++)
        sum = cx_add(sum, cx_mul(cx_conjugate(p[i]), q[i]));
    return sum;
}

static void turn_f64(const svd_rotation *r, void *a, void *b, tsm_dim n) {
    double *restrict p = a, *restrict q = b;
    const double c = r->c, s = r->s, cp = c * r->phase.re, sp = s * r->phase.re;
    for (tsm_dim i = 0; i < n; i++) {
        const double first = p[i], second = q[i];
        p[i] = c * first - sp * second;
        q[i] = s * first + cp * second;
    }
}

static void turn_c128(const svd_rotation *r, void *a, void *b, tsm_dim n) {
    tsm_complex *p = a, *q = b;
    for (tsm_dim i = 0; i < n; i++) {
        const tsm_complex first = p[i], second = cx_mul(r->phase, q[i]);
        p[i] = cx_sub(cx_scale(first, r->c), cx_scale(second, r->s));
        q[i] = cx_add(cx_scale(first, r->s), cx_scale(second, r->c));
    }
}

typedef struct {
    svd_columns real, complex;
} both_kinds;
TSM_TABLE_CHOSEN(both_kinds, svd_columns, {{svd_product_f64, turn_f64}, {svd_product_c128, turn_c128}})

#if !defined(TSM_WIDE_LOOPS)
const svd_columns *tsm_svd_columns_choose(tsm_exec *x, bool is_complex) {
    const both_kinds *kinds = svd_columns_for(x);
    return is_complex ? &kinds->complex : &kinds->real;
}
#endif
