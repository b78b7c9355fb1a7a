/* Orthogonal polynomials of degree n, element by element: each family is a recurrence from p(0) = 1 and p(1). Degrees
 * below 0 give 0. */
#include "runtime/kernels/pointwise/pointwise.h"

typedef enum { CHEBYSHEV, HERMITE, HERMITE_HE, LAGUERRE, LEGENDRE } family;

/* p(n) from p(1) = `first`; takes n steps, or fewer once a value is NaN. NaN for degrees beyond 2^53, which a double
 * cannot count; degrees that no int64 holds, NaN too, are below 0, as in PyTorch's conversion. */
static double climb(family kind, double x, double first, double degree) {
    double before = 1, now = first;
    degree = trunc(degree);
    if (degree != degree || degree < 0 || degree >= 0x1p63)
        return 0;
    if (degree < 1)
        return 1;
    if (degree > 0x1p53)
        return NAN;
    for (double k = 1; k + 1 <= degree && now == now; k++) {
        double next = kind == CHEBYSHEV    ? 2 * x * now - before
                      : kind == HERMITE    ? 2 * x * now - 2 * k * before
                      : kind == HERMITE_HE ? x * now - k * before
                      : kind == LAGUERRE   ? ((2 * k + 1 - x) * now - k * before) / (k + 1)
                                           : ((2 * k + 1) * x * now - k * before) / (k + 1);
        before = now;
        now = next;
    }
    return now;
}

static double chebyshev_t(double x, double n) {
    return climb(CHEBYSHEV, x, x, n);
}
static double chebyshev_u(double x, double n) {
    return climb(CHEBYSHEV, x, 2 * x, n);
}
static double chebyshev_v(double x, double n) {
    return climb(CHEBYSHEV, x, 2 * x - 1, n);
}
static double chebyshev_w(double x, double n) {
    return climb(CHEBYSHEV, x, 2 * x + 1, n);
}
static double shifted_chebyshev_t(double x, double n) {
    return chebyshev_t(2 * x - 1, n);
}
static double shifted_chebyshev_u(double x, double n) {
    return chebyshev_u(2 * x - 1, n);
}
static double shifted_chebyshev_v(double x, double n) {
    return chebyshev_v(2 * x - 1, n);
}
static double shifted_chebyshev_w(double x, double n) {
    return chebyshev_w(2 * x - 1, n);
}
static double hermite_h(double x, double n) {
    return climb(HERMITE, x, 2 * x, n);
}
static double hermite_he(double x, double n) {
    return climb(HERMITE_HE, x, x, n);
}
static double laguerre_l(double x, double n) {
    return climb(LAGUERRE, x, 1 - x, n);
}
static double legendre_p(double x, double n) {
    return climb(LEGENDRE, x, x, n);
}

#define POLYNOMIAL(name)                                                                                               \
    TSM_LOOP2(name##_f32, float, float, TSM_NO_PREPARE, (float)name((double)a, (double)b))                             \
    TSM_LOOP2(name##_f64, double, double, TSM_NO_PREPARE, name(a, b))                                                  \
    TSM_LOOPS(name, #name, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})

/* The highest degree that a number, or an element of a tensor, asks for. */
static tsm_status highest_degree(tsm_exec *x, tsm_value v, double *degree) {
    const tsm_tensor *t = v.tag == TSM_TAG_TENSOR ? tsm_as_tensor(v) : NULL;
    *degree = t ? 0 : tsm_number_double(v);
    for (tsm_dim i = 0; t && i < t->elements; i++) {
        tsm_status status;
        const tsm_value item = tsm_tensor_item(x, t, i, &status);
        TSM_TRY(status);
        *degree = fmax(*degree, tsm_number_double(item));
        tsm_drop(x, item);
    }
    return TSM_OK;
}

/* The steps of all elements, as if they had the highest degree. */
static tsm_status charge_degrees(tsm_exec *x, const tsm_value *const *in) {
    double degree;
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS], elements;
    TSM_TRY(highest_degree(x, *in[1], &degree));
    TSM_TRY(tsm_common_shape(x, *in[0], *in[1], &dims, sizes));
    tsm_count_elements(dims, sizes, &elements);
    return tsm_charge_product(x, (uint64_t)elements, degree > 1 ? (uint64_t)fmin(degree, 0x1p53) : 1, 1);
}

static tsm_status polynomial(tsm_exec *x, const tsm_value *const *in, const tsm_loops *loops, tsm_value *out) {
    if (x->is_charged)
        TSM_TRY(charge_degrees(x, in));
    return tsm_binary(x, in, *in[0], *in[1], loops, TSM_RESULT_FLOATING, NULL, out);
}

POLYNOMIAL(chebyshev_t)
POLYNOMIAL(chebyshev_u)
POLYNOMIAL(chebyshev_v)
POLYNOMIAL(chebyshev_w)
POLYNOMIAL(shifted_chebyshev_t)
POLYNOMIAL(shifted_chebyshev_u)
POLYNOMIAL(shifted_chebyshev_v)
POLYNOMIAL(shifted_chebyshev_w)
POLYNOMIAL(hermite_h)
POLYNOMIAL(hermite_he)
POLYNOMIAL(laguerre_l)
POLYNOMIAL(legendre_p)

TSM_KERNEL(aten_special_chebyshev_polynomial_t) {
    return polynomial(x, in, &chebyshev_t_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_chebyshev_polynomial_t_x_scalar, aten_special_chebyshev_polynomial_t);
TSM_KERNEL_ALIAS(aten_special_chebyshev_polynomial_t_n_scalar, aten_special_chebyshev_polynomial_t);
TSM_KERNEL(aten_special_chebyshev_polynomial_u) {
    return polynomial(x, in, &chebyshev_u_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_chebyshev_polynomial_u_x_scalar, aten_special_chebyshev_polynomial_u);
TSM_KERNEL_ALIAS(aten_special_chebyshev_polynomial_u_n_scalar, aten_special_chebyshev_polynomial_u);
TSM_KERNEL(aten_special_chebyshev_polynomial_v) {
    return polynomial(x, in, &chebyshev_v_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_chebyshev_polynomial_v_x_scalar, aten_special_chebyshev_polynomial_v);
TSM_KERNEL_ALIAS(aten_special_chebyshev_polynomial_v_n_scalar, aten_special_chebyshev_polynomial_v);
TSM_KERNEL(aten_special_chebyshev_polynomial_w) {
    return polynomial(x, in, &chebyshev_w_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_chebyshev_polynomial_w_x_scalar, aten_special_chebyshev_polynomial_w);
TSM_KERNEL_ALIAS(aten_special_chebyshev_polynomial_w_n_scalar, aten_special_chebyshev_polynomial_w);
TSM_KERNEL(aten_special_shifted_chebyshev_polynomial_t) {
    return polynomial(x, in, &shifted_chebyshev_t_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_shifted_chebyshev_polynomial_t_x_scalar, aten_special_shifted_chebyshev_polynomial_t);
TSM_KERNEL_ALIAS(aten_special_shifted_chebyshev_polynomial_t_n_scalar, aten_special_shifted_chebyshev_polynomial_t);
TSM_KERNEL(aten_special_shifted_chebyshev_polynomial_u) {
    return polynomial(x, in, &shifted_chebyshev_u_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_shifted_chebyshev_polynomial_u_x_scalar, aten_special_shifted_chebyshev_polynomial_u);
TSM_KERNEL_ALIAS(aten_special_shifted_chebyshev_polynomial_u_n_scalar, aten_special_shifted_chebyshev_polynomial_u);
TSM_KERNEL(aten_special_shifted_chebyshev_polynomial_v) {
    return polynomial(x, in, &shifted_chebyshev_v_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_shifted_chebyshev_polynomial_v_x_scalar, aten_special_shifted_chebyshev_polynomial_v);
TSM_KERNEL_ALIAS(aten_special_shifted_chebyshev_polynomial_v_n_scalar, aten_special_shifted_chebyshev_polynomial_v);
TSM_KERNEL(aten_special_shifted_chebyshev_polynomial_w) {
    return polynomial(x, in, &shifted_chebyshev_w_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_shifted_chebyshev_polynomial_w_x_scalar, aten_special_shifted_chebyshev_polynomial_w);
TSM_KERNEL_ALIAS(aten_special_shifted_chebyshev_polynomial_w_n_scalar, aten_special_shifted_chebyshev_polynomial_w);
TSM_KERNEL(aten_special_hermite_polynomial_h) {
    return polynomial(x, in, &hermite_h_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_hermite_polynomial_h_x_scalar, aten_special_hermite_polynomial_h);
TSM_KERNEL_ALIAS(aten_special_hermite_polynomial_h_n_scalar, aten_special_hermite_polynomial_h);
TSM_KERNEL(aten_special_hermite_polynomial_he) {
    return polynomial(x, in, &hermite_he_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_hermite_polynomial_he_x_scalar, aten_special_hermite_polynomial_he);
TSM_KERNEL_ALIAS(aten_special_hermite_polynomial_he_n_scalar, aten_special_hermite_polynomial_he);
TSM_KERNEL(aten_special_laguerre_polynomial_l) {
    return polynomial(x, in, &laguerre_l_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_laguerre_polynomial_l_x_scalar, aten_special_laguerre_polynomial_l);
TSM_KERNEL_ALIAS(aten_special_laguerre_polynomial_l_n_scalar, aten_special_laguerre_polynomial_l);
TSM_KERNEL(aten_special_legendre_polynomial_p) {
    return polynomial(x, in, &legendre_p_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_legendre_polynomial_p_x_scalar, aten_special_legendre_polynomial_p);
TSM_KERNEL_ALIAS(aten_special_legendre_polynomial_p_n_scalar, aten_special_legendre_polynomial_p);
