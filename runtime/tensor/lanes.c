/* Conversion of elements to lane items and back, and between lanes. */
#include "runtime/tensor/lanes.h"

#include "runtime/kernels/simd/wide.h"
#include "runtime/tensor/iter.h"
#include "runtime/value/float8.h"

size_t tsm_lane_size(tsm_lane lane) {
    static const uint8_t sizes[TSM_LANE_COUNT] = {1, 8, 4, 8, 16, TSM_NARROW(4, 1, 1, 8, 2)};
    return sizes[lane];
}

const uint8_t tsm_lanes_of_dtypes[TSM_DTYPE_COUNT] = {
    [TSM_UINT8] = TSM_LANE_I64,           [TSM_INT8] = TSM_LANE_I64,           [TSM_INT16] = TSM_LANE_I64,
    [TSM_INT32] = TSM_LANE_I64,           [TSM_INT64] = TSM_LANE_I64,          [TSM_BOOL] = TSM_LANE_I64,
    [TSM_QINT8] = TSM_LANE_I64,           [TSM_QUINT8] = TSM_LANE_I64,         [TSM_QINT32] = TSM_LANE_I64,
    [TSM_FLOAT16] = TSM_LANE_F32,         [TSM_BFLOAT16] = TSM_LANE_F32,       [TSM_FLOAT32] = TSM_LANE_F32,
    [TSM_FLOAT64] = TSM_LANE_F64,         [TSM_COMPLEX32] = TSM_LANE_C128,     [TSM_COMPLEX64] = TSM_LANE_C128,
    [TSM_COMPLEX128] = TSM_LANE_C128,     [TSM_UINT16] = TSM_LANE_I64,         [TSM_UINT32] = TSM_LANE_I64,
    [TSM_UINT64] = TSM_LANE_I64,          [TSM_FLOAT8_E5M2] = TSM_LANE_F32,    [TSM_FLOAT8_E4M3FN] = TSM_LANE_F32,
    [TSM_FLOAT8_E5M2FNUZ] = TSM_LANE_F32, [TSM_FLOAT8_E4M3FNUZ] = TSM_LANE_F32};
const uint8_t tsm_dtypes_of_lanes[TSM_LANE_COUNT] = {
    [TSM_LANE_MASK] = TSM_BOOL,
    [TSM_LANE_I64] = TSM_INT64,
    [TSM_LANE_F32] = TSM_FLOAT32,
    [TSM_LANE_F64] = TSM_FLOAT64,
    [TSM_LANE_C128] = TSM_COMPLEX128,
    TSM_NARROW([TSM_LANE_I32] = TSM_INT32, [TSM_LANE_I8] = TSM_INT8, [TSM_LANE_U8] = TSM_UINT8,
               [TSM_LANE_C64] = TSM_COMPLEX64, [TSM_LANE_BF16] = TSM_BFLOAT16, )};

/* The wide lane that holds every element of the type exactly and that loads and stores go through. */
static tsm_lane wide_lane(tsm_dtype dtype) {
    return dtype == TSM_BOOL ? TSM_LANE_MASK : tsm_lane_of(dtype);
}

tsm_lane tsm_lane_natural(tsm_exec *x, tsm_dtype dtype) {
#if TSM_NARROW_LANES
    for (tsm_lane lane = TSM_LANE_I32; lane < TSM_LANE_COUNT; lane++)
        if (tsm_dtypes_of_lanes[lane] == dtype && loops_are_narrow(x))
            return lane;
#else
    (void)x;
#endif
    return wide_lane(dtype);
}

/* ---- Elements to their natural lane and back ---- */

/* Elements that lie side by side have loops of their own, which compilers vectorize. Microcontrollers without vectors
 * save the room: loops of any stride serve them, too. */
#if (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FEATURE_MVE)) || defined(__riscv)
enum { HAS_RUNS = 0 };
#else
enum { HAS_RUNS = 1 };
#endif

/* One case of a switch over element types. */
#define LOAD_CASE(DTYPE, T, L, EXPRESSION)                                                                             \
    case DTYPE: {                                                                                                      \
        L *restrict y = to;                                                                                            \
        if (HAS_RUNS && stride == (tsm_dim)sizeof(T)) {                                                                \
            const T *restrict p = from;                                                                                \
            for (tsm_dim i = 0; i < n; i++) {                                                                          \
                T e = p[i];                                                                                            \
                y[i] = EXPRESSION;                                                                                     \
            }                                                                                                          \
        } else if (TSM_NARROW_LANES && stride == 2 * (tsm_dim)sizeof(T)) { /* two vectors are read for one */          \
            const T *restrict p = from;                                                                                \
            for (tsm_dim i = 0; i < n; i++) {                                                                          \
                T e = p[2 * i];                                                                                        \
                y[i] = EXPRESSION;                                                                                     \
            }                                                                                                          \
        } else {                                                                                                       \
            const char *p = from;                                                                                      \
            for (tsm_dim i = 0; i < n; i++, p += stride) {                                                             \
                T e = *(const T *)(const void *)p;                                                                     \
                y[i] = EXPRESSION;                                                                                     \
            }                                                                                                          \
        }                                                                                                              \
        break;                                                                                                         \
    }

#define STORE_CASE(DTYPE, T, L, EXPRESSION)                                                                            \
    case DTYPE: {                                                                                                      \
        const L *restrict v = from;                                                                                    \
        if (HAS_RUNS && stride == (tsm_dim)sizeof(T)) {                                                                \
            T *restrict p = to;                                                                                        \
            for (tsm_dim i = 0; i < n; i++) {                                                                          \
                L e = v[i];                                                                                            \
                p[i] = EXPRESSION;                                                                                     \
            }                                                                                                          \
        } else {                                                                                                       \
            char *p = to;                                                                                              \
            for (tsm_dim i = 0; i < n; i++, p += stride) {                                                             \
                L e = v[i];                                                                                            \
                *(T *)(void *)p = EXPRESSION;                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        break;                                                                                                         \
    }

typedef struct {
    uint16_t re, im;
} half_complex;

static void load_natural(void *to, tsm_dtype dtype, const void *from, tsm_dim stride, tsm_dim n) {
    switch (dtype) {
        LOAD_CASE(TSM_BOOL, uint8_t, uint8_t, e != 0)
        LOAD_CASE(TSM_UINT8, uint8_t, int64_t, e)
        LOAD_CASE(TSM_INT8, int8_t, int64_t, e)
        LOAD_CASE(TSM_INT16, int16_t, int64_t, e)
        LOAD_CASE(TSM_INT32, int32_t, int64_t, e)
    case TSM_UINT64: /* wraps as it is copied */
        LOAD_CASE(TSM_INT64, int64_t, int64_t, e)
        LOAD_CASE(TSM_FLOAT16, uint16_t, float, tsm_float_of_half(e))
        LOAD_CASE(TSM_BFLOAT16, uint16_t, float, tsm_float_of_bfloat16(e))
        LOAD_CASE(TSM_FLOAT32, float, float, e)
        LOAD_CASE(TSM_FLOAT64, double, double, e)
        LOAD_CASE(TSM_COMPLEX32, half_complex, tsm_complex,
                  ((tsm_complex){tsm_float_of_half(e.re), tsm_float_of_half(e.im)}))
        LOAD_CASE(TSM_COMPLEX64, tsm_complex_floats, tsm_complex, ((tsm_complex){e.re, e.im}))
        LOAD_CASE(TSM_COMPLEX128, tsm_complex, tsm_complex, e)
        LOAD_CASE(TSM_UINT16, uint16_t, int64_t, e)
        LOAD_CASE(TSM_UINT32, uint32_t, int64_t, e)
        LOAD_CASE(TSM_QUINT8, uint8_t, int64_t, e)
        LOAD_CASE(TSM_QINT8, int8_t, int64_t, e)
        LOAD_CASE(TSM_QINT32, int32_t, int64_t, e)
    case TSM_FLOAT8_E5M2:
    case TSM_FLOAT8_E4M3FN:
    case TSM_FLOAT8_E5M2FNUZ:
    case TSM_FLOAT8_E4M3FNUZ:
        for (tsm_dim i = 0; i < n; i++)
            ((float *)to)[i] = tsm_float_of_float8(dtype, ((const uint8_t *)from)[i * stride]);
        break;
    case TSM_DTYPE_COUNT:
        break;
    }
}

static void store_natural(tsm_dtype dtype, void *to, tsm_dim stride, const void *from, tsm_dim n) {
    switch (dtype) {
        STORE_CASE(TSM_BOOL, uint8_t, uint8_t, e)
        STORE_CASE(TSM_UINT8, uint8_t, int64_t, (uint8_t)e)
        STORE_CASE(TSM_INT8, int8_t, int64_t, (int8_t)e)
        STORE_CASE(TSM_INT16, int16_t, int64_t, (int16_t)e)
        STORE_CASE(TSM_INT32, int32_t, int64_t, (int32_t)e)
    case TSM_UINT64:
        STORE_CASE(TSM_INT64, int64_t, int64_t, e)
        STORE_CASE(TSM_FLOAT16, uint16_t, float, tsm_half_of_float(e))
        STORE_CASE(TSM_BFLOAT16, uint16_t, float, tsm_bfloat16_of_float(e))
        STORE_CASE(TSM_FLOAT32, float, float, e)
        STORE_CASE(TSM_FLOAT64, double, double, e)
        STORE_CASE(TSM_COMPLEX32, half_complex, tsm_complex,
                   ((half_complex){tsm_half_of_float((float)e.re), tsm_half_of_float((float)e.im)}))
        STORE_CASE(TSM_COMPLEX64, tsm_complex_floats, tsm_complex, ((tsm_complex_floats){(float)e.re, (float)e.im}))
        STORE_CASE(TSM_COMPLEX128, tsm_complex, tsm_complex, e)
        STORE_CASE(TSM_UINT16, uint16_t, int64_t, (uint16_t)e)
        STORE_CASE(TSM_UINT32, uint32_t, int64_t, (uint32_t)e)
        STORE_CASE(TSM_QUINT8, uint8_t, int64_t, (uint8_t)e)
        STORE_CASE(TSM_QINT8, int8_t, int64_t, (int8_t)e)
        STORE_CASE(TSM_QINT32, int32_t, int64_t, (int32_t)e)
    case TSM_FLOAT8_E5M2:
    case TSM_FLOAT8_E4M3FN:
    case TSM_FLOAT8_E5M2FNUZ:
    case TSM_FLOAT8_E4M3FNUZ:
        for (tsm_dim i = 0; i < n; i++)
            ((uint8_t *)to)[i * stride] = tsm_float8_of_float(dtype, ((const float *)from)[i]);
        break;
    case TSM_DTYPE_COUNT:
        break;
    }
}

/* ---- Lane to lane ---- */

/* A conversion that C leaves undefined out of range; the result there is what x86-64 gives. */
static inline int64_t int_of_double(double d) {
    return d >= -0x1p63 && d < 0x1p63 ? (int64_t)d : INT64_MIN;
}

#define PAIR(TO, FROM) ((TO)*TSM_LANE_COUNT + (FROM))
#define CONVERT_CASE(TO, TT, FROM, TF, EXPRESSION)                                                                     \
    case PAIR(TO, FROM): {                                                                                             \
        TT *restrict y = to;                                                                                           \
        const TF *restrict v = from;                                                                                   \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            TF e = v[i];                                                                                               \
            y[i] = EXPRESSION;                                                                                         \
        }                                                                                                              \
        break;                                                                                                         \
    }

/* n items from consecutive items of another lane. */
static void convert_lane(tsm_lane to_lane, void *to, tsm_lane from_lane, const void *from, tsm_dim n) {
    switch (PAIR((int)to_lane, (int)from_lane)) {
        CONVERT_CASE(TSM_LANE_MASK, uint8_t, TSM_LANE_I64, int64_t, e != 0)
        CONVERT_CASE(TSM_LANE_MASK, uint8_t, TSM_LANE_F32, float, e != 0)
        CONVERT_CASE(TSM_LANE_MASK, uint8_t, TSM_LANE_F64, double, e != 0)
        CONVERT_CASE(TSM_LANE_MASK, uint8_t, TSM_LANE_C128, tsm_complex, e.re != 0 || e.im != 0)
        CONVERT_CASE(TSM_LANE_I64, int64_t, TSM_LANE_MASK, uint8_t, e)
        CONVERT_CASE(TSM_LANE_I64, int64_t, TSM_LANE_F32, float, int_of_double((double)e))
        CONVERT_CASE(TSM_LANE_I64, int64_t, TSM_LANE_F64, double, int_of_double(e))
        CONVERT_CASE(TSM_LANE_I64, int64_t, TSM_LANE_C128, tsm_complex, int_of_double(e.re))
        CONVERT_CASE(TSM_LANE_F32, float, TSM_LANE_MASK, uint8_t, e)
        CONVERT_CASE(TSM_LANE_F32, float, TSM_LANE_I64, int64_t, (float)e)
        CONVERT_CASE(TSM_LANE_F32, float, TSM_LANE_F64, double, (float)e)
        CONVERT_CASE(TSM_LANE_F32, float, TSM_LANE_C128, tsm_complex, (float)e.re)
        CONVERT_CASE(TSM_LANE_F64, double, TSM_LANE_MASK, uint8_t, e)
        CONVERT_CASE(TSM_LANE_F64, double, TSM_LANE_I64, int64_t, (double)e)
        CONVERT_CASE(TSM_LANE_F64, double, TSM_LANE_F32, float, (double)e)
        CONVERT_CASE(TSM_LANE_F64, double, TSM_LANE_C128, tsm_complex, e.re)
        CONVERT_CASE(TSM_LANE_C128, tsm_complex, TSM_LANE_MASK, uint8_t, ((tsm_complex){e, 0}))
        CONVERT_CASE(TSM_LANE_C128, tsm_complex, TSM_LANE_I64, int64_t, ((tsm_complex){(double)e, 0}))
        CONVERT_CASE(TSM_LANE_C128, tsm_complex, TSM_LANE_F32, float, ((tsm_complex){(double)e, 0}))
        CONVERT_CASE(TSM_LANE_C128, tsm_complex, TSM_LANE_F64, double, ((tsm_complex){e, 0}))
    default:
        memmove(to, from, (size_t)n * tsm_lane_size(to_lane));
        break;
    }
}

/* Ints that stand for uint64 as floats: those from 2^63 on appear as negative ints. */
static void floats_of_uint64(tsm_lane to_lane, void *to, const int64_t *v, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++)
        if (to_lane == TSM_LANE_F32)
            ((float *)to)[i] = (float)(uint64_t)v[i];
        else if (to_lane == TSM_LANE_F64)
            ((double *)to)[i] = (double)(uint64_t)v[i];
        else
            ((tsm_complex *)to)[i] = (tsm_complex){(double)(uint64_t)v[i], 0};
}

enum { CONVERT_CHUNK = 32 };

#define REPEAT_CASE(T)                                                                                                 \
    case sizeof(T): {                                                                                                  \
        T *p = items;                                                                                                  \
        const T first = p[0];                                                                                          \
        for (tsm_dim i = 1; i < n; i++)                                                                                \
            p[i] = first;                                                                                              \
        break;                                                                                                         \
    }

/* Repeats a lane's first item until there are n. */
static void repeat(void *items, size_t size, tsm_dim n) {
    switch (size) {
        REPEAT_CASE(uint8_t)
        REPEAT_CASE(uint32_t)
        REPEAT_CASE(uint64_t)
        REPEAT_CASE(tsm_complex)
    }
}

static void load_wide(tsm_lane lane, void *to, tsm_dtype dtype, const void *from, tsm_dim stride, tsm_dim n) {
    tsm_lane natural = wide_lane(dtype);
    const tsm_dim all = n;
    if (stride == 0 && n > 1)
        n = 1;
    tsm_lane_item chunk[CONVERT_CHUNK];
    size_t size = tsm_lane_size(lane);
    if (natural == lane)
        load_natural(to, dtype, from, stride, n);
    for (tsm_dim i = 0; i < n && natural != lane; i += CONVERT_CHUNK) {
        tsm_dim m = n - i < CONVERT_CHUNK ? n - i : CONVERT_CHUNK;
        load_natural(chunk, dtype, (const char *)from + i * stride, stride, m);
        if (dtype == TSM_UINT64 && lane != TSM_LANE_MASK)
            floats_of_uint64(lane, (char *)to + (size_t)i * size, (const int64_t *)(const void *)chunk, m);
        else
            convert_lane(lane, (char *)to + (size_t)i * size, natural, chunk, m);
    }
    if (n < all)
        repeat(to, size, all);
}

/* Floats become narrower ints by way of 32 bits, where what does not fit becomes the least number, as on x86-64. */
static void pass_through_int32(int64_t *v, tsm_dim n, int64_t most) {
    for (tsm_dim i = 0; i < n; i++)
        v[i] = v[i] >= INT32_MIN && v[i] <= most ? v[i] : INT32_MIN;
}

/* Adds to ints, made of floats, what those from 2^63 on have as uint64, as on x86-64. */
static void correct_uint64(int64_t *v, tsm_lane lane, const char *from, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++) {
        tsm_lane_item item;
        convert_lane(TSM_LANE_F64, &item, lane, from + (size_t)i * tsm_lane_size(lane), 1);
        if (item.f64 >= 0x1p63)
            v[i] = (int64_t)((uint64_t)int_of_double(item.f64 - 0x1p63) ^ (uint64_t)INT64_MIN);
    }
}

static void store_wide(tsm_dtype dtype, void *to, tsm_dim stride, tsm_lane lane, const void *from, tsm_dim n) {
    tsm_lane natural = wide_lane(dtype);
    if (natural == lane) {
        store_natural(dtype, to, stride, from, n);
        return;
    }
    tsm_lane_item chunk[CONVERT_CHUNK];
    size_t size = tsm_lane_size(lane);
    for (tsm_dim i = 0; i < n; i += CONVERT_CHUNK) {
        tsm_dim m = n - i < CONVERT_CHUNK ? n - i : CONVERT_CHUNK;
        convert_lane(natural, chunk, lane, (const char *)from + (size_t)i * size, m);
        if (dtype == TSM_UINT64 && lane != TSM_LANE_MASK)
            correct_uint64((int64_t *)(void *)chunk, lane, (const char *)from + (size_t)i * size, m);
        else if (natural == TSM_LANE_I64 && lane != TSM_LANE_MASK && dtype != TSM_INT64)
            pass_through_int32((int64_t *)(void *)chunk, m, dtype == TSM_UINT32 ? UINT32_MAX : INT32_MAX);
        store_natural(dtype, (char *)to + i * stride, stride, chunk, m);
    }
}

#if TSM_NARROW_LANES
/* Items of a narrow lane: elements of its own type are copied, others become items of its wide lane, which are stored
 * as elements of that type; and back. */
static void load_narrow(tsm_lane lane, void *to, tsm_dtype dtype, const void *from, tsm_dim stride, tsm_dim n) {
    const tsm_dtype own = (tsm_dtype)tsm_dtypes_of_lanes[lane];
    const tsm_lane wide = tsm_lane_of(own);
    const size_t size = tsm_lane_size(lane);
    tsm_lane_item chunk[CONVERT_CHUNK];
    if (dtype == own) {
        tsm_copy_run(to, (tsm_dim)size, from, stride, n, size);
        return;
    }
    for (tsm_dim i = 0, m; i < n; i += m) {
        m = n - i < CONVERT_CHUNK ? n - i : CONVERT_CHUNK;
        load_wide(wide, chunk, dtype, (const char *)from + i * stride, stride, m);
        store_wide(own, (char *)to + (size_t)i * size, (tsm_dim)size, wide, chunk, m);
    }
}

static void store_narrow(tsm_dtype dtype, void *to, tsm_dim stride, tsm_lane lane, const void *from, tsm_dim n) {
    const tsm_dtype own = (tsm_dtype)tsm_dtypes_of_lanes[lane];
    const tsm_lane wide = tsm_lane_of(own);
    const size_t size = tsm_lane_size(lane);
    tsm_lane_item chunk[CONVERT_CHUNK];
    if (dtype == own) {
        tsm_copy_run(to, stride, from, (tsm_dim)size, n, size);
        return;
    }
    for (tsm_dim i = 0, m; i < n; i += m) {
        m = n - i < CONVERT_CHUNK ? n - i : CONVERT_CHUNK;
        load_wide(wide, chunk, own, (const char *)from + (size_t)i * size, (tsm_dim)size, m);
        store_wide(dtype, (char *)to + i * stride, stride, wide, chunk, m);
    }
}
#endif

void tsm_lane_load(tsm_lane lane, void *to, tsm_dtype dtype, const void *from, tsm_dim stride, tsm_dim n) {
#if TSM_NARROW_LANES
    if (lane > TSM_LANE_C128) {
        load_narrow(lane, to, dtype, from, stride, n);
        return;
    }
#endif
    load_wide(lane, to, dtype, from, stride, n);
}

void tsm_lane_store(tsm_dtype dtype, void *to, tsm_dim stride, tsm_lane lane, const void *from, tsm_dim n) {
#if TSM_NARROW_LANES
    if (lane > TSM_LANE_C128) {
        store_narrow(dtype, to, stride, lane, from, n);
        return;
    }
#endif
    store_wide(dtype, to, stride, lane, from, n);
}

static tsm_lane_item wide_item(tsm_lane lane, tsm_value number) {
    tsm_lane_item item = {.c = {0, 0}}, source = item;
    switch (number.tag) {
    case TSM_TAG_FLOAT:
        source.f64 = number.as.f;
        convert_lane(lane, &item, TSM_LANE_F64, &source, 1);
        break;
    case TSM_TAG_BOOL:
        source.mask = number.as.b;
        convert_lane(lane, &item, TSM_LANE_MASK, &source, 1);
        break;
    case TSM_TAG_COMPLEX:
        source.c.re = tsm_as_complex(number)->re;
        source.c.im = tsm_as_complex(number)->im;
        convert_lane(lane, &item, TSM_LANE_C128, &source, 1);
        break;
    default:
        source.i = number.as.i;
        convert_lane(lane, &item, TSM_LANE_I64, &source, 1);
        break;
    }
    return item;
}

tsm_lane_item tsm_lane_item_of(tsm_lane lane, tsm_value number) {
#if TSM_NARROW_LANES
    if (lane > TSM_LANE_C128) {
        const tsm_dtype own = (tsm_dtype)tsm_dtypes_of_lanes[lane];
        const tsm_lane_item source = wide_item(tsm_lane_of(own), number);
        tsm_lane_item item = {.c = {0, 0}};
        store_wide(own, &item, 0, tsm_lane_of(own), &source, 1);
        return item;
    }
#endif
    return wide_item(lane, number);
}

#define FILL(T, member)                                                                                                \
    for (tsm_dim i = 0; i < n; i++)                                                                                    \
    ((T *)to)[i] = item.member

void tsm_lane_fill(tsm_lane lane, void *to, tsm_value number, tsm_dim n) {
    tsm_lane_item item = tsm_lane_item_of(lane, number);
    switch (lane) {
    case TSM_LANE_MASK:
        TSM_NARROW(case TSM_LANE_I8 : case TSM_LANE_U8:)
        memset(to, item.mask, (size_t)n);
        break;
        TSM_NARROW(case TSM_LANE_I32
                   : FILL(int32_t, i32);
                   break; case TSM_LANE_C64
                   : FILL(tsm_complex_floats, c64);
                   break; case TSM_LANE_BF16
                   : FILL(uint16_t, bf16);
                   break;)
    case TSM_LANE_I64:
        FILL(int64_t, i);
        break;
    case TSM_LANE_F32:
        FILL(float, f32);
        break;
    case TSM_LANE_F64:
        FILL(double, f64);
        break;
    default:
        FILL(tsm_complex, c);
        break;
    }
}

void tsm_number_store(tsm_dtype dtype, void *to, tsm_value number) {
    tsm_lane lane = number.tag == TSM_TAG_FLOAT     ? TSM_LANE_F32
                    : number.tag == TSM_TAG_BOOL    ? TSM_LANE_MASK
                    : number.tag == TSM_TAG_COMPLEX ? TSM_LANE_C128
                                                    : TSM_LANE_I64;
    tsm_lane_item item = tsm_lane_item_of(lane, number);
    if (lane == TSM_LANE_C128) { /* through memory: gcc 12 drops casts of both parts there and back */
        tsm_complex_floats narrowed;
        tsm_lane_store(TSM_COMPLEX64, &narrowed, 0, lane, &item, 1);
        tsm_lane_load(lane, &item, TSM_COMPLEX64, &narrowed, 0, 1);
    }
    tsm_lane_store(dtype, to, 0, lane, &item, 1);
}
