/* Orthogonal polynomials of degree n, element by element: each family is a recurrence from p(0) = 1 and p(1). Degrees
 * below 0 give 0. */
#include "runtime/kernels/pointwise/pointwise.h"

typedef enum { CHEBYSHEV, HERMITE, HERMITE_HE, LAGUERRE, LEGENDRE } family;

/* p(k + 1) from p(k) = now and p(k - 1) = before. */
static inline double climb_step(family kind, double k, double x, double now, double before) {
    return kind == CHEBYSHEV    ? 2 * x * now - before
           : kind == HERMITE    ? 2 * x * now - 2 * k * before
           : kind == HERMITE_HE ? x * now - k * before
           : kind == LAGUERRE   ? ((2 * k + 1 - x) * now - k * before) / (k + 1)
                                : ((2 * k + 1) * x * now - k * before) / (k + 1);
}

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
        const double next = climb_step(kind, k, x, now, before);
        before = now;
        now = next;
    }
    return now;
}

/* Blocks of elements that are asked for the same degree climb side by side; else each on its own. `scale` and `shift`
 * make p(1) of x, `from` and `by` make x of the operand. */
enum { CLIMB_BLOCK = 16, CLIMB_LANES = 8 };
typedef struct {
    double by, from, scale, shift;
} climb_start;
static inline __attribute__((always_inline)) void climb_block(family kind, const climb_start *s, double *x,
                                                              const double *degrees, double *y, tsm_dim n) {
    double before[CLIMB_BLOCK], now[CLIMB_BLOCK];
    const double degree = trunc(degrees[0]);
    int is_alike = n == CLIMB_BLOCK && degree >= 1 && degree <= 0x1p53;
    for (tsm_dim i = 0; i < n; i++) {
        is_alike &= degrees[i] == degrees[0];
        x[i] = s->by * x[i] + s->from;
    }
    for (tsm_dim i = 0; i < n && !is_alike; i++)
        y[i] = climb(kind, x[i], s->scale * x[i] + s->shift, degrees[i]);
    if (!is_alike)
        return;
    for (int i = 0; i < CLIMB_BLOCK; i++) {
        before[i] = 1;
        now[i] = s->scale * x[i] + s->shift;
    }
    enum { LOOKS = 64 }; /* steps after which it is seen whether all are NaN */
    bool is_over = false;
    for (double k = 1, end; k + 1 <= degree && !is_over; k = end) {
        end = fmin(k + LOOKS, degree);
        is_over = true;
        for (int i = 0; i < CLIMB_BLOCK; i += CLIMB_LANES) {
            double b[CLIMB_LANES], v[CLIMB_LANES];
            memcpy(b, before + i, sizeof b);
            memcpy(v, now + i, sizeof v);
            for (double step = k; step < end; step++)
                for (int c = 0; c < CLIMB_LANES; c++) {
                    const double next = climb_step(kind, step, x[i + c], v[c], b[c]);
                    b[c] = v[c];
                    v[c] = next;
                }
            for (int c = 0; c < CLIMB_LANES; c++)
                is_over &= v[c] != v[c];
            memcpy(before + i, b, sizeof b);
            memcpy(now + i, v, sizeof v);
        }
    }
    memcpy(y, now, sizeof now);
}

#define POLYNOMIAL_LOOP(name, T, KIND, ...)                                                                            \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        static const climb_start start = {__VA_ARGS__};                                                                \
        (void)k;                                                                                                       \
        for (tsm_dim done = 0, m; done < n; done += m) {                                                               \
            double x[CLIMB_BLOCK], degrees[CLIMB_BLOCK], y[CLIMB_BLOCK];                                               \
            m = tsm_dim_min(n - done, CLIMB_BLOCK);                                                                    \
            for (tsm_dim i = 0; i < m; i++) {                                                                          \
                x[i] = (double)((const T *)p[1])[done + i];                                                            \
                degrees[i] = (double)((const T *)p[2])[done + i];                                                      \
            }                                                                                                          \
            climb_block(KIND, &start, x, degrees, y, m);                                                               \
            for (tsm_dim i = 0; i < m; i++)                                                                            \
                ((T *)p[0])[done + i] = (T)y[i];                                                                       \
        }                                                                                                              \
    }
/* The family, how x is made of the operand, and p(1) of x. */
#define POLYNOMIAL(name, KIND, BY, FROM, SCALE, SHIFT)                                                                 \
    POLYNOMIAL_LOOP(name##_f32, float, KIND, BY, FROM, SCALE, SHIFT)                                                   \
    POLYNOMIAL_LOOP(name##_f64, double, KIND, BY, FROM, SCALE, SHIFT)                                                  \
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

POLYNOMIAL(chebyshev_t, CHEBYSHEV, 1, 0, 1, 0)
POLYNOMIAL(chebyshev_u, CHEBYSHEV, 1, 0, 2, 0)
POLYNOMIAL(chebyshev_v, CHEBYSHEV, 1, 0, 2, -1)
POLYNOMIAL(chebyshev_w, CHEBYSHEV, 1, 0, 2, 1)
POLYNOMIAL(shifted_chebyshev_t, CHEBYSHEV, 2, -1, 1, 0)
POLYNOMIAL(shifted_chebyshev_u, CHEBYSHEV, 2, -1, 2, 0)
POLYNOMIAL(shifted_chebyshev_v, CHEBYSHEV, 2, -1, 2, -1)
POLYNOMIAL(shifted_chebyshev_w, CHEBYSHEV, 2, -1, 2, 1)
POLYNOMIAL(hermite_h, HERMITE, 1, 0, 2, 0)
POLYNOMIAL(hermite_he, HERMITE_HE, 1, 0, 1, 0)
POLYNOMIAL(laguerre_l, LAGUERRE, 1, 0, -1, 1)
POLYNOMIAL(legendre_p, LEGENDRE, 1, 0, 1, 0)

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
