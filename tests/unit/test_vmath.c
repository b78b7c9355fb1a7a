/* The elementary functions of vmath.h against libm in double precision, and those of vmath64.h against long double,
 * whose precision must be more than double's for that: on a grid of all numbers, and at special values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "runtime/kernels/simd/vmath.h"
#include "runtime/kernels/simd/vmath64.h"

#include <float.h>

enum { STEP = 4999 }; /* of the bit patterns that are tried */

/* The error in units in the last place of the right result. */
static double error_in_ulp(float y, double right) {
    const float nearest = (float)right;
    if (isnan(right) || isnan(y))
        return isnan(right) && isnan(y) ? 0 : INFINITY;
    if (isinf(nearest) || isinf(y))
        return nearest == y ? 0 : INFINITY;
    double unit = (double)nextafterf(fabsf(nearest), INFINITY) - (double)fabsf(nearest);
    return fabs((double)y - right) / unit;
}

static float float_of(uint32_t bits) {
    return vm_float(bits);
}

typedef struct {
    const char *name;
    float (*function)(float);
    double (*right)(double);
    float low, high;        /* arguments */
    double ulp, near_zeros; /* bounds: in units, or absolute */
} function_of_one;

#define ONE(name, low, high, ulp, near_zeros)                                                                          \
    { #name, vm_##name, name, low, high, ulp, near_zeros }
static const function_of_one functions[] = {
    ONE(exp, -200, 200, 2, 0),
    ONE(exp2, -INFINITY, INFINITY, 2, 0),
    ONE(expm1, -200, 200, 3, 0),
    ONE(log, 0, INFINITY, 2, 0),
    ONE(log2, 0, INFINITY, 3, 0),
    ONE(log10, 0, INFINITY, 3, 0),
    ONE(log1p, -1, INFINITY, 3, 0),
    ONE(tanh, -INFINITY, INFINITY, 2, 0),
    ONE(erf, -INFINITY, INFINITY, 4, 1e-7),
    ONE(erfc, -INFINITY, INFINITY, 7, 0),
    ONE(sinh, -100, 100, 3, 0),
    ONE(cosh, -100, 100, 3, 0),
    ONE(asinh, -INFINITY, INFINITY, 3, 0),
    ONE(acosh, -INFINITY, INFINITY, 3, 0),
    ONE(atanh, -2, 2, 3, 0),
    ONE(sin, -VM_FAR, VM_FAR, 2, 1e-9),
    ONE(cos, -VM_FAR, VM_FAR, 2, 1e-9),
    ONE(tan, -VM_FAR, VM_FAR, 4, 1e-9),
    ONE(asin, -2, 2, 3, 0),
    ONE(acos, -2, 2, 3, 0),
    ONE(atan, -INFINITY, INFINITY, 3, 0),
};

static void test_functions_of_one(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += STEP) {
            const float a = float_of((uint32_t)bits);
            if (!(a >= functions[f].low && a <= functions[f].high))
                continue;
            const double right = functions[f].right((double)a);
            const float y = functions[f].function(a);
            if (error_in_ulp(y, right) > functions[f].ulp && !(fabs((double)y - right) <= functions[f].near_zeros))
                fail_msg("vm_%s(%.9g) is %.9g, not %.9g", functions[f].name, (double)a, (double)y, right);
        }
}

typedef struct {
    const char *name;
    double (*function)(double);
    long double (*right)(long double);
    double low, high;
    double ulp, near_zeros;
} double_function;

#define TWO(name, low, high, ulp, near_zeros)                                                                          \
    { #name, vd_##name, name##l, low, high, ulp, near_zeros }
static const double_function double_functions[] = {
    TWO(exp, -INFINITY, INFINITY, 2, 0),  TWO(expm1, -INFINITY, INFINITY, 3, 0), TWO(log, 0, INFINITY, 2, 0),
    TWO(log1p, -1, INFINITY, 3, 0),       TWO(tanh, -INFINITY, INFINITY, 4, 0),  TWO(sinh, -INFINITY, INFINITY, 3, 0),
    TWO(cosh, -INFINITY, INFINITY, 3, 0), TWO(sin, -500000, 500000, 3, 1e-16),   TWO(cos, -500000, 500000, 3, 1e-16),
    TWO(atan, -INFINITY, INFINITY, 2, 0),
};

static double double_error(double y, long double right) {
    const double nearest = (double)right;
    if (isnan(nearest) || isnan(y))
        return isnan(nearest) && isnan(y) ? 0 : INFINITY;
    if (isinf(nearest) || isinf(y))
        return nearest == y ? 0 : INFINITY;
    return (double)(fabsl((long double)y - right) / (nextafter(fabs(nearest), INFINITY) - fabs(nearest)));
}

static void check_double(const double_function *f, double a) {
    if (!(a >= f->low && a <= f->high))
        return;
    const long double right = f->right(a);
    const double y = f->function(a);
    if (double_error(y, right) > f->ulp && !(fabs(y - (double)right) <= f->near_zeros))
        fail_msg("vd_%s(%.17g) is %.17g, not %.17g", f->name, a, y, (double)right);
}

static void test_functions_of_double(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    for (size_t f = 0; f < sizeof double_functions / sizeof *double_functions; f++)
        for (uint64_t i = 0; i < 200000; i++) {
            double a;
            const uint64_t bits = i * UINT64_C(92233720368547); /* all exponents, 97 to a power of two */
            memcpy(&a, &bits, sizeof a);
            check_double(&double_functions[f], a);
            check_double(&double_functions[f], ((double)i - 100000) / 7919);
            check_double(&double_functions[f], ((double)i - 100000) / 79);
        }
}

static uint32_t drawn(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 32);
}

static const float special[] = {0, -0.0f, 1, -1, 0.5f, -3, INFINITY, -INFINITY, NAN};
enum { SPECIAL = sizeof special / sizeof *special };

static void check_two(float a, float b) {
    const double angle = atan2((double)a, (double)b);
    const float y = vm_atan2(a, b);
    if (error_in_ulp(y, angle) > 4 && !(fabs((double)y - angle) <= 1e-37))
        fail_msg("vm_atan2(%.9g, %.9g) is %.9g, not %.9g", (double)a, (double)b, (double)y, angle);
    if (!isnan(y) && !signbit(y) != !signbit(angle))
        fail_msg("vm_atan2(%.9g, %.9g) has the wrong sign", (double)a, (double)b);
    if (!vm_fmod_is_near(a, b))
        return;
    const float mod = vm_fmod(a, b), right = fmodf(a, b);
    if (vm_bits(mod) != vm_bits(right) && !(isnan(mod) && isnan(right)))
        fail_msg("vm_fmod(%.9g, %.9g) is %.9g, not %.9g", (double)a, (double)b, (double)mod, (double)right);
}

static void test_functions_of_two(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        uint32_t a = drawn(&seed), b = drawn(&seed);
        if (i % 2)
            check_two(float_of(a), float_of(b));
        else
            check_two((float)(a % 2001) / 100 - 10, (float)(b % 2001) / 100 - 10);
    }
    for (int i = 0; i < SPECIAL * SPECIAL; i++)
        check_two(special[i / SPECIAL], special[i % SPECIAL]);
}

static void check_two_doubles(double a, double b) {
    if (vd_atan2_is_near(a, b)) {
        const double angle = vd_atan2(a, b);
        if (double_error(angle, atan2l(a, b)) > 3 || !signbit(angle) != !signbit(a))
            fail_msg("vd_atan2(%.17g, %.17g) is %.17g, not %.17g", a, b, angle, atan2(a, b));
    }
    if (vd_fmod_is_near(a, b)) {
        const double mod = vd_fmod(a, b), right = fmod(a, b);
        if (mod != right || !signbit(mod) != !signbit(right))
            fail_msg("vd_fmod(%.17g, %.17g) is %.17g, not %.17g", a, b, mod, right);
    }
}

static void test_double_functions_of_two(void **state) {
    (void)state;
    uint64_t seed = 3;
    if (LDBL_MANT_DIG < 64)
        skip();
    for (int i = 0; i < 400000; i++) {
        const double a = ((double)drawn(&seed) - 0x1p31) * (1 + (double)drawn(&seed) * 0x1p-50),
                     b = ((double)drawn(&seed) - 0x1p31) * (1 + (double)drawn(&seed) * 0x1p-50);
        check_two_doubles(a, b);
        check_two_doubles(a, ldexp(b, (int)(drawn(&seed) % 40) - 35));
        check_two_doubles((double)(drawn(&seed) % 2001) / 100 - 10, (double)(drawn(&seed) % 2001) / 100 - 10);
        check_two_doubles(floor(b) * (double)(drawn(&seed) % 1000), floor(b)); /* whole quotients */
    }
    for (int i = 0; i < SPECIAL * SPECIAL; i++)
        check_two_doubles((double)special[i / SPECIAL], (double)special[i % SPECIAL]);
}

static void test_zeros_keep_their_sign(void **state) {
    (void)state;
    float (*const odd[])(float) = {vm_expm1, vm_log1p, vm_sinh, vm_sin, vm_tan, vm_asin, vm_atan, vm_tanh};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_int_equal(vm_bits(odd[i](0.0f)), 0);
        assert_int_equal(vm_bits(odd[i](-0.0f)), 0x80000000u);
    }
    double (*const odd_doubles[])(double) = {vd_expm1, vd_log1p, vd_sinh, vd_sin, vd_tanh, vd_atan};
    for (size_t i = 0; i < sizeof odd_doubles / sizeof *odd_doubles; i++)
        assert_true(!signbit(odd_doubles[i](0.0)) && signbit(odd_doubles[i](-0.0)) && odd_doubles[i](-0.0) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_of_one),      cmocka_unit_test(test_functions_of_double),
        cmocka_unit_test(test_functions_of_two),      cmocka_unit_test(test_double_functions_of_two),
        cmocka_unit_test(test_zeros_keep_their_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
