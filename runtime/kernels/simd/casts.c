/* Direct conversions between the element types that programs convert most; the others go by way of lanes. */
#include "runtime/kernels/simd/casts.h"

#include "runtime/kernels/simd/narrow.h"
#include "runtime/kernels/simd/wide.h"
#include "runtime/value/half.h"
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Floats out of an int's range become its least number, as on x86-64, where that costs nothing; narrower ints are made
 * of int32. */
#if defined(__x86_64__)
static inline int64_t int64_of(float e) {
    return _mm_cvttss_si64(_mm_set_ss(e));
}
#else
static inline int64_t int64_of(float e) {
    return e >= -0x1p63f && e < 0x1p63f ? (int64_t)e : INT64_MIN;
}
#endif
static inline int32_t int32_of(float e) {
    return e >= -0x1p31f && e < 0x1p31f ? (int32_t)e : INT32_MIN;
}

#define CAST(name, FROM, TO, EXPRESSION)                                                                               \
    static void name(void *restrict to, const void *restrict from, tsm_dim n) {                                        \
        TO *y = to;                                                                                                    \
        const FROM *v = from;                                                                                          \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            const FROM e = v[i];                                                                                       \
            y[i] = EXPRESSION;                                                                                         \
        }                                                                                                              \
    }
CAST(float_to_bool, float, uint8_t, e != 0)
CAST(float_to_uint8, float, uint8_t, (uint8_t)int32_of(e))
#if defined(__x86_64__)
static void float_to_int32(void *restrict to, const void *restrict from, tsm_dim n) {
    int32_t *y = to;
    const float *v = from;
    tsm_dim i = 0;
#if defined(__AVX2__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_si256((__m256i *)(void *)(y + i), _mm256_cvttps_epi32(_mm256_loadu_ps(v + i)));
#endif
    for (; i + 4 <= n; i += 4)
        _mm_storeu_si128((__m128i *)(void *)(y + i), _mm_cvttps_epi32(_mm_loadu_ps(v + i)));
    for (; i < n; i++)
        y[i] = int32_of(v[i]);
}
#else
CAST(float_to_int32, float, int32_t, int32_of(e))
#endif
#if defined(__AVX2__)
/* By way of int32, eight at a time; where one is out of its range, which the instruction answers by the least number,
 * they go singly. */
static void float_to_int64(void *restrict to, const void *restrict from, tsm_dim n) {
    enum { LANES = 8 };
    int64_t *y = to;
    const float *v = from;
    const __m256i least = _mm256_set1_epi32(INT32_MIN);
    tsm_dim i = 0;
    for (; i + LANES <= n; i += LANES) {
        const __m256i e = _mm256_cvttps_epi32(_mm256_loadu_ps(v + i));
        if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(e, least))) {
            for (int k = 0; k < LANES; k++)
                y[i + k] = int64_of(v[i + k]);
            continue;
        }
        _mm256_storeu_si256((__m256i *)(void *)(y + i), _mm256_cvtepi32_epi64(_mm256_castsi256_si128(e)));
        _mm256_storeu_si256((__m256i *)(void *)(y + i + 4), _mm256_cvtepi32_epi64(_mm256_extracti128_si256(e, 1)));
    }
    for (; i < n; i++)
        y[i] = int64_of(v[i]);
}
#else
CAST(float_to_int64, float, int64_t, int64_of(e))
#endif
#if defined(__F16C__)
/* The instruction keeps what a NaN says; here every NaN becomes the quiet one with its sign, as on other machines. */
static void float_to_half(void *restrict to, const void *restrict from, tsm_dim n) {
    uint16_t *y = to;
    const float *v = from;
    tsm_dim i = 0;
    const __m256 sign = _mm256_set1_ps(-0.0f), quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    for (; i + 8 <= n; i += 8) {
        const __m256 e = _mm256_loadu_ps(v + i), nan = _mm256_or_ps(_mm256_and_ps(e, sign), quiet);
        const __m256 number = _mm256_blendv_ps(e, nan, _mm256_cmp_ps(e, e, _CMP_UNORD_Q));
        _mm_storeu_si128((__m128i *)(void *)(y + i), _mm256_cvtps_ph(number, _MM_FROUND_TO_NEAREST_INT));
    }
    for (; i < n; i++)
        y[i] = tsm_half_of_float(v[i]);
}

static void half_to_float(void *restrict to, const void *restrict from, tsm_dim n) {
    float *y = to;
    const uint16_t *v = from;
    tsm_dim i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(v + i))));
    for (; i < n; i++)
        y[i] = tsm_float_of_half(v[i]);
}
#elif defined(__aarch64__)
/* FCVTN and FCVTL, which every AArch64 has. The first keeps the upper bits of what a NaN says and makes it quiet; they
 * are cleared, so that every NaN becomes the quiet one with its sign, as on other machines. */
static void float_to_half(void *restrict to, const void *restrict from, tsm_dim n) {
    uint16_t *y = to;
    const float *v = from;
    tsm_dim i = 0;
    for (; i + 8 <= n; i += 8) {
        const float16x8_t rounded = vcvt_high_f16_f32(vcvt_f16_f32(vld1q_f32(v + i)), vld1q_f32(v + i + 4));
        const uint16x8_t h = vreinterpretq_u16_f16(rounded), rest = vandq_u16(h, vdupq_n_u16(0x7fff)),
                         is_nan = vcgtq_u16(rest, vdupq_n_u16(0x7c00));
        vst1q_u16(y + i, vbicq_u16(h, vandq_u16(is_nan, vdupq_n_u16(0x01ff))));
    }
    for (; i < n; i++)
        y[i] = tsm_half_of_float(v[i]);
}

static void half_to_float(void *restrict to, const void *restrict from, tsm_dim n) {
    float *y = to;
    const uint16_t *v = from;
    tsm_dim i = 0;
    for (; i + 8 <= n; i += 8) {
        const float16x8_t h = vreinterpretq_f16_u16(vld1q_u16(v + i));
        vst1q_f32(y + i, vcvt_f32_f16(vget_low_f16(h)));
        vst1q_f32(y + i + 4, vcvt_high_f32_f16(h));
    }
    for (; i < n; i++)
        y[i] = tsm_float_of_half(v[i]);
}
#else
CAST(float_to_half, float, uint16_t, tsm_half_of_float(e))
CAST(half_to_float, uint16_t, float, tsm_float_of_half(e))
#endif
#if defined(__AVX2__)
/* Numbers are rounded 32 at a time; NaNs, which are few, go singly, and out of line: vectors for them would take the
 * registers of the numbers' loop. */
static TSM_OUT_OF_LINE void few_to_bfloat16(uint16_t *restrict y, const float *restrict v, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++)
        y[i] = tsm_bfloat16_of_float(v[i]);
}
static void float_to_bfloat16(void *restrict to, const void *restrict from, tsm_dim n) {
    enum { LANES = 8, VECTORS = 4 };
    uint16_t *y = to;
    const float *v = from;
    tsm_dim i = 0;
    const __m256i one = _mm256_set1_epi32(1), half = _mm256_set1_epi32(0x7fff);
    for (; i + LANES * VECTORS <= n; i += LANES * VECTORS) {
        __m256i r[VECTORS];
        __m256 e[VECTORS];
        for (int k = 0; k < VECTORS; k++) {
            e[k] = _mm256_loadu_ps(v + i + k * LANES);
            const __m256i u = _mm256_castps_si256(e[k]), odd = _mm256_and_si256(_mm256_srli_epi32(u, 16), one);
            r[k] = _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(u, half), odd), 16);
        }
        const __m256 nan =
            _mm256_or_ps(_mm256_cmp_ps(e[0], e[1], _CMP_UNORD_Q), _mm256_cmp_ps(e[2], e[3], _CMP_UNORD_Q));
        for (int k = 0; k < VECTORS; k += 2)
            _mm256_storeu_si256((__m256i *)(void *)(y + i + k * LANES),
                                _mm256_permute4x64_epi64(_mm256_packus_epi32(r[k], r[k + 1]), 0xd8));
        if (_mm256_movemask_ps(nan))
            few_to_bfloat16(y + i, v + i, LANES * VECTORS);
    }
    if (i < n)
        few_to_bfloat16(y + i, v + i, n - i);
}
#elif defined(__aarch64__)
/* What rounds a float to an even bfloat16 in its upper half, which ADDHN takes of the sum. */
static inline uint32x4_t bfloat16_rounding(uint32x4_t u) {
    return vaddq_u32(vandq_u32(vshrq_n_u32(u, 16), vdupq_n_u32(1)), vdupq_n_u32(0x7fff));
}
static inline uint32x4_t bits_of_one_nan(float32x4_t e) {
    return vbslq_u32(vceqq_f32(e, e), vreinterpretq_u32_f32(e), vdupq_n_u32(0x7fc00000));
}

static void float_to_bfloat16(void *restrict to, const void *restrict from, tsm_dim n) {
    uint16_t *y = to;
    const float *v = from;
    tsm_dim i = 0;
    for (; i + 8 <= n; i += 8) {
        const uint32x4_t low = bits_of_one_nan(vld1q_f32(v + i)), high = bits_of_one_nan(vld1q_f32(v + i + 4));
        const uint16x4_t first = vaddhn_u32(low, bfloat16_rounding(low));
        vst1q_u16(y + i, vaddhn_high_u32(first, high, bfloat16_rounding(high)));
    }
    for (; i < n; i++)
        y[i] = tsm_bfloat16_of_float(v[i]);
}
#else
CAST(float_to_bfloat16, float, uint16_t, tsm_bfloat16_of_float(e))
#endif
#if defined(__AVX2__)
static void bfloat16_to_float(void *restrict to, const void *restrict from, tsm_dim n) {
    float *y = to;
    const uint16_t *v = from;
    tsm_dim i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256i e = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(v + i)));
        _mm256_storeu_ps(y + i, _mm256_castsi256_ps(_mm256_slli_epi32(e, 16)));
    }
    for (; i < n; i++)
        y[i] = tsm_float_of_bfloat16(v[i]);
}
#else
CAST(bfloat16_to_float, uint16_t, float, tsm_float_of_bfloat16(e))
#endif
CAST(float_to_double, float, double, (double)e)
CAST(double_to_float, double, float, (float)e)
CAST(bool_to_float, uint8_t, float, e != 0 ? 1.0f : 0.0f)
CAST(bool_to_int64, uint8_t, int64_t, e != 0)
CAST(uint8_to_float, uint8_t, float, (float)e)
CAST(uint8_to_int64, uint8_t, int64_t, e)
CAST(int32_to_float, int32_t, float, (float)e)
CAST(int32_to_int64, int32_t, int64_t, e)
CAST(int64_to_float, int64_t, float, (float)e)
CAST(int64_to_int32, int64_t, int32_t, (int32_t)e)
CAST(int64_to_bool, int64_t, uint8_t, e != 0)
/* Conversions of narrow ints and of doubles, as many as there are pairs: where there are narrow lanes. */
#if TSM_NARROW_LANES
static inline int32_t int32_of_double(double e) {
    return e >= -0x1p31 && e < 0x1p31 ? (int32_t)e : INT32_MIN;
}
#if defined(__x86_64__)
static inline int64_t int64_of_double(double e) {
    return _mm_cvttsd_si64(_mm_set_sd(e));
}
#else
static inline int64_t int64_of_double(double e) {
    return e >= -0x1p63 && e < 0x1p63 ? (int64_t)e : INT64_MIN;
}
#endif
CAST(uint8_to_bool, uint8_t, uint8_t, e != 0)
CAST(uint8_to_int32, uint8_t, int32_t, e)
CAST(uint8_to_double, uint8_t, double, (double)e)
CAST(int8_to_float, int8_t, float, (float)e)
CAST(int8_to_int32, int8_t, int32_t, e)
CAST(int8_to_int64, int8_t, int64_t, e)
CAST(int32_to_bool, int32_t, uint8_t, e != 0)
CAST(int32_to_byte, int32_t, uint8_t, (uint8_t)e)
CAST(int32_to_double, int32_t, double, (double)e)
CAST(int64_to_byte, int64_t, uint8_t, (uint8_t)e)
CAST(int64_to_double, int64_t, double, (double)e)
CAST(double_to_bool, double, uint8_t, e != 0)
CAST(double_to_byte, double, uint8_t, (uint8_t)int32_of_double(e))
CAST(double_to_int32, double, int32_t, int32_of_double(e))
#if defined(__AVX2__)
/* As float_to_int64, four at a time. */
static void double_to_int64(void *restrict to, const void *restrict from, tsm_dim n) {
    enum { LANES = 4 };
    int64_t *y = to;
    const double *v = from;
    const __m128i least = _mm_set1_epi32(INT32_MIN);
    tsm_dim i = 0;
    for (; i + LANES <= n; i += LANES) {
        const __m128i e = _mm256_cvttpd_epi32(_mm256_loadu_pd(v + i));
        if (_mm_movemask_epi8(_mm_cmpeq_epi32(e, least)))
            for (int k = 0; k < LANES; k++)
                y[i + k] = int64_of_double(v[i + k]);
        else
            _mm256_storeu_si256((__m256i *)(void *)(y + i), _mm256_cvtepi32_epi64(e));
    }
    for (; i < n; i++)
        y[i] = int64_of_double(v[i]);
}
#else
CAST(double_to_int64, double, int64_t, int64_of_double(e))
#endif
CAST(bool_to_int32, uint8_t, int32_t, e != 0)
CAST(bool_to_double, uint8_t, double, e != 0 ? 1.0 : 0.0)
CAST(copy_byte, uint8_t, uint8_t, e)
#endif

static void repeat_float(void *restrict to, const void *restrict from, tsm_dim n) {
    float *y = to;
    const float e = *(const float *)from;
    for (tsm_dim i = 0; i < n; i++)
        y[i] = e;
}

enum { WIDE_CASTS = 19, CASTS = TSM_NARROW_LANES ? 44 : WIDE_CASTS }; /* those of narrow elements are the last */

typedef struct {
    tsm_cast repeat;
    struct {
        uint8_t from, to;
        tsm_cast cast;
    } rows[CASTS];
} cast_table;

TSM_TABLE_CHOSEN(cast_table, casts,
                 {repeat_float,
                  {{TSM_FLOAT32, TSM_BOOL, float_to_bool},
                   {TSM_FLOAT32, TSM_UINT8, float_to_uint8},
                   {TSM_FLOAT32, TSM_INT32, float_to_int32},
                   {TSM_FLOAT32, TSM_INT64, float_to_int64},
                   {TSM_FLOAT32, TSM_FLOAT16, float_to_half},
                   {TSM_FLOAT16, TSM_FLOAT32, half_to_float},
                   {TSM_FLOAT32, TSM_BFLOAT16, float_to_bfloat16},
                   {TSM_BFLOAT16, TSM_FLOAT32, bfloat16_to_float},
                   {TSM_FLOAT32, TSM_FLOAT64, float_to_double},
                   {TSM_FLOAT64, TSM_FLOAT32, double_to_float},
                   {TSM_BOOL, TSM_FLOAT32, bool_to_float},
                   {TSM_BOOL, TSM_INT64, bool_to_int64},
                   {TSM_UINT8, TSM_FLOAT32, uint8_to_float},
                   {TSM_INT32, TSM_FLOAT32, int32_to_float},
                   {TSM_INT32, TSM_INT64, int32_to_int64},
                   {TSM_INT64, TSM_FLOAT32, int64_to_float},
                   {TSM_INT64, TSM_INT32, int64_to_int32},
                   {TSM_INT64, TSM_BOOL, int64_to_bool},
                   {TSM_UINT8, TSM_INT64, uint8_to_int64},
                   TSM_NARROW({TSM_UINT8, TSM_BOOL, uint8_to_bool}, {TSM_UINT8, TSM_INT32, uint8_to_int32},
                              {TSM_UINT8, TSM_FLOAT64, uint8_to_double}, {TSM_UINT8, TSM_INT8, copy_byte},
                              {TSM_INT8, TSM_BOOL, uint8_to_bool}, {TSM_INT8, TSM_FLOAT32, int8_to_float},
                              {TSM_INT8, TSM_INT32, int8_to_int32}, {TSM_INT8, TSM_INT64, int8_to_int64},
                              {TSM_INT8, TSM_UINT8, copy_byte}, {TSM_INT32, TSM_BOOL, int32_to_bool},
                              {TSM_INT32, TSM_UINT8, int32_to_byte}, {TSM_INT32, TSM_INT8, int32_to_byte},
                              {TSM_INT32, TSM_FLOAT64, int32_to_double}, {TSM_INT64, TSM_UINT8, int64_to_byte},
                              {TSM_INT64, TSM_INT8, int64_to_byte}, {TSM_INT64, TSM_FLOAT64, int64_to_double},
                              {TSM_FLOAT32, TSM_INT8, float_to_uint8}, {TSM_FLOAT64, TSM_BOOL, double_to_bool},
                              {TSM_FLOAT64, TSM_UINT8, double_to_byte}, {TSM_FLOAT64, TSM_INT8, double_to_byte},
                              {TSM_FLOAT64, TSM_INT32, double_to_int32}, {TSM_FLOAT64, TSM_INT64, double_to_int64},
                              {TSM_BOOL, TSM_UINT8, copy_byte}, {TSM_BOOL, TSM_INT32, bool_to_int32},
                              {TSM_BOOL, TSM_FLOAT64, bool_to_double}, )}})

#if !defined(TSM_WIDE_LOOPS)
tsm_cast tsm_cast_find(tsm_exec *x, tsm_dtype from, tsm_dtype to) {
    const cast_table *table = casts_for(x);
    const size_t n = loops_are_narrow(x) ? CASTS : WIDE_CASTS;
    for (size_t i = 0; i < n; i++)
        if (table->rows[i].from == from && table->rows[i].to == to)
            return table->rows[i].cast;
    return NULL;
}
tsm_cast tsm_cast_repeat(tsm_exec *x, size_t size) {
    return size == sizeof(float) ? casts_for(x)->repeat : NULL;
}
#endif
