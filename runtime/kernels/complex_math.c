/* Functions of complex numbers. */
#include "runtime/kernels/complex_math.h"

tsm_complex tsm_cx_div(tsm_complex a, tsm_complex b) {
    if (fabs(b.re) >= fabs(b.im)) {
        if (b.re == 0) /* and b.im, whose magnitude is not greater */
            return cx(NAN, NAN);
        double r = b.im / b.re, s = 1 / (b.re + b.im * r);
        return cx((a.re + a.im * r) * s, (a.im - a.re * r) * s);
    }
    double r = b.re / b.im, s = 1 / (b.re * r + b.im);
    return cx((a.re * r + a.im) * s, (a.im * r - a.re) * s);
}

/* Infinities, NaNs and the signs of zeros are those of C11, annex G.6. */

static bool cx_is_finite(tsm_complex a) {
    return isfinite(a.re) && isfinite(a.im);
}

/* The factor that stands for a in an infinite product (C11, annex G.5.1): when a is infinite, its infinite parts become
 * 1 and the others 0; when not, its NaN parts become 0. Signs are kept. */
static tsm_complex direction(tsm_complex a) {
    if (!isinf(a.re) && !isinf(a.im))
        return cx(isnan(a.re) ? copysign(0, a.re) : a.re, isnan(a.im) ? copysign(0, a.im) : a.im);
    return cx(copysign(isinf(a.re), a.re), copysign(isinf(a.im), a.im));
}

tsm_complex tsm_cx_mul_limits(tsm_complex a, tsm_complex b) {
    tsm_complex product = cx_mul(a, b);
    bool infinite = isinf(a.re) || isinf(a.im) || isinf(b.re) || isinf(b.im);
    if (!isnan(product.re) || !isnan(product.im) || !infinite)
        return product;
    return cx_scale(cx_mul(direction(a), direction(b)), INFINITY);
}

tsm_complex tsm_cx_exp(tsm_complex a) {
    double e = exp(a.re);
    if (isinf(a.re) && !isfinite(a.im))
        return a.re < 0 ? cx(0, copysign(0, a.im)) : cx(a.re, NAN);
    return a.im == 0 ? cx(e, a.im) : cx(e * cos(a.im), e * sin(a.im));
}

tsm_complex tsm_cx_log(tsm_complex a) {
    return cx(log(cx_abs(a)), cx_arg(a));
}

tsm_complex tsm_cx_sqrt(tsm_complex a) {
    if (a.re == 0 && a.im == 0)
        return cx(0, a.im);
    if (isinf(a.im))
        return cx(INFINITY, a.im);
    double half = sqrt((fabs(a.re) + cx_abs(a)) / 2);
    return a.re >= 0 ? cx(half, a.im / (2 * half)) : cx(fabs(a.im) / (2 * half), copysign(half, a.im));
}

tsm_complex tsm_cx_pow(tsm_complex a, tsm_complex b) {
    if (!cx_nonzero(b))
        return cx(1, 0);
    if (!cx_nonzero(a))
        return b.re > 0 ? cx(0, 0) : cx(NAN, NAN);
    return tsm_cx_exp(cx_mul(b, tsm_cx_log(a)));
}

/* Kahan's formulas: exp(x + iy) - 1 = expm1(x) cos y - 2 sin(y / 2)^2 + i exp(x) sin y. */
tsm_complex tsm_cx_expm1(tsm_complex a) {
    if (!cx_is_finite(a) || a.im == 0)
        return a.im == 0 ? cx(expm1(a.re), a.im) : cx_sub(tsm_cx_exp(a), cx(1, 0));
    double half = sin(a.im / 2);
    return cx(expm1(a.re) * cos(a.im) - 2 * half * half, exp(a.re) * sin(a.im));
}

tsm_complex tsm_cx_log1p(tsm_complex a) {
    tsm_complex sum = cx(1 + a.re, a.im);
    if (!(cx_size(a) <= 0.5))
        return tsm_cx_log(sum);
    return cx(log1p(a.re * (2 + a.re) + a.im * a.im) / 2, cx_arg(sum));
}

tsm_complex tsm_cx_log_add_exp(tsm_complex a, tsm_complex b) {
    if (isnan(a.re) || isnan(a.im) || isnan(b.re) || isnan(b.im))
        return cx(NAN, NAN);
    tsm_complex low = a.re < b.re ? a : b, high = a.re < b.re ? b : a;
    if (isinf(low.re) && low.re == high.re) /* of two numbers that are 0 the angle means nothing */
        return low.re < 0 ? low : tsm_cx_log(cx_add(tsm_cx_exp(low), tsm_cx_exp(high)));
    return cx_add(tsm_cx_log1p(tsm_cx_exp(cx_sub(low, high))), high);
}

tsm_complex tsm_cx_sinh(tsm_complex a) {
    if (a.im == 0)
        return cx(sinh(a.re), a.im);
    if (!isfinite(a.im))
        return cx(a.re == 0 ? a.re : isinf(a.re) ? INFINITY : NAN, NAN);
    return cx(sinh(a.re) * cos(a.im), cosh(a.re) * sin(a.im));
}

tsm_complex tsm_cx_cosh(tsm_complex a) {
    if (a.im == 0)
        return cx(cosh(a.re), isnan(a.re) ? a.im : a.im * copysign(1, a.re));
    if (!isfinite(a.im))
        return cx(isinf(a.re) ? INFINITY : NAN, a.re == 0 ? 0 : NAN);
    return cx(cosh(a.re) * cos(a.im), sinh(a.re) * sin(a.im));
}

/* tanh(x + iy) = (sinh 2x + i sin 2y) / (cosh 2x + cos 2y); beyond 22 both hyperbolic functions are e^|2x| / 2 to the
 * last bit. */
tsm_complex tsm_cx_tanh(tsm_complex a) {
    if (a.im == 0)
        return cx(tanh(a.re), a.im);
    if (!isfinite(a.im))
        return isinf(a.re) ? cx(copysign(1, a.re), copysign(0, a.im)) : cx(a.re == 0 ? a.re : NAN, NAN);
    if (fabs(a.re) > 22)
        return cx(copysign(1, a.re), 2 * sin(2 * a.im) * exp(-2 * fabs(a.re)));
    double d = cosh(2 * a.re) + cos(2 * a.im);
    return cx(sinh(2 * a.re) / d, sin(2 * a.im) / d);
}

/* f(z) = -i g(iz) connects the circular functions with the hyperbolic ones. */
static tsm_complex times_i(tsm_complex a) {
    return cx(-a.im, a.re);
}
static tsm_complex times_minus_i(tsm_complex a) {
    return cx(a.im, -a.re);
}

tsm_complex tsm_cx_sin(tsm_complex a) {
    return times_minus_i(tsm_cx_sinh(times_i(a)));
}
tsm_complex tsm_cx_cos(tsm_complex a) {
    return tsm_cx_cosh(times_i(a));
}
tsm_complex tsm_cx_tan(tsm_complex a) {
    return times_minus_i(tsm_cx_tanh(times_i(a)));
}

/* asinh of a number of which a part is infinite or NaN. */
static tsm_complex asinh_of_limit(tsm_complex a) {
    if (isinf(a.im))
        return cx(copysign(INFINITY, a.re), isnan(a.re) ? NAN : copysign(isinf(a.re) ? CX_PI / 4 : CX_PI / 2, a.im));
    if (isinf(a.re))
        return cx(a.re, isnan(a.im) ? NAN : copysign(0, a.im));
    return cx(NAN, a.im == 0 ? a.im : NAN);
}

/* Kahan, "Branch cuts for complex elementary functions", 1987. */
tsm_complex tsm_cx_asin(tsm_complex a) {
    if (!cx_is_finite(a))
        return a.re == 0 && isnan(a.im) ? a : times_minus_i(asinh_of_limit(times_i(a)));
    tsm_complex p = tsm_cx_sqrt(cx(1 - a.re, -a.im)), q = tsm_cx_sqrt(cx(1 + a.re, a.im));
    return cx(atan2(a.re, p.re * q.re - p.im * q.im), asinh(p.re * q.im - p.im * q.re));
}

tsm_complex tsm_cx_acos(tsm_complex a) {
    if (!cx_is_finite(a)) {
        tsm_complex arcsine = tsm_cx_asin(a);
        return cx(CX_PI / 2 - arcsine.re, -arcsine.im);
    }
    tsm_complex p = tsm_cx_sqrt(cx(1 - a.re, -a.im)), q = tsm_cx_sqrt(cx(1 + a.re, a.im));
    return cx(2 * atan2(p.re, q.re), asinh(q.re * p.im - q.im * p.re));
}

tsm_complex tsm_cx_acosh(tsm_complex a) {
    if (isinf(a.re) || isinf(a.im))
        return cx(INFINITY, isnan(a.re) || isnan(a.im) ? NAN : cx_arg(a));
    if (!cx_is_finite(a))
        return cx(NAN, a.re == 0 ? CX_PI / 2 : NAN);
    tsm_complex p = tsm_cx_sqrt(cx(a.re - 1, a.im)), q = tsm_cx_sqrt(cx(a.re + 1, a.im));
    return cx(asinh(p.re * q.re + p.im * q.im), 2 * atan2(p.im, q.re));
}

tsm_complex tsm_cx_atanh(tsm_complex a) {
    if (!cx_is_finite(a)) {
        if (isinf(a.im))
            return cx(copysign(0, a.re), copysign(CX_PI / 2, a.im));
        if (isinf(a.re) || a.re == 0)
            return cx(copysign(0, a.re), isnan(a.im) ? NAN : copysign(CX_PI / 2, a.im));
        return cx(NAN, NAN);
    }
    const double size = cx_abs(a), large = 0x1p27; /* beyond, 1 is lost in the square, which may overflow */
    if (size > large)                              /* 1 / a on the side of the cut where a lies */
        return cx(a.re / size / size, copysign(CX_PI / 2, a.im) - a.im / size / size);
    const double x = fabs(a.re), y2 = a.im * a.im, distance = (1 - x) * (1 - x) + y2; /* from 1, squared */
    const double re = distance > 0x1p-900 ? log1p(4 * x / distance) / 4 : (log(2) - log(fabs(a.im))) / 2;
    return cx(copysign(re, a.re), atan2(2 * a.im, (1 - x) * (1 + x) - y2) / 2);
}

tsm_complex tsm_cx_asinh(tsm_complex a) {
    return cx_is_finite(a) ? times_minus_i(tsm_cx_asin(times_i(a))) : asinh_of_limit(a);
}
tsm_complex tsm_cx_atan(tsm_complex a) {
    return times_minus_i(tsm_cx_atanh(times_i(a)));
}
