/* Functions of a complex number, on principal branches. */
#ifndef TSM_KERNELS_COMPLEX_MATH_H
#define TSM_KERNELS_COMPLEX_MATH_H

#include <math.h>

#include "runtime/tensor/lanes.h"

#define CX_PI 3.14159265358979323846

static inline tsm_complex cx(double re, double im) {
    return (tsm_complex){re, im};
}
/* An element of complex64, and the number that it is rounded from. */
typedef tsm_complex_floats cx_floats;
static inline cx_floats cx_narrow(tsm_complex a) {
    return (cx_floats){(float)a.re, (float)a.im};
}
static inline tsm_complex cx_widen(cx_floats a) {
    return (tsm_complex){a.re, a.im};
}
/* A number of any kind (int, bool, float, complex) as a complex one. */
static inline tsm_complex cx_of(tsm_value number) {
    switch (number.tag) {
    case TSM_TAG_FLOAT:
        return cx(number.as.f, 0);
    case TSM_TAG_COMPLEX:
        return cx(tsm_as_complex(number)->re, tsm_as_complex(number)->im);
    case TSM_TAG_BOOL:
        return cx(number.as.b, 0);
    default:
        return cx((double)number.as.i, 0);
    }
}
static inline tsm_complex cx_add(tsm_complex a, tsm_complex b) {
    return cx(a.re + b.re, a.im + b.im);
}
static inline tsm_complex cx_sub(tsm_complex a, tsm_complex b) {
    return cx(a.re - b.re, a.im - b.im);
}
static inline tsm_complex cx_mul(tsm_complex a, tsm_complex b) {
    return cx(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
/* cx_mul, but a product with an infinite factor is infinite even where the formula gives NaN for both parts (C11, annex
 * G.5.1). */
tsm_complex tsm_cx_mul_limits(tsm_complex a, tsm_complex b);
static inline tsm_complex cx_scale(tsm_complex a, double s) {
    return cx(a.re * s, a.im * s);
}
static inline tsm_complex cx_polar(double size, double angle) {
    return cx(size * cos(angle), size * sin(angle));
}
static inline tsm_complex cx_conjugate(tsm_complex a) {
    return cx(a.re, -a.im);
}
static inline tsm_complex cx_neg(tsm_complex a) {
    return cx(-a.re, -a.im);
}
/* The sum of the magnitudes of both parts: an upper bound of the absolute value, without a root. */
static inline double cx_size(tsm_complex a) {
    return fabs(a.re) + fabs(a.im);
}
/* The absolute value, by the sum of squares where that neither overflows nor loses digits. */
static inline double cx_abs(tsm_complex a) {
    double squares = a.re * a.re + a.im * a.im;
    return squares > 1e-280 && squares < 1e300 ? sqrt(squares) : hypot(a.re, a.im);
}
/* Of an element of complex64, whose squares need no care. */
static inline float cx_abs_floats(cx_floats a) {
    const double re = a.re, im = a.im, size = sqrt(re * re + im * im);
    const int is_infinite = (int)(fabsf(a.re) == INFINITY) | (int)(fabsf(a.im) == INFINITY);
    return is_infinite ? INFINITY : (float)size;
}
static inline double cx_arg(tsm_complex a) {
    return atan2(a.im, a.re);
}
static inline bool cx_equal(tsm_complex a, tsm_complex b) {
    return a.re == b.re && a.im == b.im;
}
static inline bool cx_nonzero(tsm_complex a) {
    return a.re != 0 || a.im != 0;
}
/* Scaled by the larger part of the divisor, so that squares do not overflow (Smith, 1962). By 0 it is NaN, as where
 * PyTorch divides whole vectors. */
tsm_complex tsm_cx_div(tsm_complex a, tsm_complex b);
/* The same without branches, for loops that compilers vectorize. */
static inline tsm_complex cx_div_straight(tsm_complex a, tsm_complex b) {
    const bool is_real = fabs(b.re) >= fabs(b.im);
    const double p = is_real ? b.re : b.im, q = is_real ? b.im : b.re;
    const double x = is_real ? a.re : a.im, y = is_real ? a.im : a.re;
    const double r = q / p, s = 1 / (p + q * r), im = (y - x * r) * s;
    return cx((x + y * r) * s, is_real ? im : -im);
}
/* Of elements of complex64 in float, where cx_divides_near: no square and no product overflows or vanishes. */
static inline int cx_divides_near(cx_floats a, cx_floats b) {
    const float size = b.re * b.re + b.im * b.im;
    return (int)(size > 0x1p-60f) & (int)(size < 0x1p60f) & (int)(fabsf(a.re) < 0x1p60f) & (int)(fabsf(a.im) < 0x1p60f);
}
static inline cx_floats cx_div_near(cx_floats a, cx_floats b) {
    const float by = 1 / (b.re * b.re + b.im * b.im);
    return (cx_floats){(a.re * b.re + a.im * b.im) * by, (a.im * b.re - a.re * b.im) * by};
}
static inline cx_floats cx_reciprocal_near(cx_floats a) {
    const float size = a.re * a.re + a.im * a.im;
    return (cx_floats){a.re / size, -a.im / size};
}
tsm_complex tsm_cx_exp(tsm_complex a);
tsm_complex tsm_cx_log(tsm_complex a);
/* exp(a) - 1 and log(1 + a), accurate where a is small. */
tsm_complex tsm_cx_expm1(tsm_complex a);
tsm_complex tsm_cx_log1p(tsm_complex a);
/* log(exp(a) + exp(b)) without large intermediate results. */
tsm_complex tsm_cx_log_add_exp(tsm_complex a, tsm_complex b);
tsm_complex tsm_cx_sqrt(tsm_complex a);
tsm_complex tsm_cx_pow(tsm_complex a, tsm_complex b);
tsm_complex tsm_cx_sin(tsm_complex a);
tsm_complex tsm_cx_cos(tsm_complex a);
tsm_complex tsm_cx_tan(tsm_complex a);
tsm_complex tsm_cx_sinh(tsm_complex a);
tsm_complex tsm_cx_cosh(tsm_complex a);
tsm_complex tsm_cx_tanh(tsm_complex a);
tsm_complex tsm_cx_asin(tsm_complex a);
tsm_complex tsm_cx_acos(tsm_complex a);
tsm_complex tsm_cx_atan(tsm_complex a);
tsm_complex tsm_cx_asinh(tsm_complex a);
tsm_complex tsm_cx_acosh(tsm_complex a);
tsm_complex tsm_cx_atanh(tsm_complex a);

#endif
