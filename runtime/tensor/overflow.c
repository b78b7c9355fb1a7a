/* Which numbers an element type takes. */
#include <float.h>
#include <math.h>

#include "runtime/tensor/promotion.h"

static const struct {
    const char *name; /* of the C++ type, as PyTorch's error has it */
    double least, most;
} ranges[TSM_DTYPE_COUNT] = {
    [TSM_UINT8] = {"uint8_t", 0, UINT8_MAX},
    [TSM_INT8] = {"int8_t", INT8_MIN, INT8_MAX},
    [TSM_INT16] = {"int16_t", INT16_MIN, INT16_MAX},
    [TSM_INT32] = {"int", INT32_MIN, INT32_MAX},
    [TSM_INT64] = {"int64_t", -0x1p63, 0x1p63},
    [TSM_FLOAT16] = {"at::Half", -65504, 65504},
    [TSM_BFLOAT16] = {"at::BFloat16", -0x1.fep127, 0x1.fep127},
    [TSM_FLOAT32] = {"float", -(double)FLT_MAX, (double)FLT_MAX},
    [TSM_COMPLEX64] = {"c10::complex<float>", -(double)FLT_MAX, (double)FLT_MAX},
    [TSM_FLOAT8_E5M2] = {"at::Float8_e5m2", -57344, 57344},
    [TSM_FLOAT8_E4M3FN] = {"at::Float8_e4m3fn", -448, 448},
    [TSM_FLOAT8_E5M2FNUZ] = {"at::Float8_e5m2fnuz", -57344, 57344},
    [TSM_FLOAT8_E4M3FNUZ] = {"at::Float8_e4m3fnuz", -240, 240},
    [TSM_UINT16] = {"uint16_t", 0, UINT16_MAX},
    [TSM_UINT32] = {"uint32_t", 0, UINT32_MAX},
    [TSM_UINT64] = {"uint64_t", 0, 0x1p64},
};

/* Infinities and NaNs are in the range of types that have them. */
static bool is_in_range(tsm_dtype dtype, double v) {
    if (isinf(v) && tsm_dtype_is_float8(dtype))
        return dtype == TSM_FLOAT8_E5M2;
    if (!isfinite(v))
        return !tsm_dtype_is_integral(dtype);
    return v >= ranges[dtype].least && v <= ranges[dtype].most;
}

static bool fits(tsm_dtype dtype, tsm_value number) {
    switch (number.tag) {
    case TSM_TAG_INT:
        if (dtype == TSM_UINT8 || dtype == TSM_UINT16 || dtype == TSM_UINT32) /* negative ints wrap */
            return fabs((double)number.as.i) <= ranges[dtype].most;
        return dtype == TSM_INT64 || dtype == TSM_UINT64 || is_in_range(dtype, (double)number.as.i);
    case TSM_TAG_FLOAT:
        return is_in_range(dtype, number.as.f);
    case TSM_TAG_COMPLEX:
        return is_in_range(dtype, tsm_as_complex(number)->re) &&
               (tsm_dtype_is_complex(dtype) ? is_in_range(dtype, tsm_as_complex(number)->im)
                                            : tsm_as_complex(number)->im == 0);
    default:
        return true;
    }
}

tsm_status tsm_check_number(tsm_exec *x, tsm_dtype dtype, tsm_value number) {
    if ((unsigned)dtype >= TSM_DTYPE_COUNT || !ranges[dtype].name || fits(dtype, number))
        return TSM_OK;
    return TSM_RAISE(x, "value cannot be converted to type %s without overflow", ranges[dtype].name);
}
