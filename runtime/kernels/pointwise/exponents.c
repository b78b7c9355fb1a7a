/* Floats taken apart into mantissas in [0.5, 1) and exponents: frexp. */
#include "runtime/kernels/kernel.h"
#include "runtime/tensor/iter.h"
#include "runtime/tensor/lanes.h"

enum { EXPONENT_BLOCK = 64 };

/* By the bits, without branches, so that loops over it become vectors. Numbers too small for an exponent of their own
 * are made larger first; 0, infinity and NaN stay, with exponent 0. */
#define SPLIT_LOOP(name, T, INT, FRACTION_BITS, EXPONENT_MASK, BIAS, LARGER, LARGER_BY)                                \
    static void name(void *mantissas, int32_t *exponents, const void *items, tsm_dim n) {                              \
        const INT fraction = ((INT)1 << FRACTION_BITS) - 1, infinity = (INT)EXPONENT_MASK << FRACTION_BITS;            \
        T *y = mantissas;                                                                                              \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            const T v = ((const T *)items)[i];                                                                         \
            INT bits, larger_bits;                                                                                     \
            const T larger = v * LARGER;                                                                               \
            memcpy(&bits, &v, sizeof bits);                                                                            \
            memcpy(&larger_bits, &larger, sizeof larger_bits);                                                         \
            const INT size = bits & (infinity | fraction);                                                             \
            const bool is_small = size <= fraction, is_kept = (size == 0) | (size >= infinity);                        \
            const INT taken = is_small ? larger_bits : bits;                                                           \
            const INT exponent = (taken >> FRACTION_BITS & EXPONENT_MASK) - (is_small ? BIAS + LARGER_BY : BIAS);      \
            const INT made = (taken & ~infinity) | ((INT)BIAS << FRACTION_BITS);                                       \
            const INT mantissa = is_kept ? bits : made;                                                                \
            memcpy(&y[i], &mantissa, sizeof mantissa);                                                                 \
            exponents[i] = is_kept ? 0 : (int32_t)exponent;                                                            \
        }                                                                                                              \
    }
SPLIT_LOOP(split_f32, float, int32_t, 23, 0xff, 126, 0x1p32f, 32)
SPLIT_LOOP(split_f64, double, int64_t, 52, 0x7ff, 1022, 0x1p64, 64)

TSM_KERNEL(aten_frexp_Tensor) {
    const tsm_tensor *t = arg_tensor(in, 0);
    const tsm_dtype dtype = (tsm_dtype)t->dtype;
    const tsm_lane lane = tsm_lane_of(dtype);
    tsm_tensor *y, *e;
    if (!tsm_dtype_is_floating(dtype))
        return TSM_RAISE(x, "torch.frexp() only supports floating-point dtypes");
    TSM_TRY(tsm_tensor_make_like(x, t, dtype, &y));
    const tsm_status status = tsm_tensor_make_like(x, t, TSM_INT32, &e);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    tsm_iter it;
    tsm_iter_start(&it, t->dims, t->sizes);
    tsm_iter_add(&it, y);
    tsm_iter_add(&it, e);
    tsm_iter_add(&it, t);
    tsm_iter_ready(&it);
    while (tsm_iter_next(&it))
        for (tsm_dim i = 0, n; i < it.sizes[0]; i += n) {
            tsm_lane_item items[EXPONENT_BLOCK], mantissas[EXPONENT_BLOCK];
            int32_t exponents[EXPONENT_BLOCK];
            n = tsm_dim_min(it.sizes[0] - i, EXPONENT_BLOCK);
            tsm_lane_load(lane, items, dtype, it.data[2] + i * it.strides[2][0], it.strides[2][0], n);
            (lane == TSM_LANE_F64 ? split_f64 : split_f32)(mantissas, exponents, items, n);
            tsm_lane_store(dtype, it.data[0] + i * it.strides[0][0], it.strides[0][0], lane, mantissas, n);
            tsm_copy_run(it.data[1] + i * it.strides[1][0], it.strides[1][0], (const char *)exponents,
                         (tsm_dim)sizeof *exponents, n, sizeof *exponents);
        }
    out[1] = tsm_of_tensor(e);
    return ret_tensor(out, y);
}
