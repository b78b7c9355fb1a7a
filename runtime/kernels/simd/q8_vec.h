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
    return (q16_i32){{(vec_i32)_mm512_cvtps_epi32((__m512)a.v[0])}};
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
    Q16_EACH(i) r.v[i] = (vec_i32)_mm256_cvtps_epi32((__m256)a.v[i]);
    return r;
}
VEC_INLINE void q16_store_ints(uint8_t *p, q16_i32 a, int32_t zero_point, int32_t low) {
    __m256i words = _mm256_packs_epi32((__m256i)a.v[0], (__m256i)a.v[1]);
    words = _mm256_adds_epi16(_mm256_permute4x64_epi64(words, 0xd8), _mm256_set1_epi16((int16_t)zero_point));
    __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128((__m128i *)(void *)p, _mm_max_epu8(bytes, _mm_set1_epi8((char)low)));
}

#elif defined(__aarch64__)

VEC_INLINE q16_i32 q16_from_u8(const uint8_t *p) {
    uint8x16_t bytes = vld1q_u8(p);
    uint16x8_t a = vmovl_u8(vget_low_u8(bytes)), b = vmovl_high_u8(bytes);
    q16_i32 r;
    r.v[0] = (vec_i32)vmovl_u16(vget_low_u16(a));
    r.v[1] = (vec_i32)vmovl_high_u16(a);
    r.v[2] = (vec_i32)vmovl_u16(vget_low_u16(b));
    r.v[3] = (vec_i32)vmovl_high_u16(b);
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
    int16x8_t zero = vdupq_n_s16((int16_t)zero_point);
    int16x8_t x = vqmovn_high_s32(vqmovn_s32((int32x4_t)a.v[0]), (int32x4_t)a.v[1]);
    int16x8_t y = vqmovn_high_s32(vqmovn_s32((int32x4_t)a.v[2]), (int32x4_t)a.v[3]);
    uint8x16_t bytes = vqmovun_high_s16(vqmovun_s16(vqaddq_s16(x, zero)), vqaddq_s16(y, zero));
    vst1q_u8(p, vmaxq_u8(bytes, vdupq_n_u8((uint8_t)low)));
}

#else

Q16_FUNCTION q16_i32 q16_from_u8(const uint8_t *p) {
    int32_t lanes[16];
    Q16_LANES(i)
    lanes[i] = p[i];
    return q16_load_i32(lanes);
}
Q16_FUNCTION q16_f32 q16_to_f32(q16_i32 a) {
    q16_f32 r;
#if VEC_LANES == 1
    Q16_EACH(i) r.v[i] = (float)a.v[i];
#else
    Q16_EACH(i) r.v[i] = __builtin_convertvector(a.v[i], vec_f32);
#endif
    return r;
}

/* Round to even: adding 1.5 * 2^23 leaves no bits behind the point. Greater numbers, of which the trick would make
 * nonsense, are cut off before; any such number is far outside of a byte. */
Q16_FUNCTION q16_i32 q16_round(q16_f32 a) {
    const float limit = 1 << 20, magic = 3 << 22;
    q16_i32 r;
    Q16_EACH(i)
    r.v[i] = vec_bits(vec_at_most(vec_at_least(a.v[i], vec_set(-limit)), vec_set(limit)) + vec_set(magic)) - 0x4b400000;
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

#else

/* Plain C; with the dual multiply-add of Cortex-M4 and above two products for each instruction. */
enum { Q8_X_BIAS = 0 };
typedef struct {
    int32_t v[16];
} q16_sums;
typedef struct {
    uint8_t v[4][16];
} q16_column;
typedef const int8_t *q16_weights;

VEC_INLINE q16_sums q16_sums_from(const int32_t *p) {
    q16_sums s;
    memcpy(&s, p, sizeof s);
    return s;
}
VEC_INLINE q16_i32 q16_sums_total(q16_sums s) {
    return q16_load_i32(s.v);
}
VEC_INLINE q16_weights q16_load_weights(const int8_t *w) {
    return w;
}

#if defined(__ARM_FEATURE_SIMD32)
VEC_INLINE int32_t q8_dot4(int32_t sum, uint32_t even, uint32_t odd, uint32_t w) {
    int32_t w_even, w_odd;
    __asm__("sxtb16 %0, %1" : "=r"(w_even) : "r"(w));
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(w_odd) : "r"(w));
    __asm__("smlad %0, %1, %2, %3" : "=r"(sum) : "r"(even), "r"(w_even), "r"(sum));
    __asm__("smlad %0, %1, %2, %3" : "=r"(sum) : "r"(odd), "r"(w_odd), "r"(sum));
    return sum;
}
VEC_INLINE void q16_add_word(q16_sums *s, const uint8_t *x, q16_weights w) {
    uint32_t word = q8_word(x), even = word & UINT32_C(0x00ff00ff), odd = word >> 8 & UINT32_C(0x00ff00ff);
    Q16_LANES(i)
    s->v[i] = q8_dot4(s->v[i], even, odd, q8_word((const uint8_t *)w + 4 * i));
}
#else
VEC_INLINE void q16_add_word(q16_sums *s, const uint8_t *x, q16_weights w) {
    int32_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    Q16_LANES(i)
    s->v[i] += x0 * w[4 * i] + x1 * w[4 * i + 1] + x2 * w[4 * i + 2] + x3 * w[4 * i + 3];
}
#endif

VEC_INLINE void q16_add_column(q16_sums *s, q16_column x, q16_weights w) {
    Q16_LANES(i)
    s->v[i] += x.v[0][i] * w[4 * i] + x.v[1][i] * w[4 * i + 1] + x.v[2][i] * w[4 * i + 2] + x.v[3][i] * w[4 * i + 3];
}
Q16_FUNCTION q16_column q16_load_column(const uint8_t *const *at, size_t rows, size_t channel) {
    q16_column c;
    for (size_t r = 0; r < 4; r++)
        if (r < rows)
            memcpy(c.v[r], at[r] + channel, 16);
        else
            memset(c.v[r], 0, 16);
    return c;
}

#define Q16_IN_PLACE

#endif

/* The same in place. */
#if !defined(Q16_IN_PLACE)
VEC_INLINE void q16_add_word(q16_sums *s, const uint8_t *x, q16_weights w) {
    *s = q16_dot_word(*s, x, w);
}
VEC_INLINE void q16_add_column(q16_sums *s, q16_column x, q16_weights w) {
    *s = q16_dot_column(*s, x, w);
}
#endif

#endif
