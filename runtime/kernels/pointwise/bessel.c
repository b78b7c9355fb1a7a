/* Bessel and Airy functions, calculated in double. Sections are those of the NIST Digital Library of Mathematical
 * Functions. */
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/simd/vmath64.h"

static const double PI = 3.14159265358979323846;

/* exp(-|a|) I_order(|a|) of n elements, order 0 or 1, by Chebyshev series in |a| / 4 - 1 up to 8 (for order 1 of the
 * function over |a|), above in 16 / |a| - 1 of the function times the root of |a|. Their coefficients were calculated
 * with 40 digits from 10.25.2; sums go by Clenshaw's recurrence, all elements side by side. */
enum { MODIFIED_BLOCK = 16, MODIFIED_TERMS = 29 };
static const double modified_series[2][MODIFIED_TERMS][2] = {
    {
        {0.33839763720473803, 0.4022452055070544},
        {-0.3046826723431984, 0.0033691164782556943},
        {0.17162090152220877, 6.889758346916825e-05},
        {-0.09490109704804764, 2.8913705208347567e-06},
        {0.04930528423967071, 2.0489185894690638e-07},
        {-0.02373741480589947, 2.266668990498178e-08},
        {0.010546460394594998, 3.3962320257083865e-09},
        {-0.004324309995050576, 4.94060238822497e-10},
        {0.0016394756169413357, 1.1889147107846439e-11},
        {-0.0005763755745385824, -3.1499165279632416e-11},
        {0.00018850288509584165, -1.3215811840447713e-11},
        {-5.754195010082104e-05, -1.7941785315068062e-12},
        {1.6448448070728896e-05, 7.180124451383666e-13},
        {-4.4167383584587505e-06, 3.8527783827421426e-13},
        {1.1173875391201037e-06, 1.54008621752141e-14},
        {-2.670793853940612e-07, -4.150569347287222e-14},
        {6.046995022541919e-08, -9.554846698828307e-15},
        {-1.300025009986248e-08, 3.8116806693526224e-15},
        {2.6598237246823866e-09, 1.7725601330565263e-15},
        {-5.189795601635263e-10, -3.425485619677219e-16},
        {9.675809035373237e-11, -2.8276239805165836e-16},
        {-1.726826291441556e-11, 3.461222867697461e-17},
        {2.95505266312964e-12, 4.46562142029676e-17},
        {-4.856446783111929e-13, -4.830504485944182e-18},
        {7.676185498604936e-14, -7.233180487874754e-18},
        {-1.1685332877993451e-14, 0.0},
        {1.715391285555133e-15, 0.0},
        {-2.431279846547955e-16, 0.0},
        {3.3307945188222384e-17, 0.0},
    },
    {
        {0.12629359322181682, 0.38928811750914005},
        {-0.17641651835783406, -0.009761097491361469},
        {0.1026436586898471, -0.00011058893876262371},
        {-0.05294598120809499, -3.882564808877691e-06},
        {0.024726449030626516, -2.512236237870209e-07},
        {-0.010564084894626197, -2.6314688468895196e-08},
        {0.004156422944312888, -3.835380385964237e-09},
        {-0.0015135724506312532, -5.589743462196584e-10},
        {0.0005122859561685758, -1.8974958123505413e-11},
        {-0.00016176081582589674, 3.2526035830154884e-11},
        {4.781565107550054e-05, 1.4125807436613782e-11},
        {-1.3273163656039436e-05, 2.0356285441470896e-12},
        {3.4702513081376785e-06, -7.198551776245908e-13},
        {-8.568720264695455e-07, -4.0835511110921974e-13},
        {2.0032947535521353e-07, -2.1015418427726643e-14},
        {-4.445059128796328e-08, 4.272440016711951e-14},
        {9.381537386495773e-09, 1.0420276984128802e-14},
        {-1.8872497517228294e-09, -3.8144030724370075e-15},
        {3.625590281552117e-10, -1.8803547755107825e-15},
        {-6.663489723502027e-11, 3.3082023109209285e-16},
        {1.1736186298890901e-11, 2.96262899764595e-16},
        {-1.9839743977649436e-12, -3.209525921993424e-17},
        {3.223793365945575e-13, -4.6503053684893586e-17},
        {-5.042185504727912e-14, 4.414348323071708e-18},
        {7.600684294735408e-15, 7.517296310842105e-18},
        {-1.1055969477353862e-15, 0.0},
        {1.5536319577362005e-16, 0.0},
        {-2.111421214358166e-17, 0.0},
        {2.7779141127610464e-18, 0.0},
    },
};
static void scaled_i(int order, const double *a, double *y, tsm_dim n) {
    double t[MODIFIED_BLOCK] = {0}, one[MODIFIED_BLOCK] = {0}, two[MODIFIED_BLOCK] = {0}, size[MODIFIED_BLOCK] = {0};
    for (tsm_dim i = 0; i < n; i++)
        size[i] = fabs(a[i]);
    for (int i = 0; i < MODIFIED_BLOCK; i++)
        t[i] = size[i] <= 8 ? size[i] / 4 - 1 : 16 / size[i] - 1;
    for (int k = MODIFIED_TERMS - 1; k > 0; k--) {
        const double *c = modified_series[order][k];
        for (int i = 0; i < MODIFIED_BLOCK; i++) {
            const double sum = 2 * t[i] * one[i] - two[i] + (size[i] <= 8 ? c[0] : c[1]);
            two[i] = one[i];
            one[i] = sum;
        }
    }
    const double *c = modified_series[order][0];
    for (tsm_dim i = 0; i < n; i++) {
        const bool is_near = size[i] <= 8;
        const double sum = t[i] * one[i] - two[i] + (is_near ? c[0] : c[1]);
        y[i] = !is_near ? sum / sqrt(size[i]) : order ? size[i] * sum : sum;
    }
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

#define MODIFIED_LOOP(name, T, ORDER, EXPRESSION)                                                                      \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        for (tsm_dim done = 0, m; done < n; done += m) {                                                               \
            T *y = (T *)p[0] + done;                                                                                   \
            const T *from = (const T *)p[1] + done;                                                                    \
            double v[MODIFIED_BLOCK], scaled[MODIFIED_BLOCK];                                                          \
            m = tsm_dim_min(n - done, MODIFIED_BLOCK);                                                                 \
            for (tsm_dim i = 0; i < m; i++)                                                                            \
                v[i] = (double)from[i];                                                                                \
            scaled_i(ORDER, v, scaled, m);                                                                             \
            for (tsm_dim i = 0; i < m; i++) {                                                                          \
                const double a = v[i], size = scaled[i];                                                               \
                y[i] = (T)(EXPRESSION);                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }
#define MODIFIED(name, ORDER, EXPRESSION)                                                                              \
    MODIFIED_LOOP(name##_f32, float, ORDER, EXPRESSION)                                                                \
    MODIFIED_LOOP(name##_f64, double, ORDER, EXPRESSION)                                                               \
    TSM_LOOPS(name, #name, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})
MODIFIED(i0e, 0, ((void)a, size))
MODIFIED(i0, 0, vd_exp(fabs(a)) * size)
MODIFIED(i1e, 1, copysign(size, a))
MODIFIED(i1, 1, a == 0 ? a : vd_exp(fabs(a)) * copysign(size, a))

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
