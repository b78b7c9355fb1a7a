/* One element of a tensor as a number, whatever its type. */
#include "platform/runner/element.h"

#include <string.h>

#include "platform/runner/half.h"
#include "runtime/value/float8.h"

element_kind element_kind_of(tsm_dtype dtype) {
    switch (dtype) {
    case TSM_BOOL:
        return ELEMENT_BOOL;
    case TSM_FLOAT16:
    case TSM_BFLOAT16:
    case TSM_FLOAT32:
    case TSM_FLOAT64:
    case TSM_FLOAT8_E5M2:
    case TSM_FLOAT8_E4M3FN:
    case TSM_FLOAT8_E5M2FNUZ:
    case TSM_FLOAT8_E4M3FNUZ:
        return ELEMENT_FLOAT;
    case TSM_COMPLEX32:
    case TSM_COMPLEX64:
    case TSM_COMPLEX128:
        return ELEMENT_COMPLEX;
    default:
        return ELEMENT_INT;
    }
}

/* memcpy serves addresses that are not aligned for the type. */
#define LOAD(T, field)                                                                                                 \
    do {                                                                                                               \
        T x;                                                                                                           \
        memcpy(&x, at, sizeof x);                                                                                      \
        e.field = x;                                                                                                   \
    } while (0)
#define LOAD_PAIR(T)                                                                                                   \
    do {                                                                                                               \
        T x[2];                                                                                                        \
        memcpy(x, at, sizeof x);                                                                                       \
        e.re = x[0];                                                                                                   \
        e.im = x[1];                                                                                                   \
    } while (0)

element element_load(tsm_dtype dtype, const void *at) {
    element e = {0, 0, 0};
    uint16_t bits[2];
    switch (dtype) {
    case TSM_BOOL:
    case TSM_UINT8:
    case TSM_QUINT8:
        LOAD(uint8_t, i);
        break;
    case TSM_INT8:
    case TSM_QINT8:
        LOAD(int8_t, i);
        break;
    case TSM_INT16:
        LOAD(int16_t, i);
        break;
    case TSM_UINT16:
        LOAD(uint16_t, i);
        break;
    case TSM_UINT32:
        LOAD(uint32_t, i);
        break;
    case TSM_INT32:
    case TSM_QINT32:
        LOAD(int32_t, i);
        break;
    case TSM_INT64:
    case TSM_UINT64:
        LOAD(int64_t, i);
        break;
    case TSM_FLOAT32:
        LOAD(float, re);
        break;
    case TSM_FLOAT64:
        LOAD(double, re);
        break;
    case TSM_COMPLEX64:
        LOAD_PAIR(float);
        break;
    case TSM_COMPLEX128:
        LOAD_PAIR(double);
        break;
    case TSM_FLOAT16:
        memcpy(bits, at, sizeof bits[0]);
        e.re = tsm_float_of_half(bits[0]);
        break;
    case TSM_BFLOAT16:
        memcpy(bits, at, sizeof bits[0]);
        e.re = tsm_float_of_bfloat16(bits[0]);
        break;
    case TSM_COMPLEX32:
        memcpy(bits, at, sizeof bits);
        e.re = tsm_float_of_half(bits[0]);
        e.im = tsm_float_of_half(bits[1]);
        break;
    case TSM_FLOAT8_E5M2:
    case TSM_FLOAT8_E4M3FN:
    case TSM_FLOAT8_E5M2FNUZ:
    case TSM_FLOAT8_E4M3FNUZ:
        e.re = tsm_float_of_float8(dtype, *(const uint8_t *)at);
        break;
    case TSM_DTYPE_COUNT:
        break;
    }
    return e;
}

/* Integers are stored in the low bytes; a value that comes back different did not fit. */
static bool store_int(tsm_dtype dtype, void *at, int64_t i) {
    const uint64_t u = (uint64_t)i;
    const uint8_t u8 = (uint8_t)u;
    const uint16_t u16 = (uint16_t)u;
    const uint32_t u32 = (uint32_t)u;
    switch (tsm_dtype_size(dtype)) {
    case 1:
        memcpy(at, &u8, 1);
        break;
    case 2:
        memcpy(at, &u16, 2);
        break;
    case 4:
        memcpy(at, &u32, 4);
        break;
    default:
        memcpy(at, &u, 8);
    }
    return element_load(dtype, at).i == i;
}

bool element_store(tsm_dtype dtype, void *at, element e) {
    const float pair[2] = {(float)e.re, (float)e.im};
    const double wide[2] = {e.re, e.im};
    uint16_t halves[2];
    switch (dtype) {
    case TSM_FLOAT32:
    case TSM_COMPLEX64:
        memcpy(at, pair, tsm_dtype_size(dtype));
        return true;
    case TSM_FLOAT64:
    case TSM_COMPLEX128:
        memcpy(at, wide, tsm_dtype_size(dtype));
        return true;
    case TSM_FLOAT16:
    case TSM_COMPLEX32:
        halves[0] = half_from_double(e.re);
        halves[1] = half_from_double(e.im);
        memcpy(at, halves, tsm_dtype_size(dtype));
        return true;
    case TSM_BFLOAT16:
        halves[0] = bfloat_from_double(e.re);
        memcpy(at, halves, sizeof halves[0]);
        return true;
    case TSM_FLOAT8_E5M2:
    case TSM_FLOAT8_E4M3FN:
    case TSM_FLOAT8_E5M2FNUZ:
    case TSM_FLOAT8_E4M3FNUZ:
        *(uint8_t *)at = tsm_float8_of_float(dtype, (float)e.re);
        return true;
    case TSM_BOOL:
        return store_int(dtype, at, e.i != 0);
    default:
        return store_int(dtype, at, e.i);
    }
}

tsm_dim element_count(const tsm_tensor_view *tensor) {
    tsm_dim n = 1;
    for (int d = 0; d < tensor->dims; d++) /* beside a 0 the others may be as large as they like */
        if (!tensor->sizes[d])
            return 0;
    for (int d = 0; d < tensor->dims; d++)
        n *= tensor->sizes[d];
    return n;
}

void element_walk_start(element_walk *walk, const tsm_tensor_view *tensor) {
    memset(walk, 0, sizeof *walk);
    walk->tensor = tensor;
    walk->at = tensor->data;
}

void element_walk_next(element_walk *walk) {
    const tsm_tensor_view *t = walk->tensor;
    const tsm_dim bytes = (tsm_dim)tsm_dtype_size(t->dtype);
    for (int d = t->dims - 1; d >= 0; d--) {
        walk->at += t->strides[d] * bytes;
        if (++walk->index[d] < t->sizes[d])
            return;
        walk->at -= t->strides[d] * bytes * t->sizes[d];
        walk->index[d] = 0;
    }
}
