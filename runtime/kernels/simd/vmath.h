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

/* Rounds to the nearest integer for |x| < 2^22, and leaves that integer in the low bits of the sum's pattern. */
#define VM_ROUND 12582912.0f

/* e^x; 2 ulp. exp(r) = 1 + r + r^2 q(r) on |r| <= ln2/2, scaled by 2^n in two steps so that subnormal results round
 * once. */
static inline float vm_exp(float x) {
    float v = x > 89.0f ? 89.0f : x;
    v = v < -104.0f ? -104.0f : v;
    float shifted = v * 1.44269504f + VM_ROUND;
    float n = shifted - VM_ROUND;
    float r = v - n * 0.693145752f;
    r = r - n * 1.42860677e-6f;
    float q = 1.3901285e-3f;
    q = q * r + 8.3631404e-3f;
    q = q * r + 4.16668534e-2f;
    q = q * r + 0.1666657732f;
    q = q * r + 0.4999999955f;
    float e = r * r * q + r + 1.0f;
    int32_t k = (int32_t)(vm_bits(shifted) - vm_bits(VM_ROUND)), half = k >> 1;
    return e * vm_float((uint32_t)(half + 127) << 23) * vm_float((uint32_t)(k - half + 127) << 23);
}

/* Natural logarithm; 2 ulp. x = 2^e (1+f) with 1+f in [sqrt(1/2), sqrt(2)). */
static inline float vm_log(float x) {
    float scaled = x < 0x1p-126f ? x * 0x1p25f : x;
    uint32_t u = vm_bits(scaled);
    int32_t e = (int32_t)(u - 0x3f3504f3u) >> 23;
    float f = vm_float(u - ((uint32_t)e << 23)) - 1.0f;
    float n = (float)e - (x < 0x1p-126f ? 25.0f : 0.0f);
    float q = -7.97420891e-2f;
    q = q * f + 0.1265569459f;
    q = q * f - 0.1298927757f;
    q = q * f + 0.1420994608f;
    q = q * f - 0.1664158155f;
    q = q * f + 0.2000120096f;
    q = q * f - 0.2500030392f;
    q = q * f + 0.3333332994f;
    float z = f * f;
    float y = n * 0.693359375f + (f + (z * f * q - 0.5f * z - n * 2.12194440e-4f));
    y = x == INFINITY ? x : y;
    y = x == 0.0f ? -INFINITY : y;
    return x >= 0.0f ? y : x - x + NAN;
}

/* Hyperbolic tangent; 2 ulp. */
static inline float vm_tanh(float x) {
    float a = fabsf(x), z = x * x;
    float q = -6.0969411e-3f;
    q = q * z + 2.09973572e-2f;
    q = q * z - 5.38509534e-2f;
    q = q * z + 0.1333277008f;
    q = q * z - 0.3333332895f;
    float small = x * (1.0f + z * q);
    float large = 1.0f - 2.0f / (vm_exp(2.0f * a) + 1.0f);
    return a < 0.625f ? small : copysignf(large, x);
}

/* Error function; absolute error 1e-7, 2 ulp below 1. Above 1: 1 - t q(t) exp(-x^2) with t = 1/(1 + 0.4 x). */
static inline float vm_erf(float x) {
    float a = fabsf(x), z = x * x;
    float p = 7.8538609e-5f;
    p = p * z - 8.0101935e-4f;
    p = p * z + 5.1883277e-3f;
    p = p * z - 2.6853812e-2f;
    p = p * z + 0.1128358515f;
    p = p * z - 0.3761262582f;
    p = p * z + 1.1283791657f;
    float t = 1.0f / (1.0f + 0.4f * a);
    float q = -0.1081298901f;
    q = q * t + 0.216351387f;
    q = q * t + 0.0458075712f;
    q = q * t + 0.1858503912f;
    q = q * t + 0.2097100766f;
    q = q * t + 0.2243843166f;
    q = q * t + 0.2258273254f;
    float tail = 1.0f - t * q * vm_exp(-z);
    return a < 1.0f ? x * p : a > 4.0f ? copysignf(1.0f, x) : x != x ? x : copysignf(tail, x);
}

static inline float vm_sigmoid(float x) {
    return 1.0f / (1.0f + vm_exp(-x));
}

#endif
