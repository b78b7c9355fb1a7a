/* The elementary functions of vmath.h against libm in double precision: on a grid of all floats, and at special values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "runtime/kernels/simd/vmath.h"

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
    ONE(expm1, -200, 200, 3, 0),
    ONE(log, 0, INFINITY, 2, 0),
    ONE(log2, 0, INFINITY, 3, 0),
    ONE(log10, 0, INFINITY, 3, 0),
    ONE(log1p, -1, INFINITY, 3, 0),
    ONE(tanh, -INFINITY, INFINITY, 2, 0),
    ONE(erf, -INFINITY, INFINITY, 4, 1e-7),
    ONE(sinh, -100, 100, 3, 0),
    ONE(cosh, -100, 100, 3, 0),
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

static void test_zeros_keep_their_sign(void **state) {
    (void)state;
    float (*const odd[])(float) = {vm_expm1, vm_log1p, vm_sinh, vm_sin, vm_tan, vm_asin, vm_atan, vm_tanh};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_int_equal(vm_bits(odd[i](0.0f)), 0);
        assert_int_equal(vm_bits(odd[i](-0.0f)), 0x80000000u);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_of_one),
        cmocka_unit_test(test_functions_of_two),
        cmocka_unit_test(test_zeros_keep_their_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
