/* Elementary functions of float that compilers vectorize: straight-line code, no tables, no calls.
 *
 * Errors are a few units in the last place (each function says its bound, found by comparing all of a dense grid with
 * double precision). NaN goes through, infinities and overflow behave as libm's. The polynomials are minimax fits of
 * our own, made by iteratively reweighted least squares on the stated interval. */
#ifndef TSM_KERNELS_SIMD_VMATH_H
#define TSM_KERNELS_SIMD_VMATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float vm_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t vm_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* a b + c, rounded once where the processor does that in one step. */
static inline float vm_ma(float a, float b, float c) {
#if defined(__FMA__)
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

/* Rounds to the nearest integer for |x| < 2^22, and leaves that integer in the low bits of the sum's pattern. */
#define VM_ROUND 12582912.0f

/* x = n ln2 + r with |r| <= ln2/2: e^x = 2^n (1 + r + r^2 q(r)). 2^n is the product of two factors, so that subnormal
 * results round once and none overflows too early. x is at least -104. */
typedef struct {
    float r, q, scale[2];
} vm_exp_parts;
static inline vm_exp_parts vm_exp_parts_of(float shifted, float r) {
    float q = 1.3901285e-3f;
    q = vm_ma(q, r, 8.3631404e-3f);
    q = vm_ma(q, r, 4.16668534e-2f);
    q = vm_ma(q, r, 0.1666657732f);
    q = vm_ma(q, r, 0.4999999955f);
    int32_t k = (int32_t)(vm_bits(shifted) - vm_bits(VM_ROUND)), half = k >> 1;
    return (vm_exp_parts){r, q, {vm_float((uint32_t)(half + 127) << 23), vm_float((uint32_t)(k - half + 127) << 23)}};
}
static inline vm_exp_parts vm_exp_reduce(float x) {
    float v = x > 89.0f ? 89.0f : x;
    float shifted = vm_ma(v, 1.44269504f, VM_ROUND);
    float n = shifted - VM_ROUND;
    float r = vm_ma(n, -0.693145752f, v);
    return vm_exp_parts_of(shifted, vm_ma(n, -1.42860677e-6f, r));
}

/* e^x; 2 ulp. Where it is 0 nothing is multiplied that vanishes: that takes processors a hundred cycles. */
static inline float vm_exp(float x) {
    const int is_zero = x < -104.0f;
    vm_exp_parts p = vm_exp_reduce(is_zero ? 0.0f : x);
    float y = (vm_ma(p.r * p.r, p.q, p.r) + 1.0f) * p.scale[0] * p.scale[1];
    return is_zero ? 0.0f : y;
}

/* 2^x; 2 ulp, and exact for integers: their r is 0. */
static inline float vm_exp2(float x) {
    const int is_zero = x < -151.0f;
    float v = is_zero ? 0.0f : x > 129.0f ? 129.0f : x, shifted = v + VM_ROUND;
    vm_exp_parts p = vm_exp_parts_of(shifted, (v - (shifted - VM_ROUND)) * 0.693147181f);
    float y = (vm_ma(p.r * p.r, p.q, p.r) + 1.0f) * p.scale[0] * p.scale[1];
    return is_zero ? 0.0f : y;
}

/* e^x - 1; 3 ulp. */
static inline float vm_expm1(float x) {
    vm_exp_parts p = vm_exp_reduce(x < -104.0f ? -104.0f : x);
    float e = vm_ma(p.r * p.r, p.q, p.r), less = vm_float((254u << 23) - vm_bits(p.scale[1]));
    float y = vm_ma(e, p.scale[0], p.scale[0] - less) * p.scale[1]; /* less is 1 / p.scale[1] */
    return x == 0.0f ? x : y;
}

/* x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for normal numbers: log(1 + f) = f - f^2 / 2 + f^3 q(f)
 * = f + rest. */
typedef struct {
    float n, f, rest;
} vm_log_parts;
static inline vm_log_parts vm_log_reduce_normal(float x) {
    uint32_t u = vm_bits(x);
    int32_t e = (int32_t)(u - 0x3f3504f3u) >> 23;
    float f = vm_float(u - ((uint32_t)e << 23)) - 1.0f;
    float q = -7.97420891e-2f;
    q = vm_ma(q, f, 0.1265569459f);
    q = vm_ma(q, f, -0.1298927757f);
    q = vm_ma(q, f, 0.1420994608f);
    q = vm_ma(q, f, -0.1664158155f);
    q = vm_ma(q, f, 0.2000120096f);
    q = vm_ma(q, f, -0.2500030392f);
    q = vm_ma(q, f, 0.3333332994f);
    float z = f * f;
    return (vm_log_parts){(float)e, f, vm_ma(z * f, q, -0.5f * z)};
}
static inline vm_log_parts vm_log_reduce(float x) {
    const int is_tiny = x < 0x1p-126f;
    vm_log_parts p = vm_log_reduce_normal(is_tiny ? x * 0x1p25f : x);
    p.n -= is_tiny ? 25.0f : 0.0f;
    return p;
}

/* y is the logarithm of a positive finite x; what it is of others. */
static inline float vm_log_ends(float x, float y) {
    y = x == INFINITY ? x : y;
    y = x == 0.0f ? -INFINITY : y;
    return x >= 0.0f ? y : x - x + NAN;
}

/* n ln2 + log(1 + f), in two parts of ln2. */
static inline float vm_log_of(vm_log_parts p) {
    return vm_ma(p.n, 0.693359375f, p.f + vm_ma(p.n, -2.12194440e-4f, p.rest));
}

/* Natural logarithm; 2 ulp. */
static inline float vm_log(float x) {
    return vm_log_ends(x, vm_log_of(vm_log_reduce(x)));
}

/* Logarithms to the bases 2 and 10; 3 ulp. The factors are 1 + 0.442695 and 0.25 + 0.184294: products of the larger
 * part by f are nearly exact. log10(2) is 0.30102539 + 4.605039e-6. */
static inline float vm_log2(float x) {
    vm_log_parts p = vm_log_reduce(x);
    float small = 0.44269504f * (p.f + p.rest);
    return vm_log_ends(x, p.n + (p.f + (p.rest + small)));
}
static inline float vm_log10(float x) {
    vm_log_parts p = vm_log_reduce(x);
    float small = vm_ma(p.n, 4.605038981e-6f, 0.18429448f * (p.f + p.rest));
    return vm_log_ends(x, vm_ma(p.n, 0.301025390625f, vm_ma(0.25f, p.f, vm_ma(0.25f, p.rest, small))));
}

/* log(1 + x); 3 ulp. What u = 1 + x loses by rounding is added divided by u, which is 2^n (1 + f): 2^n in two steps,
 * of which the first has an exponent for all n, and 1 + f by the first terms of its series. */
static inline float vm_log1p(float x) {
    float u = 1.0f + x, lost = x - (u - 1.0f);
    vm_log_parts p = vm_log_reduce_normal(u);
    float scale = vm_float((uint32_t)(128 - (int32_t)p.n) << 23);
    p.rest = vm_ma(0.5f * lost * scale, vm_ma(p.f, p.f, 1.0f - p.f), p.rest);
    return u == 1.0f ? x : vm_log_ends(u, vm_log_of(p));
}

/* Hyperbolic sine; 3 ulp. */
static inline float vm_sinh(float x) {
    float a = fabsf(x), e = vm_expm1(a), h = vm_exp(0.5f * a);
    float y = a > 88.0f ? 0.5f * h * h : 0.5f * (e + e / (e + 1.0f));
    return copysignf(y, x);
}

/* Hyperbolic cosine; 3 ulp. */
static inline float vm_cosh(float x) {
    float a = fabsf(x), e = vm_exp(a), h = vm_exp(0.5f * a);
    return a > 88.0f ? 0.5f * h * h : 0.5f * (e + 1.0f / e);
}

/* Inverses of the hyperbolic functions by log1p; 3 ulp. From 2^30 on, where squares might overflow, those of sinh and
 * cosh are log(2 x). */
#define VM_SQUARES_END 0x1p30f
static inline float vm_asinh(float x) {
    float a = fabsf(x), y = a + a * a / (1.0f + sqrtf(vm_ma(a, a, 1.0f)));
    float large = a > VM_SQUARES_END ? 0.693147181f : 0.0f;
    return copysignf(vm_log1p(a > VM_SQUARES_END ? a : y) + large, x);
}
static inline float vm_acosh(float x) {
    float t = x - 1.0f, y = t + sqrtf(t * (t + 2.0f)), large = x > VM_SQUARES_END ? 0.693147181f : 0.0f;
    return x < 1.0f ? NAN : vm_log1p(x > VM_SQUARES_END ? x : y) + large;
}
static inline float vm_atanh(float x) {
    float a = fabsf(x);
    return copysignf(0.5f * vm_log1p(2.0f * a / (1.0f - a)), x);
}

/* ---- Circular functions ---- */

/* Beyond it the reduction by multiples of pi/2 has too few bits: use libm. */
#define VM_FAR 8000.0f

/* sin and cos of x; 2 ulp, and 1e-7 absolute near their zeros, for |x| <= VM_FAR. x = n pi/2 + r, |r| <= pi/4. */
typedef struct {
    float sin, cos;
} vm_pair;
static inline vm_pair vm_sincos(float x) {
    float shifted = vm_ma(x, 0.636619772f, VM_ROUND), n = shifted - VM_ROUND;
    float r = vm_ma(n, -1.5703125f, x); /* 8, 11 and 24 bits of pi/2: products by n are exact */
    r = vm_ma(n, -4.837512969970703125e-4f, r);
    r = vm_ma(n, -7.5497899548918821e-8f, r);
    float z = r * r;
    float s = -1.95172483e-4f;
    s = vm_ma(s, z, 8.332177786e-3f);
    s = vm_ma(s, z, -0.166666549382f);
    s = vm_ma(r * z, s, r);
    float c = 2.443838676e-5f;
    c = vm_ma(c, z, -1.388736697e-3f);
    c = vm_ma(c, z, 4.166664686e-2f);
    c = vm_ma(z * z, c, vm_ma(-0.5f, z, 1.0f));
    uint32_t quarter = vm_bits(shifted) - vm_bits(VM_ROUND);
    float first = quarter & 1 ? c : s, second = quarter & 1 ? s : c;
    return (vm_pair){vm_float(vm_bits(first) ^ (quarter & 2) << 30),
                     vm_float(vm_bits(second) ^ ((quarter + 1) & 2) << 30)};
}
static inline float vm_sin(float x) {
    return x == 0.0f ? x : vm_sincos(x).sin;
}
static inline float vm_cos(float x) {
    return vm_sincos(x).cos;
}
static inline float vm_tan(float x) {
    vm_pair p = vm_sincos(x);
    return x == 0.0f ? x : p.sin / p.cos;
}

/* asin(x) for |x| <= 1/2. */
static inline float vm_asin_near(float x) {
    float z = x * x;
    float q = 4.2178087725e-2f;
    q = vm_ma(q, z, 2.4173036371e-2f);
    q = vm_ma(q, z, 4.5471589887e-2f);
    q = vm_ma(q, z, 7.4952888093e-2f);
    q = vm_ma(q, z, 0.166667526781f);
    return vm_ma(x * z, q, x);
}

/* Arcsine and arccosine; 3 ulp. Near 1 by way of asin(sqrt((1 - |x|) / 2)). */
static inline float vm_asin(float x) {
    float a = fabsf(x), near = vm_asin_near(a > 0.5f ? sqrtf(0.5f * (1.0f - a)) : a);
    return copysignf(a > 0.5f ? 1.57079632679f - 2.0f * near : near, x);
}
static inline float vm_acos(float x) {
    float a = fabsf(x), near = vm_asin_near(a > 0.5f ? sqrtf(0.5f * (1.0f - a)) : a);
    float far = x < 0.0f ? 3.14159265359f - 2.0f * near : 2.0f * near;
    return a > 0.5f ? far : 1.57079632679f - copysignf(near, x);
}

/* Arctangent of a in [0, 1]; 2 ulp. Above tan(pi/8) by way of (a - 1) / (a + 1). */
static inline float vm_atan_unit(float a) {
    float t = a > 0.414213562f ? (a - 1.0f) / (a + 1.0f) : a, z = t * t;
    float q = -6.0777696742e-2f;
    q = vm_ma(q, z, 0.105936441161f);
    q = vm_ma(q, z, -0.142435116706f);
    q = vm_ma(q, z, 0.199984704415f);
    q = vm_ma(q, z, -0.333333151724f);
    return (a > 0.414213562f ? 0.785398163397f : 0.0f) + vm_ma(t * z, q, t);
}
static inline float vm_atan(float x) {
    float a = fabsf(x), y = vm_atan_unit(a > 1.0f ? 1.0f / a : a);
    return copysignf(a > 1.0f ? 1.57079632679f - y : y, x);
}
static inline float vm_atan2(float y, float x) {
    float a = fabsf(x), b = fabsf(y), small = a < b ? a : b, large = a < b ? b : a;
    float t = large == 0.0f ? 0.0f : small == large ? 1.0f : small / large, angle = vm_atan_unit(t);
    angle = a < b ? 1.57079632679f - angle : angle;
    angle = vm_bits(x) >> 31 ? 3.14159265359f - angle : angle;
    return x != x || y != y ? x + y : copysignf(angle, y);
}

/* ---- Remainders ---- */

/* C's fmod, exact where |a / b| < 2^28 and b is finite: the product of the quotient and b fits into a double. Where
 * |b| * 2^28 is infinite, |a / b| is smaller than that whatever a is. */
static inline int vm_fmod_is_near(float a, float b) {
    const int is_small = fabsf(a) < fabsf(b) * 0x1p28f, is_finite = fabsf(b) <= 3.4028235e38f;
    return is_small & is_finite;
}
static inline float vm_fmod(float a, float b) {
    double d = fabs((double)b), n = fabs((double)a), r = n - d * trunc(n / d);
    r = r < 0 ? r + d : r; /* the quotient was rounded up to a whole number */
    return copysignf((float)r, a);
}

/* Hyperbolic tangent; 2 ulp. */
static inline float vm_tanh(float x) {
    float a = fabsf(x), z = x * x;
    float q = -6.0969411e-3f;
    q = vm_ma(q, z, 2.09973572e-2f);
    q = vm_ma(q, z, -5.38509534e-2f);
    q = vm_ma(q, z, 0.1333277008f);
    q = vm_ma(q, z, -0.3333332895f);
    float small = x * vm_ma(z, q, 1.0f);
    float large = 1.0f - 2.0f / (vm_exp(2.0f * a) + 1.0f);
    return a < 0.625f ? small : copysignf(large, x);
}

/* erf(x) / x for |x| <= 1; z = x^2. */
static inline float vm_erf_near(float z) {
    float p = 7.8538609e-5f;
    p = vm_ma(p, z, -8.0101935e-4f);
    p = vm_ma(p, z, 5.1883277e-3f);
    p = vm_ma(p, z, -2.6853812e-2f);
    p = vm_ma(p, z, 0.1128358515f);
    p = vm_ma(p, z, -0.3761262582f);
    p = vm_ma(p, z, 1.1283791657f);
    return p;
}

/* Error function; absolute error 1e-7, 2 ulp below 1. Above 1: 1 - t q(t) exp(-x^2) with t = 1/(1 + 0.4 x). */
static inline float vm_erf(float x) {
    float a = fabsf(x), z = x * x;
    float t = 1.0f / vm_ma(0.4f, a, 1.0f);
    float q = -0.1081298901f;
    q = vm_ma(q, t, 0.216351387f);
    q = vm_ma(q, t, 0.0458075712f);
    q = vm_ma(q, t, 0.1858503912f);
    q = vm_ma(q, t, 0.2097100766f);
    q = vm_ma(q, t, 0.2243843166f);
    q = vm_ma(q, t, 0.2258273254f);
    float tail = vm_ma(-t * q, vm_exp(-z), 1.0f);
    return a < 1.0f ? x * vm_erf_near(z) : a > 4.0f ? copysignf(1.0f, x) : x != x ? x : copysignf(tail, x);
}

/* Complementary error function; 7 ulp. From 1/2 on: t q(t) exp(-x^2) with
 * t = 1/(1 + 0.4 x). The square is taken in two parts, of which the first is exact: its rounding would be multiplied.
 */
static inline float vm_erfc(float x) {
    float a = fabsf(x), z = x * x;
    float far = a < 10.2f ? a : 10.2f, t = 1.0f / vm_ma(0.4f, far, 1.0f);
    float q = 6.02540858e-2f;
    q = vm_ma(q, t, -0.2208046913f);
    q = vm_ma(q, t, 0.2287796885f);
    q = vm_ma(q, t, -5.6159012e-2f);
    q = vm_ma(q, t, 0.1663540602f);
    q = vm_ma(q, t, 0.1613048762f);
    q = vm_ma(q, t, 0.2090344727f);
    q = vm_ma(q, t, 0.2255694866f);
    q = vm_ma(q, t, 0.2256790847f);
    float high = vm_float(vm_bits(far) & 0xfffff000u), r = (high - far) * (high + far);
    float rest = 1.0f + r * (1.0f + r * (0.5f + r * (0.1666666667f + r * 4.1666667e-2f)));
    float tail = t * q * rest * vm_exp(-high * high);
    return a < 0.5f ? 1.0f - x * vm_erf_near(z) : x != x ? x : x < 0 ? 2.0f - tail : tail;
}

static inline float vm_sigmoid(float x) {
    return 1.0f / (1.0f + vm_exp(-x));
}

#endif
