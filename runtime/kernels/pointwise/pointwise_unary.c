/* Functions of one element. */
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/simd/vmath.h"
#include "runtime/kernels/simd/vmath64.h"

#define FLOAT_PAIR(name, E32, E64)                                                                                     \
    TSM_LOOP1(name##_f32, float, float, TSM_NO_PREPARE, E32)                                                           \
    TSM_LOOP1(name##_f64, double, double, TSM_NO_PREPARE, E64)

/* Real functions, and those that have complex values too. */
#define REAL_LOOPS(name, E32, E64)                                                                                     \
    FLOAT_PAIR(name, E32, E64)                                                                                         \
    TSM_LOOPS(name, #name, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})
#define COMPLEX64_LOOPS(name, E32, E64, EC, C64)                                                                       \
    FLOAT_PAIR(name, E32, E64)                                                                                         \
    TSM_LOOP1(name##_c128, tsm_complex, tsm_complex, TSM_NO_PREPARE, EC)                                               \
    C64 TSM_LOOPS(name, #name,                                                                                         \
                  {[TSM_LANE_F32] = name##_f32,                                                                        \
                   [TSM_LANE_F64] = name##_f64,                                                                        \
                   [TSM_LANE_C128] = name##_c128,                                                                      \
                   TSM_COMPLEX64_ROW(name)})
#define COMPLEX_LOOPS(name, E32, E64, EC)                                                                              \
    FLOAT_PAIR(name, E32, E64)                                                                                         \
    TSM_LOOP1(name##_c128, tsm_complex, tsm_complex, TSM_NO_PREPARE, EC)                                               \
    TSM_LOOPS(name, #name, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64, [TSM_LANE_C128] = name##_c128})
/* C64, BF16: the loops of complex64 and bfloat16. */
#define NUMBER_LOOPS(name, EI, E32, E64, EC, C64, BF16)                                                                \
    FLOAT_PAIR(name, E32, E64)                                                                                         \
    TSM_LOOP1(name##_i64, int64_t, int64_t, TSM_NO_PREPARE, EI)                                                        \
    TSM_LOOP1(name##_c128, tsm_complex, tsm_complex, TSM_NO_PREPARE, EC)                                               \
    TSM_NARROW_LOOP1(name, EI)                                                                                         \
    C64 BF16 TSM_LOOPS(name, #name,                                                                                    \
                       {[TSM_LANE_I64] = name##_i64,                                                                   \
                        [TSM_LANE_F32] = name##_f32,                                                                   \
                        [TSM_LANE_F64] = name##_f64,                                                                   \
                        [TSM_LANE_C128] = name##_c128,                                                                 \
                        TSM_NARROW_ROWS(name) TSM_COMPLEX64_ROW(name) TSM_BFLOAT16_ROW(name)})

static tsm_status floating(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_loops *loops) {
    return tsm_unary(x, in, arg_tensor(in, 0), loops, TSM_RESULT_FLOATING, NULL, out);
}

static tsm_status same(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_loops *loops) {
    return tsm_unary(x, in, arg_tensor(in, 0), loops, TSM_RESULT_SAME, NULL, out);
}

/* ---- Exponentials and logarithms ---- */

#if TSM_NARROW_LANES
static inline int exp_is_near(cx_floats a) {
    const int is_near = fabsf(a.im) <= VM_FAR, is_turned = a.im != 0, is_small = fabsf(a.re) < 80.0f;
    return is_near & is_turned & is_small;
}
static inline cx_floats exp_near(cx_floats a) {
    const float e = vm_exp(a.re);
    const vm_pair turn = vm_sincos(a.im);
    return (cx_floats){e * turn.cos, e * turn.sin};
}
#endif
COMPLEX64_LOOPS(exp, vm_exp(a), vd_exp(a), tsm_cx_exp(a),
                CX_NEAR_LOOP(exp_c64, 1, exp_is_near(a), exp_near(a), cx_narrow(tsm_cx_exp(cx_widen(a)))))
COMPLEX_LOOPS(exp2, vm_exp2(a), exp2(a), tsm_cx_exp(cx_scale(a, 0.69314718055994530942)))
COMPLEX_LOOPS(expm1, vm_expm1(a), vd_expm1(a), tsm_cx_expm1(a))
COMPLEX_LOOPS(log, vm_log(a), vd_log(a), tsm_cx_log(a))
COMPLEX_LOOPS(log2, vm_log2(a), log2(a), cx_scale(tsm_cx_log(a), 1.44269504088896340736))
COMPLEX_LOOPS(log10, vm_log10(a), log10(a), cx_scale(tsm_cx_log(a), 0.43429448190325182765))
COMPLEX_LOOPS(log1p, vm_log1p(a), vd_log1p(a), tsm_cx_log1p(a))
COMPLEX_LOOPS(sqrt, sqrtf(a), sqrt(a), tsm_cx_sqrt(a))
COMPLEX_LOOPS(rsqrt, 1.0f / sqrtf(a), 1 / sqrt(a), tsm_cx_div(cx(1, 0), tsm_cx_sqrt(a)))
COMPLEX64_LOOPS(reciprocal, 1.0f / a, 1 / a, tsm_cx_div(cx(1, 0), a),
                CX_NEAR_LOOP(reciprocal_c64, 1, cx_divides_near(((cx_floats){1, 0}), a), cx_reciprocal_near(a),
                             cx_narrow(cx_div_straight(cx(1, 0), cx_widen(a)))))
COMPLEX_LOOPS(sigmoid, vm_sigmoid(a), vd_sigmoid(a), tsm_cx_div(cx(1, 0), cx_add(cx(1, 0), tsm_cx_exp(cx_neg(a)))))

TSM_KERNEL(aten_exp) {
    return floating(x, in, out, &exp_loops);
}
TSM_KERNEL(aten_exp2) {
    return floating(x, in, out, &exp2_loops);
}
TSM_KERNEL(aten_expm1) {
    return floating(x, in, out, &expm1_loops);
}
TSM_KERNEL(aten_log) {
    return floating(x, in, out, &log_loops);
}
TSM_KERNEL(aten_log2) {
    return floating(x, in, out, &log2_loops);
}
TSM_KERNEL(aten_log10) {
    return floating(x, in, out, &log10_loops);
}
TSM_KERNEL(aten_log1p) {
    return floating(x, in, out, &log1p_loops);
}
TSM_KERNEL(aten_sqrt) {
    return floating(x, in, out, &sqrt_loops);
}
TSM_KERNEL(aten_rsqrt) {
    return floating(x, in, out, &rsqrt_loops);
}
TSM_KERNEL(aten_reciprocal) {
    return floating(x, in, out, &reciprocal_loops);
}
TSM_KERNEL(aten_sigmoid) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_map_fixed(x, in, 1.0 / 256, 0, out);
    return floating(x, in, out, &sigmoid_loops);
}
TSM_KERNEL_ALIAS(aten_special_exp2, aten_exp2);
TSM_KERNEL_ALIAS(aten_special_expm1, aten_expm1);
TSM_KERNEL_ALIAS(aten_special_log1p, aten_log1p);
TSM_KERNEL_ALIAS(aten_special_expit, aten_sigmoid);

/* ---- Circular and hyperbolic functions ---- */

TSM_NEAR_LOOP(sin_f32, float, 1, fabsf(a) <= VM_FAR, vm_sin(a), sinf(a))
TSM_NEAR_LOOP(sin_f64, double, 1, fabs(a) <= VD_FAR, vd_sin(a), sin(a))
TSM_LOOP1(sin_c128, tsm_complex, tsm_complex, TSM_NO_PREPARE, tsm_cx_sin(a))
TSM_LOOPS(sin, "sin", {[TSM_LANE_F32] = sin_f32, [TSM_LANE_F64] = sin_f64, [TSM_LANE_C128] = sin_c128})
TSM_NEAR_LOOP(cos_f32, float, 1, fabsf(a) <= VM_FAR, vm_cos(a), cosf(a))
TSM_NEAR_LOOP(cos_f64, double, 1, fabs(a) <= VD_FAR, vd_cos(a), cos(a))
TSM_LOOP1(cos_c128, tsm_complex, tsm_complex, TSM_NO_PREPARE, tsm_cx_cos(a))
TSM_LOOPS(cos, "cos", {[TSM_LANE_F32] = cos_f32, [TSM_LANE_F64] = cos_f64, [TSM_LANE_C128] = cos_c128})
TSM_NEAR_LOOP(tan_f32, float, 1, fabsf(a) <= VM_FAR, vm_tan(a), tanf(a))
TSM_NEAR_LOOP(tan_f64, double, 1, fabs(a) <= VD_FAR, vd_sin(a) / vd_cos(a), tan(a))
TSM_LOOP1(tan_c128, tsm_complex, tsm_complex, TSM_NO_PREPARE, tsm_cx_tan(a))
TSM_LOOPS(tan, "tan", {[TSM_LANE_F32] = tan_f32, [TSM_LANE_F64] = tan_f64, [TSM_LANE_C128] = tan_c128})
COMPLEX_LOOPS(asin, vm_asin(a), asin(a), tsm_cx_asin(a))
COMPLEX_LOOPS(acos, vm_acos(a), acos(a), tsm_cx_acos(a))
COMPLEX_LOOPS(atan, vm_atan(a), vd_atan(a), tsm_cx_atan(a))
COMPLEX_LOOPS(sinh, vm_sinh(a), vd_sinh(a), tsm_cx_sinh(a))
COMPLEX_LOOPS(cosh, vm_cosh(a), vd_cosh(a), tsm_cx_cosh(a))
COMPLEX_LOOPS(tanh, vm_tanh(a), vd_tanh(a), tsm_cx_tanh(a))
COMPLEX_LOOPS(asinh, vm_asinh(a), asinh(a), tsm_cx_asinh(a))
COMPLEX_LOOPS(acosh, vm_acosh(a), acosh(a), tsm_cx_acosh(a))
COMPLEX_LOOPS(atanh, vm_atanh(a), atanh(a), tsm_cx_atanh(a))

TSM_KERNEL(aten_sin) {
    return floating(x, in, out, &sin_loops);
}
TSM_KERNEL(aten_cos) {
    return floating(x, in, out, &cos_loops);
}
TSM_KERNEL(aten_tan) {
    return floating(x, in, out, &tan_loops);
}
TSM_KERNEL(aten_asin) {
    return floating(x, in, out, &asin_loops);
}
TSM_KERNEL(aten_acos) {
    return floating(x, in, out, &acos_loops);
}
TSM_KERNEL(aten_atan) {
    return floating(x, in, out, &atan_loops);
}
TSM_KERNEL(aten_sinh) {
    return floating(x, in, out, &sinh_loops);
}
TSM_KERNEL(aten_cosh) {
    return floating(x, in, out, &cosh_loops);
}
TSM_KERNEL(aten_tanh) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_map_fixed(x, in, 2.0 / 256, 128, out);
    return floating(x, in, out, &tanh_loops);
}
TSM_KERNEL(aten_asinh) {
    return floating(x, in, out, &asinh_loops);
}
TSM_KERNEL(aten_acosh) {
    return floating(x, in, out, &acosh_loops);
}
TSM_KERNEL(aten_atanh) {
    return floating(x, in, out, &atanh_loops);
}
TSM_KERNEL_ALIAS(aten_arcsin, aten_asin);
TSM_KERNEL_ALIAS(aten_arccos, aten_acos);
TSM_KERNEL_ALIAS(aten_arctan, aten_atan);
TSM_KERNEL_ALIAS(aten_arcsinh, aten_asinh);
TSM_KERNEL_ALIAS(aten_arccosh, aten_acosh);
TSM_KERNEL_ALIAS(aten_arctanh, aten_atanh);

REAL_LOOPS(deg2rad, a * 0.017453292519943295f, a * 0.017453292519943295)
REAL_LOOPS(rad2deg, a * 57.29577951308232f, a * 57.29577951308232)
TSM_KERNEL(aten_deg2rad) {
    return floating(x, in, out, &deg2rad_loops);
}
TSM_KERNEL(aten_rad2deg) {
    return floating(x, in, out, &rad2deg_loops);
}

static inline float sinc_f(float a) {
    return a == 0 ? 1.0f : sinf(3.14159265358979f * a) / (3.14159265358979f * a);
}
static inline double sinc_d(double a) {
    return a == 0 ? 1 : sin(CX_PI * a) / (CX_PI * a);
}
static inline tsm_complex sinc_c(tsm_complex a) {
    return cx_nonzero(a) ? tsm_cx_div(tsm_cx_sin(cx_scale(a, CX_PI)), cx_scale(a, CX_PI)) : cx(1, 0);
}
COMPLEX_LOOPS(sinc, sinc_f(a), sinc_d(a), sinc_c(a))
TSM_KERNEL(aten_sinc) {
    return floating(x, in, out, &sinc_loops);
}
TSM_KERNEL_ALIAS(aten_special_sinc, aten_sinc);

/* ---- Error function ---- */

REAL_LOOPS(erf, vm_erf(a), erf(a))
REAL_LOOPS(erfc, vm_erfc(a), erfc(a))
TSM_KERNEL(aten_erf) {
    return floating(x, in, out, &erf_loops);
}
TSM_KERNEL(aten_erfc) {
    return floating(x, in, out, &erfc_loops);
}
TSM_KERNEL_ALIAS(aten_special_erf, aten_erf);
TSM_KERNEL_ALIAS(aten_special_erfc, aten_erfc);

/* ---- Rounding: integers are what they were ---- */

REAL_LOOPS(frac, a - truncf(a), a - trunc(a))
#define ROUND_LOOPS(name, text, E32, E64)                                                                              \
    FLOAT_PAIR(name, E32, E64)                                                                                         \
    TSM_BFLOAT16_LOOP1(name, E32)                                                                                      \
    TSM_LOOP1(name##_i64, int64_t, int64_t, TSM_NO_PREPARE, a)                                                         \
    TSM_LOOPS(name, text,                                                                                              \
              {[TSM_LANE_I64] = name##_i64,                                                                            \
               [TSM_LANE_F32] = name##_f32,                                                                            \
               [TSM_LANE_F64] = name##_f64,                                                                            \
               TSM_BFLOAT16_ROW(name)})
ROUND_LOOPS(floor, "floor_vml_cpu", floorf(a), floor(a))
ROUND_LOOPS(ceil, "ceil_vml_cpu", ceilf(a), ceil(a))
ROUND_LOOPS(trunc, "trunc_vml_cpu", truncf(a), trunc(a))
ROUND_LOOPS(round, "round_vml_cpu", rintf(a), rint(a))

/* Operators of numbers, not of truth values. */
static tsm_status not_bool(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_loops *loops) {
    if (arg_tensor(in, 0)->dtype == TSM_BOOL)
        return tsm_loops_missing(x, loops->name, TSM_BOOL);
    return same(x, in, out, loops);
}

TSM_KERNEL(aten_floor) {
    return not_bool(x, in, out, &floor_loops);
}
TSM_KERNEL(aten_ceil) {
    return not_bool(x, in, out, &ceil_loops);
}
TSM_KERNEL(aten_trunc) {
    return not_bool(x, in, out, &trunc_loops);
}
TSM_KERNEL_ALIAS(aten_fix, aten_trunc);
TSM_KERNEL(aten_round) {
    return not_bool(x, in, out, &round_loops);
}
TSM_KERNEL(aten_frac) {
    return same(x, in, out, &frac_loops);
}

/* Ten to the power of |decimals|, and whether it divides. */
typedef struct {
    double ten;
    bool negative;
} round_context;
TSM_LOOP1(decimals_f32, float, float, const round_context *c = k; float ten = (float)c->ten;
          bool negative = c->negative, negative ? rintf(a / ten) * ten : rintf(a *ten) / ten)
TSM_LOOP1(decimals_f64, double, double, const round_context *c = k; double ten = c->ten;
          bool negative = c->negative, negative ? rint(a / ten) * ten : rint(a *ten) / ten)
TSM_LOOPS(decimals, "round_vml_cpu", {[TSM_LANE_F32] = decimals_f32, [TSM_LANE_F64] = decimals_f64})

TSM_KERNEL(aten_round_decimals) {
    int64_t decimals = arg_int(in, 1);
    if (decimals == 0)
        return same(x, in, out, &round_loops);
    round_context c = {pow(10, fabs((double)decimals)), decimals < 0};
    return tsm_unary(x, in, arg_tensor(in, 0), &decimals_loops, TSM_RESULT_SAME, &c, out);
}
TSM_KERNEL_ALIAS(aten_special_round, aten_round_decimals);

/* ---- Sign and size ---- */

static inline tsm_complex sgn_c(tsm_complex a) {
    double m = cx_abs(a);
    return m == 0 ? cx(0, 0) : cx(a.re / m, a.im / m);
}
/* Compilers have vectors of doubles to choose from, but not always to convert ints to. */
#define SIGN(a) ((a) > 0) - ((a) < 0)
#define REAL_SIGN(a, ONE, ZERO) ((a) > 0 ? ONE : ZERO) - ((a) < 0 ? ONE : ZERO)
NUMBER_LOOPS(sgn, SIGN(a), REAL_SIGN(a, 1.0f, 0.0f), REAL_SIGN(a, 1.0, 0.0), sgn_c(a), CX_LOOP1(sgn_c64, sgn_c(a)),
             TSM_BFLOAT16_LOOP1(sgn, REAL_SIGN(a, 1.0f, 0.0f)))
NUMBER_LOOPS(neg, (int64_t)(0 - (uint64_t)a), -a, -a, cx_neg(a), CX_FLOAT_LOOP1(neg_c64, ((cx_floats){-a.re, -a.im})),
             TSM_BFLOAT16_BITS1(neg, bfloat16_is_nan(a), a ^ 0x8000))
NUMBER_LOOPS(square, (int64_t)((uint64_t)a *(uint64_t)a), a *a, a *a, cx_mul(a, a),
             CX_FLOAT_LOOP1(square_c64, ((cx_floats){a.re * a.re - a.im * a.im, a.re *a.im + a.im *a.re})),
             TSM_BFLOAT16_LOOP1(square, a *a))
NUMBER_LOOPS(conj, a, a, a, cx(a.re, -a.im), CX_FLOAT_LOOP1(conj_c64, ((cx_floats){a.re, -a.im})),
             TSM_BFLOAT16_BITS1(conj, bfloat16_is_nan(a), a))
TSM_LOOP1(abs_i64, int64_t, int64_t, TSM_NO_PREPARE, a < 0 ? (int64_t)(0 - (uint64_t)a) : a)
TSM_NARROW_LOOP1(abs, a < 0 ? 0 - (uint32_t)a : (uint32_t)a)
TSM_BFLOAT16_BITS1(abs, bfloat16_is_nan(a), a & 0x7fff)
FLOAT_PAIR(abs, fabsf(a), fabs(a))
TSM_LOOP1(abs_c128, double, tsm_complex, TSM_NO_PREPARE, cx_abs(a))
CX_REAL_LOOP1(abs_c64, cx_abs_floats(a))
TSM_LOOPS(abs, "abs_cpu",
          {[TSM_LANE_I64] = abs_i64,
           [TSM_LANE_F32] = abs_f32,
           [TSM_LANE_F64] = abs_f64,
           [TSM_LANE_C128] = abs_c128,
           TSM_NARROW_ROWS(abs) TSM_COMPLEX64_ROW(abs) TSM_BFLOAT16_ROW(abs)})

TSM_KERNEL(aten_abs) {
    const tsm_tensor *a = arg_tensor(in, 0);
    if (a->dtype == TSM_BOOL)
        return tsm_loops_missing(x, abs_loops.name, TSM_BOOL);
    if (tsm_dtype_is_complex((tsm_dtype)a->dtype) && x->op->kind == TSM_OP_INPLACE)
        return TSM_RAISE(x, "In-place abs is not supported for complex tensors.");
    return tsm_unary(x, in, a, &abs_loops, TSM_RESULT_REAL, NULL, out);
}
TSM_KERNEL_ALIAS(aten_absolute, aten_abs);
TSM_KERNEL_ALIAS(prim_abs, aten_abs);

TSM_KERNEL(aten_neg) {
    if (arg_tensor(in, 0)->dtype == TSM_BOOL)
        return TSM_RAISE(
            x, "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
               "use the `~` or `logical_not()` operator instead.");
    return same(x, in, out, &neg_loops);
}
TSM_KERNEL_ALIAS(aten_negative, aten_neg);

TSM_KERNEL(aten_positive) {
    if (arg_tensor(in, 0)->dtype == TSM_BOOL)
        return TSM_RAISE(x, "The `+` operator, on a bool tensor is not supported.");
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

TSM_KERNEL(aten_sign) {
    if (tsm_dtype_is_complex((tsm_dtype)arg_tensor(in, 0)->dtype))
        return TSM_RAISE(x,
                         "Unlike NumPy, torch.sign doesn't allow for complex tensors. Please use torch.sgn instead.");
    return same(x, in, out, &sgn_loops);
}
TSM_KERNEL(aten_sgn) {
    return same(x, in, out, &sgn_loops);
}

TSM_KERNEL(aten_square) {
    tsm_tensor *a = arg_tensor(in, 0), *counted;
    if (a->dtype != TSM_BOOL)
        return same(x, in, out, &square_loops);
    TSM_TRY(tsm_tensor_to(x, a, TSM_INT64, &counted));
    return ret_tensor(out, counted);
}
TSM_KERNEL(aten__conj_physical) {
    return same(x, in, out, &conj_loops);
}
/* Conjugation is done at once here, never put off. */
TSM_KERNEL(aten_conj) {
    if (tsm_dtype_is_complex((tsm_dtype)arg_tensor(in, 0)->dtype))
        return same(x, in, out, &conj_loops);
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}
TSM_KERNEL(aten__conj) {
    if (!tsm_dtype_is_complex((tsm_dtype)arg_tensor(in, 0)->dtype))
        return TSM_RAISE(x, "%s is implemented for complex tensors only", tsm_op_name(x));
    return same(x, in, out, &conj_loops);
}
TSM_KERNEL_ALIAS(aten_conj_physical, aten_conj);
TSM_KERNEL(aten_resolve_conj) {
    TSM_UNUSED_IO();
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_resolve_neg, aten_resolve_conj);

/* 0 or pi for real numbers; NaN stays. */
FLOAT_PAIR(angle, a != a ? a : a < 0 ? 3.14159265358979f : 0.0f, a != a ? a : a < 0 ? CX_PI : 0)
TSM_LOOP1(angle_c128, double, tsm_complex, TSM_NO_PREPARE, cx_arg(a))
CX_REAL_LOOP1(angle_c64, vm_atan2(a.im, a.re))
TSM_LOOPS(
    angle, "angle_cpu",
    {[TSM_LANE_F32] = angle_f32, [TSM_LANE_F64] = angle_f64, [TSM_LANE_C128] = angle_c128, TSM_COMPLEX64_ROW(angle)})
TSM_KERNEL(aten_angle) {
    const tsm_tensor *a = arg_tensor(in, 0);
    return tsm_unary(x, in, a, &angle_loops,
                     tsm_dtype_is_complex((tsm_dtype)a->dtype) ? TSM_RESULT_REAL : TSM_RESULT_FLOATING, NULL, out);
}

/* ---- Bits and truth ---- */

TSM_LOOP1(bitwise_not_i64, int64_t, int64_t, TSM_NO_PREPARE, ~a)
TSM_NARROW_LOOP1(bitwise_not, ~a)
TSM_LOOPS(bitwise_not, "bitwise_not_cpu", {[TSM_LANE_I64] = bitwise_not_i64, TSM_NARROW_ROWS(bitwise_not)})
TSM_LOOP1(not_i64, uint8_t, int64_t, TSM_NO_PREPARE, a == 0)
TSM_LOOP1(not_f32, uint8_t, float, TSM_NO_PREPARE, a == 0)
TSM_LOOP1(not_f64, uint8_t, double, TSM_NO_PREPARE, a == 0)
TSM_LOOP1(not_c128, uint8_t, tsm_complex, TSM_NO_PREPARE, !cx_nonzero(a))
TSM_LOOPS(logical_not, "logical_not_cpu",
          {[TSM_LANE_I64] = not_i64, [TSM_LANE_F32] = not_f32, [TSM_LANE_F64] = not_f64, [TSM_LANE_C128] = not_c128})
TSM_LOOP1(not_mask, uint8_t, uint8_t, TSM_NO_PREPARE, !a)

/* ~ of a bool tensor: on bytes. */
static tsm_status invert_bool(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    const tsm_tensor *a = arg_tensor(in, 0);
    tsm_tensor *y;
    TSM_TRY(tsm_out_pointwise(x, in, TSM_BOOL, a->dims, a->sizes, &y));
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, TSM_LANE_MASK, y);
    tsm_map_in(&m, TSM_LANE_MASK, a);
    tsm_status status = tsm_map_run(x, &m, not_mask, NULL);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

TSM_KERNEL(aten_logical_not) {
    const tsm_tensor *a = arg_tensor(in, 0);
    if (a->dtype == TSM_BOOL)
        return invert_bool(x, in, out);
    return tsm_unary(x, in, a, &logical_not_loops, TSM_RESULT_BOOL, NULL, out);
}
TSM_KERNEL(aten_bitwise_not) {
    if (arg_tensor(in, 0)->dtype == TSM_BOOL)
        return invert_bool(x, in, out);
    return same(x, in, out, &bitwise_not_loops);
}

TSM_LOOP1(signbit_i64, uint8_t, int64_t, TSM_NO_PREPARE, a < 0)
TSM_LOOP1(signbit_f32, uint8_t, float, TSM_NO_PREPARE, signbit(a) != 0)
TSM_LOOP1(signbit_f64, uint8_t, double, TSM_NO_PREPARE, signbit(a) != 0)
TSM_LOOPS(signbit, "signbit_cpu",
          {[TSM_LANE_I64] = signbit_i64, [TSM_LANE_F32] = signbit_f32, [TSM_LANE_F64] = signbit_f64})
TSM_KERNEL(aten_signbit) {
    return tsm_unary(x, in, arg_tensor(in, 0), &signbit_loops, TSM_RESULT_BOOL, NULL, out);
}

/* ---- With parameters ---- */

TSM_LOOP1(logit_f32, float, float, float eps = *(const float *)k,
          (a = a < eps       ? eps
               : a > 1 - eps ? 1 - eps
                             : a,
           vm_log(a / (1 - a))))
TSM_LOOP1(logit_f64, double, double, double eps = (double)*(const float *)k,
          (a = a < eps       ? eps
               : a > 1 - eps ? 1 - eps
                             : a,
           log(a / (1 - a))))
REAL_LOOPS(logit_free, vm_log(a / (1 - a)), log(a / (1 - a)))
TSM_LOOPS(logit, "logit", {[TSM_LANE_F32] = logit_f32, [TSM_LANE_F64] = logit_f64})
TSM_KERNEL(aten_logit) {
    float eps = arg_is_none(in, 1) ? -1 : (float)arg_float(in, 1);
    return tsm_unary(x, in, arg_tensor(in, 0), eps < 0 ? &logit_free_loops : &logit_loops, TSM_RESULT_FLOATING, &eps,
                     out);
}
TSM_KERNEL_ALIAS(aten_special_logit, aten_logit);

typedef struct {
    double nan, high, low;
} replacements;
#define REPLACE_IN(T, a) a != a ? (T)r.nan : a == (T)INFINITY ? (T)r.high : a == -(T)INFINITY ? (T)r.low : a
#define REPLACE(T) REPLACE_IN(T, a)
TSM_LOOP1(nan_to_num_f32, float, float, const replacements r = *(const replacements *)k, REPLACE(float))
TSM_LOOP1(nan_to_num_f64, double, double, const replacements r = *(const replacements *)k, REPLACE(double))
TSM_LOOP1(nan_to_num_i64, int64_t, int64_t, TSM_NO_PREPARE, a)
TSM_LOOP1(nan_to_num_c128, tsm_complex, tsm_complex, const replacements r = *(const replacements *)k,
          cx(REPLACE_IN(double, a.re), REPLACE_IN(double, a.im)))
TSM_LOOPS(nan_to_num, "nan_to_num",
          {[TSM_LANE_I64] = nan_to_num_i64,
           [TSM_LANE_F32] = nan_to_num_f32,
           [TSM_LANE_F64] = nan_to_num_f64,
           [TSM_LANE_C128] = nan_to_num_c128})

TSM_KERNEL(aten_nan_to_num) {
    const tsm_tensor *a = arg_tensor(in, 0);
    double largest = a->dtype == TSM_FLOAT64 || a->dtype == TSM_COMPLEX128 ? 1.7976931348623157e308
                     : a->dtype == TSM_FLOAT16                             ? 65504
                     : a->dtype == TSM_BFLOAT16                            ? 3.3895313892515355e38
                                                                           : 3.4028234663852886e38;
    replacements r = {
        arg_is_none(in, 1) ? 0 : arg_float(in, 1),
        arg_is_none(in, 2) ? largest : arg_float(in, 2),
        arg_is_none(in, 3) ? -largest : arg_float(in, 3),
    };
    return tsm_unary(x, in, a, &nan_to_num_loops, TSM_RESULT_SAME, &r, out);
}
