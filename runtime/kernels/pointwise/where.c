/* Selection and clamping. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/tensor/overlap.h"

TSM_LOOP3(where_i64, int64_t, uint8_t, int64_t, TSM_NO_PREPARE, a ? b : c)
TSM_LOOP3(where_f32, float, uint8_t, float, TSM_NO_PREPARE, a ? b : c)
TSM_LOOP3(where_f64, double, uint8_t, double, TSM_NO_PREPARE, a ? b : c)
TSM_LOOP3(where_c128, tsm_complex, uint8_t, tsm_complex, TSM_NO_PREPARE, a ? b : c)
#define BY_MASK(T) uint8_t
TSM_NARROW_LOOP3(where, BY_MASK, a ? b : c)
TSM_LOOPS(where, "where_cpu",
          {[TSM_LANE_I64] = where_i64,
           [TSM_LANE_F32] = where_f32,
           [TSM_LANE_F64] = where_f64,
           [TSM_LANE_C128] = where_c128,
           TSM_NARROW_ROWS(where)})

/* condition ? a : b into a tensor of `dtype`, over the shape that all three broadcast to. */
static tsm_status where_choose(tsm_exec *x, const tsm_value *const *in, const tsm_tensor *condition, tsm_value a,
                               tsm_value b, tsm_dtype dtype, tsm_value *out) {
    tsm_loop loop;
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_dtype computed = dtype == TSM_BOOL ? TSM_INT64 : dtype;
    TSM_TRY(tsm_loops_find(x, &where_loops, computed, &loop));
    dims = condition->dims;
    memcpy(sizes, condition->sizes, (size_t)dims * sizeof *sizes);
    const tsm_value both[] = {a, b};
    for (int i = 0; i < 2; i++)
        if (both[i].tag == TSM_TAG_TENSOR)
            TSM_TRY(tsm_broadcast_shapes(x, dims, sizes, tsm_as_tensor(both[i])->dims, tsm_as_tensor(both[i])->sizes,
                                         &dims, sizes));
    tsm_tensor *y;
    TSM_TRY(tsm_out_pointwise(x, in, dtype, dims, sizes, &y));
    tsm_lane lane = tsm_loops_lane(x, &where_loops, computed);
    loop = tsm_loops_choose(x, &where_loops, lane);
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, lane, y);
    tsm_map_in(&m, TSM_LANE_MASK, condition);
    tsm_map_value(&m, lane, a);
    tsm_map_value(&m, lane, b);
    tsm_status status = tsm_map_run(x, &m, loop, NULL);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

TSM_KERNEL(aten_where_self) {
    const tsm_tensor *condition = arg_tensor(in, 0);
    if (condition->dtype != TSM_BOOL && condition->dtype != TSM_UINT8)
        return TSM_RAISE(x, "where expected condition to be a boolean tensor, but got a tensor with dtype %s",
                         tsm_dtype_class_name((tsm_dtype)condition->dtype));
    const tsm_dtype dtype = tsm_common_dtype(*in[1], *in[2]);
    TSM_TRY(tsm_check_number(x, dtype, *in[1]));
    TSM_TRY(tsm_check_number(x, dtype, *in[2]));
    return where_choose(x, in, condition, *in[1], *in[2], dtype, out);
}
TSM_KERNEL_ALIAS(aten_where_ScalarSelf, aten_where_self);
TSM_KERNEL_ALIAS(aten_where_ScalarOther, aten_where_self);
TSM_KERNEL_ALIAS(aten_where_Scalar, aten_where_self);

/* The value as it is stored, if `dtype` can: into bools as a bool, since 0.5 is true though as an int it is 0. */
static tsm_status masked_fill_value(tsm_exec *x, tsm_dtype dtype, tsm_value value, tsm_value *stored) {
    tsm_status status = TSM_OK;
    const bool is_tensor = value.tag == TSM_TAG_TENSOR;
    const tsm_value number = is_tensor ? tsm_tensor_item(x, tsm_as_tensor(value), 0, &status) : value;
    TSM_TRY(status);
    status = tsm_check_number(x, dtype, number);
    *stored = dtype == TSM_BOOL ? tsm_bool(tsm_lane_item_of(TSM_LANE_MASK, number).mask) : value;
    if (is_tensor)
        tsm_drop(x, number);
    return status;
}

static tsm_status refuse_mask(tsm_exec *x, const tsm_tensor *mask) {
    return TSM_RAISE(x, "masked_fill_ only supports boolean masks, but got mask with dtype %s",
                     tsm_dtype_name((tsm_dtype)mask->dtype));
}

TSM_KERNEL(aten_masked_fill_Scalar) {
    const tsm_tensor *mask = arg_tensor(in, 1);
    if (mask->dtype != TSM_BOOL && mask->dtype != TSM_UINT8)
        return refuse_mask(x, mask);
    if (in[2]->tag == TSM_TAG_TENSOR && tsm_as_tensor(*in[2])->dims)
        return TSM_RAISE(
            x, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).",
            tsm_as_tensor(*in[2])->dims);
    TSM_TRY(tsm_kernel_check_mask(x, arg_tensor(in, 1)));
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_masked_fill(x, in, out);
    const tsm_dtype dtype = (tsm_dtype)arg_tensor(in, 0)->dtype;
    tsm_value value;
    TSM_TRY(masked_fill_value(x, dtype, *in[2], &value));
    return where_choose(x, in, mask, value, *in[0], dtype, out);
}
/* In place the value is read before, so that it may be an element of what is written. */
TSM_KERNEL(aten_masked_fill_Tensor) {
    if (x->op->kind == TSM_OP_INPLACE && x->dest)
        TSM_TRY(tsm_check_sharing(x, x->dest, arg_tensor(in, 1), TSM_OVERLAP_ALL));
    return tsm_k_aten_masked_fill_Scalar(x, in, out);
}

TSM_KERNEL_LIGHT(tsm_bool_mask) {
    const tsm_tensor *mask = arg_tensor(in, 0);
    if (mask->dtype != TSM_BOOL)
        return refuse_mask(x, mask);
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

/* ---- Clamping ---- */

#define MIN_OF(a, b) ((a) != (a) || (a) < (b) ? (a) : (b))
#define MAX_OF(a, b) ((a) != (a) || (a) > (b) ? (a) : (b))
#define CLAMP_LOOPS(name, E, NARROW)                                                                                   \
    TSM_LOOP2(name##_i64, int64_t, int64_t, TSM_NO_PREPARE, E)                                                         \
    TSM_NARROW_LOOP2(name, NARROW)                                                                                     \
    TSM_LOOP2(name##_f32, float, float, TSM_NO_PREPARE, E)                                                             \
    TSM_LOOP2(name##_f64, double, double, TSM_NO_PREPARE, E)                                                           \
    TSM_LOOPS(name, "clamp_cpu",                                                                                       \
              {[TSM_LANE_I64] = name##_i64,                                                                            \
               [TSM_LANE_F32] = name##_f32,                                                                            \
               [TSM_LANE_F64] = name##_f64,                                                                            \
               TSM_NARROW_ROWS(name)})
CLAMP_LOOPS(at_least, MAX_OF(a, b), a < b ? b : a)
CLAMP_LOOPS(at_most, MIN_OF(a, b), a > b ? b : a)
/* The bound is chosen before it is looked for what is no number, which compilers make vectors of. */
#define BETWEEN_OF(T)                                                                                                  \
    static inline T between_of_##T(T a, T low, T high) {                                                               \
        const T above = a > low ? a : low, from = a != a ? a : above;                                                  \
        const T below = from < high ? from : high;                                                                     \
        return from != from ? from : below;                                                                            \
    }
BETWEEN_OF(float)
BETWEEN_OF(double)
TSM_LOOP3(between_i64, int64_t, int64_t, int64_t, TSM_NO_PREPARE, MIN_OF(MAX_OF(a, b), c))
TSM_LOOP3(between_f32, float, float, float, TSM_NO_PREPARE, between_of_float(a, b, c))
TSM_LOOP3(between_f64, double, double, double, TSM_NO_PREPARE, between_of_double(a, b, c))
#if TSM_NARROW_LANES
/* Step by step in the type itself, which compilers know to be vectors' minimum and maximum. */
#define NARROW_BETWEEN(name, T)                                                                                        \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        T *y = p[0];                                                                                                   \
        const T *pa = p[1], *pb = p[2], *pc = p[3];                                                                    \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            T v = pa[i];                                                                                               \
            v = v > pb[i] ? v : pb[i];                                                                                 \
            y[i] = v < pc[i] ? v : pc[i];                                                                              \
        }                                                                                                              \
    }
NARROW_BETWEEN(between_i32, int32_t)
NARROW_BETWEEN(between_i8, int8_t)
NARROW_BETWEEN(between_u8, uint8_t)
#endif
TSM_LOOPS(between, "clamp_cpu",
          {[TSM_LANE_I64] = between_i64,
           [TSM_LANE_F32] = between_f32,
           [TSM_LANE_F64] = between_f64,
           TSM_NARROW_ROWS(between)})

/* Floats between bounds that are numbers. */
typedef struct {
    double low, high;
} where_bounds;
#define BOUNDS(T)                                                                                                      \
    const where_bounds *bounds = k;                                                                                    \
    const T low = (T)bounds->low;                                                                                      \
    const T high = (T)bounds->high
#define CLAMP_TO_BOUNDS(T)                                                                                             \
    TSM_LOOP1(bounded_##T, T, T, BOUNDS(T), (a < low ? low : a) > high ? high : (a < low ? low : a))
CLAMP_TO_BOUNDS(float)
CLAMP_TO_BOUNDS(double)
TSM_LOOPS(bounded, "clamp_cpu", {[TSM_LANE_F32] = bounded_float, [TSM_LANE_F64] = bounded_double})

static bool is_bound(tsm_value v) {
    return v.tag == TSM_TAG_NONE || v.tag == TSM_TAG_INT || (v.tag == TSM_TAG_FLOAT && v.as.f == v.as.f);
}
static double bound_or(tsm_value v, double none) {
    return v.tag == TSM_TAG_NONE ? none : tsm_number_double(v);
}

static tsm_status clamp(tsm_exec *x, const tsm_value *const *in, tsm_value low, tsm_value high, tsm_value *out) {
    tsm_promotion p;
    tsm_promote_start(&p);
    tsm_promote_value(&p, *in[0]);
    tsm_promote_value(&p, low);
    tsm_promote_value(&p, high);
    tsm_dtype dtype = tsm_promote_end(&p);
    if (low.tag == TSM_TAG_NONE && high.tag == TSM_TAG_NONE)
        return TSM_RAISE(x, "torch.clamp: At least one of 'min' or 'max' must not be None");
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_map_same(x, in, out);
    TSM_TRY(tsm_check_number(x, dtype, low));
    TSM_TRY(tsm_check_number(x, dtype, high));
    if (tsm_lane_of(dtype) == TSM_LANE_F32 || tsm_lane_of(dtype) == TSM_LANE_F64)
        if (is_bound(low) && is_bound(high)) {
            const where_bounds bounds = {bound_or(low, -(double)INFINITY), bound_or(high, (double)INFINITY)};
            return tsm_nary(x, in, 1, in[0], &bounded_loops, dtype, dtype, &bounds, out);
        }
    tsm_value operands[] = {*in[0], low.tag == TSM_TAG_NONE ? high : low, high};
    bool both = low.tag != TSM_TAG_NONE && high.tag != TSM_TAG_NONE;
    const tsm_loops *loops = both ? &between_loops : low.tag == TSM_TAG_NONE ? &at_most_loops : &at_least_loops;
    return tsm_nary(x, in, both ? 3 : 2, operands, loops, dtype, dtype, NULL, out);
}

TSM_KERNEL(aten_clamp) {
    return clamp(x, in, *in[1], *in[2], out);
}
TSM_KERNEL_ALIAS(aten_clamp_Tensor, aten_clamp);
TSM_KERNEL_ALIAS(aten_clip, aten_clamp);
TSM_KERNEL_ALIAS(aten_clip_Tensor, aten_clamp);
TSM_KERNEL(aten_clamp_min) {
    return clamp(x, in, *in[1], tsm_none(), out);
}
TSM_KERNEL_ALIAS(aten_clamp_min_Tensor, aten_clamp_min);
TSM_KERNEL(aten_clamp_max) {
    return clamp(x, in, tsm_none(), *in[1], out);
}
TSM_KERNEL_ALIAS(aten_clamp_max_Tensor, aten_clamp_max);

/* ---- Three operands ---- */

typedef struct {
    int64_t i;
    double value;
    tsm_complex c;
} where_factor;
#define FACTOR(T, member) const T v = (T)((const where_factor *)k)->member
#define COMPLEX_FACTOR const tsm_complex v = ((const where_factor *)k)->c
TSM_LOOP3(addcmul_i64, int64_t, int64_t, int64_t, FACTOR(int64_t, i),
          (int64_t)((uint64_t)a + (uint64_t)v * (uint64_t)b * (uint64_t)c))
#define TERNARY_LOOPS(name, text, E, EC, ...)                                                                          \
    TSM_LOOP3(name##_f32, float, float, float, FACTOR(float, value), ((void)v, E))                                     \
    TSM_LOOP3(name##_f64, double, double, double, FACTOR(double, value), ((void)v, E))                                 \
    TSM_LOOP3(name##_c128, tsm_complex, tsm_complex, tsm_complex, COMPLEX_FACTOR, ((void)v, EC))                       \
    TSM_LOOPS(name, text,                                                                                              \
              {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64, [TSM_LANE_C128] = name##_c128, __VA_ARGS__})
TERNARY_LOOPS(addcmul, "addcmul_cpu_out", a + v * b * c,
              cx_add(a, cx_mul(v, cx_mul(b, c))), [TSM_LANE_I64] = addcmul_i64)
TERNARY_LOOPS(addcdiv, "addcdiv_cpu_out", a + v * b / c, cx_add(a, tsm_cx_div(cx_mul(v, b), c)), [TSM_LANE_I64] = NULL)
/* Exact at both ends, as PyTorch's: from the nearer one. */
TERNARY_LOOPS(lerp, "lerp_kernel", c < (float)0.5 ? a + c * (b - a) : b - (b - a) * (1 - c),
              cx_abs(c) < 0.5 ? cx_add(a, cx_mul(c, cx_sub(b, a)))
                              : cx_sub(b, cx_mul(cx_sub(b, a), cx_sub(cx(1, 0), c))),
              [TSM_LANE_I64] = NULL)

static tsm_dtype ternary_dtype(const tsm_value *const *in) {
    tsm_promotion p;
    tsm_promote_start(&p);
    for (int i = 0; i < 3; i++)
        tsm_promote_value(&p, *in[i]);
    return tsm_promote_end(&p);
}

static tsm_status ternary(tsm_exec *x, const tsm_value *const *in, const tsm_loops *loops, const where_factor *f,
                          tsm_value *out) {
    tsm_value operands[] = {*in[0], *in[1], *in[2]};
    const tsm_dtype dtype = ternary_dtype(in);
    return tsm_nary(x, in, 3, operands, loops, dtype, dtype, f, out);
}

static where_factor where_factor_of(tsm_value v) {
    return (where_factor){tsm_lane_item_of(TSM_LANE_I64, v).i, tsm_number_double(v),
                          tsm_lane_item_of(TSM_LANE_C128, v).c};
}

TSM_KERNEL(aten_addcmul) {
    if (ternary_dtype(in) == TSM_BOOL)
        return TSM_RAISE(x, "\"addcmul_cpu_out\" not implemented for 'Bool'");
    TSM_TRY(tsm_check_number(x, ternary_dtype(in), *in[3]));
    where_factor f = where_factor_of(*in[3]);
    return ternary(x, in, &addcmul_loops, &f, out);
}
TSM_KERNEL(aten_addcdiv) {
    TSM_TRY(tsm_check_number(x, ternary_dtype(in), *in[3]));
    where_factor f = where_factor_of(*in[3]);
    return ternary(x, in, &addcdiv_loops, &f, out);
}

/* What PyTorch's checks call dtypes: their types in C++. */
static const char *cpp_name(int dtype) {
    static const char *const names[] = {
        [TSM_UINT8] = "unsigned char",
        [TSM_INT8] = "signed char",
        [TSM_INT16] = "short int",
        [TSM_INT32] = "int",
        [TSM_INT64] = "long int",
        [TSM_FLOAT16] = "c10::Half",
        [TSM_FLOAT32] = "float",
        [TSM_FLOAT64] = "double",
        [TSM_COMPLEX64] = "c10::complex<float>",
        [TSM_COMPLEX128] = "c10::complex<double>",
        [TSM_BOOL] = "bool",
        [TSM_BFLOAT16] = "c10::BFloat16",
    };
    const char *name = (size_t)dtype < sizeof names / sizeof *names ? names[dtype] : NULL;
    return name ? name : tsm_dtype_name((tsm_dtype)dtype);
}

/* The tensors of lerp have one dtype, of floats or complex numbers. */
static tsm_status check_lerp(tsm_exec *x, const tsm_value *const *in, int tensors, const char *kernel) {
    static const char *const names[] = {"self", "end", "weight"};
    const tsm_dtype dtype = (tsm_dtype)arg_tensor(in, 0)->dtype;
    for (int i = 1; i < tensors; i++)
        if (arg_tensor(in, i)->dtype != dtype)
            return TSM_RAISE(x, "expected dtype %s for `%s` but got dtype %s", cpp_name(dtype), names[i],
                             cpp_name(arg_tensor(in, i)->dtype));
    if (tsm_dtype_is_integral(dtype) || dtype == TSM_BOOL)
        return TSM_RAISE(x, "\"%s\" not implemented for '%s'", kernel, tsm_dtype_class_name(dtype));
    return TSM_OK;
}

static const where_factor no_factor;
TSM_KERNEL(aten_lerp_Tensor) {
    TSM_TRY(check_lerp(x, in, 3, "lerp_kernel_tensor"));
    return ternary(x, in, &lerp_loops, &no_factor, out);
}
TSM_KERNEL(aten_lerp_Scalar) {
    TSM_TRY(check_lerp(x, in, 2, "lerp_kernel_scalar"));
    return ternary(x, in, &lerp_loops, &no_factor, out);
}
