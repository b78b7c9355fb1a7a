/* Numbers become texts and texts numbers as by the C library, which rounds correctly; TorchScript's own forms besides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/kernels/language/parse_number.h"
#include "runtime/value/text.h"

enum { ROUNDS = 60000 };

/* xorshift64: the same numbers in every run. */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Any bits, subnormals, or numbers as people write them. */
static double random_double(uint64_t *state, int round) {
    uint64_t bits = next_random(state);
    if (round % 3 == 0)
        return (double)(int64_t)(bits >> next_random(state) % 64) / pow(10, (double)(next_random(state) % 12));
    if (round % 7 == 0)
        bits &= UINT64_C(0x800fffffffffffff);
    double v;
    memcpy(&v, &bits, sizeof v);
    return isnan(v) ? 0.5 : v;
}

static void check_number(double v, char style, int precision) {
    char ours[TSM_NUMBER_TEXT_FIXED + 1], theirs[TSM_NUMBER_TEXT_FIXED + 1], format[8];
    ours[tsm_format_number(ours, v, style, precision)] = 0;
    snprintf(format, sizeof format, "%%.%d%c", precision, style);
    snprintf(theirs, sizeof theirs, format, v);
    assert_string_equal(ours, theirs);
}

static void test_numbers_as_printf(void **state) {
    (void)state;
    static const double special[] = {0.0,
                                     -0.0,
                                     1,
                                     0.5,
                                     9.5,
                                     99.5,
                                     0.05,
                                     2.5,
                                     1e22,
                                     1e23,
                                     5e-324,
                                     1.7976931348623157e308,
                                     0.0001,
                                     0.00001,
                                     999999.5,
                                     INFINITY,
                                     -INFINITY,
                                     123456789,
                                     2.2250738585072014e-308};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        for (int precision = 0; precision <= 17; precision++) {
            check_number(special[i], 'e', precision);
            check_number(special[i], 'f', precision);
            check_number(special[i], 'g', precision);
        }
    uint64_t random = 88172645463325252u;
    for (int round = 0; round < ROUNDS; round++) {
        double v = random_double(&random, round);
        check_number(v, "efg"[next_random(&random) % 3], (int)(next_random(&random) % 18));
        check_number(v, 'g', 17);
    }
}

static void test_torchscript_floats(void **state) {
    (void)state;
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {1, "1."},
        {-0.0, "0."},
        {1e18, "1000000000000000000."},
        {-0x1p63, "-9223372036854775808."},
        {0x1p63, "9.2233720368547758e+18"},
        {0.1, "0.10000000000000001"},
        {1e-5, "1.0000000000000001e-05"},
        {0.0001, "0.0001"},
        {1e300, "1.0000000000000001e+300"},
        {5e-324, "4.9406564584124654e-324"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {1.5, "1.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TSM_NUMBER_TEXT + 1];
        text[tsm_format_double(text, cases[i].v)] = 0;
        assert_string_equal(text, cases[i].text);
    }
}

static void test_integers(void **state) {
    (void)state;
    static const int64_t cases[] = {0, 1, -1, 9, 10, -10, 1234567890, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char ours[TSM_NUMBER_TEXT + 1], theirs[32];
        size_t used;
        int64_t back;
        ours[tsm_format_int(ours, cases[i])] = 0;
        snprintf(theirs, sizeof theirs, "%lld", (long long)cases[i]);
        assert_string_equal(ours, theirs);
        assert_true(tsm_parse_int(ours, strlen(ours), &used, &back));
        assert_int_equal(used, strlen(ours));
        assert_true(back == cases[i]);
    }
    char text[TSM_NUMBER_TEXT];
    assert_int_equal(tsm_format_unsigned(text, UINT64_MAX, 2), 64);
    text[tsm_format_unsigned(text, 0xdeadbeef, 16)] = 0;
    assert_string_equal(text, "deadbeef");
}

static void check_parse(const char *text) {
    char *end;
    errno = 0;
    double theirs = strtod(text, &end), ours = 0;
    bool range = errno == ERANGE;
    size_t used = 0;
    bool ok = tsm_parse_double(text, strlen(text), &used, &ours);
    if (ok != (end != text && !range))
        fail_msg("'%s': %d", text, ok);
    if (!ok)
        return;
    assert_int_equal(used, end - text);
    assert_true(isnan(theirs) ? isnan(ours) : ours == theirs && signbit(ours) == signbit(theirs));
}

static void test_parse_as_strtod(void **state) {
    (void)state;
    static const char *const cases[] = {
        "",
        " ",
        ".",
        "-",
        "1",
        " 1.5",
        "1.5 ",
        "abc",
        "1e400",
        "1e-400",
        "inf",
        "-Infinity",
        "infinit",
        "nan",
        "nan(1_a)",
        "nan(",
        "-nan",
        "0x1p3",
        "0x",
        "0x.8",
        "0x.",
        "0x1.8p-1074",
        "0x1p-1074",
        "0x1.ffffffffffffffffp3",
        "1_0",
        "1e",
        "1e+",
        "1e+5x",
        ".5",
        "5.",
        "+1",
        "--1",
        "0",
        "-0",
        "000.000e5",
        "0e99999999999",
        "1e99999999999999",
        "9007199254740993",
        "9007199254740992.99999999999999999999999999",
        "9007199254740993.00000000000000000000000001",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "4.9e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "0.000000000000000000000000000000000000000000001e45",
        "123456789012345678901234567890e-10",
        "\t\n\v\f\r 7",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_parse(cases[i]);
    uint64_t random = 1181783497276652981u;
    for (int round = 0; round < ROUNDS; round++) {
        char text[64];
        snprintf(text, sizeof text, "%.*g", (int)(1 + next_random(&random) % 24), random_double(&random, round));
        check_parse(text);
        /* Around what one multiplication rounds: integers up to 2^54 and powers of ten up to 10^24. */
        uint64_t digits = next_random(&random) >> (10 + next_random(&random) % 50);
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, (int)(next_random(&random) % 49) - 24);
        check_parse(text);
    }
}

static void test_parse_integers(void **state) {
    (void)state;
    size_t used;
    int64_t v;
    assert_true(tsm_parse_int(" +7x", 4, &used, &v));
    assert_int_equal(used, 3);
    assert_int_equal(v, 7);
    assert_false(tsm_parse_int("9223372036854775808", 19, &used, &v));
    assert_false(tsm_parse_int("-9223372036854775809", 20, &used, &v));
    assert_false(tsm_parse_int("- 1", 3, &used, &v));
    assert_false(tsm_parse_int("", 0, &used, &v));
    /* The text need not be terminated. */
    assert_true(tsm_parse_int("123", 2, &used, &v));
    assert_int_equal(v, 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_as_printf), cmocka_unit_test(test_torchscript_floats),
        cmocka_unit_test(test_integers),          cmocka_unit_test(test_parse_as_strtod),
        cmocka_unit_test(test_parse_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
