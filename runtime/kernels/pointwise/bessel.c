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

/* A polynomial by Horner's rule; c: the highest power first. */
static inline double bessel_polynomial(const double *c, int terms, double t) {
    double sum = c[0];
    for (int k = 1; k < terms; k++)
        sum = sum * t + c[k];
    return sum;
}

/* I_0 and I_1 / a up to SERIES_END, to 1e-12, as polynomials in a^2 / 32 - 1 that were fitted to relative errors. */
static const double SERIES_END = 8;
enum { NEAR_TERMS = 13 };
static const double modified_near[2][NEAR_TERMS] = {
    {5.157955589447028e-07, 1.0391629858142267e-05, 0.0001654027002748155, 0.0022084295536130053, 0.024220443207818163,
     0.2136405452398847, 1.4780921069771387, 7.773027135452921, 29.833555017953266, 79.09967787565594,
     133.73747015115882, 126.1934934833327, 49.208554223072206},
    {1.935331730702003e-08, 4.126547850832953e-07, 7.106353167288921e-06, 0.00010331758736576185, 0.0012422628516861002,
     0.012110269052009816, 0.09346773774261961, 0.5542845243211315, 2.4290709779097326, 7.458388756457629,
     14.831189601996034, 16.71718376883627, 7.887093342702651},
};
static inline double near_modified(int order, double a) {
    const double sum = bessel_polynomial(modified_near[order], NEAR_TERMS, a * a / 32 - 1);
    return order ? a * sum : sum;
}

/* Floats take that where all of a block are near. EXPRESSION is of the function, EXPRESSION_SCALED of what scaled_i
 * gives. */
#define MODIFIED_FLOATS(name, ORDER, EXPRESSION, EXPRESSION_SCALED)                                                    \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        for (tsm_dim done = 0, m; done < n; done += m) {                                                               \
            float *y = (float *)p[0] + done;                                                                           \
            const float *from = (const float *)p[1] + done;                                                            \
            double v[MODIFIED_BLOCK], scaled[MODIFIED_BLOCK];                                                          \
            int far = 0;                                                                                               \
            m = tsm_dim_min(n - done, MODIFIED_BLOCK);                                                                 \
            for (tsm_dim i = 0; i < m; i++) {                                                                          \
                v[i] = (double)from[i];                                                                                \
                far |= fabs(v[i]) <= SERIES_END ? 0 : 1;                                                               \
            }                                                                                                          \
            if (far)                                                                                                   \
                scaled_i(ORDER, v, scaled, m);                                                                         \
            for (tsm_dim i = 0; i < m; i++) {                                                                          \
                const double a = v[i], size = far ? scaled[i] : near_modified(ORDER, a);                               \
                y[i] = (float)(far ? (EXPRESSION_SCALED) : (EXPRESSION));                                              \
            }                                                                                                          \
        }                                                                                                              \
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
#define MODIFIED(name, ORDER, EXPRESSION, EXPRESSION_SCALED)                                                           \
    MODIFIED_FLOATS(name##_f32, ORDER, EXPRESSION, EXPRESSION_SCALED)                                                  \
    MODIFIED_LOOP(name##_f64, double, ORDER, EXPRESSION_SCALED)                                                        \
    TSM_LOOPS(name, #name, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})
MODIFIED(i0e, 0, vd_exp(-fabs(a)) * size, ((void)a, size))
MODIFIED(i0, 0, ((void)a, size), vd_exp(fabs(a)) * size)
MODIFIED(i1e, 1, vd_exp(-fabs(a)) * size, copysign(size, a))
MODIFIED(i1, 1, ((void)a, size), a == 0 ? a : vd_exp(fabs(a)) * copysign(size, a))

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

/* For floats, to 1e-11. Up to SERIES_END J_0, J_1 / a, and what is left of Y_0 and Y_1 without the logarithm and 1 / a
 * (10.8.1), are polynomials in a^2 / 32 - 1; above, P and Q of 10.17.3, and Q by 8 / a, are such in 128 / a^2 - 1. They
 * interpolate at Chebyshev's nodes. */
enum { J_TERMS = 15, FAR_TERMS = 9 };
static const double series_j[2][J_TERMS] = {
    {3.3794626319436793e-10, -7.96194687687482e-09, 1.5955848859935914e-07, -2.717679287941214e-06,
     3.847320005801417e-05, -0.0004435459758542475, 0.004058078988108771, -0.02847271858902714, 0.14598884856785538,
     -0.5074680458516896, 1.0383794611436883, -0.8080888076692623, -0.6484692830871821, 0.9303012472958457,
     0.045829664859813754},
    {1.1658972367678622e-11, -2.9580309461613664e-10, 6.431190177265836e-09, -1.1966856610655616e-07,
     1.8684526037206013e-06, -2.4045750380401832e-05, 0.0002494945813597261, -0.002029039493866671,
     0.012456814392263375, -0.05474581821299505, 0.15858376432721838, -0.2595948652859166, 0.15151665143806636,
     0.08105866038589758, -0.05814382795599107},
};
static const double series_y[2][J_TERMS] = {
    {-7.165821913752182e-10, 1.649185103178187e-08, -3.218450383864968e-07, 5.321167346373158e-06,
     -7.279542368660281e-05, 0.0008061587216633229, -0.0070257410549918785, 0.04636704763404262, -0.21895747096229642,
     0.6721770783531077, -1.077547733821527, 0.14412632369210437, 1.6470964788745432, -0.8284358903604341,
     -0.38225065445942497},
    {-2.499531546171249e-11, 6.202538033356882e-10, -1.3153147367094951e-08, 2.380443767044983e-07,
     -3.601000022590458e-06, 4.467433389052664e-05, -0.0004438173434420147, 0.0034224907383790058, -0.01962875683311711,
     0.07854786922274869, -0.19639839859930203, 0.2350720920666676, 0.02336757172099348, -0.24337743079193033,
     0.07075985882118005},
};
static const double series_far[2][2][FAR_TERMS] = {
    {{5.538042551238324e-12, -2.7549304767522505e-11, 1.5430831129269752e-10, -1.2100433370147669e-09,
      1.2804017666717393e-08, -2.0527506887046807e-07, 6.137416047543163e-06, -0.0005363673191684473,
      0.9994572757882526},
     {-4.270500077212706e-12, 1.923932880225092e-11, -9.40749173174669e-11, 6.41550679343059e-10,
      -5.6689469983817334e-09, 7.106263902364419e-08, -1.477138803291195e-06, 6.833149095616623e-05,
      -0.015555113879514113}},
    {{-5.9958064435078266e-12, 3.007485129747547e-11, -1.7056402360564498e-10, 1.358072795762592e-09,
      -1.4708787296165847e-08, 2.453682941887408e-07, -7.959694663578884e-06, 0.0008988049416226177,
      1.0009070262780815},
     {4.603874026133158e-12, -2.089162031569856e-11, 1.0327925338672915e-10, -7.132578545558388e-10,
      6.420379002494617e-09, -8.292013296647454e-08, 1.8212018198987733e-06, -9.621458818058198e-05,
      0.04677687402744961}},
};

static inline double near_j(int order, double a) {
    const double sum = bessel_polynomial(series_j[order], J_TERMS, a * a / 32 - 1);
    return order ? a * sum : sum;
}
static inline double near_y(int order, double a) {
    const double rest = bessel_polynomial(series_y[order], J_TERMS, a * a / 32 - 1);
    const double by_logarithm = vd_log(a) * near_j(order, a);
    return order ? a * rest + 2 / PI * (by_logarithm - 1 / a) : rest + 2 / PI * by_logarithm;
}
static inline double far_jy(int order, bool second, double a) {
    const double t = 128 / (a * a) - 1, p = bessel_polynomial(series_far[order][0], FAR_TERMS, t);
    const double q = bessel_polynomial(series_far[order][1], FAR_TERMS, t) * 8 / a,
                 angle = a - (2 * order + 1) * PI / 4;
    const double s = vd_sin(angle), c = vd_cos(angle);
    return sqrt(2 / (PI * a)) * (second ? p * s + q * c : p * c - q * s);
}

/* A block all of whose floats are near, or far, goes through a loop that compilers vectorize. IS_SMALL and IS_LARGE:
 * the float a is one of those. */
enum { BESSEL_BLOCK = 32 };
#define BESSEL_FLOATS(name, IS_SMALL, IS_LARGE, NEAR, FAR, ANY)                                                        \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        for (tsm_dim done = 0, m; done < n; done += m) {                                                               \
            float *y = (float *)p[0] + done, v[BESSEL_BLOCK];                                                          \
            uint32_t small = 1, middle = 1;                                                                            \
            m = tsm_dim_min(n - done, BESSEL_BLOCK);                                                                   \
            memcpy(v, (const float *)p[1] + done, (size_t)m * sizeof *v);                                              \
            for (tsm_dim i = 0; i < m; i++) {                                                                          \
                const float a = v[i];                                                                                  \
                small &= (IS_SMALL) ? 1 : 0;                                                                           \
                middle &= (int)(IS_SMALL) | (int)(IS_LARGE) ? 1 : 0;                                                   \
            }                                                                                                          \
            for (tsm_dim i = 0; i < m; i++) {                                                                          \
                const float a = v[i];                                                                                  \
                y[i] = (float)(NEAR);                                                                                  \
            }                                                                                                          \
            for (tsm_dim i = 0; i < m && !small; i++) {                                                                \
                const float a = v[i];                                                                                  \
                y[i] = (IS_LARGE) ? (float)(FAR) : y[i];                                                               \
            }                                                                                                          \
            for (tsm_dim i = 0; i < m && !middle; i++) {                                                               \
                const float a = v[i];                                                                                  \
                if (!((int)(IS_SMALL) | (int)(IS_LARGE)))                                                              \
                    y[i] = (float)(ANY);                                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
#define BESSEL_LARGEST ((float)VD_FAR)
#define FLOATS_J(name, ORDER, SIGN)                                                                                    \
    BESSEL_FLOATS(name##_f32, fabsf(a) <= 8, (int)(fabsf(a) > 8) & (int)(fabsf(a) < BESSEL_LARGEST),                   \
                  near_j(ORDER, (double)a), SIGN(far_jy(ORDER, false, fabs((double)a)), (double)a), name((double)a))   \
    BESSEL_DOUBLES(name)
#define FLOATS_Y(name, ORDER)                                                                                          \
    BESSEL_FLOATS(name##_f32, (int)(a > 0) & (int)(a <= 8), (int)(a > 8) & (int)(a < BESSEL_LARGEST),                  \
                  near_y(ORDER, (double)a), far_jy(ORDER, true, (double)a), name((double)a))                           \
    BESSEL_DOUBLES(name)
#define IS_EVEN(v, a) (v)
#define IS_ODD(v, a) ((a) < 0 ? -(v) : (v))
#define BESSEL_DOUBLES(name)                                                                                           \
    TSM_LOOP1(name##_f64, double, double, TSM_NO_PREPARE, name(a))                                                     \
    TSM_LOOPS(name, #name, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})
#define BESSEL(name)                                                                                                   \
    TSM_LOOP1(name##_f32, float, float, TSM_NO_PREPARE, (float)name((double)a))                                        \
    BESSEL_DOUBLES(name)

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
FLOATS_J(bessel_j0, 0, IS_EVEN)
FLOATS_J(bessel_j1, 1, IS_ODD)
FLOATS_Y(bessel_y0, 0)
FLOATS_Y(bessel_y1, 1)

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
