#include "runtime/kernels/complex_math.h"

tsm_complex cx_div(tsm_complex a, tsm_complex b) {
    if (fabs(b.re) >= fabs(b.im)) {
        if (b.re == 0 && b.im == 0)
            return cx(a.re / fabs(b.re), a.im / fabs(b.re));
        double r = b.im / b.re, s = 1 / (b.re + b.im * r);
        return cx((a.re + a.im * r) * s, (a.im - a.re * r) * s);
    }
    double r = b.re / b.im, s = 1 / (b.re * r + b.im);
    return cx((a.re * r + a.im) * s, (a.im * r - a.re) * s);
}

tsm_complex cx_exp(tsm_complex a) {
    double e = exp(a.re);
    return a.im == 0 ? cx(e, a.im) : cx(e * cos(a.im), e * sin(a.im));
}

tsm_complex cx_log(tsm_complex a) { return cx(log(cx_abs(a)), cx_arg(a)); }

tsm_complex cx_sqrt(tsm_complex a) {
    if (a.re == 0 && a.im == 0)
        return cx(0, a.im);
    double half = sqrt((fabs(a.re) + cx_abs(a)) / 2);
    return a.re >= 0 ? cx(half, a.im / (2 * half)) : cx(fabs(a.im) / (2 * half), copysign(half, a.im));
}

tsm_complex cx_pow(tsm_complex a, tsm_complex b) {
    if (!cx_nonzero(b))
        return cx(1, 0);
    if (!cx_nonzero(a))
        return b.re > 0 ? cx(0, 0) : cx(NAN, NAN);
    return cx_exp(cx_mul(b, cx_log(a)));
}

tsm_complex cx_sinh(tsm_complex a) { return cx(sinh(a.re) * cos(a.im), cosh(a.re) * sin(a.im)); }
tsm_complex cx_cosh(tsm_complex a) { return cx(cosh(a.re) * cos(a.im), sinh(a.re) * sin(a.im)); }

/* tanh(x + iy) = (sinh 2x + i sin 2y) / (cosh 2x + cos 2y); beyond 22 the quotient is 1 to the last bit. */
tsm_complex cx_tanh(tsm_complex a) {
    if (fabs(a.re) > 22)
        return cx(copysign(1, a.re), copysign(0, sin(2 * a.im)));
    double d = cosh(2 * a.re) + cos(2 * a.im);
    return cx(sinh(2 * a.re) / d, sin(2 * a.im) / d);
}

/* f(z) = -i g(iz) connects the circular functions with the hyperbolic ones. */
static tsm_complex times_i(tsm_complex a) { return cx(-a.im, a.re); }
static tsm_complex times_minus_i(tsm_complex a) { return cx(a.im, -a.re); }

tsm_complex cx_sin(tsm_complex a) { return times_minus_i(cx_sinh(times_i(a))); }
tsm_complex cx_cos(tsm_complex a) { return cx_cosh(times_i(a)); }
tsm_complex cx_tan(tsm_complex a) { return times_minus_i(cx_tanh(times_i(a))); }

/* Kahan, "Branch cuts for complex elementary functions", 1987. */
tsm_complex cx_asin(tsm_complex a) {
    tsm_complex p = cx_sqrt(cx(1 - a.re, -a.im)), q = cx_sqrt(cx(1 + a.re, a.im));
    return cx(atan2(a.re, p.re * q.re - p.im * q.im), asinh(p.re * q.im - p.im * q.re));
}

tsm_complex cx_acos(tsm_complex a) {
    tsm_complex p = cx_sqrt(cx(1 - a.re, -a.im)), q = cx_sqrt(cx(1 + a.re, a.im));
    return cx(2 * atan2(p.re, q.re), asinh(q.re * p.im - q.im * p.re));
}

tsm_complex cx_acosh(tsm_complex a) {
    tsm_complex p = cx_sqrt(cx(a.re - 1, a.im)), q = cx_sqrt(cx(a.re + 1, a.im));
    return cx(asinh(p.re * q.re + p.im * q.im), 2 * atan2(p.im, q.re));
}

tsm_complex cx_atanh(tsm_complex a) {
    double y2 = a.im * a.im;
    double re = log1p(4 * a.re / ((1 - a.re) * (1 - a.re) + y2)) / 4;
    double im = atan2(2 * a.im, (1 - a.re) * (1 + a.re) - y2) / 2;
    return cx(re, im);
}

tsm_complex cx_asinh(tsm_complex a) { return times_minus_i(cx_asin(times_i(a))); }
tsm_complex cx_atan(tsm_complex a) { return times_minus_i(cx_atanh(times_i(a))); }
