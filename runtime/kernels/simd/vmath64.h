/* Elementary functions of double that compilers vectorize: straight-line code, as those of float (vmath.h). Targets
 * without vectors of doubles call libm instead, whose functions are there once.
 *
 * Errors are a few units in the last place (each function says its bound; tests/unit/test_vmath.c holds it). NaN goes
 * through, infinities and overflow behave as libm's. The polynomials interpolate at Chebyshev's nodes of the stated
 * interval. */
#ifndef TSM_KERNELS_SIMD_VMATH64_H
#define TSM_KERNELS_SIMD_VMATH64_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__aarch64__) || defined(__wasm_simd128__)
static inline double vd_double(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static inline uint64_t vd_bits(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

/* a b + c, rounded once where the processor does that in one step. */
static inline double vd_ma(double a, double b, double c) {
#if defined(__FMA__)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* Rounds to the nearest integer for |x| < 2^51, and leaves that integer in the low bits of the sum's pattern. */
#define VD_ROUND 6755399441055744.0

/* x = n ln2 + r with |r| <= ln2/2: e^x = 2^n (1 + r + r^2 q(r)). 2^n is the product of two factors, so that subnormal
 * results round once and none overflows too early. x is at least -746. */
typedef struct {
    double r, q, scale[2];
} vd_exp_parts;
static inline vd_exp_parts vd_exp_reduce(double x) {
    const double v = x > 710.0 ? 710.0 : x;
    const double shifted = vd_ma(v, 1.4426950408889634, VD_ROUND), n = shifted - VD_ROUND;
    double r = vd_ma(n, -0.6931471805592082, v); /* 40 bits of ln2: products by n are exact */
    r = vd_ma(n, -7.371002565167799e-13, r);
    double q = 2.510038549551032e-08;
    q = vd_ma(q, r, 2.7620088445409746e-07);
    q = vd_ma(q, r, 2.7557268459997064e-06);
    q = vd_ma(q, r, 2.4801521295954376e-05);
    q = vd_ma(q, r, 0.00019841269863053618);
    q = vd_ma(q, r, 0.0013888888917213717);
    q = vd_ma(q, r, 0.008333333333330062);
    q = vd_ma(q, r, 0.04166666666662413);
    q = vd_ma(q, r, 0.16666666666666669);
    q = vd_ma(q, r, 0.5);
    /* Counted from 2048, so that halving needs no sign. */
    const uint64_t k = vd_bits(shifted) - vd_bits(VD_ROUND) + 2048, half = k >> 1;
    return (vd_exp_parts){r, q, {vd_double((half - 1) << 52), vd_double((k - half - 1) << 52)}};
}

/* e^x; 2 ulp. Where it is 0 nothing is multiplied that vanishes: that takes processors a hundred cycles. */
static inline double vd_exp(double x) {
    const int is_zero = x < -746.0;
    const vd_exp_parts p = vd_exp_reduce(is_zero ? 0.0 : x);
    const double y = (vd_ma(p.r * p.r, p.q, p.r) + 1.0) * p.scale[0] * p.scale[1];
    return is_zero ? 0.0 : y;
}

/* e^x - 1; 3 ulp. */
static inline double vd_expm1(double x) {
    const vd_exp_parts p = vd_exp_reduce(x < -746.0 ? -746.0 : x);
    const double e = vd_ma(p.r * p.r, p.q, p.r), less = vd_double((UINT64_C(2046) << 52) - vd_bits(p.scale[1]));
    const double y = vd_ma(e, p.scale[0], p.scale[0] - less) * p.scale[1]; /* less is 1 / p.scale[1] */
    return x == 0.0 ? x : y;
}

/* x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for normal numbers. */
typedef struct {
    double n, f;
} vd_log_parts;
static inline vd_log_parts vd_log_reduce(double x) {
    const uint64_t u = vd_bits(x);
    /* Counted from 2048, as above: the exponent goes up by one at sqrt(2), whose fraction is 0x6a09e667f3bcd. */
    const uint64_t e = (u + (UINT64_C(2048) << 52) - UINT64_C(0x3fe6a09e667f3bcd)) >> 52 & 0xfff;
    return (vd_log_parts){vd_double(vd_bits(VD_ROUND) + e - 2048) - VD_ROUND, vd_double(u - ((e - 2048) << 52)) - 1.0};
}

/* n ln2 + log(1 + f) + rest: by s = f / (2 + f), log(1 + f) is 2 s + s z p(z) with z = s^2, which is
 * f - (f^2 / 2 - s (f^2 / 2 + z p(z))). */
static inline double vd_log_of(double n, double f, double rest) {
    const double s = f / (2.0 + f), z = s * s;
    double p = 0.14616585424888623;
    p = vd_ma(p, z, 0.15331710618210773);
    p = vd_ma(p, z, 0.18182889455674947);
    p = vd_ma(p, z, 0.22222211130259878);
    p = vd_ma(p, z, 0.2857142862600327);
    p = vd_ma(p, z, 0.39999999999899444);
    p = vd_ma(p, z, 0.666666666666667);
    const double half = 0.5 * f * f, small = vd_ma(s, vd_ma(z, p, half), vd_ma(n, 7.371002565167799e-13, rest));
    return vd_ma(n, 0.6931471805592082, f - (half - small));
}

/* y is the logarithm of a positive finite x; what it is of others. */
static inline double vd_log_ends(double x, double y) {
    y = x == INFINITY ? x : y;
    y = x == 0.0 ? -INFINITY : y;
    return x >= 0.0 ? y : x - x + NAN;
}

/* Natural logarithm; 2 ulp. */
static inline double vd_log(double x) {
    const int is_tiny = x < 0x1p-1022;
    const vd_log_parts p = vd_log_reduce(is_tiny ? x * 0x1p54 : x);
    return vd_log_ends(x, vd_log_of(p.n - (is_tiny ? 54.0 : 0.0), p.f, 0.0));
}

/* log(1 + x); 3 ulp. What u = 1 + x loses by rounding is added divided by u, which is 2^n (1 + f): 2^n in two steps,
 * of which the first has an exponent for all n, and 1 + f by the first terms of its series. */
static inline double vd_log1p(double x) {
    const double u = 1.0 + x, lost = x - (u - 1.0);
    const vd_log_parts p = vd_log_reduce(u);
    const double scale = vd_double((vd_bits(VD_ROUND - p.n) - vd_bits(VD_ROUND) + 1024) << 52);
    const double y = vd_log_of(p.n, p.f, 0.5 * lost * scale * vd_ma(p.f, p.f, 1.0 - p.f));
    return u == 1.0 ? x : vd_log_ends(u, y);
}

/* Hyperbolic tangent, 4 ulp: -t / (t + 2) with t = e^(-2 |x|) - 1. */
static inline double vd_tanh(double x) {
    const double t = vd_expm1(-2.0 * fabs(x));
    return copysign(-t / (t + 2.0), x);
}

/* Hyperbolic sine and cosine; 3 ulp. */
static inline double vd_sinh(double x) {
    const double a = fabs(x), e = vd_expm1(a), h = vd_exp(0.5 * a);
    return copysign(a > 709.0 ? 0.5 * h * h : 0.5 * (e + e / (e + 1.0)), x);
}
static inline double vd_cosh(double x) {
    const double a = fabs(x), e = vd_exp(a), h = vd_exp(0.5 * a);
    return a > 709.0 ? 0.5 * h * h : 0.5 * (e + 1.0 / e);
}

/* sin and cos of x; 2 ulp, and 1e-16 absolute near their zeros, for |x| <= VD_FAR. x = n pi/2 + r, |r| <= pi/4. */
#define VD_FAR 500000.0
typedef struct {
    double sin, cos;
} vd_pair;
static inline vd_pair vd_sincos(double x) {
    const double shifted = vd_ma(x, 0.6366197723675814, VD_ROUND), n = shifted - VD_ROUND;
    double r = vd_ma(n, -1.5707963267341256, x); /* 33, 33 and 53 bits of pi/2: products by n are exact */
    r = vd_ma(n, -6.077100506303966e-11, r);
    r = vd_ma(n, -2.0222662487959506e-21, r);
    const double z = r * r;
    double s = 1.5918115263265974e-10;
    s = vd_ma(s, z, -2.505113165023518e-08);
    s = vd_ma(s, z, 2.7557316101617874e-06);
    s = vd_ma(s, z, -0.00019841269836756774);
    s = vd_ma(s, z, 0.008333333333330948);
    s = vd_ma(s, z, -0.16666666666666666);
    s = vd_ma(r * z, s, r);
    double c = -1.1382623647474604e-11;
    c = vd_ma(c, z, 2.087614614655861e-09);
    c = vd_ma(c, z, -2.7557317271145144e-07);
    c = vd_ma(c, z, 2.480158729876456e-05);
    c = vd_ma(c, z, -0.0013888888888887398);
    c = vd_ma(c, z, 0.041666666666666664);
    const double less = vd_ma(-0.5, z, 1.0);
    c = less + vd_ma(z * z, c, vd_ma(-0.5, z, 1.0 - less));
    const uint64_t quarter = vd_bits(shifted) - vd_bits(VD_ROUND);
    const double first = quarter & 1 ? c : s, second = quarter & 1 ? s : c;
    return (vd_pair){vd_double(vd_bits(first) ^ (quarter & 2) << 62),
                     vd_double(vd_bits(second) ^ ((quarter + 1) & 2) << 62)};
}
static inline double vd_sin(double x) {
    return x == 0.0 ? x : vd_sincos(x).sin;
}
static inline double vd_cos(double x) {
    return vd_sincos(x).cos;
}

/* C's fmod, exactly, where vd_fmod_is_near: the divisor is taken in two parts, whose products with a quotient of 26
 * bits are exact. */
static inline int vd_fmod_is_near(double a, double b) {
    const double size = fabs(b);
    return (fabs(a) < size * 0x1p26) & (size >= 0x1p-900) & (size <= 0x1p1000);
}
static inline double vd_fmod(double a, double b) {
    const double n = fabs(a), d = fabs(b), high = vd_double(vd_bits(d) & ~(uint64_t)0x7ffffff), q = trunc(n / d);
    double r = (n - q * high) - q * (d - high);
    r = r < 0 ? r + d : r; /* the quotient was rounded up to a whole number */
    return copysign(r, a);
}

/* Arc tangent; 2 ulp. Above tan(pi/8) it is pi/4 + atan((x - 1) / (x + 1)), above tan(3 pi/8) pi/2 - atan(1 / x). */
static inline double vd_atan(double x) {
    const double a = fabs(x);
    const int is_far = a > 2.414213562373095, is_middle = a > 0.41421356237309503;
    const double top = is_far ? -1.0 : is_middle ? a - 1.0 : a, bottom = is_far ? a : is_middle ? a + 1.0 : 1.0;
    const double f = top / bottom, z = f * f;
    double p = -0.017805397205419446;
    p = vd_ma(p, z, 0.03796525745386593);
    p = vd_ma(p, z, -0.05035102456601552);
    p = vd_ma(p, z, 0.05846878297330872);
    p = vd_ma(p, z, -0.06662951813629191);
    p = vd_ma(p, z, 0.07692045330902225);
    p = vd_ma(p, z, -0.09090896809064027);
    p = vd_ma(p, z, 0.11111110744919658);
    p = vd_ma(p, z, -0.14285714279250245);
    p = vd_ma(p, z, 0.19999999999940893);
    p = vd_ma(p, z, -0.3333333333333312);
    const double start = is_far ? 1.5707963267948966 : is_middle ? 0.7853981633974483 : 0.0;
    const double rest = is_far ? 6.123233995736766e-17 : is_middle ? 3.061616997868383e-17 : 0.0;
    return copysign(start + (f + vd_ma(f * z, p, rest)), x);
}

/* The angle of the point (x, y); 3 ulp, where vd_atan2_is_near: no infinity, no quotient that overflows or vanishes. */
static inline int vd_atan2_is_near(double y, double x) {
    const double a = fabs(x), b = fabs(y);
    return (a > 0x1p-500) & (a < 0x1p500) & (b > 0x1p-500) & (b < 0x1p500);
}
static inline double vd_atan2(double y, double x) {
    const double a = fabs(vd_atan(y / x));
    return copysign(x < 0 ? 3.141592653589793 - (a - 1.2246467991473532e-16) : a, y);
}
#else
#define vd_exp exp
#define vd_atan atan
#define vd_atan2 atan2
#define vd_fmod fmod
#define vd_fmod_is_near(a, b) 1
#define vd_atan2_is_near(a, b) 1
#define vd_expm1 expm1
#define vd_log log
#define vd_log1p log1p
#define vd_tanh tanh
#define vd_sinh sinh
#define vd_cosh cosh
#define vd_sin sin
#define vd_cos cos
#define VD_FAR INFINITY
#endif

static inline double vd_sigmoid(double x) {
    return 1.0 / (1.0 + vd_exp(-x));
}

#endif
