/* Activation functions. */
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/simd/vmath.h"
#include "runtime/kernels/simd/vmath64.h"

#define FLOAT_LOOPS(name, text, PREPARE, E32, E64)                                                                     \
    TSM_LOOP1(name##_f32, float, float, PREPARE, E32)                                                                  \
    TSM_LOOP1(name##_f64, double, double, PREPARE, E64)                                                                \
    TSM_LOOPS(name, text, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})
#define ACTIVATION_LOOPS(name, text, PREPARE, E)                                                                       \
    TSM_LOOP1(name##_i64, int64_t, int64_t, PREPARE, (int64_t)(E))                                                     \
    TSM_LOOP1(name##_f32, float, float, PREPARE, (float)(E))                                                           \
    TSM_LOOP1(name##_f64, double, double, PREPARE, (double)(E))                                                        \
    TSM_LOOPS(name, text,                                                                                              \
              {[TSM_LANE_I64] = name##_i64,                                                                            \
               [TSM_LANE_F32] = name##_f32,                                                                            \
               [TSM_LANE_F64] = name##_f64,                                                                            \
               TSM_BFLOAT16_ROW(name)})

/* Parameters, in both widths so that float loops stay float. */
typedef struct {
    float f[3];
    double d[3];
} parameters;
#define P32 const parameters q = *(const parameters *)k
static parameters make(double a, double b, double c) {
    return (parameters){{(float)a, (float)b, (float)c}, {a, b, c}};
}

static tsm_status apply(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_loops *loops,
                        const void *context) {
    TSM_TRY(tsm_kernel_check_real(x, in));
    return tsm_unary(x, in, arg_tensor(in, 0), loops, TSM_RESULT_SAME, context, out);
}

/* Of activations that other operators finish with, float32 is calculated by the same loop as there. */
typedef struct {
    const tsm_f32_loops *f32;
    tsm_activation activation;
} finish_loop;
static finish_loop finish_by(tsm_exec *x, tsm_activation activation) {
    return (finish_loop){loops_f32(x), activation};
}
static void finish_f32(const void *k, void *const *p, tsm_dim n) {
    const finish_loop *f = k;
    TSM_F32(f->f32, activate, p[0], p[1], (size_t)n, f->activation, 0.0f, 0.0f);
}
#define FINISH_LOOPS(name, text, E64)                                                                                  \
    TSM_LOOP1(name##_f64, double, double, TSM_NO_PREPARE, E64)                                                         \
    TSM_LOOPS(name, text, {[TSM_LANE_F32] = finish_f32, [TSM_LANE_F64] = name##_f64})

/* -0. and NaN stay. */
TSM_BFLOAT16_BITS1(relu, bfloat16_is_nan(a), bfloat16_order(a) < 0 ? 0 : a)
ACTIVATION_LOOPS(relu, "threshold_cpu", TSM_NO_PREPARE, a < 0 ? 0 : a)
TSM_KERNEL(aten_relu) {
    if (arg_tensor(in, 0)->dtype == TSM_BOOL)
        return TSM_RAISE(x, "Boolean inputs not supported for relu");
    return apply(x, in, out, &relu_loops, NULL);
}

/* Where the bounds are crossed, the upper one counts. NaN stays. */
#define AT_LEAST(low) (a < (low) ? (low) : a)
#define BETWEEN(low, high) AT_LEAST(low) > (high) ? (high) : AT_LEAST(low)
TSM_LOOP1(hardtanh_f32, float, float, P32, BETWEEN(q.f[0], q.f[1]))
TSM_LOOP1(hardtanh_f64, double, double, P32, BETWEEN(q.d[0], q.d[1]))
TSM_LOOP1(hardtanh_i64, int64_t, int64_t, P32; int64_t low = tsm_lane_item_of(TSM_LANE_I64, tsm_float(q.d[0])).i;
          int64_t high = tsm_lane_item_of(TSM_LANE_I64, tsm_float(q.d[1])).i, BETWEEN(low, high))
TSM_LOOPS(hardtanh, "clamp_scalar_cpu",
          {[TSM_LANE_I64] = hardtanh_i64, [TSM_LANE_F32] = hardtanh_f32, [TSM_LANE_F64] = hardtanh_f64})
static tsm_status check_hardtanh(tsm_exec *x, const tsm_value *const *in, double low, double high) {
    const int dtype = arg_tensor(in, 0)->dtype;
    if (dtype == TSM_BOOL)
        return TSM_RAISE(x, "Bool inputs not supported for hardtanh");
    if (dtype == TSM_UINT8 && (low <= -1 || high <= -1))
        return TSM_RAISE(x, "cannot do hardtanh on an unsigned type with negative limits");
    return TSM_OK;
}
TSM_KERNEL(aten_hardtanh) {
    TSM_TRY(check_hardtanh(x, in, arg_float(in, 1), arg_float(in, 2)));
    parameters p = make(arg_float(in, 1), arg_float(in, 2), 0);
    return apply(x, in, out, &hardtanh_loops, &p);
}
TSM_KERNEL(aten_relu6) {
    TSM_TRY(check_hardtanh(x, in, 0, 6));
    parameters p = make(0, 6, 0);
    return apply(x, in, out, &hardtanh_loops, &p);
}

FLOAT_LOOPS(leaky_relu, "leaky_relu_cpu", P32, a > 0 ? a : a * q.f[0], a > 0 ? a : a * q.d[0])
TSM_KERNEL(aten_leaky_relu) {
    parameters p = make(arg_float(in, 1), 0, 0);
    return apply(x, in, out, &leaky_relu_loops, &p);
}

FINISH_LOOPS(gelu, "GeluKernelImpl", 0.5 * a * (1 + erf(a * 0.70710678118654752440)))
FINISH_LOOPS(gelu_tanh, "GeluKernelImpl", 0.5 * a * (1 + vd_tanh(0.79788456080286535588 * (a + 0.044715 * a * a * a))))
TSM_KERNEL(aten_gelu) {
    const tsm_str *mode = arg_str(in, 1);
    bool is_tanh = mode->length == 4 && !memcmp(mode->text, "tanh", 4);
    if (!is_tanh && (mode->length != 4 || memcmp(mode->text, "none", 4)))
        return TSM_RAISE(x, "approximate argument must be either none or tanh.");
    const finish_loop f = finish_by(x, is_tanh ? TSM_ACT_GELU_TANH : TSM_ACT_GELU);
    return apply(x, in, out, is_tanh ? &gelu_tanh_loops : &gelu_loops, &f);
}

TSM_LOOP1(silu_f64, double, double, TSM_NO_PREPARE, a *vd_sigmoid(a))
TSM_LOOP1(silu_c128, tsm_complex, tsm_complex, TSM_NO_PREPARE, tsm_cx_div(a, cx_add(cx(1, 0), tsm_cx_exp(cx_neg(a)))))
TSM_LOOPS(silu, "silu_cpu", {[TSM_LANE_F32] = finish_f32, [TSM_LANE_F64] = silu_f64, [TSM_LANE_C128] = silu_c128})
TSM_KERNEL(aten_silu) {
    const finish_loop f = finish_by(x, TSM_ACT_SILU);
    return apply(x, in, out, &silu_loops, &f);
}
FLOAT_LOOPS(mish, "mish_cpu", TSM_NO_PREPARE, a *vm_tanh(vm_log1p(vm_exp(a))), a *vd_tanh(vd_log1p(vd_exp(a))))
TSM_KERNEL(aten_mish) {
    return apply(x, in, out, &mish_loops, NULL);
}

#define SIXTH(T, a) ((a) + 3 < 0 ? (T)0 : (a) + 3 > 6 ? (T)6 : (a) + 3)
FLOAT_LOOPS(hardswish, "hardswish_cpu", TSM_NO_PREPARE, a *SIXTH(float, a) / 6, a *SIXTH(double, a) / 6)
TSM_KERNEL(aten_hardswish) {
    return apply(x, in, out, &hardswish_loops, NULL);
}
FLOAT_LOOPS(hardsigmoid, "hardsigmoid_cpu", TSM_NO_PREPARE, SIXTH(float, a) / 6, SIXTH(double, a) / 6)
TSM_KERNEL(aten_hardsigmoid) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_map_fixed(x, in, 1.0 / 256, 0, out);
    return apply(x, in, out, &hardsigmoid_loops, NULL);
}

/* elu(a) = scale * (a > 0 ? a : alpha * (exp(a * input_scale) - 1)). PyTorch subtracts from the rounded exp, so that
 * numbers close below 0 give 0, and so do -0. */
FLOAT_LOOPS(elu, "elu_cpu", P32, (a > 0 ? a : q.f[0] * (vm_exp(a * q.f[2]) - 1)) * q.f[1],
            (a > 0 ? a : q.d[0] * (vd_exp(a * q.d[2]) - 1)) * q.d[1])
TSM_KERNEL(aten_elu) {
    parameters p = make(arg_float(in, 1), arg_float(in, 2), arg_float(in, 3));
    return apply(x, in, out, &elu_loops, &p);
}
TSM_KERNEL(aten_selu) {
    parameters p = make(1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1);
    return apply(x, in, out, &elu_loops, &p);
}
TSM_KERNEL(aten_celu) {
    double alpha = arg_float(in, 1);
    if (alpha == 0)
        return TSM_RAISE(x, "ZeroDivisionError: alpha cannot be 0 for CELU");
    parameters p = make(alpha, 1, 1 / alpha);
    return apply(x, in, out, &elu_loops, &p);
}

FLOAT_LOOPS(softplus, "softplus_cpu", P32, a *q.f[0] > q.f[1] ? a : vm_log1p(vm_exp(a * q.f[0])) / q.f[0],
            a *q.d[0] > q.d[1] ? a : vd_log1p(vd_exp(a * q.d[0])) / q.d[0])
TSM_KERNEL(aten_softplus) {
    parameters p = make(arg_float(in, 1), arg_float(in, 2), 0);
    return apply(x, in, out, &softplus_loops, &p);
}

/* Elements are compared with the bound as a number of their own type, as in PyTorch. */
TSM_LOOP1(threshold_f32, float, float, P32, a <= q.f[0] ? q.f[1] : a)
TSM_LOOP1(threshold_f64, double, double, P32, a <= q.d[0] ? q.d[1] : a)
TSM_LOOP1(threshold_i64, int64_t, int64_t, const int64_t *bound = k, a <= bound[0] ? bound[1] : a)
TSM_LOOPS(threshold, "threshold_cpu",
          {[TSM_LANE_I64] = threshold_i64, [TSM_LANE_F32] = threshold_f32, [TSM_LANE_F64] = threshold_f64})
TSM_KERNEL(aten_threshold) {
    if (arg_tensor(in, 0)->dtype == TSM_BOOL)
        return TSM_RAISE(x, "\"threshold_cpu\" not implemented for 'Bool'");
    TSM_TRY(tsm_check_number(x, (tsm_dtype)arg_tensor(in, 0)->dtype, *in[1]));
    TSM_TRY(tsm_check_number(x, (tsm_dtype)arg_tensor(in, 0)->dtype, *in[2]));
    parameters p = make(arg_float(in, 1), arg_float(in, 2), 0);
    const int64_t ints[] = {tsm_lane_item_of(TSM_LANE_I64, *in[1]).i, tsm_lane_item_of(TSM_LANE_I64, *in[2]).i};
    const bool is_integral = tsm_dtype_is_integral((tsm_dtype)arg_tensor(in, 0)->dtype);
    return apply(x, in, out, &threshold_loops, is_integral ? (const void *)ints : &p);
}

FLOAT_LOOPS(hardshrink, "hardshrink_cpu", P32, a >= -q.f[0] && a <= q.f[0] ? 0 : a, a >= -q.d[0] && a <= q.d[0] ? 0 : a)
TSM_KERNEL(aten_hardshrink) {
    parameters p = make(arg_float(in, 1), 0, 0);
    return apply(x, in, out, &hardshrink_loops, &p);
}
FLOAT_LOOPS(softshrink, "softshrink_cpu", P32,
            a > q.f[0]    ? a - q.f[0]
            : a < -q.f[0] ? a + q.f[0]
                          : 0,
            a > q.d[0]    ? a - q.d[0]
            : a < -q.d[0] ? a + q.d[0]
                          : 0)
TSM_KERNEL(aten_softshrink) {
    if (!(arg_float(in, 1) >= 0))
        return TSM_RAISE(x, "lambda must be greater or equal to 0, but found to be %s.",
                         tsm_kernel_number(arg_float(in, 1)).text);
    parameters p = make(arg_float(in, 1), 0, 0);
    return apply(x, in, out, &softshrink_loops, &p);
}
FLOAT_LOOPS(log_sigmoid, "log_sigmoid_cpu", TSM_NO_PREPARE, (a < 0 ? a : 0) - vm_log1p(vm_exp(-fabsf(a))),
            (a < 0 ? a : 0) - vd_log1p(vd_exp(-fabs(a))))
TSM_KERNEL(aten_log_sigmoid) {
    return apply(x, in, out, &log_sigmoid_loops, NULL);
}

/* ---- Two operands ---- */

TSM_LOOP2(prelu_f32, float, float, TSM_NO_PREPARE, a > 0 ? a : a * b)
TSM_LOOP2(prelu_f64, double, double, TSM_NO_PREPARE, a > 0 ? a : a * b)
TSM_LOOPS(prelu, "prelu_cpu", {[TSM_LANE_F32] = prelu_f32, [TSM_LANE_F64] = prelu_f64})

/* One slope for all, or one for each channel (dimension 1). */
TSM_KERNEL(aten_prelu) {
    tsm_tensor *a = arg_tensor(in, 0), *w = arg_tensor(in, 1), *shaped;
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    tsm_dim channels = a->dims > 1 ? a->sizes[1] : 1;
    if (w->dims > 1)
        return TSM_RAISE(x, "prelu: Expected `weight` to be a scalar or 1D tensor, but got ndim = %d", w->dims);
    if (w->elements != 1 && w->elements != channels)
        return TSM_RAISE(x,
                         "Mismatch of parameter numbers and input channel size. Found parameter numbers = %zd and "
                         "channel size = %zd.",
                         (ptrdiff_t)w->elements, (ptrdiff_t)channels);
    for (int d = 0; d < a->dims; d++) {
        sizes[d] = d == 1 && w->elements != 1 ? w->elements : 1;
        strides[d] = d == 1 && w->dims ? w->strides[w->dims - 1] : 0;
    }
    TSM_TRY(tsm_tensor_view_of(x, w, a->dims, sizes, strides, 0, &shaped));
    tsm_status status = tsm_binary(x, in, *in[0], tsm_of_tensor(shaped), &prelu_loops, TSM_RESULT_SAME, NULL, out);
    tsm_tensor_drop(x, shaped);
    return status;
}

TSM_LOOP2(glu_f32, float, float, TSM_NO_PREPARE, a / (1 + vm_exp(-b)))
TSM_LOOP2(glu_f64, double, double, TSM_NO_PREPARE, a *vd_sigmoid(b))
TSM_LOOPS(glu, "glu_cpu", {[TSM_LANE_F32] = glu_f32, [TSM_LANE_F64] = glu_f64})

TSM_KERNEL(aten_glu) {
    tsm_tensor *a = arg_tensor(in, 0), *halves[2] = {NULL, NULL};
    int dim;
    if (!a->dims)
        return TSM_RAISE(x, "glu does not support 0-dimensional tensors");
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), a->dims, &dim));
    tsm_dim half = a->sizes[dim] / 2, sizes[TSM_MAX_DIMS];
    if (a->sizes[dim] % 2)
        return TSM_RAISE(x, "Halving dimension must be even, but dimension %d is size %zd", dim,
                         (ptrdiff_t)a->sizes[dim]);
    memcpy(sizes, a->sizes, (size_t)a->dims * sizeof *sizes);
    sizes[dim] = half;
    tsm_status status = tsm_tensor_view_of(x, a, a->dims, sizes, a->strides, 0, &halves[0]);
    if (status == TSM_OK)
        status = tsm_tensor_view_of(x, a, a->dims, sizes, a->strides, half * a->strides[dim], &halves[1]);
    if (status == TSM_OK)
        status = tsm_binary(x, in, tsm_of_tensor(halves[0]), tsm_of_tensor(halves[1]), &glu_loops, TSM_RESULT_SAME,
                            NULL, out);
    tsm_tensor_drop(x, halves[0]);
    tsm_tensor_drop(x, halves[1]);
    return status;
}
