/* The types that inner loops calculate in, and conversion of elements to and from them.
 *
 * Loops are written once for each lane type, not once for each of the 16 element types: narrower integers are
 * calculated as int64 and wrap when stored, half and bfloat16 as float, complex64 as complex128. Where processors have
 * vectors of all of them, loops that gain much have narrow lanes, too, whose items are the elements as they lie. */
#ifndef TSM_TENSOR_LANES_H
#define TSM_TENSOR_LANES_H

#include "runtime/kernels/simd/narrow.h"
#include "runtime/tensor/promotion.h"
#include "runtime/value/exec.h"
#include "runtime/value/half.h"

typedef enum {
    TSM_LANE_MASK, /* uint8_t, 0 or 1: conditions and results of comparisons */
    TSM_LANE_I64,
    TSM_LANE_F32,
    TSM_LANE_F64,
    TSM_LANE_C128, /* tsm_complex */
#if TSM_NARROW_LANES
    TSM_LANE_I32,
    TSM_LANE_I8,
    TSM_LANE_U8,
    TSM_LANE_C64,  /* tsm_complex_floats */
    TSM_LANE_BF16, /* uint16_t */
#endif
    TSM_LANE_COUNT,
} tsm_lane;

typedef struct {
    double re, im;
} tsm_complex;
typedef struct {
    float re, im;
} tsm_complex_floats;

/* Room for one element of any lane. */
typedef union {
    uint8_t mask;
    int64_t i;
    float f32;
    double f64;
    tsm_complex c;
    int32_t i32;
    tsm_complex_floats c64;
    uint16_t bf16;
} tsm_lane_item;

/* Says to the compiler that iterations do not depend on each other although results may overwrite operands in place. */
#if defined(__clang__)
#define TSM_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TSM_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TSM_INDEPENDENT
#endif

size_t tsm_lane_size(tsm_lane lane);
/* The lane that arithmetic on elements of this type uses; any for numbers that are no type, which programs may give. */
extern const uint8_t tsm_lanes_of_dtypes[];
static inline tsm_lane tsm_lane_of(tsm_dtype dtype) {
    return (unsigned)dtype < TSM_DTYPE_COUNT ? (tsm_lane)tsm_lanes_of_dtypes[dtype] : TSM_LANE_I64;
}
/* Elements of this type are the lane's own: no conversion. */
extern const uint8_t tsm_dtypes_of_lanes[];
static inline bool tsm_lane_is_native(tsm_lane lane, tsm_dtype dtype) {
    return tsm_dtypes_of_lanes[lane] == dtype;
}

/* The lane whose items are elements of this type as they lie, where this machine calculates so; or else the one that
 * holds each of them exactly. */
tsm_lane tsm_lane_natural(tsm_exec *x, tsm_dtype dtype);

/* Reads n elements, `stride` bytes apart, into consecutive lane items. */
void tsm_lane_load(tsm_lane lane, void *to, tsm_dtype dtype, const void *from, tsm_dim stride, tsm_dim n);
/* Writes n consecutive lane items into elements `stride` bytes apart: integers wrap, floats round or are cut off,
 * numbers to bool are != 0. */
void tsm_lane_store(tsm_dtype dtype, void *to, tsm_dim stride, tsm_lane lane, const void *from, tsm_dim n);
/* n items of one number (int, float, bool, complex). */
void tsm_lane_fill(tsm_lane lane, void *to, tsm_value number, tsm_dim n);

/* A number as one item of the lane. */
tsm_lane_item tsm_lane_item_of(tsm_lane lane, tsm_value number);

/* Writes a number as an element of a type as torch.tensor(number, dtype=type) does: by way of the number's own default
 * type, which is float32 for floats. */
void tsm_number_store(tsm_dtype dtype, void *to, tsm_value number);

#endif
