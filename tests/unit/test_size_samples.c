/* Samples of sizes: within their ranges, none twice, the corners first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/base/mem.h"
#include "exporter/base/size_samples.h"

static void check(const size_range *ranges, size_t count) {
    const size_samples s = size_samples_of(ranges, count);
    assert_true(s.corners <= arrlenu(s.values));
    for (size_t i = 0; i < arrlenu(s.values); i++) {
        for (size_t r = 0; r < count; r++)
            assert_in_range(s.values[i][r], ranges[r].least, ranges[r].most);
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(s.values[i], s.values[k], count * sizeof(int64_t));
    }
    for (size_t r = 0; r < count; r++) {
        assert_int_equal(s.values[0][r], ranges[r].most);
        assert_int_equal(s.values[s.corners - 1][r], ranges[r].least);
    }
}

static void test_samples(void **state) {
    (void)state;
    const size_range ranges[] = {{1, 64}, {32, 224}, {5, 5}, {0, 1}};
    for (size_t count = 1; count <= 4; count++)
        check(ranges, count);
    assert_true(arrlenu(size_samples_of(ranges, 4).values) >= SIZE_SAMPLES_MOST);
}

static void test_small_ranges(void **state) {
    (void)state;
    const size_range one = {3, 3}, few = {1, 4};
    assert_int_equal(arrlenu(size_samples_of(&one, 1).values), 1);
    assert_int_equal(arrlenu(size_samples_of(&few, 1).values), 4); /* all there are */
    const size_samples none = size_samples_of(NULL, 0);
    assert_int_equal(arrlenu(none.values), 1);
    assert_int_equal(none.corners, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples), cmocka_unit_test(test_small_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
