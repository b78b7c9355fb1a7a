/* Operators on numbers that stand in registers (TSM_REGISTER_KERNEL of kernel.h): the same results as those of the
 * kernels in lang_math.c and lang_scalar.c, which also know values, complex numbers and errors. */
#include "runtime/kernels/language/lang.h"

static bool gives_float(tsm_scalar *out, double v) {
    out->f = v;
    return true;
}

static bool gives_bool(tsm_scalar *out, bool v) {
    out->i = v;
    return true;
}

/* A whole number that has 64 bits; others are errors. */
static bool gives_whole(tsm_scalar *out, double v) {
    const bool fits = v >= -0x1p63 && v < 0x1p63;
    if (fits)
        out->i = (int64_t)v;
    return fits;
}

/* ---- Functions of one number ---- */

TSM_REGISTER_KERNEL(aten_acos_float) {
    return gives_float(out, acos(in[0].f));
}
TSM_REGISTER_KERNEL(aten_acosh_float) {
    return gives_float(out, acosh(in[0].f));
}
TSM_REGISTER_KERNEL(aten_asin_float) {
    return gives_float(out, asin(in[0].f));
}
TSM_REGISTER_KERNEL(aten_asinh_float) {
    return gives_float(out, asinh(in[0].f));
}
TSM_REGISTER_KERNEL(aten_atan_float) {
    return gives_float(out, atan(in[0].f));
}
TSM_REGISTER_KERNEL(aten_atanh_float) {
    return gives_float(out, atanh(in[0].f));
}
TSM_REGISTER_KERNEL(aten_cos_float) {
    return gives_float(out, cos(in[0].f));
}
TSM_REGISTER_KERNEL(aten_cosh_float) {
    return gives_float(out, cosh(in[0].f));
}
TSM_REGISTER_KERNEL(aten_exp_float) {
    return gives_float(out, exp(in[0].f));
}
TSM_REGISTER_KERNEL(aten_log_float) {
    return gives_float(out, log(in[0].f));
}
TSM_REGISTER_KERNEL(aten_log10_float) {
    return gives_float(out, log10(in[0].f));
}
TSM_REGISTER_KERNEL(aten_sin_float) {
    return gives_float(out, sin(in[0].f));
}
TSM_REGISTER_KERNEL(aten_sinh_float) {
    return gives_float(out, sinh(in[0].f));
}
TSM_REGISTER_KERNEL(aten_sqrt_float) {
    return gives_float(out, sqrt(in[0].f));
}
TSM_REGISTER_KERNEL(aten_tan_float) {
    return gives_float(out, tan(in[0].f));
}
TSM_REGISTER_KERNEL(aten_tanh_float) {
    return gives_float(out, tanh(in[0].f));
}
TSM_REGISTER_KERNEL(aten_degrees_float) {
    return gives_float(out, in[0].f * (180 / CX_PI));
}
TSM_REGISTER_KERNEL(aten_radians_float) {
    return gives_float(out, in[0].f * (CX_PI / 180));
}
TSM_REGISTER_KERNEL(aten_erf_float) {
    return gives_float(out, erf(in[0].f));
}
TSM_REGISTER_KERNEL(aten_erfc_float) {
    return gives_float(out, erfc(in[0].f));
}
TSM_REGISTER_KERNEL(aten_expm1_float) {
    return gives_float(out, expm1(in[0].f));
}
TSM_REGISTER_KERNEL(aten_log1p_float) {
    return gives_float(out, log1p(in[0].f));
}
TSM_REGISTER_KERNEL(aten_gamma_float) {
    return gives_float(out, tgamma(in[0].f));
}
TSM_REGISTER_KERNEL(aten_lgamma_float) {
    return gives_float(out, lgamma(in[0].f));
}
TSM_REGISTER_KERNEL(aten_fabs_float) {
    return gives_float(out, fabs(in[0].f));
}
TSM_REGISTER_KERNEL(prim_abs_float) {
    return gives_float(out, fabs(in[0].f));
}
TSM_REGISTER_KERNEL(aten_round_float) {
    return gives_float(out, rint(in[0].f));
}
TSM_REGISTER_KERNEL(aten_floor_float) {
    return gives_whole(out, floor(in[0].f));
}
TSM_REGISTER_KERNEL(aten_ceil_float) {
    return gives_whole(out, ceil(in[0].f));
}
TSM_REGISTER_KERNEL(aten_isnan_float) {
    return gives_bool(out, isnan(in[0].f));
}
TSM_REGISTER_KERNEL(aten_isinf_float) {
    return gives_bool(out, isinf(in[0].f));
}
TSM_REGISTER_KERNEL(aten_isfinite_float) {
    return gives_bool(out, isfinite(in[0].f));
}

/* ---- Functions of two numbers ---- */

/* Zero to a negative power is an error. */
static bool gives_power(tsm_scalar *out, double a, double b) {
    return !(a == 0 && b < 0) && gives_float(out, lang_power(a, b));
}

TSM_REGISTER_KERNEL(aten_pow_float) {
    return gives_power(out, in[0].f, in[1].f);
}
TSM_REGISTER_KERNEL(aten_pow_int) {
    return gives_power(out, (double)in[0].i, (double)in[1].i);
}
TSM_REGISTER_KERNEL(aten_fmod_float) {
    return gives_float(out, fmod(in[0].f, in[1].f));
}
TSM_REGISTER_KERNEL(aten_mathremainder_float) {
    return gives_float(out, remainder(in[0].f, in[1].f));
}
TSM_REGISTER_KERNEL(aten_remainder_float) {
    return gives_float(out, fmod(in[1].f + fmod(in[0].f, in[1].f), in[1].f));
}
TSM_REGISTER_KERNEL(aten_floordiv_float) {
    return gives_float(out, floor(in[0].f / in[1].f));
}
TSM_REGISTER_KERNEL(aten_copysign_float) {
    return gives_float(out, copysign(in[0].f, in[1].f));
}
TSM_REGISTER_KERNEL(aten_atan2_float) {
    return gives_float(out, atan2(in[0].f, in[1].f));
}
TSM_REGISTER_KERNEL(aten_log_float_float) {
    return gives_float(out, log(in[0].f) / log(in[1].f));
}
