/* The generator, and the steps that make normal numbers the same everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/kernels/random/random.h"
#include "runtime/kernels/simd/f32.h"
#include "runtime/kernels/simd/normal.h"

/* The C++ standard, [rand.predef]: the 10000th number of a default-constructed mt19937, whose seed is 5489. */
static void words_are_those_of_mt19937(void **state) {
    (void)state;
    static tsm_random r;
    tsm_random_seed(&r, 5489);
    assert_int_equal(random_32(&r), 3499211612u);
    for (int i = 2; i < 10000; i++)
        random_32(&r);
    assert_int_equal(random_32(&r), 4123659995u);
}

static void the_low_half_of_the_seed_counts(void **state) {
    (void)state;
    static tsm_random a, b;
    tsm_random_seed(&a, 7);
    tsm_random_seed(&b, UINT64_C(0x500000007));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(random_64(&a), random_64(&b));
}

static void words_come_in_runs(void **state) {
    (void)state;
    static tsm_random a, b;
    static const tsm_dim lengths[] = {1, 0, 16, 600, 16, 7, 2000, 624, 3};
    uint32_t words[2000];
    tsm_random_seed(&a, 7);
    tsm_random_seed(&b, 7);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        tsm_random_words(&a, words, lengths[k]);
        for (tsm_dim i = 0; i < lengths[k]; i++)
            assert_int_equal(words[i], random_32(&b));
    }
    assert_int_equal(random_32(&a), random_32(&b));
}

static void seeding_forgets_the_second_normal_number(void **state) {
    (void)state;
    static tsm_random r;
    tsm_random_seed(&r, 1);
    double first = tsm_random_normal(&r), second = tsm_random_normal(&r);
    tsm_random_seed(&r, 1);
    assert_true(tsm_random_normal(&r) == first);
    tsm_random_seed(&r, 1);
    assert_true(tsm_random_normal(&r) == first && tsm_random_normal(&r) == second);
}

static void fused_steps_round_once(void **state) {
    (void)state;
    static tsm_random r;
    tsm_random_seed(&r, 3);
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = random_64(&r);
        float a = random_float(&r) - 0.5f, b = random_float(&r),
              c = (random_float(&r) - 0.5f) * (bits & 1 ? 1 : 0x1p-12f);
        assert_true(tsm_fused(a, b, c) == fmaf(a, b, c));
    }
    /* The product lies halfway between two floats, and c decides which of them is the nearer one. */
    float a = 1 + 0x1p-23f, b = 1 + 0x1p-1f, c = 0x1p-50f;
    assert_true(tsm_fused(a, b, c) == fmaf(a, b, c));
    assert_true(tsm_fused(a, b, -c) == fmaf(a, b, -c));
}

static void groups_are_the_same_in_vectors(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (!tsm_f32_by_name("avx2"))
        return;
    static tsm_random r;
    tsm_random_seed(&r, 4);
    for (int i = 0; i < 20000; i++) {
        float a[TSM_NORMAL_GROUP], b[TSM_NORMAL_GROUP];
        for (int k = 0; k < TSM_NORMAL_GROUP; k++)
            a[k] = b[k] = i == 0 ? 0.0f : i == 1 ? 1 - 0x1p-24f : random_float(&r);
        tsm_normal_group_base(a, 0.5f, 3);
        tsm_normal_group_avx2(b, 0.5f, 3);
        assert_memory_equal(a, b, sizeof a);
    }
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_mt19937), cmocka_unit_test(the_low_half_of_the_seed_counts),
        cmocka_unit_test(words_come_in_runs),         cmocka_unit_test(seeding_forgets_the_second_normal_number),
        cmocka_unit_test(fused_steps_round_once),     cmocka_unit_test(groups_are_the_same_in_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
