/* Formulas: their normal form, and that it has the value of what it was made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "exporter/passes/analysis/symbolic_int.h"

static const symbolic_int *number(int64_t value) {
    return symbolic_constant(value);
}

/* (a + before)//divisor + after: what a convolution makes of a size. */
static const symbolic_int *quotient(const symbolic_int *a, int64_t before, int64_t divisor, int64_t after) {
    return symbolic_add(symbolic_divide(symbolic_add(a, number(before)), number(divisor)), number(after));
}

static void equal_formulas_have_one_text(void **state) {
    (void)state;
    const symbolic_int *h = symbolic_name("H"), *w = symbolic_name("W");
    const symbolic_int *half = quotient(h, -1, 2, 1);
    assert_string_equal(symbolic_text(number(0)), "0");
    assert_string_equal(symbolic_text(symbolic_subtract(h, h)), "0");
    assert_string_equal(symbolic_text(half), "(H+1)//2");
    assert_string_equal(symbolic_text(quotient(half, -1, 2, 1)), "(H+3)//4");
    assert_string_equal(symbolic_text(symbolic_multiply(half, w)), "((H+1)//2)*W");
    assert_string_equal(symbolic_text(symbolic_multiply(w, h)), "H*W");
    assert_string_equal(symbolic_text(symbolic_add(symbolic_multiply(number(3), w), number(-2))), "3*W-2");
    assert_string_equal(symbolic_text(symbolic_divide(symbolic_multiply(h, number(6)), number(3))), "2*H");
    assert_string_equal(symbolic_text(symbolic_divide(h, number(2))), "H//2");
    assert_string_equal(symbolic_text(symbolic_divide(symbolic_multiply(symbolic_multiply(h, w), number(4)), w)),
                        "4*H");
    const symbolic_int *square = symbolic_multiply(symbolic_add(h, w), symbolic_add(h, w));
    assert_string_equal(symbolic_text(square), "H*H+2*H*W+W*W");
    assert_true(symbolic_is_equal(symbolic_divide(symbolic_add(h, number(4)), number(2)), quotient(h, 0, 2, 2)));
}

static void what_is_not_known_stays_so(void **state) {
    (void)state;
    const symbolic_int *h = symbolic_name("H"), *w = symbolic_name("W"), *all = number(1);
    assert_string_equal(symbolic_text(NULL), "?");
    assert_null(symbolic_add(NULL, h));
    assert_null(symbolic_divide(h, w));
    assert_null(symbolic_divide(h, number(0)));
    assert_null(symbolic_divide(symbolic_add(h, number(1)), symbolic_multiply(h, number(2))));
    assert_null(symbolic_add(number(INT64_MAX), number(1)));
    assert_null(symbolic_multiply(symbolic_multiply(number(INT64_MAX), h), number(2)));
    for (int i = 0; i < 9; i++)
        all = symbolic_multiply(all, h);
    assert_null(all);
    assert_false(symbolic_is_equal(NULL, NULL));
}

static uint32_t random_state = 1;

static uint32_t below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % n;
}

/* A formula and its value, made by the same steps. */
typedef struct {
    const symbolic_int *formula;
    int64_t value;
} both;

static both combine(both a, both b) {
    const int64_t divisor = 1 + (int64_t)below(5);
    switch (below(4)) {
    case 0:
        return (both){symbolic_add(a.formula, b.formula), a.value + b.value};
    case 1:
        return (both){symbolic_subtract(a.formula, b.formula), a.value - b.value};
    case 2:
        return (both){symbolic_multiply(a.formula, b.formula), a.value * b.value};
    default:
        return (both){symbolic_divide(a.formula, number(divisor)), a.value / divisor - (a.value % divisor < 0)};
    }
}

static void formulas_have_the_value_of_their_steps(void **state) {
    (void)state;
    static const char *const names[] = {"N", "H", "W"};
    int known = 0;
    for (int turn = 0; turn < 3000; turn++) {
        const int64_t values[] = {below(7), below(40), below(40)};
        both all[12];
        for (int i = 0; i < 12; i++) {
            if (i < 3)
                all[i] = (both){symbolic_name(names[i]), values[i]};
            else if (i == 3)
                all[i] = (both){number((int64_t)below(9) - 4), 0};
            else
                all[i] = combine(all[below((uint32_t)i)], all[below((uint32_t)i)]);
            if (i == 3)
                assert_true(symbolic_is_constant(all[i].formula, &all[i].value));
            int64_t value;
            if (llabs(all[i].value) > 1000000) {
                all[i] = all[0];
            } else if (symbolic_value(all[i].formula, names, values, 3, &value)) {
                assert_int_equal(value, all[i].value);
                known++;
            }
        }
    }
    assert_true(known > 30000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_formulas_have_one_text),
        cmocka_unit_test(what_is_not_known_stays_so),
        cmocka_unit_test(formulas_have_the_value_of_their_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
