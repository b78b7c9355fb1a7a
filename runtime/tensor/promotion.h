/* Classes of element types, which numbers they take, and the type that operands of several types have together. */
#ifndef TSM_TENSOR_PROMOTION_H
#define TSM_TENSOR_PROMOTION_H

#include "runtime/value/exec.h"

static inline bool tsm_dtype_is_complex(tsm_dtype d) {
    return d == TSM_COMPLEX32 || d == TSM_COMPLEX64 || d == TSM_COMPLEX128;
}
static inline bool tsm_dtype_is_float8(tsm_dtype d) {
    return d >= TSM_FLOAT8_E5M2 && d <= TSM_FLOAT8_E4M3FNUZ;
}
static inline bool tsm_dtype_is_floating(tsm_dtype d) {
    return d == TSM_FLOAT16 || d == TSM_FLOAT32 || d == TSM_FLOAT64 || d == TSM_BFLOAT16 || tsm_dtype_is_float8(d);
}
static inline bool tsm_dtype_is_quantized(tsm_dtype d) {
    return d == TSM_QINT8 || d == TSM_QUINT8 || d == TSM_QINT32;
}
static inline bool tsm_dtype_is_integral(tsm_dtype d) {
    return d <= TSM_INT64 || d == TSM_BOOL || (d >= TSM_UINT16 && d <= TSM_UINT64);
}

/* TSM_KIND_... of a dtype; 0 of float32. */
extern const uint8_t tsm_dtype_kinds[TSM_DTYPE_COUNT];

/* Whether lanes keep the order of the type's elements. Those of uint64 are signed there. */
static inline bool tsm_dtype_is_ordered(tsm_dtype d) {
    return !tsm_dtype_is_complex(d) && d != TSM_UINT64;
}

/* The dtype of the parts of a complex one; others are themselves. */
static inline tsm_dtype tsm_real_dtype(tsm_dtype d) {
    return d == TSM_COMPLEX128 ? TSM_FLOAT64 : d == TSM_COMPLEX64 ? TSM_FLOAT32 : d == TSM_COMPLEX32 ? TSM_FLOAT16 : d;
}
/* float32 for integers and bool. */
static inline tsm_dtype tsm_floating_dtype(tsm_dtype d) {
    return tsm_dtype_is_integral(d) ? TSM_FLOAT32 : d;
}

/* "Float", "Long", ... as PyTorch's error texts call dtypes. */
const char *tsm_dtype_class_name(tsm_dtype dtype);
bool tsm_dtype_can_cast(tsm_dtype from, tsm_dtype to);
/* Raises where PyTorch refuses a number as an element of this type: out of range, or complex for a real type. Other
 * values than numbers pass. */
tsm_status tsm_check_number(tsm_exec *x, tsm_dtype dtype, tsm_value number);

/* Result type of a group of operands, as torch.result_type (tensors with dims, 0-dim tensors, Python numbers in three
 * classes). */
typedef struct {
    int dim_dtype, zero_dtype, number_dtype; /* -1: none seen */
} tsm_promotion;
void tsm_promote_start(tsm_promotion *p);
void tsm_promote_value(tsm_promotion *p, tsm_value v); /* Tensor or number; others are ignored */
/* The common type; TSM_DTYPE_COUNT where PyTorch has none: of the float8 types and another, of uint16, uint32 or uint64
 * and another that is of no floats. */
tsm_dtype tsm_promote_end(const tsm_promotion *p);
tsm_dtype tsm_promote_dtypes(tsm_dtype a, tsm_dtype b);
/* Raises where promotion gave TSM_DTYPE_COUNT. */
tsm_status tsm_check_promoted(tsm_exec *x, tsm_dtype dtype);

#endif
