/* Operators that calculate each element of the result from the same element of each operand. */
#ifndef TSM_KERNELS_POINTWISE_POINTWISE_H
#define TSM_KERNELS_POINTWISE_POINTWISE_H

#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/loops.h"

/* How the result's dtype follows from the operands'. */
typedef enum {
    TSM_RESULT_SAME,     /* the common dtype */
    TSM_RESULT_FLOATING, /* integers and bool calculate in, and give, the default dtype float32 */
    TSM_RESULT_BOOL,     /* the loop writes masks */
    TSM_RESULT_REAL,     /* complex operands give the dtype of their parts; the C128 loop writes doubles */
} tsm_result_kind;

/* One operand (any Tensor). */
tsm_status tsm_unary(tsm_exec *x, const tsm_value *const *in, const tsm_tensor *a, const tsm_loops *loops,
                     tsm_result_kind kind, const void *context, tsm_value *out);
/* Two operands, of which one at least is a Tensor and the other may be a number. */
tsm_status tsm_binary(tsm_exec *x, const tsm_value *const *in, tsm_value a, tsm_value b, const tsm_loops *loops,
                      tsm_result_kind kind, const void *context, tsm_value *out);
/* The same of in[0] and in[1] with TSM_RESULT_SAME and no context, quicker for two tensors of one shape and type. */
tsm_status tsm_arithmetic(tsm_exec *x, const tsm_value *const *in, const tsm_loops *loops, tsm_value *out);
/* The common dtype of two operands, and its broadcast shape. */
tsm_dtype tsm_common_dtype(tsm_value a, tsm_value b);
tsm_status tsm_common_shape(tsm_exec *x, tsm_value a, tsm_value b, int *dims, tsm_dim *sizes);
/* Any number of operands (Tensors and numbers), all calculated in `dtype`; the result has the dtype `result`. */
tsm_status tsm_nary(tsm_exec *x, const tsm_value *const *in, int n, const tsm_value *operands, const tsm_loops *loops,
                    tsm_dtype dtype, tsm_dtype result, const void *context, tsm_value *out);

/* Same sizes and strides. */
static inline bool tsm_lies_alike(const tsm_tensor *a, const tsm_tensor *b) {
    if (a->dims != b->dims)
        return false;
    for (int d = 0; d < a->dims; d++)
        if (a->sizes[d] != b->sizes[d] || a->strides[d] != b->strides[d])
            return false;
    return true;
}

/* The fast path of pointwise operators: when the first n inputs are contiguous tensors of one dtype and shape, the
 * tensor for a result of that dtype and shape, which is an input that dies here or a new one. Otherwise NULL, also when
 * x->dest is set or memory is short; the general path then raises the error. */
static inline tsm_tensor *tsm_straight_result(tsm_exec *x, const tsm_value *const *in, int n) {
    const tsm_tensor *first = arg_tensor(in, 0);
    if (x->dest || in[0]->tag != TSM_TAG_TENSOR || !tsm_tensor_is_contiguous(first))
        return NULL;
    for (int i = 1; i < n; i++)
        if (in[i]->tag != TSM_TAG_TENSOR || arg_tensor(in, i)->dtype != first->dtype ||
            !tsm_lies_alike(arg_tensor(in, i), first))
            return NULL;
    for (int i = 0; i < n; i++)
        if (x->dying >> i & 1 && tsm_tensor_is_free(arg_tensor(in, i)))
            return tsm_as_tensor(tsm_hold(*in[i]));
    tsm_tensor *y;
    return tsm_tensor_make(x, (tsm_dtype)first->dtype, first->dims, first->sizes, &y) == TSM_OK ? y : NULL;
}

/* A loop over one or two operands a, b of type T. Most of them are near: they are calculated by a loop that compilers
 * vectorize, where IS_NEAR holds, and the others once more. An operand that the results overwrite is copied first. */
enum { TSM_NEAR_BLOCK = 64 };
#define TSM_NEAR_LOOP(name, T, OPERANDS, IS_NEAR, NEAR, ANY)                                                           \
    TSM_NEAR_LOOP_OF(name, T, OPERANDS, TSM_NEAR_ITEM, TSM_NEAR_STORE, IS_NEAR, NEAR, ANY)
#define TSM_NEAR_ITEM(v) (v)
#define TSM_NEAR_STORE(y, v) y = v
/* ITEM(v) reads an item, STORE(y, v) writes one. */
#define TSM_NEAR_LOOP_OF(name, T, OPERANDS, ITEM, STORE, IS_NEAR, NEAR, ANY)                                           \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        T kept[OPERANDS][TSM_NEAR_BLOCK];                                                                              \
        for (tsm_dim done = 0, m; done < n; done += m) {                                                               \
            T *y = (T *)p[0] + done;                                                                                   \
            const T *v[OPERANDS];                                                                                      \
            uint32_t far = 0;                                                                                          \
            m = n - done < TSM_NEAR_BLOCK ? n - done : TSM_NEAR_BLOCK;                                                 \
            for (int o = 0; o < OPERANDS; o++) {                                                                       \
                v[o] = (const T *)p[1 + o] + done;                                                                     \
                if (v[o] == y)                                                                                         \
                    v[o] = memcpy(kept[o], y, (size_t)m * sizeof *y);                                                  \
            }                                                                                                          \
            TSM_INDEPENDENT for (tsm_dim i = 0; i < m; i++) {                                                          \
                const T a = ITEM(v[0][i]), b = ITEM(v[OPERANDS - 1][i]);                                               \
                (void)b;                                                                                               \
                far |= (IS_NEAR) ? 0 : 1;                                                                              \
                STORE(y[i], NEAR);                                                                                     \
            }                                                                                                          \
            for (tsm_dim i = 0; i < m && far; i++) {                                                                   \
                const T a = v[0][i], b = v[OPERANDS - 1][i];                                                           \
                (void)b;                                                                                               \
                if (!(IS_NEAR))                                                                                        \
                    y[i] = ANY;                                                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Loops for the narrow lanes of ints, NAME_i32, NAME_i8, NAME_u8, whose operands a, b, c are int32_t and whose results
 * wrap, and their rows in a table. MASKS: results are masks. */
#if TSM_NARROW_LANES
#define TSM_NARROW_LOOP1(name, EXPRESSION)                                                                             \
    TSM_NARROW_LOOP1_OF(name##_i32, int32_t, EXPRESSION)                                                               \
    TSM_NARROW_LOOP1_OF(name##_i8, int8_t, EXPRESSION)                                                                 \
    TSM_NARROW_LOOP1_OF(name##_u8, uint8_t, EXPRESSION)
#define TSM_NARROW_LOOP1_OF(name, T, EXPRESSION)                                                                       \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        T *y = p[0];                                                                                                   \
        const T *pa = p[1];                                                                                            \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            const int32_t a = pa[i];                                                                                   \
            y[i] = (T)(EXPRESSION);                                                                                    \
        }                                                                                                              \
    }
#define TSM_NARROW_LOOP2(name, EXPRESSION)                                                                             \
    TSM_NARROW_LOOP2_OF(name##_i32, int32_t, int32_t, EXPRESSION)                                                      \
    TSM_NARROW_LOOP2_OF(name##_i8, int8_t, int8_t, EXPRESSION)                                                         \
    TSM_NARROW_LOOP2_OF(name##_u8, uint8_t, uint8_t, EXPRESSION)
#define TSM_NARROW_MASKS2(name, EXPRESSION)                                                                            \
    TSM_NARROW_LOOP2_OF(name##_i32, uint8_t, int32_t, EXPRESSION)                                                      \
    TSM_NARROW_LOOP2_OF(name##_i8, uint8_t, int8_t, EXPRESSION)                                                        \
    TSM_NARROW_LOOP2_OF(name##_u8, uint8_t, uint8_t, EXPRESSION)
#define TSM_NARROW_LOOP2_OF(name, R, T, EXPRESSION)                                                                    \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        R *y = p[0];                                                                                                   \
        const T *pa = p[1], *pb = p[2];                                                                                \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            const int32_t a = pa[i], b = pb[i];                                                                        \
            y[i] = (R)(EXPRESSION);                                                                                    \
        }                                                                                                              \
    }
/* The first operand has type A(T): its own, or that of masks. */
#define TSM_NARROW_LOOP3(name, A, EXPRESSION)                                                                          \
    TSM_NARROW_LOOP3_OF(name##_i32, int32_t, A(int32_t), EXPRESSION)                                                   \
    TSM_NARROW_LOOP3_OF(name##_i8, int8_t, A(int8_t), EXPRESSION)                                                      \
    TSM_NARROW_LOOP3_OF(name##_u8, uint8_t, A(uint8_t), EXPRESSION)
#define TSM_NARROW_LOOP3_OF(name, T, A, EXPRESSION)                                                                    \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        T *y = p[0];                                                                                                   \
        const A *pa = p[1];                                                                                            \
        const T *pb = p[2], *pc = p[3];                                                                                \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            const int32_t a = pa[i], b = pb[i], c = pc[i];                                                             \
            y[i] = (T)(EXPRESSION);                                                                                    \
        }                                                                                                              \
    }
#define TSM_NARROW_ROWS(name) [TSM_LANE_I32] = name##_i32, [TSM_LANE_I8] = name##_i8, [TSM_LANE_U8] = name##_u8,
#define TSM_COMPLEX64_ROW(name) [TSM_LANE_C64] = name##_c64,
#else
#define TSM_NARROW_LOOP1(name, EXPRESSION)
#define TSM_NARROW_LOOP2(name, EXPRESSION)
#define TSM_NARROW_LOOP3(name, A, EXPRESSION)
#define TSM_NARROW_MASKS2(name, EXPRESSION)
#define TSM_NARROW_ROWS(name)
#define TSM_COMPLEX64_ROW(name)
#endif

/* Loops over one or two operands a, b of bfloat16, which are floats in EXPRESSION, and their row in a table. Only where
 * there are narrow lanes. */
#if TSM_NARROW_LANES
#define TSM_BFLOAT16_LOOP1(name, EXPRESSION)                                                                           \
    static void name##_bf16(const void *k, void *const *p, tsm_dim n) {                                                \
        (void)k;                                                                                                       \
        uint16_t *y = p[0];                                                                                            \
        const uint16_t *pa = p[1];                                                                                     \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            const float a = tsm_float_of_bfloat16(pa[i]);                                                              \
            y[i] = tsm_bfloat16_of_float(EXPRESSION);                                                                  \
        }                                                                                                              \
    }
#define TSM_BFLOAT16_LOOP2(name, EXPRESSION)                                                                           \
    static void name##_bf16(const void *k, void *const *p, tsm_dim n) {                                                \
        (void)k;                                                                                                       \
        uint16_t *y = p[0];                                                                                            \
        const uint16_t *pa = p[1], *pb = p[2];                                                                         \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            const float a = tsm_float_of_bfloat16(pa[i]), b = tsm_float_of_bfloat16(pb[i]);                            \
            y[i] = tsm_bfloat16_of_float(EXPRESSION);                                                                  \
        }                                                                                                              \
    }
/* The same where nothing is to be rounded: EXPRESSION is of the patterns a, b, and its result no matter if IS_NAN. All
 * of it has 16 bits, of which vectors hold twice as many as floats. */
#define TSM_BFLOAT16_BITS1(name, IS_NAN, EXPRESSION) TSM_BFLOAT16_BITS(name, 1, IS_NAN, EXPRESSION)
#define TSM_BFLOAT16_BITS2(name, IS_NAN, EXPRESSION) TSM_BFLOAT16_BITS(name, 2, IS_NAN, EXPRESSION)
#define TSM_BFLOAT16_BITS(name, OPERANDS, IS_NAN, EXPRESSION)                                                          \
    static void name##_bf16(const void *k, void *const *p, tsm_dim n) {                                                \
        (void)k;                                                                                                       \
        int16_t *y = p[0];                                                                                             \
        const int16_t *pa = p[1], *pb = p[OPERANDS];                                                                   \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            const int16_t a = pa[i], b = pb[i], found = (int16_t)(EXPRESSION);                                         \
            (void)b;                                                                                                   \
            y[i] = (IS_NAN) ? 0x7fc0 : found;                                                                          \
        }                                                                                                              \
    }
static inline int bfloat16_is_nan(int16_t a) {
    return (int16_t)(a & 0x7fff) > 0x7f80;
}
/* A number that compares as the bfloat16 does; 0 and -0 are the same. */
static inline int16_t bfloat16_order(int16_t a) {
    const int16_t sign = (int16_t)(a >> 15);
    return (int16_t)(((a & 0x7fff) ^ sign) - sign);
}
#define TSM_BFLOAT16_ROW(name) [TSM_LANE_BF16] = name##_bf16,
#else
#define TSM_BFLOAT16_BITS1(name, IS_NAN, EXPRESSION)
#define TSM_BFLOAT16_BITS2(name, IS_NAN, EXPRESSION)
#define TSM_BFLOAT16_LOOP1(name, EXPRESSION)
#define TSM_BFLOAT16_LOOP2(name, EXPRESSION)
#define TSM_BFLOAT16_ROW(name)
#endif

/* Loops over one or two operands a, b of complex64, as TSM_LOOP1 and TSM_LOOP2 make them, whose EXPRESSION calculates
 * in double and gives a tsm_complex. Only where there are narrow lanes. */
#if TSM_NARROW_LANES
#define CX_LOOP1(name, EXPRESSION)                                                                                     \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        cx_floats *y = p[0];                                                                                           \
        const cx_floats *pa = p[1];                                                                                    \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            const tsm_complex a = cx_widen(pa[i]);                                                                     \
            y[i] = cx_narrow(EXPRESSION);                                                                              \
        }                                                                                                              \
    }
#define CX_LOOP2(name, EXPRESSION)                                                                                     \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        cx_floats *y = p[0];                                                                                           \
        const cx_floats *pa = p[1], *pb = p[2];                                                                        \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            const tsm_complex a = cx_widen(pa[i]), b = cx_widen(pb[i]);                                                \
            y[i] = cx_narrow(EXPRESSION);                                                                              \
        }                                                                                                              \
    }
/* Compilers vectorize reading and writing part by part. */
#define CX_NEAR_ITEM(v) ((cx_floats){(v).re, (v).im})
#define CX_NEAR_STORE(y, v)                                                                                            \
    do {                                                                                                               \
        const cx_floats item = v;                                                                                      \
        (y).re = item.re;                                                                                              \
        (y).im = item.im;                                                                                              \
    } while (0)
#define CX_NEAR_LOOP(name, OPERANDS, IS_NEAR, NEAR, ANY)                                                               \
    TSM_NEAR_LOOP_OF(name, cx_floats, OPERANDS, CX_NEAR_ITEM, CX_NEAR_STORE, IS_NEAR, NEAR, ANY)
/* The same, but EXPRESSION is of the elements themselves: */
#define CX_FLOAT_LOOP2(name, EXPRESSION) TSM_LOOP2(name, cx_floats, cx_floats, TSM_NO_PREPARE, EXPRESSION)
#define CX_FLOAT_LOOP1(name, EXPRESSION) TSM_LOOP1(name, cx_floats, cx_floats, TSM_NO_PREPARE, EXPRESSION)
/* and one whose results are masks, and one whose results are floats. */
#define CX_MASK_LOOP2(name, EXPRESSION) TSM_LOOP2(name, uint8_t, cx_floats, TSM_NO_PREPARE, EXPRESSION)
#define CX_REAL_LOOP1(name, EXPRESSION) TSM_LOOP1(name, float, cx_floats, TSM_NO_PREPARE, EXPRESSION)
#else
#define CX_LOOP1(name, EXPRESSION)
#define CX_LOOP2(name, EXPRESSION)
#define CX_NEAR_LOOP(name, OPERANDS, IS_NEAR, NEAR, ANY)
#define CX_FLOAT_LOOP2(name, EXPRESSION)
#define CX_FLOAT_LOOP1(name, EXPRESSION)
#define CX_MASK_LOOP2(name, EXPRESSION)
#define CX_REAL_LOOP1(name, EXPRESSION)
#endif

/* A number as a double (the real part of a complex one). */
double tsm_number_double(tsm_value number);

TSM_KERNEL_DECLARE(aten_add_Tensor);
TSM_KERNEL_DECLARE(aten_elu);
TSM_KERNEL_DECLARE(aten_gelu);
TSM_KERNEL_DECLARE(aten_hardswish);
TSM_KERNEL_DECLARE(aten_leaky_relu);
TSM_KERNEL_DECLARE(aten_masked_fill_Scalar);
TSM_KERNEL_DECLARE(aten_tanh);
TSM_KERNEL_DECLARE(aten_mul_Tensor);
TSM_KERNEL_DECLARE(aten_relu);
TSM_KERNEL_DECLARE(aten_sigmoid);

#endif
