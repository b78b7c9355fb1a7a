/* Special functions of one and two numbers, calculated in double. Formulas are those of the NIST Digital Library of
 * Mathematical Functions (dlmf.nist.gov), whose sections are named. */
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/simd/vmath64.h"
#include "runtime/tensor/work.h"

static const double SPECIAL_PI = 3.14159265358979323846;

#define SPECIAL1(name)                                                                                                 \
    TSM_LOOP1(name##_f32, float, float, TSM_NO_PREPARE, (float)name((double)a))                                        \
    SPECIAL_DOUBLES1(name)
#define SPECIAL_DOUBLES1(name)                                                                                         \
    TSM_LOOP1(name##_f64, double, double, TSM_NO_PREPARE, name(a))                                                     \
    TSM_LOOPS(name, #name, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})
#define SPECIAL2(name)                                                                                                 \
    TSM_LOOP2(name##_f32, float, float, TSM_NO_PREPARE, (float)name((double)a, (double)b))                             \
    SPECIAL_DOUBLES2(name)
#define SPECIAL_DOUBLES2(name)                                                                                         \
    TSM_LOOP2(name##_f64, double, double, TSM_NO_PREPARE, name(a, b))                                                  \
    TSM_LOOPS(name, #name, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})

static tsm_status special_one(tsm_exec *x, const tsm_value *const *in, const tsm_loops *loops, tsm_value *out) {
    return tsm_unary(x, in, arg_tensor(in, 0), loops, TSM_RESULT_FLOATING, NULL, out);
}

static tsm_status two(tsm_exec *x, const tsm_value *const *in, const tsm_loops *loops, tsm_value *out) {
    return tsm_binary(x, in, *in[0], *in[1], loops, TSM_RESULT_FLOATING, NULL, out);
}

/* ---- Gamma and its relatives (5) ---- */

/* 5.5.2, 5.5.4, 5.11.2 */
static double digamma(double a) {
    if (a == 0)
        return copysign(INFINITY, -a);
    if (a < 0) {
        if (a == trunc(a))
            return NAN;
        return digamma(1 - a) - SPECIAL_PI / tan(SPECIAL_PI * fmod(a, 1));
    }
    double sum = 0;
    for (; a < 10; a++)
        sum -= 1 / a;
    double z = 1 / (a * a);
    return sum + log(a) - 0.5 / a -
           z * (1.0 / 12 -
                z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
}

/* The same without branches, exact enough for floats, where 0 < a < 2^33: by 5.5.2 six times, whose fractions are one,
 * the derivative of a (a + 1) ... (a + 5) over itself. */
static inline double digamma_near(double a) {
    double product = 1, derivative = 0;
    for (int k = 0; k < 6; k++) {
        derivative = derivative * (a + k) + product;
        product *= a + k;
    }
    const double b = a + 6, one = 1 / b, z = one * one;
    return vd_log(b) - 0.5 * one - derivative / product -
           z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132)))));
}

/* Hurwitz's zeta function: twelve terms, the rest by Euler and Maclaurin (25.11.28). */
static double zeta(double s, double q) {
    static const double ratios[] = {/* B(2k) / (2k)! */
                                    1.0 / 12,
                                    -1.0 / 720,
                                    1.0 / 30240,
                                    -1.0 / 1209600,
                                    1.0 / 47900160,
                                    -691.0 / 1307674368000.0,
                                    1.0 / 74724249600.0,
                                    -3617.0 / 10670622842880000.0};
    if (s == 1)
        return INFINITY;
    if (s < 1)
        return NAN;
    if (isinf(s) && q > 0) /* of the first term there is left what its power becomes */
        return q < 1 ? INFINITY : q == 1 ? 1 : NAN;
    if (q <= 0 && q == floor(q))
        return INFINITY;
    if (q < 0 && s != floor(s))
        return NAN;
    if (q < 0) { /* terms with negative bases: up to the sign, the difference of two zeta functions of positive ones */
        double below = ceil(-q), sign = fmod(s, 2) == 0 ? 1 : -1;
        return zeta(s, q + below) + sign * (zeta(s, 1 - q - below) - zeta(s, 1 - q));
    }
    double sum = 0, a = q;
    for (int i = 0; i < 12; i++, a++)
        sum += pow(a, -s);
    double term = pow(a, -s);
    sum += term * (a / (s - 1) + 0.5);
    term *= s / a;
    for (int k = 0; k < 8; k++) {
        sum += ratios[k] * term;
        term *= (s + 2 * k + 1) * (s + 2 * k + 2) / (a * a);
    }
    return sum;
}

/* P(a, x) and Q for large a, uniformly in x, by the expansion 8.12.3 with the two terms 8.12.9 and 8.12.10: what is
 * left out is below a^-2.5. eta^2 / 2 is m - log(1 + m) with m = x / a - 1. */
static double incomplete_gamma_of_large(double a, double x, bool upper) {
    const double m = (x - a) / a;
    double half = 0; /* eta^2 / 2 */
    if (fabs(m) > 0.1)
        half = m - log1p(m);
    else
        for (int k = 20; k >= 2; k--)
            half = (k % 2 ? -1.0 : 1.0) / k + half * m;
    half *= fabs(m) > 0.1 ? 1 : m * m;
    const double eta = copysign(sqrt(2 * half), m);
    double first, second;
    if (fabs(eta) > 0.2) {
        first = 1 / m - 1 / eta;
        second = 1 / (eta * eta * eta) - 1 / (m * m * m) - 1 / (m * m) - 1 / (12 * m);
    } else { /* their series around 0, 8.12.12 */
        first = -1.0 / 3 + eta * (1.0 / 12 + eta * (-2.0 / 135 + eta * (1.0 / 864 + eta * (1.0 / 2835))));
        second = -1.0 / 540 + eta * (-1.0 / 288 + eta * (1.0 / 378));
    }
    const double rest = exp(-a * half) / sqrt(2 * 3.14159265358979323846 * a) * (first + second / a);
    const double main_part = erfc((upper ? eta : -eta) * sqrt(a / 2)) / 2;
    return upper ? main_part + rest : main_part - rest;
}

/* The logarithm of gamma for floats where it is not near its zeros, 1 and 2, and 0 < a < 2^33: by 5.5.1 ten times, then
 * 5.11.1. */
static inline double lgamma_near(double a) {
    double product = 1;
    for (int k = 0; k < 10; k++)
        product *= a + k;
    const double b = a + 10, one = 1 / b, z = one * one, half_log_2pi = 0.91893853320467274178;
    return (b - 0.5) * vd_log(b) - b + half_log_2pi - vd_log(product) +
           one * (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188)))));
}

/* The regularized lower incomplete gamma function P(a, x): the series 8.11.4 on the left of a + 1, and 1 minus the
 * continued fraction 8.9.2 of Q on the right, to double precision or, with is_float, to that of floats. `upper`: Q. */
static inline __attribute__((always_inline)) double incomplete_gamma(double a, double x, bool upper, bool is_float) {
    enum { MOST_TERMS = 10000 };
    /* Of 1 - P little may be left where a is small; from 0.5 on it is a twelfth and more on the left of a + 1. */
    const double tiny = 1e-300, enough = is_float && (!upper || a >= 0.5) ? 1e-10 : 1e-17;
    /* Before a NaN is looked for, as PyTorch does: at 0 and infinity all other arguments have one limit. */
    if (x < 0 || a < 0)
        return NAN;
    if (a == 0)
        return x > 0 ? !upper : NAN;
    if (x == 0 || isinf(a))
        return isinf(x) && isinf(a) ? NAN : upper;
    if (isinf(x))
        return !upper;
    if (a != a || x != x)
        return NAN;
    if (a > 1e5)
        return incomplete_gamma_of_large(a, x, upper);
    const double logarithm = is_float && a < 0x1p33 ? lgamma_near(a) : lgamma(a);
    const double front = exp(a * log(x) - x - logarithm);
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < MOST_TERMS && term > sum * enough; n++)
            sum += term *= x / (a + n);
        return upper ? 1 - front * sum : front * sum;
    }
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d;
    for (int n = 1; n < MOST_TERMS; n++) {
        double an = -n * (n - a);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        fraction *= d * c;
        if (fabs(d * c - 1) < (is_float ? 1e-10 : 1e-15))
            break;
    }
    return upper ? front * fraction : 1 - front * fraction;
}
static double igamma(double a, double x) {
    return incomplete_gamma(a, x, false, false);
}
static double igammac(double a, double x) {
    return incomplete_gamma(a, x, true, false);
}
TSM_LOOP2(igamma_f32, float, float, TSM_NO_PREPARE, (float)incomplete_gamma((double)a, (double)b, false, true))
TSM_LOOP2(igammac_f32, float, float, TSM_NO_PREPARE, (float)incomplete_gamma((double)a, (double)b, true, true))

static inline int lgamma_is_near(float a) {
    const int in_range = (a > 0) & (a < 0x1p33f), not_one = fabsf(a - 1) > 0x1p-6f, not_two = fabsf(a - 2) > 0x1p-6f;
    return in_range & not_one & not_two;
}
TSM_NEAR_LOOP(lgamma_f32, float, 1, lgamma_is_near(a), (float)lgamma_near((double)a), (float)lgamma((double)a))
TSM_LOOP1(lgamma_f64, double, double, TSM_NO_PREPARE, lgamma(a))
TSM_LOOPS(lgamma, "lgamma", {[TSM_LANE_F32] = lgamma_f32, [TSM_LANE_F64] = lgamma_f64})
TSM_NEAR_LOOP(digamma_f32, float, 1, (a > 0) & (a < 0x1p33f), (float)digamma_near((double)a), (float)digamma((double)a))
TSM_LOOP1(digamma_f64, double, double, TSM_NO_PREPARE, digamma(a))
TSM_LOOPS(digamma, "digamma", {[TSM_LANE_F32] = digamma_f32, [TSM_LANE_F64] = digamma_f64})
SPECIAL2(zeta)
SPECIAL_DOUBLES2(igamma)
SPECIAL_DOUBLES2(igammac)
TSM_KERNEL(aten_lgamma) {
    return special_one(x, in, &lgamma_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_gammaln, aten_lgamma);
TSM_KERNEL(aten_digamma) {
    return special_one(x, in, &digamma_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_digamma, aten_digamma);
TSM_KERNEL_ALIAS(aten_special_psi, aten_digamma);
TSM_KERNEL(aten_special_zeta) {
    return two(x, in, &zeta_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_zeta_self_scalar, aten_special_zeta);
TSM_KERNEL_ALIAS(aten_special_zeta_other_scalar, aten_special_zeta);

/* An element may take all of the terms. */
static tsm_status charge_terms(tsm_exec *x, const tsm_value *const *in) {
    enum { UNITS = 384 };
    const tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1);
    tsm_dim sizes[TSM_MAX_DIMS], elements = 0;
    int dims;
    TSM_TRY(tsm_broadcast_shapes(x, a->dims, a->sizes, b->dims, b->sizes, &dims, sizes));
    if (!tsm_count_elements(dims, sizes, &elements))
        elements = PTRDIFF_MAX;
    return tsm_charge_product(x, (uint64_t)elements, UNITS, 1);
}

TSM_KERNEL(aten_igamma) {
    TSM_TRY(charge_terms(x, in));
    return two(x, in, &igamma_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_gammainc, aten_igamma);
TSM_KERNEL(aten_igammac) {
    TSM_TRY(charge_terms(x, in));
    return two(x, in, &igammac_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_gammaincc, aten_igammac);

/* ---- The error function and the normal distribution (7) ---- */

/* exp(a^2) erfc(a); far right by 7.12.1. */
static double erfcx(double a) {
    if (a < 25)
        return exp(a * a) * erfc(a);
    double z = 1 / (2 * a * a);
    return (1 - z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z)))) / (a * sqrt(SPECIAL_PI));
}

/* y with erf(y) = a (far from 0: erfc(y) = 1 - a), by Newton's method from an estimate of two digits. `rest` is 1 -
 * |a|. */
static double inverse_erf(double a, double rest) {
    if (!(rest > 0))
        return rest == 0 ? copysign(INFINITY, a) : NAN;
    double l = log(rest * (2 - rest)) / 2, c = 4.330746750799873 + l;
    double y = sqrt(sqrt(c * c - 2 * l / 0.147) - c);
    for (int k = 0; k < 4; k++) {
        double miss = rest > 0.5 ? erf(y) - (1 - rest) : rest - erfc(y);
        double step = miss * sqrt(SPECIAL_PI) / 2 * exp(y * y);
        y -= step / (1 + y * step);
    }
    return copysign(y, a);
}
static double erfinv(double a) {
    if (fabs(a) < 0.5) { /* 1 - |a| would lose digits of small numbers */
        double y = a * sqrt(SPECIAL_PI) / 2;
        for (int k = 0; k < 6; k++)
            y -= (erf(y) - a) * sqrt(SPECIAL_PI) / 2 * exp(y * y);
        return y;
    }
    return inverse_erf(a, 1 - fabs(a));
}
static double ndtri(double a) {
    if (a < 0 || a > 1)
        return NAN;
    return sqrt(2) * (a < 0.25 ? inverse_erf(-1, 2 * a) : a > 0.75 ? inverse_erf(1, 2 * (1 - a)) : erfinv(2 * a - 1));
}
static double log_ndtr(double a) {
    double t = a / sqrt(2);
    return a < -1 ? log(erfcx(-t) / 2) - t * t : log1p(-erfc(t) / 2);
}

/* erfinv(x) / x for floats, to 3e-9, by w = -log(1 - x^2) up to 20, of which `rest` is 1 - x^2: a polynomial in w / 2.5
 * - 1 up to 5, above in the root of w, scaled to -1..1. They were fitted to relative errors. */
enum { INVERSE_TERMS = 12 };
static const double INVERSE_LEAST = 0x1p-28; /* of rest: w is 19.4 */
static inline double inverse_erf_near(double rest) {
    static const double middle[INVERSE_TERMS] = {3.187260917376055e-06,  4.161304270720121e-06,  -4.210550384925464e-05,
                                                 2.5128110067119628e-05, 0.00029284176169907253, -0.000836443069653744,
                                                 -0.0004881858605027429, 0.008525925326423224,   -0.019573508898391514,
                                                 -0.026108279615003026,  0.6166006892092003,     1.5014093517052804};
    static const double outer[INVERSE_TERMS] = {1.165517460110094e-05,  -8.252444535519476e-05, 0.00011989624633541835,
                                                0.00013823197491685758, -0.0007167512427621076, 0.0013970029658563875,
                                                -0.0020363000668215826, 0.0027365611328183403,  -0.004021597491831997,
                                                0.0054302671245146025,  1.125039169022218,      3.1885892875816233};
    const double w = -vd_log(rest), s = (sqrt(w) - 3.3541019662496843) * 0.8944271909999159, t = w / 2.5 - 1;
    double a = middle[0], b = outer[0];
    for (int k = 1; k < INVERSE_TERMS; k++) {
        a = a * t + middle[k];
        b = b * s + outer[k];
    }
    return w <= 5 ? a : b;
}
static inline double erfinv_near(double a) {
    return a * inverse_erf_near((1 - a) * (1 + a));
}
static inline double ndtri_near(double a) {
    return (2 * a - 1) * (sqrt(2) * inverse_erf_near(4 * a * (1 - a)));
}
TSM_NEAR_LOOP(erfinv_f32, float, 1, fabsf(a) < 1, (float)erfinv_near((double)a), (float)erfinv((double)a))
TSM_NEAR_LOOP(ndtri_f32, float, 1, (a > (float)INVERSE_LEAST) & (a < 1), (float)ndtri_near((double)a),
              (float)ndtri((double)a))

SPECIAL1(erfcx)
SPECIAL_DOUBLES1(erfinv)
SPECIAL_DOUBLES1(ndtri)
SPECIAL1(log_ndtr)
TSM_KERNEL(aten_special_erfcx) {
    return special_one(x, in, &erfcx_loops, out);
}
TSM_KERNEL(aten_erfinv) {
    return special_one(x, in, &erfinv_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_erfinv, aten_erfinv);
TSM_KERNEL(aten_special_ndtri) {
    return special_one(x, in, &ndtri_loops, out);
}
TSM_KERNEL(aten_special_log_ndtr) {
    return special_one(x, in, &log_ndtr_loops, out);
}
