/* The portable vector layer: one vector type of as many float lanes as the compiler was told the machine has, in GCC
 * and clang vector extensions. A file that includes this is compiled once for each instruction set; arithmetic is
 * written with operators (a * b + c becomes a fused multiply-add where there is one).
 *
 * Without vector instructions VEC_LANES is 1, vec_f32 is float, and everything is plain C. */
#ifndef TSM_SIMD_VEC_H
#define TSM_SIMD_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/value/half.h"

#if defined(TSM_PLAIN)
#define VEC_LANES 1
#elif defined(__AVX512F__)
#define VEC_LANES 16
#elif defined(__AVX__)
#define VEC_LANES 8
#elif defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__)
#define VEC_LANES 4
#elif defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define VEC_LANES 4
#define VEC_MVE /* Helium: comparisons and partial loads by predicates */
#else
#define VEC_LANES 1
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(VEC_MVE)
#include <arm_mve.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#define VEC_INLINE static inline __attribute__((always_inline, unused))

#if VEC_LANES == 1
typedef float vec_f32;
typedef int32_t vec_i32;
#else
typedef float vec_f32 __attribute__((vector_size(4 * VEC_LANES)));
typedef int32_t vec_i32 __attribute__((vector_size(4 * VEC_LANES)));
#endif

#if VEC_LANES == 1
VEC_INLINE vec_f32 vec_load(const float *p) {
    return *p;
}
VEC_INLINE void vec_store(float *p, vec_f32 v) {
    *p = v;
}
#else
/* The same vector at any float's address. (memcpy would do, but gcc splits a 64-byte copy in two.) */
typedef float vec_f32_anywhere __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias));
VEC_INLINE vec_f32 vec_load(const float *p) {
    return *(const vec_f32_anywhere *)p;
}
VEC_INLINE void vec_store(float *p, vec_f32 v) {
    *(vec_f32_anywhere *)p = v;
}
#endif

/* The first n (0..VEC_LANES) lanes from p, the others 0; the first n lanes to p. */
#if VEC_LANES == 16
VEC_INLINE vec_f32 vec_load_part(const float *p, size_t n) {
    return (vec_f32)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}
VEC_INLINE void vec_store_part(float *p, vec_f32 v, size_t n) {
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)v);
}
/* The others are those of `other`; where masks are cheap. */
VEC_INLINE vec_f32 vec_load_part_over(const float *p, size_t n, vec_f32 other) {
    return (vec_f32)_mm512_mask_loadu_ps((__m512)other, (__mmask16)((1u << n) - 1), p);
}
#elif VEC_LANES == 8
VEC_INLINE __m256i vec_part_mask(size_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
VEC_INLINE vec_f32 vec_load_part(const float *p, size_t n) {
    return (vec_f32)_mm256_maskload_ps(p, vec_part_mask(n));
}
VEC_INLINE void vec_store_part(float *p, vec_f32 v, size_t n) {
    _mm256_maskstore_ps(p, vec_part_mask(n), (__m256)v);
}
VEC_INLINE vec_f32 vec_load_part_over(const float *p, size_t n, vec_f32 other) {
    const __m256i mask = vec_part_mask(n);
    return (vec_f32)_mm256_blendv_ps((__m256)other, _mm256_maskload_ps(p, mask), _mm256_castsi256_ps(mask));
}
#elif defined(VEC_MVE)
VEC_INLINE vec_f32 vec_load_part(const float *p, size_t n) {
    return (vec_f32)vldrwq_z_f32(p, vctp32q((uint32_t)n));
}
VEC_INLINE void vec_store_part(float *p, vec_f32 v, size_t n) {
    vstrwq_p_f32(p, (float32x4_t)v, vctp32q((uint32_t)n));
}
#else
VEC_INLINE vec_f32 vec_load_part(const float *p, size_t n) {
    float lanes[VEC_LANES] = {0};
    memcpy(lanes, p, n * sizeof *p);
    return vec_load(lanes);
}

VEC_INLINE void vec_store_part(float *p, vec_f32 v, size_t n) {
    float lanes[VEC_LANES];
    vec_store(lanes, v);
    memcpy(p, lanes, n * sizeof *p);
}
#endif

/* As many half floats from p; as many bfloat16; as many signed bytes. */
VEC_INLINE vec_f32 vec_load_halves(const uint16_t *p) {
#if VEC_LANES == 16
    return (vec_f32)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
#elif VEC_LANES == 8 && defined(__F16C__)
    return (vec_f32)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
#elif VEC_LANES == 4 && defined(__aarch64__)
    return (vec_f32)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
#else
    float lanes[VEC_LANES];
    for (int i = 0; i < VEC_LANES; i++)
        lanes[i] = tsm_float_of_half(p[i]);
    return vec_load(lanes);
#endif
}

VEC_INLINE vec_f32 vec_load_bfloat16s(const uint16_t *p) {
#if VEC_LANES == 16
    const __m256i narrow = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return (vec_f32)_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(narrow), 16));
#elif VEC_LANES == 8 && defined(__AVX2__)
    const __m128i narrow = _mm_loadu_si128((const __m128i *)(const void *)p);
    return (vec_f32)_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(narrow), 16));
#elif VEC_LANES == 4 && defined(__aarch64__)
    return (vec_f32)vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
#else
    float lanes[VEC_LANES];
    for (int i = 0; i < VEC_LANES; i++)
        lanes[i] = tsm_float_of_bfloat16(p[i]);
    return vec_load(lanes);
#endif
}

VEC_INLINE vec_f32 vec_load_bytes(const int8_t *p) {
#if VEC_LANES == 16
    return (vec_f32)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
#elif VEC_LANES == 8 && defined(__AVX2__)
    return (vec_f32)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)));
#elif VEC_LANES == 4 && defined(__aarch64__)
    int32_t four;
    memcpy(&four, p, sizeof four);
    const int16x8_t wide = vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four)));
    return (vec_f32)vcvtq_f32_s32(vmovl_s16(vget_low_s16(wide)));
#elif defined(VEC_MVE)
    return (vec_f32)vcvtq_f32_s32(vldrbq_s32(p));
#else
    float lanes[VEC_LANES];
    for (int i = 0; i < VEC_LANES; i++)
        lanes[i] = (float)p[i];
    return vec_load(lanes);
#endif
}

VEC_INLINE vec_f32 vec_set(float s) {
#if VEC_LANES == 1
    return s;
#else
    return s - (vec_f32){0};
#endif
}

VEC_INLINE vec_i32 vec_bits(vec_f32 v) {
    vec_i32 b;
    memcpy(&b, &v, sizeof b);
    return b;
}

VEC_INLINE vec_f32 vec_of_bits(vec_i32 b) {
    vec_f32 v;
    memcpy(&v, &b, sizeof v);
    return v;
}

/* What a comparison says of each lane. On MVE it is a predicate made by intrinsics: gcc 12 takes comparisons of vector
 * types apart into scalar ones there, and of two masks joined by `|` it keeps the first lane only. */
#if defined(VEC_MVE)
typedef mve_pred16_t vec_mask;
VEC_INLINE vec_mask vec_less(vec_f32 a, vec_f32 b) {
    return vcmpltq_f32((float32x4_t)a, (float32x4_t)b);
}
VEC_INLINE vec_mask vec_is_nan(vec_f32 v) {
    return vcmpneq_f32((float32x4_t)v, (float32x4_t)v);
}
#else
#if VEC_LANES == 1
typedef int vec_mask;
#else
typedef vec_i32 vec_mask;
#endif
VEC_INLINE vec_mask vec_less(vec_f32 a, vec_f32 b) {
    return a < b;
}
VEC_INLINE vec_mask vec_is_nan(vec_f32 v) {
    return v != v; // NOLINT(misc-redundant-expression): true of NaN
}
#endif

/* Bits that are shifted out are lost, also those of the sign. */
VEC_INLINE vec_i32 vec_shift_left(vec_i32 b, int n) {
#if VEC_LANES == 1
    return (int32_t)((uint32_t)b << n);
#else
    return b << n;
#endif
}

/* Lanes of `yes` where the mask holds, else of `no`. */
VEC_INLINE vec_f32 vec_select(vec_mask mask, vec_f32 yes, vec_f32 no) {
#if VEC_LANES == 1
    return mask ? yes : no;
#elif defined(VEC_MVE)
    return (vec_f32)vpselq_f32((float32x4_t)yes, (float32x4_t)no, mask);
#else
#if VEC_LANES == 16 && defined(__clang__)
    /* clang 19 joins bit operations that made a lane (vec_copysign) with the selection, and exchanges operands of the
     * joined instruction without exchanging what the mask keeps: lanes get other values. These it joins with nothing.
     */
    __asm__("" : "+v"(yes), "+v"(no));
#endif
    return vec_of_bits((mask & vec_bits(yes)) | (~mask & vec_bits(no)));
#endif
}

/* max(v, low) and min(v, high) that keep NaN in v, as torch.clamp does. */
VEC_INLINE vec_f32 vec_at_least(vec_f32 v, vec_f32 low) {
#if VEC_LANES == 16
    return (vec_f32)_mm512_max_ps((__m512)low, (__m512)v);
#elif VEC_LANES == 8
    return (vec_f32)_mm256_max_ps((__m256)low, (__m256)v);
#elif defined(__SSE2__) && VEC_LANES == 4
    return (vec_f32)_mm_max_ps((__m128)low, (__m128)v);
#elif defined(__ARM_NEON) && VEC_LANES == 4
    return (vec_f32)vmaxq_f32((float32x4_t)low, (float32x4_t)v);
#elif defined(__wasm_simd128__) && VEC_LANES == 4
    return (vec_f32)wasm_f32x4_pmax((v128_t)v, (v128_t)low);
#else
    return vec_select(vec_less(v, low), low, v);
#endif
}

VEC_INLINE vec_f32 vec_at_most(vec_f32 v, vec_f32 high) {
#if VEC_LANES == 16
    return (vec_f32)_mm512_min_ps((__m512)high, (__m512)v);
#elif VEC_LANES == 8
    return (vec_f32)_mm256_min_ps((__m256)high, (__m256)v);
#elif defined(__SSE2__) && VEC_LANES == 4
    return (vec_f32)_mm_min_ps((__m128)high, (__m128)v);
#elif defined(__ARM_NEON) && VEC_LANES == 4
    return (vec_f32)vminq_f32((float32x4_t)high, (float32x4_t)v);
#elif defined(__wasm_simd128__) && VEC_LANES == 4
    return (vec_f32)wasm_f32x4_pmin((v128_t)v, (v128_t)high);
#else
    return vec_select(vec_less(high, v), high, v);
#endif
}

/* Half a vector, where halves are worth having: columns of a product are often 8, 24 or 40. Elsewhere it is never used.
 */
#if VEC_LANES == 16
typedef float vec_half __attribute__((vector_size(32)));
typedef float vec_half_anywhere __attribute__((vector_size(32), aligned(4), may_alias));
VEC_INLINE vec_half vec_half_load(const float *p) {
    return *(const vec_half_anywhere *)p;
}
VEC_INLINE void vec_half_store(float *p, vec_half v) {
    *(vec_half_anywhere *)p = v;
}
VEC_INLINE vec_half vec_half_at_least(vec_half v, vec_f32 low) {
    return (vec_half)_mm256_max_ps(_mm512_castps512_ps256((__m512)low), (__m256)v);
}
VEC_INLINE vec_half vec_half_at_most(vec_half v, vec_f32 high) {
    return (vec_half)_mm256_min_ps(_mm512_castps512_ps256((__m512)high), (__m256)v);
}
#else
typedef vec_f32 vec_half;
VEC_INLINE vec_half vec_half_load(const float *p) {
    return vec_load(p);
}
VEC_INLINE void vec_half_store(float *p, vec_half v) {
    vec_store(p, v);
}
VEC_INLINE vec_half vec_half_at_least(vec_half v, vec_f32 low) {
    return vec_at_least(v, low);
}
VEC_INLINE vec_half vec_half_at_most(vec_half v, vec_f32 high) {
    return vec_at_most(v, high);
}
#endif

VEC_INLINE vec_f32 vec_abs(vec_f32 v) {
    return vec_of_bits(vec_bits(v) & INT32_C(0x7fffffff));
}

/* |magnitude| with the sign of `sign`. */
VEC_INLINE vec_f32 vec_copysign(vec_f32 magnitude, vec_f32 sign) {
    return vec_of_bits((vec_bits(magnitude) & INT32_C(0x7fffffff)) | (vec_bits(sign) & INT32_MIN));
}

/* The greater of each pair; NaN in either gives NaN. */
VEC_INLINE vec_f32 vec_max(vec_f32 a, vec_f32 b) {
#if VEC_LANES == 16
    return (vec_f32)_mm512_mask_mov_ps(_mm512_max_ps((__m512)a, (__m512)b),
                                       _mm512_cmp_ps_mask((__m512)a, (__m512)a, _CMP_UNORD_Q), (__m512)a);
#elif VEC_LANES == 8
    return (vec_f32)_mm256_blendv_ps(_mm256_max_ps((__m256)a, (__m256)b), (__m256)a,
                                     _mm256_cmp_ps((__m256)a, (__m256)a, _CMP_UNORD_Q));
#elif defined(__ARM_NEON) && VEC_LANES == 4
    return (vec_f32)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
#else
    return vec_select(vec_is_nan(b), b, vec_select(vec_less(a, b), b, a));
#endif
}

/* The greater of each two lanes; of NaN and a number, either. */
VEC_INLINE vec_f32 vec_greater(vec_f32 a, vec_f32 b) {
#if VEC_LANES == 16
    return (vec_f32)_mm512_max_ps((__m512)a, (__m512)b);
#elif VEC_LANES == 8
    return (vec_f32)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return vec_select(vec_less(a, b), b, a);
#endif
}

/* The greatest lane; NaN may be lost. */
VEC_INLINE float vec_greatest(vec_f32 v) {
#if VEC_LANES == 16
    return _mm512_reduce_max_ps((__m512)v);
#else
    float lanes[VEC_LANES];
    vec_store(lanes, v);
    for (int n = VEC_LANES / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++)
            lanes[i] = lanes[i] < lanes[i + n] ? lanes[i + n] : lanes[i];
    return lanes[0];
#endif
}

VEC_INLINE float vec_sum(vec_f32 v) {
#if VEC_LANES == 16
    return _mm512_reduce_add_ps((__m512)v);
#else
    float lanes[VEC_LANES];
    vec_store(lanes, v);
    for (int n = VEC_LANES / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++)
            lanes[i] += lanes[i + n];
    return lanes[0];
#endif
}

#endif
