/* Functions of complex numbers against those of the C library, for every pair of parts from a list of ordinary numbers,
 * tiny and huge ones, both zeros, both infinities and NaN. Infinities, NaNs and signs must be those of C11, annex G;
 * the sign of a zero or of an infinity that the annex leaves open is not compared. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "runtime/kernels/complex_math.h"

static const double parts[] = {0.0,   -0.0, 1.0,    -1.0,    0.5,   -0.5,   3.25,     -3.25,     1e-9,
                               -1e-9, 20.0, 1e-310, -1e-310, 1e200, -1e200, INFINITY, -INFINITY, NAN};
enum { PARTS = sizeof parts / sizeof *parts };

typedef double complex number;
/* As CMPLX, which not every compiler has: `re + im * I` makes NaN of infinite parts. */
static number make(double re, double im) {
    const union {
        double parts[2];
        number whole;
    } n = {{re, im}};
    return n.whole;
}
typedef tsm_complex ours_of_one(tsm_complex a);
typedef number known_of_one(number a);

/* Of small numbers a difference is too coarse, and the sign of a zero is that of the number. */
static number known_expm1(number a) {
    const number known = cexp(a) - 1;
    return make(creal(a) == 0 && creal(known) == 0 ? creal(a) : creal(known), cimag(known));
}
static number known_log1p(number a) {
    return clog(make(1 + creal(a), cimag(a)));
}

static const struct {
    const char *name;
    ours_of_one *ours;
    known_of_one *known;
    double tolerance;
} functions[] = {
    {"exp", tsm_cx_exp, cexp, 1e-14},           {"log", tsm_cx_log, clog, 1e-14},
    {"sqrt", tsm_cx_sqrt, csqrt, 1e-14},        {"sin", tsm_cx_sin, csin, 1e-14},
    {"cos", tsm_cx_cos, ccos, 1e-14},           {"tan", tsm_cx_tan, ctan, 1e-14},
    {"sinh", tsm_cx_sinh, csinh, 1e-14},        {"cosh", tsm_cx_cosh, ccosh, 1e-14},
    {"tanh", tsm_cx_tanh, ctanh, 1e-14},        {"asin", tsm_cx_asin, casin, 1e-14},
    {"acos", tsm_cx_acos, cacos, 1e-14},        {"atan", tsm_cx_atan, catan, 1e-14},
    {"asinh", tsm_cx_asinh, casinh, 1e-14},     {"acosh", tsm_cx_acosh, cacosh, 1e-14},
    {"atanh", tsm_cx_atanh, catanh, 1e-14},     {"expm1", tsm_cx_expm1, known_expm1, 1e-6},
    {"log1p", tsm_cx_log1p, known_log1p, 1e-6},
};

/* `is_open`: the other part is NaN, and then the sign of an infinite one means nothing. */
static bool alike(double a, double b, double size, double tolerance, bool is_open) {
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return is_open ? isinf(a) && isinf(b) : a == b;
    return fabs(a - b) <= tolerance * (size > 1 ? size : 1) && (a != 0 || b != 0 || signbit(a) == signbit(b));
}

static size_t wrong;

static void compare(const char *name, tsm_complex a, tsm_complex ours, number known, double tolerance) {
    const double size = isfinite(cabs(known)) ? cabs(known) : 0;
    if (alike(ours.re, creal(known), size, tolerance, isnan(ours.im)) &&
        alike(ours.im, cimag(known), size, tolerance, isnan(ours.re)))
        return;
    wrong++;
    print_error("%s(%g %+gi) = %g %+gi, the C library says %g %+gi\n", name, a.re, a.im, ours.re, ours.im, creal(known),
                cimag(known));
}

/* Of two numbers. Products and quotients of finite numbers may lose digits where parts cancel each other, so that the
 * size of the terms counts; the C library's compiler multiplies with the annex's care for infinities. */
static void test_products(void **state) {
    (void)state;
    for (int i = 0; i < PARTS * PARTS; i++)
        for (int k = 0; k < PARTS * PARTS; k++) {
            const tsm_complex a = cx(parts[i / PARTS], parts[i % PARTS]), b = cx(parts[k / PARTS], parts[k % PARTS]);
            const number known = make(a.re, a.im) * make(b.re, b.im);
            const tsm_complex ours = tsm_cx_mul_limits(a, b);
            const double size = cx_size(a) * cx_size(b);
            if (isfinite(size) && (!alike(ours.re, creal(known), size, 1e-15, false) ||
                                   !alike(ours.im, cimag(known), size, 1e-15, false)))
                fail_msg("(%g %+gi) * (%g %+gi) = %g %+gi", a.re, a.im, b.re, b.im, ours.re, ours.im);
            /* An infinite factor makes the product infinite, unless the other one is 0 or NaN in all parts. */
            const bool known_is_infinite = isinf(creal(known)) || isinf(cimag(known));
            const bool is_infinite = isinf(a.re) || isinf(a.im) || isinf(b.re) || isinf(b.im);
            if (is_infinite && known_is_infinite != (isinf(ours.re) || isinf(ours.im)))
                fail_msg("(%g %+gi) * (%g %+gi) = %g %+gi, the C library says %g %+gi", a.re, a.im, b.re, b.im, ours.re,
                         ours.im, creal(known), cimag(known));
        }
}

static void test_quotients(void **state) {
    (void)state;
    for (int i = 0; i < PARTS * PARTS; i++)
        for (int k = 0; k < PARTS * PARTS; k++) {
            const tsm_complex a = cx(parts[i / PARTS], parts[i % PARTS]), b = cx(parts[k / PARTS], parts[k % PARTS]);
            const tsm_complex ours = tsm_cx_div(a, b);
            if (b.re == 0 && b.im == 0) { /* as PyTorch's of whole vectors */
                assert_true(isnan(ours.re) && isnan(ours.im));
                continue;
            }
            const number known = make(a.re, a.im) / make(b.re, b.im);
            const double size = cx_size(a) / cx_size(b);
            if (!isnormal(size) || size > 1e300 || cx_size(a) < 1e-300 || cx_size(b) < 1e-300)
                continue; /* out of range on the way */
            if (!alike(ours.re + 0, creal(known) + 0, size, 1e-14, false) ||
                !alike(ours.im + 0, cimag(known) + 0, size, 1e-14, false))
                fail_msg("(%g %+gi) / (%g %+gi) = %g %+gi, the C library says %g %+gi", a.re, a.im, b.re, b.im, ours.re,
                         ours.im, creal(known), cimag(known));
        }
}

/* pow by its definition, with 0 as a base and as an exponent apart. */
static void test_powers(void **state) {
    (void)state;
    for (int i = 0; i < PARTS * PARTS; i++)
        for (int k = 0; k < PARTS * PARTS; k++) {
            const tsm_complex a = cx(parts[i / PARTS], parts[i % PARTS]), b = cx(parts[k / PARTS], parts[k % PARTS]);
            const tsm_complex ours = tsm_cx_pow(a, b);
            if (b.re == 0 && b.im == 0) {
                assert_true(ours.re == 1 && ours.im == 0);
            } else if (a.re == 0 && a.im == 0) {
                assert_true(b.re > 0 ? ours.re == 0 && ours.im == 0 : isnan(ours.re) && isnan(ours.im));
            } else if (cx_size(a) < 1e10 && cx_size(a) > 1e-10 && cx_size(b) < 10) {
                const number known = cpow(make(a.re, a.im), make(b.re, b.im));
                const double error = cabs(make(ours.re, ours.im) - known);
                if (!(error <= 1e-13 * cabs(known)))
                    fail_msg("(%g %+gi) ** (%g %+gi) = %g %+gi", a.re, a.im, b.re, b.im, ours.re, ours.im);
            }
        }
}

/* log(exp(a) + exp(b)) where the C library can compute it so, and where an exponential is 0 or infinite. */
static void test_log_add_exp(void **state) {
    (void)state;
    for (int i = 0; i < PARTS * PARTS; i++)
        for (int k = 0; k < PARTS * PARTS; k++) {
            const tsm_complex a = cx(parts[i / PARTS], parts[i % PARTS]), b = cx(parts[k / PARTS], parts[k % PARTS]);
            const tsm_complex ours = tsm_cx_log_add_exp(a, b);
            const number p = make(a.re, a.im), q = make(b.re, b.im);
            if (isnan(cx_size(a)) || isnan(cx_size(b))) {
                assert_true(isnan(ours.re) && isnan(ours.im));
            } else if (a.re == -INFINITY && b.re == -INFINITY) {
                assert_true(ours.re == -INFINITY);
            } else if (cx_size(a) < 30 && cx_size(b) < 30) {
                const number sum = cexp(p) + cexp(q);
                const double lost = (cabs(cexp(p)) + cabs(cexp(q))) / cabs(sum);
                const double error = cabs(cexp(make(ours.re, ours.im)) - sum);
                if (cabs(sum) > 1e-12 && !(error <= 1e-13 * (1 + lost) * cabs(sum)))
                    fail_msg("log_add_exp(%g %+gi, %g %+gi) = %g %+gi", a.re, a.im, b.re, b.im, ours.re, ours.im);
            } else if (a.re == INFINITY && isfinite(a.im) && isfinite(b.re) && isfinite(b.im)) {
                assert_true(ours.re == INFINITY);
            }
        }
}

static void test_functions(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int i = 0; i < PARTS * PARTS; i++) {
            const tsm_complex a = cx(parts[i / PARTS], parts[i % PARTS]);
            compare(functions[f].name, a, functions[f].ours(a), functions[f].known(make(a.re, a.im)),
                    functions[f].tolerance);
        }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions), cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_quotients), cmocka_unit_test(test_powers),
                                       cmocka_unit_test(test_log_add_exp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
