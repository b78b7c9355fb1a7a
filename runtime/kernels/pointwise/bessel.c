/* Bessel and Airy functions, calculated in double. Sections are those of the NIST Digital Library of Mathematical
 * Functions. */
#include "runtime/kernels/pointwise/pointwise.h"

static const double PI = 3.14159265358979323846;

/* exp(-|a|) I_order(|a|), order 0 or 1, from 10.32.3: (1/pi) times the integral of exp(|a| (cos t - 1)) cos(order t)
 * from 0 to pi. The trapezoidal rule converges exponentially on this periodic function; far out the integrand is a
 * narrow bell, so only its part up to `end` counts. */
static double scaled_i(int order, double a) {
    enum { STEPS = 160 };
    a = fabs(a);
    if (isinf(a))
        return 0;
    double end = a > 20 ? 2 * asin(sqrt(20 / a)) : PI, h = end / STEPS, sum = 0;
    for (int k = 0; k <= STEPS; k++) {
        const double half = sin(k * h / 2); /* cos t - 1 is -2 of its square, exact for small t too */
        double value = exp(-2 * a * half * half) * (order ? cos(k * h) : 1);
        sum += k == 0 || k == STEPS ? value / 2 : value;
    }
    return sum * h / PI;
}

/* exp(a) K_order(a) for a > 0 from 10.32.9: the integral of exp(-a (cosh t - 1)) cosh(order t) from 0 on, again by the
 * trapezoidal rule, up to where the integrand is below exp(-40) of its largest value. */
static double scaled_k(double order, double a) {
    enum { STEPS = 200 };
    if (isinf(a))
        return 0;
    double end = 2 * asinh(sqrt(20 / a)), sum = 0.5; /* cosh t - 1 is 2 sinh(t / 2)^2 */
    end = 2 * asinh(sqrt((40 + order * end) / 2 / a));
    const double h = end / STEPS;
    for (int k = 1; k <= STEPS; k++) {
        const double half = sinh(k * h / 2);
        sum += exp(-2 * a * half * half) * cosh(order * k * h);
    }
    return sum * h;
}

static double i0e(double a) {
    return scaled_i(0, a);
}
static double i1e(double a) {
    return copysign(scaled_i(1, a), a);
}
static double i0(double a) {
    return exp(fabs(a)) * i0e(a);
}
static double i1(double a) {
    return a == 0 ? a : exp(fabs(a)) * i1e(a);
}

static double positive(double a, double value) {
    return a > 0 ? value : a == 0 ? INFINITY : NAN;
}
static double k0e(double a) {
    return positive(a, scaled_k(0, a));
}
static double k1e(double a) {
    return positive(a, scaled_k(1, a));
}
static double k0(double a) {
    return exp(-a) * k0e(a);
}
static double k1(double a) {
    return exp(-a) * k1e(a);
}

/* Near 0 the series 9.4.1; on the right 9.6.2 with K of order 1/3; on the left the expansion 9.7.9. */
static double airy_ai(double a) {
    if (a > 2)
        return sqrt(a / 3) / PI * scaled_k(1.0 / 3, 2 * a * sqrt(a) / 3) * exp(-2 * a * sqrt(a) / 3);
    if (a >= -7) {
        double f = 1, g = a, cube = a * a * a, sum_f = f, sum_g = g;
        for (int k = 1; k < 60; k++) {
            f *= cube / ((3 * k) * (3 * k - 1));
            g *= cube / ((3 * k) * (3 * k + 1));
            sum_f += f;
            sum_g += g;
        }
        return 0.355028053887817239 * sum_f - 0.258819403792806798 * sum_g;
    }
    double z = 2 * -a * sqrt(-a) / 3, angle = z - PI / 4, term = 1, even = 1, odd = 0;
    for (int k = 1; k < 12; k++) {
        term *= (6.0 * k - 5) * (6 * k - 1) / (72 * k * z);
        if (k % 2)
            odd += k % 4 == 1 ? term : -term;
        else
            even += k % 4 == 0 ? term : -term;
    }
    return (cos(angle) * even + sin(angle) * odd) / (sqrt(PI) * sqrt(sqrt(-a)));
}

static double spherical_j0(double a) {
    return isinf(a) ? 0 : fabs(a) < 1e-4 ? 1 - a * a / 6 : sin(a) / a;
}

/* J and Y of orders 0 and 1; PyTorch gives NaN where they fade out at infinity. */
typedef struct {
    double j[2], y[2];
} bessel_pair;

/* For a > 25, 10.17.3 and 10.17.4: terms fall below double precision before they grow. */
static bessel_pair bessel_far(double a) {
    bessel_pair b;
    for (int n = 0; n < 2; n++) {
        double angle = a - (2 * n + 1) * PI / 4, term = 1, p = 1, q = 0;
        for (int k = 1; k < 40 && fabs(term) > 1e-18; k++) {
            term *= (4.0 * n * n - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * k * a);
            *(k % 2 ? &q : &p) += k % 4 < 2 ? term : -term;
        }
        double front = sqrt(2 / (PI * a));
        b.j[n] = front * (p * cos(angle) - q * sin(angle));
        b.y[n] = front * (p * sin(angle) + q * cos(angle));
    }
    return b;
}

/* For 0 < a <= 25: all J by Miller's downward recurrence (3.6), normalized by 10.12.4, and Y from Neumann's series of
 * them (10.23.17 and, for order 1, its derivative). */
static bessel_pair bessel_near(double a) {
    const double gamma = 0.57721566490153286061, big = 1e200;
    double above = 0, now = 1e-200, total = 0, even = 0, odd = 0;
    for (int k = 2 * (int)((a + 40) / 2); k > 0; k--) {
        int half = k / 2;
        double sign = half % 2 ? -1 : 1;
        if (k % 2 == 0) {
            total += 2 * now;
            even += sign * now / half;
        } else if (half) {
            odd += sign * k * now / ((double)half * (half + 1));
        }
        double below = 2 * k / a * now - above;
        above = now;
        now = below;
        if (fabs(now) > big) {
            now /= big;
            above /= big;
            total /= big;
            even /= big;
            odd /= big;
        }
    }
    total += now;
    double j0 = now / total, j1 = above / total, logarithm = log(a / 2) + gamma;
    return (bessel_pair){
        {j0, j1},
        {2 / PI * (logarithm * j0 - 2 * even / total), 2 / PI * ((logarithm - 1) * j1 - j0 / a - odd / total)}};
}

static bessel_pair bessel(double a) {
    return a > 25 ? bessel_far(a) : bessel_near(a);
}
static double bessel_j0(double a) {
    return a == 0 ? 1 : !isfinite(a) ? NAN : bessel(fabs(a)).j[0];
}
static double bessel_j1(double a) {
    return a == 0 ? a : !isfinite(a) ? NAN : copysign(1, a) * bessel(fabs(a)).j[1];
}
static double bessel_y(double a, int order) {
    return a > 0 ? (isinf(a) ? NAN : bessel(a).y[order]) : a == 0 ? -INFINITY : NAN;
}
static double bessel_y0(double a) {
    return bessel_y(a, 0);
}
static double bessel_y1(double a) {
    return bessel_y(a, 1);
}

#define BESSEL(name)                                                                                                   \
    TSM_LOOP1(name##_f32, float, float, TSM_NO_PREPARE, (float)name((double)a))                                        \
    TSM_LOOP1(name##_f64, double, double, TSM_NO_PREPARE, name(a))                                                     \
    TSM_LOOPS(name, #name, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})

/* Charges TERMS steps an element: integrals are sums of about so many terms. */
static tsm_status one(tsm_exec *x, const tsm_value *const *in, const tsm_loops *loops, tsm_value *out) {
    enum { TERMS = 200 };
    TSM_TRY(tsm_charge_product(x, (uint64_t)arg_tensor(in, 0)->elements, TERMS, 1));
    return tsm_unary(x, in, arg_tensor(in, 0), loops, TSM_RESULT_FLOATING, NULL, out);
}

BESSEL(i0)
BESSEL(i0e)
BESSEL(i1)
BESSEL(i1e)
BESSEL(k0)
BESSEL(k1)
BESSEL(k0e)
BESSEL(k1e)
BESSEL(airy_ai)
BESSEL(spherical_j0)
BESSEL(bessel_j0)
BESSEL(bessel_j1)
BESSEL(bessel_y0)
BESSEL(bessel_y1)

TSM_KERNEL(aten_i0) {
    return one(x, in, &i0_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_i0, aten_i0);
TSM_KERNEL_ALIAS(aten_special_modified_bessel_i0, aten_i0);
TSM_KERNEL(aten_special_i0e) {
    return one(x, in, &i0e_loops, out);
}
TSM_KERNEL(aten_special_i1) {
    return one(x, in, &i1_loops, out);
}
TSM_KERNEL_ALIAS(aten_special_modified_bessel_i1, aten_special_i1);
TSM_KERNEL(aten_special_i1e) {
    return one(x, in, &i1e_loops, out);
}
TSM_KERNEL(aten_special_modified_bessel_k0) {
    return one(x, in, &k0_loops, out);
}
TSM_KERNEL(aten_special_modified_bessel_k1) {
    return one(x, in, &k1_loops, out);
}
TSM_KERNEL(aten_special_scaled_modified_bessel_k0) {
    return one(x, in, &k0e_loops, out);
}
TSM_KERNEL(aten_special_scaled_modified_bessel_k1) {
    return one(x, in, &k1e_loops, out);
}
TSM_KERNEL(aten_special_airy_ai) {
    return one(x, in, &airy_ai_loops, out);
}
TSM_KERNEL(aten_special_spherical_bessel_j0) {
    return one(x, in, &spherical_j0_loops, out);
}
TSM_KERNEL(aten_special_bessel_j0) {
    return one(x, in, &bessel_j0_loops, out);
}
TSM_KERNEL(aten_special_bessel_j1) {
    return one(x, in, &bessel_j1_loops, out);
}
TSM_KERNEL(aten_special_bessel_y0) {
    return one(x, in, &bessel_y0_loops, out);
}
TSM_KERNEL(aten_special_bessel_y1) {
    return one(x, in, &bessel_y1_loops, out);
}
