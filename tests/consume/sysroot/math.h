/* What libtsmobile uses of math.h, for targets whose C library is not on this machine: declarations only. */
#ifndef SYSROOT_MATH_H
#define SYSROOT_MATH_H

#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define HUGE_VAL __builtin_inf()
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

#define ONE(name) double name(double), name##f(float);
#define TWO(name) double name(double, double), name##f(float, float);
ONE(acos)
ONE(acosh)
ONE(asin)
ONE(asinh)
ONE(atan)
ONE(atanh)
ONE(ceil)
ONE(cos)
ONE(cosh)
ONE(erf)
ONE(erfc)
ONE(exp)
ONE(exp2)
ONE(expm1)
ONE(fabs)
ONE(floor)
ONE(lgamma)
ONE(log)
ONE(log10)
ONE(log1p)
ONE(log2)
ONE(nearbyint)
ONE(rint)
ONE(round)
ONE(sin)
ONE(sinh)
ONE(sqrt)
ONE(tan)
ONE(tanh)
ONE(tgamma)
ONE(trunc)
TWO(atan2)
TWO(copysign)
TWO(fdim)
TWO(fmax)
TWO(fmin)
TWO(fmod)
TWO(hypot)
TWO(nextafter)
TWO(pow)
TWO(remainder)
#undef ONE
#undef TWO
double fma(double, double, double), frexp(double, int *), ldexp(double, int), modf(double, double *);
float fmaf(float, float, float), frexpf(float, int *), ldexpf(float, int), modff(float, float *);

#endif
