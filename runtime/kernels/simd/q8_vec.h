/* Sixteen lanes at a time, whatever the width of the machine's vectors: the outputs of a panel. Every instruction set
 * gives the same types and functions:
 *
 *     q16_f32, q16_i32       16 floats, 16 int32, as 16 / VEC_LANES vectors
 *     q16_sums               16 sums under way; some instruction sets keep two partial sums for each
 *     q16_column             16 channels times four rows of bytes, a channel's four together
 *     q16_add_word           sums += the four bytes of a word of x, times 64 bytes of weights
 *     q16_add_column         sums += a column times 64 bytes of weights, channel by channel
 */
#ifndef TSM_SIMD_Q8_VEC_H
#define TSM_SIMD_Q8_VEC_H

#include <math.h>

#include "runtime/kernels/simd/q8.h"
#include "runtime/kernels/simd/vec.h"

/* Machines whose products are those of q8_dots.h: they have no use for sums of 16 outputs. */
#if VEC_LANES == 1 || defined(VEC_MVE)
#define Q8_DOTS
#endif

#if VEC_LANES == 1
enum { Q16_VECTORS = 16 };
#else
enum { Q16_VECTORS = 16 / VEC_LANES };
#endif

typedef struct {
    vec_f32 v[Q16_VECTORS];
} q16_f32;

typedef struct {
    vec_i32 v[Q16_VECTORS];
} q16_i32;

/* Loops over the vectors of a q16 are unrolled, so that they stay in registers. Without vectors there are not as many
 * registers, and code is kept small: what is not an inner loop is called. */
#if VEC_LANES == 1
#define Q16_EACH(i) for (int i = 0; i < Q16_VECTORS; i++)
#define Q16_FUNCTION static __attribute__((noinline, unused))
#define Q16_LANES(i) _Pragma("GCC unroll 2") for (int i = 0; i < 16; i++)
#else
#define Q16_EACH(i) _Pragma("GCC unroll 16") for (int i = 0; i < Q16_VECTORS; i++)
#define Q16_FUNCTION VEC_INLINE
#define Q16_LANES(i) for (int i = 0; i < 16; i++)
#endif

VEC_INLINE uint32_t q8_word(const uint8_t *p) {
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

VEC_INLINE q16_i32 q16_load_i32(const int32_t *p) {
    q16_i32 r;
    memcpy(&r, p, sizeof r);
    return r;
}

VEC_INLINE q16_f32 q16_load_f32(const float *p) {
    q16_f32 r;
    Q16_EACH(i) r.v[i] = vec_load(p + i * VEC_LANES);
    return r;
}

VEC_INLINE q16_f32 q16_set(float s) {
    q16_f32 r;
    Q16_EACH(i) r.v[i] = vec_set(s);
    return r;
}

/* a * b + c */
Q16_FUNCTION q16_f32 q16_muladd(q16_f32 a, q16_f32 b, q16_f32 c) {
    Q16_EACH(i) a.v[i] = a.v[i] * b.v[i] + c.v[i];
    return a;
}

Q16_FUNCTION q16_f32 q16_mul(q16_f32 a, q16_f32 b) {
    Q16_EACH(i) a.v[i] = a.v[i] * b.v[i];
    return a;
}

/* ---- Conversions ---- */

#if defined(__SSE2__)
/* x86 makes the least int of a number that is too great; any beyond this one is far outside of a byte. */
VEC_INLINE vec_f32 q16_convertible(vec_f32 v) {
    return vec_at_most(v, vec_set(1 << 24));
}
#endif

#if VEC_LANES == 16

VEC_INLINE q16_i32 q16_from_u8(const uint8_t *p) {
    q16_i32 r;
    r.v[0] = (vec_i32)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
    return r;
}
VEC_INLINE q16_f32 q16_to_f32(q16_i32 a) {
    q16_f32 r;
    r.v[0] = (vec_f32)_mm512_cvtepi32_ps((__m512i)a.v[0]);
    return r;
}
VEC_INLINE q16_i32 q16_round(q16_f32 a) {
    return (q16_i32){{(vec_i32)_mm512_cvtps_epi32((__m512)q16_convertible(a.v[0]))}};
}
VEC_INLINE void q16_store_ints(uint8_t *p, q16_i32 a, int32_t zero_point, int32_t low) {
    __m512i r = _mm512_add_epi32((__m512i)a.v[0], _mm512_set1_epi32(zero_point));
    _mm_storeu_si128((__m128i *)(void *)p, _mm512_cvtusepi32_epi8(_mm512_max_epi32(r, _mm512_set1_epi32(low))));
}

#elif VEC_LANES == 8

VEC_INLINE q16_i32 q16_from_u8(const uint8_t *p) {
    q16_i32 r;
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    r.v[0] = (vec_i32)_mm256_cvtepu8_epi32(bytes);
    r.v[1] = (vec_i32)_mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8));
    return r;
}
VEC_INLINE q16_f32 q16_to_f32(q16_i32 a) {
    q16_f32 r;
    Q16_EACH(i) r.v[i] = (vec_f32)_mm256_cvtepi32_ps((__m256i)a.v[i]);
    return r;
}
VEC_INLINE q16_i32 q16_round(q16_f32 a) {
    q16_i32 r;
    Q16_EACH(i) r.v[i] = (vec_i32)_mm256_cvtps_epi32((__m256)q16_convertible(a.v[i]));
    return r;
}
VEC_INLINE void q16_store_ints(uint8_t *p, q16_i32 a, int32_t zero_point, int32_t low) {
    __m256i words = _mm256_packs_epi32((__m256i)a.v[0], (__m256i)a.v[1]);
    words = _mm256_adds_epi16(_mm256_permute4x64_epi64(words, 0xd8), _mm256_set1_epi16((int16_t)zero_point));
    __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128((__m128i *)(void *)p, _mm_max_epu8(bytes, _mm_set1_epi8((char)low)));
}

#elif VEC_LANES == 4 && defined(__ARM_NEON)

VEC_INLINE q16_i32 q16_from_u8(const uint8_t *p) {
    uint8x16_t bytes = vld1q_u8(p);
    uint16x8_t a = vmovl_u8(vget_low_u8(bytes)), b = vmovl_u8(vget_high_u8(bytes));
    q16_i32 r;
    r.v[0] = (vec_i32)vmovl_u16(vget_low_u16(a));
    r.v[1] = (vec_i32)vmovl_u16(vget_high_u16(a));
    r.v[2] = (vec_i32)vmovl_u16(vget_low_u16(b));
    r.v[3] = (vec_i32)vmovl_u16(vget_high_u16(b));
    return r;
}
VEC_INLINE q16_f32 q16_to_f32(q16_i32 a) {
    q16_f32 r;
    Q16_EACH(i) r.v[i] = (vec_f32)vcvtq_f32_s32((int32x4_t)a.v[i]);
    return r;
}
#if defined(__aarch64__)
VEC_INLINE q16_i32 q16_round(q16_f32 a) {
    q16_i32 r;
    Q16_EACH(i) r.v[i] = (vec_i32)vcvtnq_s32_f32((float32x4_t)a.v[i]);
    return r;
}
#else
#define Q16_ROUND_BY_ADDING
#endif
VEC_INLINE void q16_store_ints(uint8_t *p, q16_i32 a, int32_t zero_point, int32_t low) {
    int16x8_t zero = vdupq_n_s16((int16_t)zero_point);
    int16x8_t x = vcombine_s16(vqmovn_s32((int32x4_t)a.v[0]), vqmovn_s32((int32x4_t)a.v[1]));
    int16x8_t y = vcombine_s16(vqmovn_s32((int32x4_t)a.v[2]), vqmovn_s32((int32x4_t)a.v[3]));
    uint8x16_t bytes = vcombine_u8(vqmovun_s16(vqaddq_s16(x, zero)), vqmovun_s16(vqaddq_s16(y, zero)));
    vst1q_u8(p, vmaxq_u8(bytes, vdupq_n_u8((uint8_t)low)));
}

#elif VEC_LANES == 4 && defined(__SSE2__)

VEC_INLINE q16_i32 q16_from_u8(const uint8_t *p) {
    const __m128i none = _mm_setzero_si128(), bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i low = _mm_unpacklo_epi8(bytes, none), high = _mm_unpackhi_epi8(bytes, none);
    return (q16_i32){{(vec_i32)_mm_unpacklo_epi16(low, none), (vec_i32)_mm_unpackhi_epi16(low, none),
                      (vec_i32)_mm_unpacklo_epi16(high, none), (vec_i32)_mm_unpackhi_epi16(high, none)}};
}
VEC_INLINE q16_f32 q16_to_f32(q16_i32 a) {
    q16_f32 r;
    Q16_EACH(i) r.v[i] = (vec_f32)_mm_cvtepi32_ps((__m128i)a.v[i]);
    return r;
}
VEC_INLINE q16_i32 q16_round(q16_f32 a) {
    q16_i32 r;
    Q16_EACH(i) r.v[i] = (vec_i32)_mm_cvtps_epi32((__m128)q16_convertible(a.v[i]));
    return r;
}
VEC_INLINE void q16_store_ints(uint8_t *p, q16_i32 a, int32_t zero_point, int32_t low) {
    const __m128i zero = _mm_set1_epi16((int16_t)zero_point);
    const __m128i x = _mm_adds_epi16(_mm_packs_epi32((__m128i)a.v[0], (__m128i)a.v[1]), zero),
                  y = _mm_adds_epi16(_mm_packs_epi32((__m128i)a.v[2], (__m128i)a.v[3]), zero);
    _mm_storeu_si128((__m128i *)(void *)p, _mm_max_epu8(_mm_packus_epi16(x, y), _mm_set1_epi8((char)low)));
}

#elif defined(__wasm_simd128__)

VEC_INLINE q16_i32 q16_from_u8(const uint8_t *p) {
    const v128_t bytes = wasm_v128_load(p);
    const v128_t low = wasm_u16x8_extend_low_u8x16(bytes), high = wasm_u16x8_extend_high_u8x16(bytes);
    return (q16_i32){{(vec_i32)wasm_u32x4_extend_low_u16x8(low), (vec_i32)wasm_u32x4_extend_high_u16x8(low),
                      (vec_i32)wasm_u32x4_extend_low_u16x8(high), (vec_i32)wasm_u32x4_extend_high_u16x8(high)}};
}
VEC_INLINE q16_f32 q16_to_f32(q16_i32 a) {
    q16_f32 r;
    Q16_EACH(i) r.v[i] = (vec_f32)wasm_f32x4_convert_i32x4((v128_t)a.v[i]);
    return r;
}
VEC_INLINE q16_i32 q16_round(q16_f32 a) {
    q16_i32 r;
    Q16_EACH(i) r.v[i] = (vec_i32)wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest((v128_t)a.v[i]));
    return r;
}
VEC_INLINE void q16_store_ints(uint8_t *p, q16_i32 a, int32_t zero_point, int32_t low) {
    const v128_t zero = wasm_i16x8_splat((int16_t)zero_point);
    const v128_t x = wasm_i16x8_add_sat(wasm_i16x8_narrow_i32x4((v128_t)a.v[0], (v128_t)a.v[1]), zero),
                 y = wasm_i16x8_add_sat(wasm_i16x8_narrow_i32x4((v128_t)a.v[2], (v128_t)a.v[3]), zero);
    wasm_v128_store(p, wasm_u8x16_max(wasm_u8x16_narrow_i16x8(x, y), wasm_u8x16_splat((uint8_t)low)));
}

#elif defined(VEC_MVE)

VEC_INLINE q16_i32 q16_from_u8(const uint8_t *p) {
    q16_i32 r;
    Q16_EACH(i) r.v[i] = (vec_i32)vldrbq_u32(p + i * VEC_LANES);
    return r;
}
VEC_INLINE q16_f32 q16_to_f32(q16_i32 a) {
    q16_f32 r;
    Q16_EACH(i) r.v[i] = (vec_f32)vcvtq_f32_s32((int32x4_t)a.v[i]);
    return r;
}
VEC_INLINE q16_i32 q16_round(q16_f32 a) {
    q16_i32 r;
    Q16_EACH(i) r.v[i] = (vec_i32)vcvtnq_s32_f32((float32x4_t)a.v[i]);
    return r;
}
VEC_INLINE void q16_store_ints(uint8_t *p, q16_i32 a, int32_t zero_point, int32_t low) {
    const int32x4_t least = vdupq_n_s32(low), most = vdupq_n_s32(255);
    Q16_EACH(i) {
        int32x4_t r = vqaddq_n_s32((int32x4_t)a.v[i], zero_point);
        vstrbq_u32(p + i * VEC_LANES, vreinterpretq_u32_s32(vminq_s32(vmaxq_s32(r, least), most)));
    }
}

#else

#define Q16_ROUND_BY_ADDING
Q16_FUNCTION q16_i32 q16_from_u8(const uint8_t *p) {
    int32_t lanes[16];
    Q16_LANES(i)
    lanes[i] = p[i];
    return q16_load_i32(lanes);
}
Q16_FUNCTION q16_f32 q16_to_f32(q16_i32 a) {
    q16_f32 r;
    Q16_EACH(i) r.v[i] = (float)a.v[i];
    return r;
}
Q16_FUNCTION void q16_store_ints(uint8_t *p, q16_i32 a, int32_t zero_point, int32_t low) {
    int32_t lanes[16];
    memcpy(lanes, &a, sizeof lanes);
    Q16_LANES(i) {
        int32_t r = lanes[i] + zero_point;
        p[i] = (uint8_t)(r < low ? low : r > 255 ? 255 : r);
    }
}

#endif

#if defined(Q16_ROUND_BY_ADDING)
/* Round to even: adding 1.5 * 2^23 leaves no bits behind the point. Greater numbers, of which the trick would make
 * nonsense, are cut off before; any such number is far outside of a byte. */
Q16_FUNCTION q16_i32 q16_round(q16_f32 a) {
    const float limit = 1 << 20, magic = 3 << 22;
    q16_i32 r;
    Q16_EACH(i)
    r.v[i] = vec_bits(vec_at_most(vec_at_least(a.v[i], vec_set(-limit)), vec_set(limit)) + vec_set(magic)) - 0x4b400000;
    return r;
}
#endif

/* The floats, rounded to even, as bytes: clamp(round(a) + zero_point, low, 255). */
Q16_FUNCTION void q16_store_u8(uint8_t *p, q16_f32 a, int32_t zero_point, int32_t low) {
    q16_store_ints(p, q16_round(a), zero_point, low);
}

/* ---- Dot products ---- */

#if defined(__AVX512VNNI__) && defined(__AVX512VBMI__)

enum { Q8_X_BIAS = 0 };
typedef struct {
    __m512i v;
} q16_sums;
typedef __m512i q16_column;
typedef __m512i q16_weights;

VEC_INLINE q16_sums q16_sums_from(const int32_t *p) {
    return (q16_sums){_mm512_loadu_si512(p)};
}
VEC_INLINE q16_i32 q16_sums_total(q16_sums s) {
    return (q16_i32){{(vec_i32)s.v}};
}
VEC_INLINE q16_weights q16_load_weights(const int8_t *w) {
    return _mm512_loadu_si512(w);
}
/* In assembler, since gcc 12 copies the sums to other registers and back around the intrinsic. */
VEC_INLINE q16_sums q16_dot_column(q16_sums s, q16_column x, q16_weights w) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(s.v) : "v"(x), "v"(w));
    return s;
}
VEC_INLINE q16_sums q16_dot_word(q16_sums s, const uint8_t *x, q16_weights w) {
    return q16_dot_column(s, _mm512_set1_epi32((int32_t)q8_word(x)), w);
}

/* Rows past `rows` read as zeros. */
VEC_INLINE q16_column q16_load_column(const uint8_t *const *at, size_t rows, size_t channel) {
    static const uint8_t order[64] = {0,  16, 32, 48, 1,  17, 33, 49, 2,  18, 34, 50, 3,  19, 35, 51,
                                      4,  20, 36, 52, 5,  21, 37, 53, 6,  22, 38, 54, 7,  23, 39, 55,
                                      8,  24, 40, 56, 9,  25, 41, 57, 10, 26, 42, 58, 11, 27, 43, 59,
                                      12, 28, 44, 60, 13, 29, 45, 61, 14, 30, 46, 62, 15, 31, 47, 63};
    __m512i v = _mm512_zextsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)(at[0] + channel)));
    if (rows > 1)
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)(at[1] + channel)), 1);
    if (rows > 2)
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)(at[2] + channel)), 2);
    if (rows > 3)
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)(at[3] + channel)), 3);
    return _mm512_permutexvar_epi8(_mm512_loadu_si512(order), v);
}

#elif defined(__AVX2__)

/* Products of 16-bit numbers, two partial sums for each output: four vectors of four outputs. */
enum { Q8_X_BIAS = 0 };
typedef struct {
    __m256i v[4];
} q16_sums;
typedef struct {
    __m256i v[4];
} q16_column;
typedef q16_column q16_weights;

VEC_INLINE q16_sums q16_sums_from(const int32_t *p) {
    q16_sums s;
    for (int i = 0; i < 4; i++)
        s.v[i] = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)(p + 4 * i)));
    return s;
}
VEC_INLINE __m256i q16_sums_half(const q16_sums *s, int i) {
    return _mm256_permute4x64_epi64(_mm256_hadd_epi32(s->v[2 * i], s->v[2 * i + 1]), 0xd8);
}
#if VEC_LANES == 16
VEC_INLINE q16_i32 q16_sums_total(q16_sums s) {
    const __m512i low = _mm512_castsi256_si512(q16_sums_half(&s, 0));
    return (q16_i32){{(vec_i32)_mm512_inserti64x4(low, q16_sums_half(&s, 1), 1)}};
}
#else
VEC_INLINE q16_i32 q16_sums_total(q16_sums s) {
    q16_i32 r;
    for (int i = 0; i < 2; i++)
        r.v[i] = (vec_i32)q16_sums_half(&s, i);
    return r;
}
#endif
VEC_INLINE q16_weights q16_load_weights(const int8_t *w) {
    q16_weights r;
    for (int i = 0; i < 4; i++)
        r.v[i] = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(w + 16 * i)));
    return r;
}
VEC_INLINE q16_sums q16_dot_word(q16_sums s, const uint8_t *x, q16_weights w) {
    __m256i word = _mm256_cvtepu8_epi16(_mm_set1_epi32((int32_t)q8_word(x)));
    for (int i = 0; i < 4; i++)
        s.v[i] = _mm256_add_epi32(s.v[i], _mm256_madd_epi16(word, w.v[i]));
    return s;
}
VEC_INLINE q16_sums q16_dot_column(q16_sums s, q16_column x, q16_weights w) {
    for (int i = 0; i < 4; i++)
        s.v[i] = _mm256_add_epi32(s.v[i], _mm256_madd_epi16(x.v[i], w.v[i]));
    return s;
}
VEC_INLINE q16_column q16_load_column(const uint8_t *const *at, size_t rows, size_t channel) {
    __m128i r[4];
    for (size_t i = 0; i < 4; i++)
        r[i] = i < rows ? _mm_loadu_si128((const __m128i *)(const void *)(at[i] + channel)) : _mm_setzero_si128();
    __m128i low01 = _mm_unpacklo_epi8(r[0], r[1]), high01 = _mm_unpackhi_epi8(r[0], r[1]);
    __m128i low23 = _mm_unpacklo_epi8(r[2], r[3]), high23 = _mm_unpackhi_epi8(r[2], r[3]);
    q16_column c;
    c.v[0] = _mm256_cvtepu8_epi16(_mm_unpacklo_epi16(low01, low23));
    c.v[1] = _mm256_cvtepu8_epi16(_mm_unpackhi_epi16(low01, low23));
    c.v[2] = _mm256_cvtepu8_epi16(_mm_unpacklo_epi16(high01, high23));
    c.v[3] = _mm256_cvtepu8_epi16(_mm_unpackhi_epi16(high01, high23));
    return c;
}

#elif defined(__ARM_NEON) && VEC_LANES == 4

/* NEON multiplies signed bytes by signed ones only, so the loops compute with x - 128. */
enum { Q8_X_BIAS = 128 };
typedef struct {
    int8x16_t v[4];
} q16_column;
typedef q16_column q16_weights;

VEC_INLINE q16_weights q16_load_weights(const int8_t *w) {
    q16_weights r;
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) r.v[i] = vld1q_s8(w + 16 * i);
    return r;
}

VEC_INLINE q16_column q16_load_column(const uint8_t *const *at, size_t rows, size_t channel) {
    const uint8x16_t flip = vdupq_n_u8(128), none = vdupq_n_u8(0);
    uint8x16_t a = veorq_u8(vld1q_u8(at[0] + channel), flip);
    uint8x16_t b = rows > 1 ? veorq_u8(vld1q_u8(at[1] + channel), flip) : none;
    uint8x16_t c = rows > 2 ? veorq_u8(vld1q_u8(at[2] + channel), flip) : none;
    uint8x16_t d = rows > 3 ? veorq_u8(vld1q_u8(at[3] + channel), flip) : none;
    uint8x16x2_t ab = vzipq_u8(a, b), cd = vzipq_u8(c, d);
    uint16x8x2_t low = vzipq_u16(vreinterpretq_u16_u8(ab.val[0]), vreinterpretq_u16_u8(cd.val[0]));
    uint16x8x2_t high = vzipq_u16(vreinterpretq_u16_u8(ab.val[1]), vreinterpretq_u16_u8(cd.val[1]));
    q16_column r;
    r.v[0] = vreinterpretq_s8_u16(low.val[0]);
    r.v[1] = vreinterpretq_s8_u16(low.val[1]);
    r.v[2] = vreinterpretq_s8_u16(high.val[0]);
    r.v[3] = vreinterpretq_s8_u16(high.val[1]);
    return r;
}

#if defined(__ARM_FEATURE_DOTPROD)

typedef struct {
    int32x4_t v[4];
} q16_sums;

VEC_INLINE q16_sums q16_sums_from(const int32_t *p) {
    q16_sums s;
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) s.v[i] = vld1q_s32(p + 4 * i);
    return s;
}
VEC_INLINE q16_i32 q16_sums_total(q16_sums s) {
    q16_i32 r;
    Q16_EACH(i) r.v[i] = (vec_i32)s.v[i];
    return r;
}
VEC_INLINE q16_sums q16_dot_word(q16_sums s, const uint8_t *x, q16_weights w) {
    int8x16_t word = vreinterpretq_s8_u32(vdupq_n_u32(q8_word(x) ^ UINT32_C(0x80808080)));
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) s.v[i] = vdotq_s32(s.v[i], word, w.v[i]);
    return s;
}
VEC_INLINE q16_sums q16_dot_column(q16_sums s, q16_column x, q16_weights w) {
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) s.v[i] = vdotq_s32(s.v[i], x.v[i], w.v[i]);
    return s;
}

#else

/* Products of 16 bits, added in pairs: two partial sums for each output. */
typedef struct {
    int32x4_t v[8];
} q16_sums;

VEC_INLINE q16_sums q16_sums_from(const int32_t *p) {
    q16_sums s;
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) s.v[i] =
        vreinterpretq_s32_u64(vmovl_u32(vreinterpret_u32_s32(vld1_s32(p + 2 * i))));
    return s;
}
VEC_INLINE q16_i32 q16_sums_total(q16_sums s) {
    q16_i32 r;
    Q16_EACH(i)
    r.v[i] = (vec_i32)vcombine_s32(vpadd_s32(vget_low_s32(s.v[2 * i]), vget_high_s32(s.v[2 * i])),
                                   vpadd_s32(vget_low_s32(s.v[2 * i + 1]), vget_high_s32(s.v[2 * i + 1])));
    return r;
}
VEC_INLINE q16_sums q16_dot_word(q16_sums s, const uint8_t *x, q16_weights w) {
    int8x8_t word = vreinterpret_s8_u32(vdup_n_u32(q8_word(x) ^ UINT32_C(0x80808080)));
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) {
        s.v[2 * i] = vpadalq_s16(s.v[2 * i], vmull_s8(word, vget_low_s8(w.v[i])));
        s.v[2 * i + 1] = vpadalq_s16(s.v[2 * i + 1], vmull_s8(word, vget_high_s8(w.v[i])));
    }
    return s;
}
VEC_INLINE q16_sums q16_dot_column(q16_sums s, q16_column x, q16_weights w) {
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) {
        s.v[2 * i] = vpadalq_s16(s.v[2 * i], vmull_s8(vget_low_s8(x.v[i]), vget_low_s8(w.v[i])));
        s.v[2 * i + 1] = vpadalq_s16(s.v[2 * i + 1], vmull_s8(vget_high_s8(x.v[i]), vget_high_s8(w.v[i])));
    }
    return s;
}

#endif

#elif VEC_LANES == 4 && !defined(VEC_MVE)

/* SSE2 and SIMD128: products of 16 bits, added in pairs, so two partial sums for each output. */
enum { Q8_X_BIAS = 0 };
#if defined(__SSE2__)
typedef __m128i q8_lanes;
VEC_INLINE q8_lanes q8_load_lanes(const void *p) {
    return _mm_loadu_si128((const __m128i *)p);
}
VEC_INLINE q8_lanes q8_no_lanes(void) {
    return _mm_setzero_si128();
}
/* Eight bytes from p, with their signs. */
VEC_INLINE q8_lanes q8_load_signed(const int8_t *p) {
    return _mm_srai_epi16(_mm_unpacklo_epi8(_mm_setzero_si128(), _mm_loadl_epi64((const __m128i *)(const void *)p)), 8);
}
VEC_INLINE q8_lanes q8_set_word(uint32_t word) {
    return _mm_unpacklo_epi8(_mm_set1_epi32((int32_t)word), _mm_setzero_si128());
}
VEC_INLINE q8_lanes q8_widen_low(q8_lanes a) {
    return _mm_unpacklo_epi8(a, _mm_setzero_si128());
}
VEC_INLINE q8_lanes q8_widen_high(q8_lanes a) {
    return _mm_unpackhi_epi8(a, _mm_setzero_si128());
}
VEC_INLINE q8_lanes q8_zip_bytes_low(q8_lanes a, q8_lanes b) {
    return _mm_unpacklo_epi8(a, b);
}
VEC_INLINE q8_lanes q8_zip_bytes_high(q8_lanes a, q8_lanes b) {
    return _mm_unpackhi_epi8(a, b);
}
VEC_INLINE q8_lanes q8_zip_pairs_low(q8_lanes a, q8_lanes b) {
    return _mm_unpacklo_epi16(a, b);
}
VEC_INLINE q8_lanes q8_zip_pairs_high(q8_lanes a, q8_lanes b) {
    return _mm_unpackhi_epi16(a, b);
}
VEC_INLINE vec_i32 q8_pairs(q8_lanes a, q8_lanes b) {
    return (vec_i32)_mm_madd_epi16(a, b);
}
#else
typedef v128_t q8_lanes;
VEC_INLINE q8_lanes q8_load_lanes(const void *p) {
    return wasm_v128_load(p);
}
VEC_INLINE q8_lanes q8_no_lanes(void) {
    return wasm_i8x16_const_splat(0);
}
/* Eight bytes from p, with their signs. */
VEC_INLINE q8_lanes q8_load_signed(const int8_t *p) {
    return wasm_i16x8_load8x8(p);
}
VEC_INLINE q8_lanes q8_set_word(uint32_t word) {
    return wasm_u16x8_extend_low_u8x16(wasm_i32x4_splat((int32_t)word));
}
VEC_INLINE q8_lanes q8_widen_low(q8_lanes a) {
    return wasm_u16x8_extend_low_u8x16(a);
}
VEC_INLINE q8_lanes q8_widen_high(q8_lanes a) {
    return wasm_u16x8_extend_high_u8x16(a);
}
VEC_INLINE q8_lanes q8_zip_bytes_low(q8_lanes a, q8_lanes b) {
    return wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
VEC_INLINE q8_lanes q8_zip_bytes_high(q8_lanes a, q8_lanes b) {
    return wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
VEC_INLINE q8_lanes q8_zip_pairs_low(q8_lanes a, q8_lanes b) {
    return wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
VEC_INLINE q8_lanes q8_zip_pairs_high(q8_lanes a, q8_lanes b) {
    return wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
VEC_INLINE vec_i32 q8_pairs(q8_lanes a, q8_lanes b) {
    return (vec_i32)wasm_i32x4_dot_i16x8(a, b);
}
#endif

typedef struct {
    vec_i32 v[8];
} q16_sums;
typedef struct {
    q8_lanes v[8];
} q16_column;
typedef q16_column q16_weights;

VEC_INLINE q16_sums q16_sums_from(const int32_t *p) {
    q16_sums s;
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) s.v[i] = (vec_i32){p[2 * i], 0, p[2 * i + 1], 0};
    return s;
}
VEC_INLINE q16_i32 q16_sums_total(q16_sums s) {
    q16_i32 r;
    Q16_EACH(i) {
        const vec_i32 a = s.v[2 * i], b = s.v[2 * i + 1];
        r.v[i] = (vec_i32){a[0], a[2], b[0], b[2]} + (vec_i32){a[1], a[3], b[1], b[3]};
    }
    return r;
}
VEC_INLINE q16_weights q16_load_weights(const int8_t *w) {
    q16_weights r;
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) r.v[i] = q8_load_signed(w + 8 * i);
    return r;
}
VEC_INLINE q16_sums q16_dot_word(q16_sums s, const uint8_t *x, q16_weights w) {
    const q8_lanes word = q8_set_word(q8_word(x));
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) s.v[i] += q8_pairs(word, w.v[i]);
    return s;
}
VEC_INLINE q16_sums q16_dot_column(q16_sums s, q16_column x, q16_weights w) {
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) s.v[i] += q8_pairs(x.v[i], w.v[i]);
    return s;
}
VEC_INLINE q16_column q16_load_column(const uint8_t *const *at, size_t rows, size_t channel) {
    q8_lanes r[4], pairs[4];
    q16_column c;
    for (size_t i = 0; i < 4; i++)
        r[i] = i < rows ? q8_load_lanes(at[i] + channel) : q8_no_lanes();
    for (size_t i = 0; i < 2; i++) {
        pairs[i] = q8_zip_bytes_low(r[2 * i], r[2 * i + 1]);
        pairs[2 + i] = q8_zip_bytes_high(r[2 * i], r[2 * i + 1]);
    }
    for (size_t i = 0; i < 2; i++) {
        const q8_lanes low = q8_zip_pairs_low(pairs[2 * i], pairs[2 * i + 1]),
                       high = q8_zip_pairs_high(pairs[2 * i], pairs[2 * i + 1]);
        c.v[4 * i] = q8_widen_low(low);
        c.v[4 * i + 1] = q8_widen_high(low);
        c.v[4 * i + 2] = q8_widen_low(high);
        c.v[4 * i + 3] = q8_widen_high(high);
    }
    return c;
}

#endif

/* The same in place. */
#if !defined(Q8_DOTS)
VEC_INLINE void q16_add_word(q16_sums *s, const uint8_t *x, q16_weights w) {
    *s = q16_dot_word(*s, x, w);
}
VEC_INLINE void q16_add_column(q16_sums *s, q16_column x, q16_weights w) {
    *s = q16_dot_column(*s, x, w);
}
#endif

#endif
