/* Result types of operands of several types: torch.result_type (c10/core/ScalarType.h and
 * ATen/native/TypeProperties.cpp describe it). */
#include "runtime/tensor/promotion.h"

const char *tsm_dtype_class_name(tsm_dtype dtype) {
    static const char names[] = "Byte\0Char\0Short\0Int\0Long\0Half\0Float\0Double\0"
                                "ComplexHalf\0ComplexFloat\0ComplexDouble\0Bool\0QInt8\0QUInt8\0QInt32\0BFloat16\0"
                                "Float8_e5m2\0Float8_e4m3fn\0Float8_e5m2fnuz\0Float8_e4m3fnuz\0UInt16\0UInt32\0UInt64";
    return tsm_dtype_exists(dtype) ? tsm_name_at(names, tsm_dtype_position(dtype)) : "Undefined";
}

enum {
    KINDS_OF_INTS = TSM_KIND_INTS | TSM_KIND_MIXED,
    KINDS_OF_COMPLEX = TSM_KIND_COMPLEX | TSM_KIND_MIXED,
    KINDS_OF_QUANTIZED = TSM_KIND_QUANTIZED | TSM_KIND_MIXED,
    KINDS_OF_HALVES = TSM_KIND_HALF | TSM_KIND_MIXED
};

const uint8_t tsm_dtype_kinds[TSM_DTYPE_COUNT] = {
    [TSM_UINT8] = KINDS_OF_INTS,        [TSM_INT8] = KINDS_OF_INTS,         [TSM_INT16] = KINDS_OF_INTS,
    [TSM_INT32] = KINDS_OF_INTS,        [TSM_INT64] = KINDS_OF_INTS,        [TSM_UINT16] = KINDS_OF_INTS,
    [TSM_UINT32] = KINDS_OF_INTS,       [TSM_UINT64] = KINDS_OF_INTS,       [TSM_BOOL] = TSM_KIND_BOOL | TSM_KIND_MIXED,
    [TSM_FLOAT16] = KINDS_OF_HALVES,    [TSM_BFLOAT16] = KINDS_OF_HALVES,   [TSM_FLOAT64] = TSM_KIND_MIXED,
    [TSM_COMPLEX32] = KINDS_OF_COMPLEX, [TSM_COMPLEX64] = KINDS_OF_COMPLEX, [TSM_COMPLEX128] = KINDS_OF_COMPLEX,
    [TSM_QINT8] = KINDS_OF_QUANTIZED,   [TSM_QUINT8] = KINDS_OF_QUANTIZED,  [TSM_QINT32] = KINDS_OF_QUANTIZED,
};

bool tsm_dtype_can_cast(tsm_dtype from, tsm_dtype to) {
    if (tsm_dtype_is_complex(from) && !tsm_dtype_is_complex(to))
        return false;
    if (tsm_dtype_is_floating(from) && tsm_dtype_is_integral(to))
        return false;
    return from == TSM_BOOL || to != TSM_BOOL;
}

static int float_rank(tsm_dtype d) {
    return d == TSM_FLOAT64 ? 3 : d == TSM_FLOAT32 ? 2 : 1;
}

static tsm_dtype promote_floats(tsm_dtype a, tsm_dtype b) {
    if (float_rank(a) != float_rank(b))
        return float_rank(a) > float_rank(b) ? a : b;
    return a == b ? a : TSM_FLOAT32;
}

static tsm_dtype value_dtype(tsm_dtype complex) {
    return complex == TSM_COMPLEX128 ? TSM_FLOAT64 : complex == TSM_COMPLEX64 ? TSM_FLOAT32 : TSM_FLOAT16;
}

static tsm_dtype complex_of(tsm_dtype floating) {
    return floating == TSM_FLOAT64 ? TSM_COMPLEX128 : floating == TSM_FLOAT16 ? TSM_COMPLEX32 : TSM_COMPLEX64;
}

static tsm_dtype promote_integers(tsm_dtype a, tsm_dtype b) {
    if (a == TSM_BOOL || b == TSM_BOOL)
        return a == TSM_BOOL ? b : a;
    if ((a == TSM_UINT8 && b == TSM_INT8) || (a == TSM_INT8 && b == TSM_UINT8))
        return TSM_INT16;
    return a > b ? a : b;
}

/* Whether type a has a common type with others than itself, of which b is one. */
static bool promotes(tsm_dtype a, tsm_dtype b) {
    if (a < TSM_UINT16)
        return !tsm_dtype_is_float8(a);
    return a < TSM_DTYPE_COUNT && tsm_dtype_is_floating(b);
}

tsm_dtype tsm_promote_dtypes(tsm_dtype a, tsm_dtype b) {
    if (a == b)
        return a;
    if (!promotes(a, b) || !promotes(b, a))
        return TSM_DTYPE_COUNT;
    bool ac = tsm_dtype_is_complex(a), bc = tsm_dtype_is_complex(b);
    bool af = tsm_dtype_is_floating(a), bf = tsm_dtype_is_floating(b);
    if (ac || bc) {
        if (!(ac || af) || !(bc || bf))
            return ac ? a : b;
        return complex_of(promote_floats(ac ? value_dtype(a) : a, bc ? value_dtype(b) : b));
    }
    if (af && bf)
        return promote_floats(a, b);
    if (af || bf)
        return af ? a : b;
    return promote_integers(a, b);
}

void tsm_promote_start(tsm_promotion *p) {
    p->dim_dtype = p->zero_dtype = p->number_dtype = -1;
}

static int promote_or(int a, tsm_dtype b) {
    return a < 0 ? (int)b : (int)tsm_promote_dtypes((tsm_dtype)a, b);
}

void tsm_promote_value(tsm_promotion *p, tsm_value v) {
    switch (v.tag) {
    case TSM_TAG_TENSOR: {
        const tsm_tensor *t = tsm_as_tensor(v);
        int *slot = t->dims ? &p->dim_dtype : &p->zero_dtype;
        *slot = promote_or(*slot, (tsm_dtype)t->dtype);
        break;
    }
    case TSM_TAG_BOOL:
        p->number_dtype = promote_or(p->number_dtype, TSM_BOOL);
        break;
    case TSM_TAG_INT:
        p->number_dtype = promote_or(p->number_dtype, TSM_INT64);
        break;
    case TSM_TAG_FLOAT:
        p->number_dtype = promote_or(p->number_dtype, TSM_FLOAT32);
        break;
    case TSM_TAG_COMPLEX:
        p->number_dtype = promote_or(p->number_dtype, TSM_COMPLEX64);
        break;
    default:
        break;
    }
}

/* A lower class of operands only changes the kind of number (bool, int, float, complex), never its width. */
static int combine_classes(int higher, int lower) {
    if (higher < 0 || lower < 0)
        return higher < 0 ? lower : higher;
    tsm_dtype h = (tsm_dtype)higher, l = (tsm_dtype)lower;
    if (tsm_dtype_is_complex(h))
        return h;
    if (tsm_dtype_is_floating(h))
        return tsm_dtype_is_complex(l) ? (int)complex_of(h) : higher;
    if (tsm_dtype_is_complex(l))
        return lower;
    if (h == TSM_BOOL || tsm_dtype_is_floating(l))
        return (int)tsm_promote_dtypes(h, l);
    return higher;
}

tsm_dtype tsm_promote_end(const tsm_promotion *p) {
    int d = combine_classes(p->dim_dtype, combine_classes(p->zero_dtype, p->number_dtype));
    return d < 0 ? TSM_FLOAT32 : (tsm_dtype)d;
}

tsm_status tsm_check_promoted(tsm_exec *x, tsm_dtype dtype) {
    if (dtype != TSM_DTYPE_COUNT)
        return TSM_OK;
    return TSM_RAISE(x, "Promotion for Float8 Types and uint16, uint32, uint64 types is not supported");
}
