/* Kernels for numbers in registers give bit by bit what the operators' kernels give, and fail where these raise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/kernels/kernel.h"
#include "runtime/operators/operator_table.h"

enum { BUFFER_BYTES = 1 << 14, MESSAGE_BYTES = 512 };

static const double floats[] = {0.0,    -0.0,   1.0,     -1.0,    0.5,    -0.5,   1.5,    2.0,      -2.5,      3.0,
                                10.0,   0.1,    1e-9,    -1e-300, 5e-324, 1e300,  -1e300, INFINITY, -INFINITY, NAN,
                                0x1p63, 0x1p62, -0x1p63, 1e19,    709.5,  -745.0, 0x1p53, 171.5,    7.25,      -3.0};
static const int64_t ints[] = {0, 1, -1, 2, -3, 7, 64, INT64_MAX, INT64_MIN, INT64_C(1) << 53, (INT64_C(1) << 53) + 1};

enum { FLOATS = sizeof floats / sizeof *floats, INTS = sizeof ints / sizeof *ints };

static uint32_t numbers_of(uint32_t accepted) {
    return accepted == 0 ? 1 : accepted & TSM_ACCEPTS(FLOAT) ? FLOATS : INTS;
}

static tsm_value number(uint32_t accepted, uint32_t i) {
    return accepted & TSM_ACCEPTS(FLOAT) ? tsm_float(floats[i]) : tsm_int(ints[i]);
}

static bool same_number(tsm_value v, const tsm_operator *op, tsm_scalar s) {
    if (v.tag != op->result_tag)
        return false;
    if (v.tag == TSM_TAG_FLOAT)
        return (isnan(v.as.f) && isnan(s.f)) || v.as.i == s.i;
    return v.tag == TSM_TAG_BOOL ? v.as.b == (s.i != 0) && (s.i == 0 || s.i == 1) : v.as.i == s.i;
}

static void compare(const tsm_operator *op, tsm_value a, tsm_value b) {
    static _Alignas(64) uint8_t buffer[BUFFER_BYTES];
    char message[MESSAGE_BYTES];
    tsm_exec x = {.op = op, .message = message, .message_bytes = sizeof message, .fuel = INT64_MAX, .is_limited = true};
    x.inputs = op->accepted_types[1] ? 2 : 1;
    x.outputs = 1;
    tsm_heap_init(&x.heap, buffer, sizeof buffer);
    const tsm_value *in[] = {&a, &b};
    const tsm_scalar numbers[] = {{a.as.i}, {b.as.i}};
    tsm_value expected;
    tsm_scalar got = {0};
    const tsm_status status = tsm_run_charged(&x, in, &expected);
    assert_int_equal(x.work, 0); /* the fast way charges nothing, whatever the limit on fuel */
    const bool is_done = op->on_registers(numbers, &got);
    if (status == TSM_OK && is_done && !same_number(expected, op, got))
        fail_msg("%s of %a (%lld) and %a (%lld): %a instead of %a", op->name, a.as.f, (long long)a.as.i, b.as.f,
                 (long long)b.as.i, got.f, expected.as.f);
    if (status != TSM_OK)
        assert_false(is_done);
    /* What the fast way leaves to the kernel may still have a result, but only at the border of what an int holds. */
    if (status == TSM_OK && !is_done)
        assert_true(op->result_tag == TSM_TAG_INT && a.as.f == 0x1p63);
}

static void test_same_as_kernels(void **state) {
    (void)state;
    size_t found = 0;
    for (size_t i = 0; i < tsm_operator_count; i++) {
        const tsm_operator *op = &tsm_operator_table[i];
        if (!op->on_registers)
            continue;
        const uint32_t *accepted = op->accepted_types;
        for (uint32_t a = 0; a < numbers_of(accepted[0]); a++)
            for (uint32_t b = 0; b < numbers_of(accepted[1]); b++)
                compare(op, number(accepted[0], a), accepted[1] ? number(accepted[1], b) : tsm_int(0));
        found++;
    }
    assert_true(found > 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
