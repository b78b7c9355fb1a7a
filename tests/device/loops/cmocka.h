/* What the unit tests of inner loops use of cmocka, for machines that have none: those tests run on every target, since
 * every target has loops of its own. */
#ifndef TESTS_DEVICE_LOOPS_CMOCKA_H
#define TESTS_DEVICE_LOOPS_CMOCKA_H

#include "tests/device/check.h"

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(function)                                                                                     \
    { #function, function }
#define cmocka_run_group_tests(tests, set_up, tear_down) loops_run(tests, sizeof(tests) / sizeof *(tests))

#define assert_true(condition) CHECK(condition)
#define assert_int_equal(a, b) CHECK((a) == (b))
#define assert_in_range(value, least, most) CHECK((value) >= (least) && (value) <= (most))

static inline int loops_run(const struct CMUnitTest *tests, size_t count) {
    for (size_t i = 0; i < count && !check_failures; i++) {
        printf("%s\n", tests[i].name);
        tests[i].run(NULL);
    }
    return check_finish();
}

#endif
