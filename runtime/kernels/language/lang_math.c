/* Functions of numbers: what Python's math and cmath have. */
#include "runtime/kernels/language/lang.h"

/* ---- Functions of one number ---- */

typedef double (*real_function)(double);
typedef tsm_complex (*complex_function)(tsm_complex);

/* Applies a function to a number; `of_complex` may be NULL. */
static tsm_status math_apply(tsm_exec *x, const tsm_value *const *in, tsm_value *out, real_function of_real,
                             complex_function of_complex) {
    lang_number a = tsm_lang_number_of(*in[0]);
    if (a.kind != LANG_COMPLEX)
        return ret_float(out, of_real(a.c.re));
    return of_complex ? tsm_lang_ret_complex(x, out, of_complex(a.c)) : tsm_lang_no_complex(x);
}

static tsm_complex complex_log10(tsm_complex a) {
    return cx_scale(tsm_cx_log(a), 1 / 2.30258509299404568402);
}
static double degrees(double v) {
    return v * (180 / CX_PI);
}
static double radians(double v) {
    return v * (CX_PI / 180);
}

TSM_KERNEL(aten_acos_int) {
    return math_apply(x, in, out, acos, tsm_cx_acos);
}
TSM_KERNEL(aten_acosh_int) {
    return math_apply(x, in, out, acosh, tsm_cx_acosh);
}
TSM_KERNEL(aten_asin_int) {
    return math_apply(x, in, out, asin, tsm_cx_asin);
}
TSM_KERNEL(aten_asinh_int) {
    return math_apply(x, in, out, asinh, tsm_cx_asinh);
}
TSM_KERNEL(aten_atan_int) {
    return math_apply(x, in, out, atan, tsm_cx_atan);
}
TSM_KERNEL(aten_atanh_int) {
    return math_apply(x, in, out, atanh, tsm_cx_atanh);
}
TSM_KERNEL(aten_cos_int) {
    return math_apply(x, in, out, cos, tsm_cx_cos);
}
TSM_KERNEL(aten_cosh_int) {
    return math_apply(x, in, out, cosh, tsm_cx_cosh);
}
TSM_KERNEL(aten_exp_int) {
    return math_apply(x, in, out, exp, tsm_cx_exp);
}
TSM_KERNEL(aten_log_int) {
    return math_apply(x, in, out, log, tsm_cx_log);
}
TSM_KERNEL(aten_log10_int) {
    return math_apply(x, in, out, log10, complex_log10);
}
TSM_KERNEL(aten_sin_int) {
    return math_apply(x, in, out, sin, tsm_cx_sin);
}
TSM_KERNEL(aten_sinh_int) {
    return math_apply(x, in, out, sinh, tsm_cx_sinh);
}
TSM_KERNEL(aten_sqrt_int) {
    return math_apply(x, in, out, sqrt, tsm_cx_sqrt);
}
TSM_KERNEL(aten_tan_int) {
    return math_apply(x, in, out, tan, tsm_cx_tan);
}
TSM_KERNEL(aten_tanh_int) {
    return math_apply(x, in, out, tanh, tsm_cx_tanh);
}
TSM_KERNEL(aten_degrees_int) {
    return math_apply(x, in, out, degrees, NULL);
}
TSM_KERNEL(aten_erf_int) {
    return math_apply(x, in, out, erf, NULL);
}
TSM_KERNEL(aten_erfc_int) {
    return math_apply(x, in, out, erfc, NULL);
}
TSM_KERNEL(aten_expm1_int) {
    return math_apply(x, in, out, expm1, NULL);
}
TSM_KERNEL(aten_fabs_int) {
    return math_apply(x, in, out, fabs, NULL);
}
TSM_KERNEL(aten_gamma_int) {
    return math_apply(x, in, out, tgamma, NULL);
}
TSM_KERNEL(aten_lgamma_int) {
    return math_apply(x, in, out, lgamma, NULL);
}
TSM_KERNEL(aten_log1p_int) {
    return math_apply(x, in, out, log1p, NULL);
}
TSM_KERNEL(aten_radians_int) {
    return math_apply(x, in, out, radians, NULL);
}
TSM_KERNEL(aten_round_int) {
    return math_apply(x, in, out, rint, NULL);
}

TSM_KERNEL_ALIAS(aten_acos_float, aten_acos_int);
TSM_KERNEL_ALIAS(aten_acosh_float, aten_acosh_int);
TSM_KERNEL_ALIAS(aten_asin_float, aten_asin_int);
TSM_KERNEL_ALIAS(aten_asinh_float, aten_asinh_int);
TSM_KERNEL_ALIAS(aten_atan_float, aten_atan_int);
TSM_KERNEL_ALIAS(aten_atanh_float, aten_atanh_int);
TSM_KERNEL_ALIAS(aten_cos_float, aten_cos_int);
TSM_KERNEL_ALIAS(aten_cosh_float, aten_cosh_int);
TSM_KERNEL_ALIAS(aten_exp_float, aten_exp_int);
TSM_KERNEL_ALIAS(aten_log_float, aten_log_int);
TSM_KERNEL_ALIAS(aten_log10_float, aten_log10_int);
TSM_KERNEL_ALIAS(aten_sin_float, aten_sin_int);
TSM_KERNEL_ALIAS(aten_sinh_float, aten_sinh_int);
TSM_KERNEL_ALIAS(aten_sqrt_float, aten_sqrt_int);
TSM_KERNEL_ALIAS(aten_tan_float, aten_tan_int);
TSM_KERNEL_ALIAS(aten_tanh_float, aten_tanh_int);
TSM_KERNEL_ALIAS(aten_degrees_float, aten_degrees_int);
TSM_KERNEL_ALIAS(aten_erf_float, aten_erf_int);
TSM_KERNEL_ALIAS(aten_erfc_float, aten_erfc_int);
TSM_KERNEL_ALIAS(aten_expm1_float, aten_expm1_int);
TSM_KERNEL_ALIAS(aten_fabs_float, aten_fabs_int);
TSM_KERNEL_ALIAS(aten_gamma_float, aten_gamma_int);
TSM_KERNEL_ALIAS(aten_lgamma_float, aten_lgamma_int);
TSM_KERNEL_ALIAS(aten_log1p_float, aten_log1p_int);
TSM_KERNEL_ALIAS(aten_radians_float, aten_radians_int);
TSM_KERNEL_ALIAS(aten_round_float, aten_round_int);

TSM_KERNEL_ALIAS(aten_acos_complex, aten_acos_int);
TSM_KERNEL_ALIAS(aten_acosh_complex, aten_acosh_int);
TSM_KERNEL_ALIAS(aten_asin_complex, aten_asin_int);
TSM_KERNEL_ALIAS(aten_asinh_complex, aten_asinh_int);
TSM_KERNEL_ALIAS(aten_atan_complex, aten_atan_int);
TSM_KERNEL_ALIAS(aten_atanh_complex, aten_atanh_int);
TSM_KERNEL_ALIAS(aten_cos_complex, aten_cos_int);
TSM_KERNEL_ALIAS(aten_cosh_complex, aten_cosh_int);
TSM_KERNEL_ALIAS(aten_exp_complex, aten_exp_int);
TSM_KERNEL_ALIAS(aten_log_complex, aten_log_int);
TSM_KERNEL_ALIAS(aten_log10_complex, aten_log10_int);
TSM_KERNEL_ALIAS(aten_sin_complex, aten_sin_int);
TSM_KERNEL_ALIAS(aten_sinh_complex, aten_sinh_int);
TSM_KERNEL_ALIAS(aten_sqrt_complex, aten_sqrt_int);
TSM_KERNEL_ALIAS(aten_tan_complex, aten_tan_int);
TSM_KERNEL_ALIAS(aten_tanh_complex, aten_tanh_int);

/* A Scalar (a number whose kind is known only here): PyTorch narrows a real result to 32 bits. */
static tsm_status apply_to_scalar(tsm_exec *x, const tsm_value *const *in, tsm_value *out, real_function of_real,
                                  complex_function of_complex) {
    TSM_TRY(math_apply(x, in, out, of_real, of_complex));
    if (out->tag == TSM_TAG_FLOAT)
        out->as.f = (float)out->as.f;
    return TSM_OK;
}

TSM_KERNEL(aten_acos_Scalar) {
    return apply_to_scalar(x, in, out, acos, tsm_cx_acos);
}
TSM_KERNEL(aten_acosh_Scalar) {
    return apply_to_scalar(x, in, out, acosh, tsm_cx_acosh);
}
TSM_KERNEL(aten_asin_Scalar) {
    return apply_to_scalar(x, in, out, asin, tsm_cx_asin);
}
TSM_KERNEL(aten_asinh_Scalar) {
    return apply_to_scalar(x, in, out, asinh, tsm_cx_asinh);
}
TSM_KERNEL(aten_atan_Scalar) {
    return apply_to_scalar(x, in, out, atan, tsm_cx_atan);
}
TSM_KERNEL(aten_atanh_Scalar) {
    return apply_to_scalar(x, in, out, atanh, tsm_cx_atanh);
}
TSM_KERNEL(aten_cos_Scalar) {
    return apply_to_scalar(x, in, out, cos, tsm_cx_cos);
}
TSM_KERNEL(aten_cosh_Scalar) {
    return apply_to_scalar(x, in, out, cosh, tsm_cx_cosh);
}
TSM_KERNEL(aten_exp_Scalar) {
    return apply_to_scalar(x, in, out, exp, tsm_cx_exp);
}
TSM_KERNEL(aten_log_Scalar) {
    return apply_to_scalar(x, in, out, log, tsm_cx_log);
}
TSM_KERNEL(aten_log10_Scalar) {
    return apply_to_scalar(x, in, out, log10, complex_log10);
}
TSM_KERNEL(aten_sin_Scalar) {
    return apply_to_scalar(x, in, out, sin, tsm_cx_sin);
}
TSM_KERNEL(aten_sinh_Scalar) {
    return apply_to_scalar(x, in, out, sinh, tsm_cx_sinh);
}
TSM_KERNEL(aten_sqrt_Scalar) {
    return apply_to_scalar(x, in, out, sqrt, tsm_cx_sqrt);
}
TSM_KERNEL(aten_tan_Scalar) {
    return apply_to_scalar(x, in, out, tan, tsm_cx_tan);
}
TSM_KERNEL(aten_tanh_Scalar) {
    return apply_to_scalar(x, in, out, tanh, tsm_cx_tanh);
}
TSM_KERNEL(aten_degrees_Scalar) {
    return apply_to_scalar(x, in, out, degrees, NULL);
}
TSM_KERNEL(aten_erf_Scalar) {
    return apply_to_scalar(x, in, out, erf, NULL);
}
TSM_KERNEL(aten_erfc_Scalar) {
    return apply_to_scalar(x, in, out, erfc, NULL);
}
TSM_KERNEL(aten_expm1_Scalar) {
    return apply_to_scalar(x, in, out, expm1, NULL);
}
TSM_KERNEL(aten_fabs_Scalar) {
    return apply_to_scalar(x, in, out, fabs, NULL);
}
TSM_KERNEL(aten_gamma_Scalar) {
    return apply_to_scalar(x, in, out, tgamma, NULL);
}
TSM_KERNEL(aten_lgamma_Scalar) {
    return apply_to_scalar(x, in, out, lgamma, NULL);
}
TSM_KERNEL(aten_log1p_Scalar) {
    return apply_to_scalar(x, in, out, log1p, NULL);
}
TSM_KERNEL(aten_radians_Scalar) {
    return apply_to_scalar(x, in, out, radians, NULL);
}
TSM_KERNEL(aten_round_Scalar) {
    return apply_to_scalar(x, in, out, rint, NULL);
}

/* Rounds to an int by `of_real` (floor or ceil); ints pass through a double, but for ceil(int). */
static tsm_status apply_to_int(tsm_exec *x, const tsm_value *const *in, tsm_value *out, real_function of_real) {
    lang_number a = tsm_lang_number_of(*in[0]);
    int64_t rounded = 0;
    if (a.kind == LANG_COMPLEX)
        return tsm_lang_no_complex(x);
    TSM_TRY(tsm_lang_float_to_int(x, of_real(a.c.re), &rounded));
    return ret_int(out, rounded);
}

/* The same of a Scalar: PyTorch keeps 32 bits of it. */
static tsm_status apply_scalar_to_int(tsm_exec *x, const tsm_value *const *in, tsm_value *out, real_function of_real) {
    TSM_TRY(apply_to_int(x, in, out, of_real));
    out->as.i = lang_c_int(out->as.i);
    return TSM_OK;
}

TSM_KERNEL(aten_floor_int) {
    return apply_to_int(x, in, out, floor);
}
TSM_KERNEL(aten_ceil_int) {
    TSM_UNUSED_IO();
    return ret_int(out, arg_int(in, 0));
}
TSM_KERNEL(aten_ceil_float) {
    return apply_to_int(x, in, out, ceil);
}
TSM_KERNEL(aten_floor_Scalar) {
    return apply_scalar_to_int(x, in, out, floor);
}
TSM_KERNEL(aten_ceil_Scalar) {
    return apply_scalar_to_int(x, in, out, ceil);
}
TSM_KERNEL_ALIAS(aten_floor_float, aten_floor_int);

/* The argument; that of a real number is pi or 0, by its sign. */
static double angle(lang_number a) {
    if (a.kind == LANG_COMPLEX)
        return cx_arg(a.c);
    return signbit(a.c.re) ? CX_PI : 0;
}

TSM_KERNEL(aten_angle_int) {
    TSM_UNUSED_IO();
    return ret_float(out, angle(tsm_lang_number_of(*in[0])));
}
TSM_KERNEL_ALIAS(aten_angle_float, aten_angle_int);
TSM_KERNEL_ALIAS(aten_angle_complex, aten_angle_int);

TSM_KERNEL(aten_angle_Scalar) {
    TSM_UNUSED_IO();
    return ret_float(out, (float)angle(tsm_lang_number_of(*in[0])));
}

TSM_KERNEL(aten_isnan_float) {
    TSM_UNUSED_IO();
    tsm_complex c = tsm_lang_number_of(*in[0]).c;
    return ret_bool(out, isnan(c.re) || isnan(c.im));
}
TSM_KERNEL_ALIAS(aten_isnan_complex, aten_isnan_float);

TSM_KERNEL(aten_isinf_float) {
    TSM_UNUSED_IO();
    tsm_complex c = tsm_lang_number_of(*in[0]).c;
    return ret_bool(out, isinf(c.re) || isinf(c.im));
}
TSM_KERNEL_ALIAS(aten_isinf_complex, aten_isinf_float);

TSM_KERNEL(aten_isfinite_float) {
    TSM_UNUSED_IO();
    tsm_complex c = tsm_lang_number_of(*in[0]).c;
    return ret_bool(out, isfinite(c.re) && isfinite(c.im));
}
TSM_KERNEL_ALIAS(aten_isfinite_complex, aten_isfinite_float);

TSM_KERNEL(aten_frexp) {
    TSM_UNUSED_IO();
    double v = arg_float(in, 0);
    int exponent = 0;
    double fraction = isfinite(v) ? frexp(v, &exponent) : v;
    return lang_ret_pair(out, tsm_float(fraction), tsm_int(exponent));
}

TSM_KERNEL(aten_modf) {
    TSM_UNUSED_IO();
    double whole, fraction = modf(arg_float(in, 0), &whole);
    return lang_ret_pair(out, tsm_float(fraction), tsm_float(whole));
}

TSM_KERNEL(aten_ldexp) {
    TSM_UNUSED_IO();
    return ret_float(out, ldexp(arg_float(in, 0), lang_c_int(arg_int(in, 1))));
}

/* The product of the odd numbers up to n. */
static uint64_t odd_product(int64_t n) {
    uint64_t product = 1;
    for (int64_t i = 3; i <= n; i += 2)
        product *= (uint64_t)i;
    return product;
}

/* As Python's: the odd factors, and the powers of two as one shift. In 64 bits the product wraps, and the shift uses
 * the low six bits of its distance. PyTorch narrows the argument to C's int. */
TSM_KERNEL(aten_factorial_int) {
    const int32_t n = lang_c_int(arg_int(in, 0));
    if (n < 0)
        return TSM_RAISE(x, "factorial() not defined for negative values");
    uint64_t odd = 1, shift = 0;
    TSM_TRY(tsm_charge(x, (uint64_t)n));
    for (int32_t rest = n; rest > 1; rest /= 2) { /* n! has the odd numbers up to n, n/2, n/4 ... */
        odd *= odd_product(rest);
        shift += (uint64_t)(rest / 2);
    }
    return ret_int(out, (int64_t)(odd << (shift & 63)));
}

/* ---- Functions of two numbers ---- */

typedef double (*real_function2)(double, double);

static tsm_status apply2(tsm_exec *x, const tsm_value *const *in, tsm_value *out, real_function2 f) {
    lang_operands o = tsm_lang_operands_of(in);
    return o.kind == LANG_COMPLEX ? tsm_lang_no_complex(x) : ret_float(out, f(o.a.c.re, o.b.c.re));
}

TSM_KERNEL(aten_fmod_int) {
    return apply2(x, in, out, fmod);
}
TSM_KERNEL_ALIAS(aten_fmod, aten_fmod_int);
TSM_KERNEL_ALIAS(aten_fmod_float, aten_fmod_int);
TSM_KERNEL_ALIAS(aten_fmod_int_float, aten_fmod_int);
TSM_KERNEL_ALIAS(aten_fmod_float_int, aten_fmod_int);

TSM_KERNEL(aten_mathremainder_int) {
    return apply2(x, in, out, remainder);
}
TSM_KERNEL_ALIAS(aten_mathremainder, aten_mathremainder_int);
TSM_KERNEL_ALIAS(aten_mathremainder_float, aten_mathremainder_int);
TSM_KERNEL_ALIAS(aten_mathremainder_int_float, aten_mathremainder_int);
TSM_KERNEL_ALIAS(aten_mathremainder_float_int, aten_mathremainder_int);

TSM_KERNEL(aten_copysign_int) {
    return apply2(x, in, out, copysign);
}
TSM_KERNEL_ALIAS(aten_copysign, aten_copysign_int);
TSM_KERNEL_ALIAS(aten_copysign_float, aten_copysign_int);
TSM_KERNEL_ALIAS(aten_copysign_int_float, aten_copysign_int);
TSM_KERNEL_ALIAS(aten_copysign_float_int, aten_copysign_int);

TSM_KERNEL(aten_atan2_int) {
    return apply2(x, in, out, atan2);
}
TSM_KERNEL_ALIAS(aten_atan2_float, aten_atan2_int);
TSM_KERNEL_ALIAS(aten_atan2_int_float, aten_atan2_int);
TSM_KERNEL_ALIAS(aten_atan2_float_int, aten_atan2_int);
TSM_KERNEL_ALIAS(aten_atan2_Scalar_Scalar, aten_atan2_int);

/* The logarithm. That of a negative real number is NaN even when the other operand is complex. */
static tsm_complex log_of(const lang_number *n) {
    return n->kind == LANG_COMPLEX ? tsm_cx_log(n->c) : cx(log(n->c.re), 0);
}

/* The logarithm of the first number to the base of the second. */
TSM_KERNEL(aten_log_int_int) {
    lang_operands o = tsm_lang_operands_of(in);
    tsm_complex a = log_of(&o.a), b = log_of(&o.b);
    if (o.kind != LANG_COMPLEX)
        return ret_float(out, a.re / b.re);
    return tsm_lang_ret_complex(
        x, out, o.b.kind == LANG_COMPLEX ? tsm_lang_divide_complex(a, b) : cx(a.re / b.re, a.im / b.re));
}
TSM_KERNEL_ALIAS(aten_log_float_float, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_int_float, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_float_int, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_complex_complex, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_int_complex, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_complex_int, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_float_complex, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_complex_float, aten_log_int_int);

TSM_KERNEL(aten_log_Scalar_Scalar) {
    return tsm_lang_operands_of(in).kind == LANG_COMPLEX ? tsm_lang_no_complex(x) : tsm_k_aten_log_int_int(x, in, out);
}

/* The complex number of this magnitude and angle. */
TSM_KERNEL(aten_polar_int) {
    lang_operands o = tsm_lang_operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return tsm_lang_no_complex(x);
    return tsm_lang_ret_complex(x, out, cx_polar(o.a.c.re, o.b.c.re));
}
TSM_KERNEL_ALIAS(aten_polar_float, aten_polar_int);
TSM_KERNEL_ALIAS(aten_polar_int_float, aten_polar_int);
TSM_KERNEL_ALIAS(aten_polar_float_int, aten_polar_int);
TSM_KERNEL_ALIAS(aten_polar_Scalar_Scalar, aten_polar_int);

TSM_KERNEL(aten_gcd_int) {
    TSM_UNUSED_IO();
    int64_t a = arg_int(in, 0), b = arg_int(in, 1);
    while (b) {
        int64_t r = wrap_rest(a, b);
        a = b;
        b = r;
    }
    return ret_int(out, a < 0 ? wrap_sub(0, a) : a);
}
