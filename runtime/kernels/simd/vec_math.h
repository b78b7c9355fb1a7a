/* exp, tanh, sigmoid and erf on vectors: polynomials fitted to minimize the largest error (by weighted least squares on
 * Chebyshev nodes); each is within 2 units of the last place of the true value over the ranges named, except where a
 * result is subnormal, and sigmoid and silu below -2 (vec_exp_beside_one). NaN gives NaN. */
#ifndef TSM_SIMD_VEC_MATH_H
#define TSM_SIMD_VEC_MATH_H

#include "runtime/kernels/simd/vec.h"

/* ln of the largest and smallest results that are normal numbers with an exponent to spare. */
#define VEC_EXP_LIMIT 87.3365f

/* e^r for |r| <= ln 2 / 2. */
VEC_INLINE vec_f32 vec_exp_polynomial(vec_f32 r) {
    vec_f32 p = r * 1.9919378e-4f + 1.3947225e-3f;
    p = p * r + 8.333263e-3f;
    p = p * r + 4.1666254e-2f;
    p = p * r + 0.16666667f;
    p = p * r + 0.5f;
    return p * (r * r) + r + 1.0f;
}

/* e^v for v in [-VEC_EXP_LIMIT, VEC_EXP_LIMIT]; beyond, as at the limit. */
VEC_INLINE vec_f32 vec_exp_limited(vec_f32 v) {
    /* Adding 1.5 * 2^23 leaves the rounded integer in the low bits of the sum. */
    const float shifter = 12582912.0f;
    vec_f32 x = vec_at_most(vec_at_least(v, vec_set(-VEC_EXP_LIMIT)), vec_set(VEC_EXP_LIMIT));
    vec_f32 shifted = x * 1.44269504f + shifter;
    vec_f32 n = shifted - shifter;
    /* ln 2 in two parts, so that n times the first is exact. */
    vec_f32 r = x - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    vec_f32 p = vec_exp_polynomial(r);
#if VEC_LANES == 16
    return (vec_f32)_mm512_scalef_ps((__m512)p, (__m512)n);
#else
    return p * vec_of_bits(vec_shift_left(vec_bits(shifted) - vec_bits(vec_set(shifter)) + 127, 23));
#endif
}

/* e^v for v <= 0, as softmax needs it. */
VEC_INLINE vec_f32 vec_exp_negative(vec_f32 v) {
#if VEC_LANES == 16
    /* As vec_exp_limited; what becomes subnormal or 0 is left to the scaling. */
    vec_f32 x = vec_at_least(v, vec_set(-104.0f));
    vec_f32 n = (vec_f32)_mm512_roundscale_ps((__m512)(x * 1.44269504f), 0);
    vec_f32 r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    return (vec_f32)_mm512_scalef_ps((__m512)vec_exp_polynomial(r), (__m512)n);
#else
    return vec_select(vec_less(v, vec_set(-VEC_EXP_LIMIT)), vec_set(0.0f), vec_exp_limited(v));
#endif
}

#define LOG2_E 1.44269504f

/* 2^f for |f| <= 1/2; by pairs: fewer copies of constants, and shorter waits, than by one coefficient after the other.
 */
VEC_INLINE vec_f32 vec_exp2_polynomial(vec_f32 f) {
    vec_f32 ff = f * f, p = (f * 1.3264727e-3f + 9.671513e-3f) * ff + (f * 5.5507336e-2f + 0.24022242f);
    return p * ff + (f * 0.693147f + 1.0f);
}

/* 2^v for v <= 0 (or hardly more); 0 below -126. */
VEC_INLINE vec_f32 vec_exp2_negative(vec_f32 v) {
#if VEC_LANES == 16
    vec_f32 f = (vec_f32)_mm512_reduce_ps((__m512)v, 0), n = v - f; /* of -inf: 0 and -inf */
    return (vec_f32)_mm512_scalef_ps((__m512)vec_exp2_polynomial(f), (__m512)n);
#else
    /* As in vec_exp_beside_one. */
    const float shifter = 12582912.0f + 127.0f;
    vec_f32 t = vec_at_least(v, vec_set(-126.0f)), shifted = t + shifter, f = t - (shifted - shifter);
    vec_f32 p = vec_exp2_polynomial(f) * vec_of_bits(vec_shift_left(vec_bits(shifted), 23));
    return vec_select(vec_less(v, vec_set(-126.0f)), vec_set(0.0f), p);
#endif
}

/* e^(scale * v), for where 1 is added to it: the exponent is rounded once, so its error grows by 2^-24 of itself for
 * each unit of v. Infinite from 2^127.5 on, where e^v may be a number still: what is divided by it is 0 or, if
 * infinite, NaN. `scale` is a constant. */
VEC_INLINE vec_f32 vec_exp_beside_one(vec_f32 v, const float scale) {
    const float to_base_2 = LOG2_E * scale;
#if VEC_LANES == 16
    vec_f32 t = vec_at_most(v * to_base_2, vec_set(128.0f));
    vec_f32 f = (vec_f32)_mm512_reduce_ps((__m512)t, 0), n = t - f; /* the nearest integer, and what is left */
#else
    /* As in vec_exp_limited; with the exponent's bias in the sum, its low bits are the bits of 2^n. */
    const float shifter = 12582912.0f + 127.0f;
    vec_f32 t = vec_at_most(vec_at_least(v * to_base_2, vec_set(-126.0f)), vec_set(128.0f));
    vec_f32 shifted = t + shifter, f = t - (shifted - shifter);
#endif
    vec_f32 p = vec_exp2_polynomial(f);
#if VEC_LANES == 16
    return (vec_f32)_mm512_scalef_ps((__m512)p, (__m512)n);
#else
    return p * vec_of_bits(vec_shift_left(vec_bits(shifted), 23));
#endif
}

/* v / (1 + e^-v) */
VEC_INLINE vec_f32 vec_silu(vec_f32 v) {
    return v / (vec_exp_beside_one(v, -1.0f) + 1.0f);
}

/* 1 / (1 + e^-v) */
VEC_INLINE vec_f32 vec_sigmoid(vec_f32 v) {
    return vec_set(1.0f) / (vec_exp_beside_one(v, -1.0f) + 1.0f);
}

/* tanh to within 2^-23 of 1: numbers near 0 lose digits, which where it is added to others does not matter. */
VEC_INLINE vec_f32 vec_tanh_absolute(vec_f32 v) {
    return 1.0f - vec_set(2.0f) / (vec_exp_beside_one(v, 2.0f) + 1.0f);
}

VEC_INLINE vec_f32 vec_tanh(vec_f32 v) {
    vec_f32 x = vec_abs(v), u = v * v;
    /* Near 0 the quotient below would lose digits. */
    vec_f32 p = u * -5.717041e-3f + 2.0650584e-2f;
    p = p * u + -5.3743497e-2f;
    p = p * u + 0.13331491f;
    p = p * u + -0.33333284f;
    vec_f32 small = p * u * v + v;
    vec_f32 large = vec_select(vec_is_nan(v), v, 1.0f - vec_set(2.0f) / (vec_exp_beside_one(x, 2.0f) + 1.0f));
    return vec_copysign(vec_select(vec_less(x, vec_set(0.625f)), small, large), v); /* of -0. the sum above is 0 */
}

VEC_INLINE vec_f32 vec_erf(vec_f32 v) {
    vec_f32 x = vec_abs(v), u = v * v;
    vec_f32 p = u * 7.889119e-5f + -8.020841e-4f;
    p = p * u + 5.1895352e-3f;
    p = p * u + -2.6854444e-2f;
    p = p * u + 0.112836003f;
    p = p * u + -0.37612626f;
    p = p * u + 1.12837911f;
    /* From 1 on: 1 - e^(-x*x) q(t), t = 1 / (1 + 0.4 x). At 4 the second term is below half a unit. */
    vec_f32 y = vec_at_most(x, vec_set(4.0f));
    vec_f32 t = vec_set(1.0f) / (y * 0.4f + 1.0f);
    vec_f32 q = t * -0.22950853f + 0.83233523f;
    q = q * t + -0.5837366f;
    q = q * t + 0.6608506f;
    q = q * t + 6.592063e-2f;
    q = q * t + 0.25671133f;
    q = q * t + -2.5766466e-3f;
    vec_f32 large = vec_copysign(1.0f - vec_exp_beside_one(y * y, -1.0f) * q, v);
    return vec_select(vec_less(x, vec_set(1.0f)), p * v, vec_select(vec_is_nan(v), v, large));
}

#endif
