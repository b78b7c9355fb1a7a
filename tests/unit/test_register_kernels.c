/* Kernels for numbers in registers give bit by bit what the operators' kernels give, and fail where these raise. So do
 * kernels on values for ordinary cases, of which they may leave any to the operators' kernels, but not all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/interpreter/operators.h"
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
        if (!op->on_registers || !op->result_tag)
            continue;
        const uint32_t *accepted = op->accepted_types;
        for (uint32_t a = 0; a < numbers_of(accepted[0]); a++)
            for (uint32_t b = 0; b < numbers_of(accepted[1]); b++)
                compare(op, number(accepted[0], a), accepted[1] ? number(accepted[1], b) : tsm_int(0));
        found++;
    }
    assert_true(found > 40);
}

/* ---- Kernels on values ---- */

enum { SAMPLES = 32 };

/* Values that an input of these tags may have: texts and lists of several lengths, numbers about their ends, and those
 * that stand for nothing. */
static uint32_t samples_of(tsm_exec *x, uint32_t accepted, tsm_value *samples) {
    static const int64_t bounds[] = {0, 1, 2, 3, 5, 7, -1, -2, -5, -6, INT64_MAX, INT64_MIN, INT64_C(1) << 32};
    static const char text[] = "abcdefghijkl";
    uint32_t n = 0;
    for (uint32_t length = 0; accepted & TSM_ACCEPTS(STR) && length <= sizeof text - 1; length += 1 + length / 2)
        assert_int_equal(tsm_make_str(x, text, length, &samples[n++]), TSM_OK);
    for (uint32_t length = 0; accepted & TSM_ACCEPTS(LIST) && length < 6; length += 1 + length / 2) {
        tsm_list *l;
        assert_int_equal(tsm_make_list(x, length, &l), TSM_OK);
        tsm_set_type(&l->header, length);
        samples[n++] = tsm_of(TSM_TAG_LIST, l);
        for (uint32_t i = 0; i < length; i++) {
            tsm_value item = i % 2 ? tsm_int(i) : samples[0];
            assert_int_equal(tsm_list_append(x, l, item), TSM_OK);
        }
    }
    for (uint32_t i = 0; accepted & TSM_ACCEPTS(INT) && i < sizeof bounds / sizeof *bounds; i++)
        samples[n++] = tsm_int(bounds[i]);
    if (accepted & TSM_ACCEPTS(NONE))
        samples[n++] = tsm_none();
    samples[n++] = tsm_float(0.5); /* another kind of value, as damaged files have it */
    assert_true(n <= SAMPLES);
    return n;
}

static bool accepts_all(const tsm_operator *op, const tsm_value *in) {
    for (uint32_t i = 0; i < op->inputs; i++)
        if (!(op->accepted_types[i] >> in[i].tag & 1))
            return false;
    return true;
}

/* Whether the short kernel did it. */
static bool compare_on_values(tsm_exec *x, const tsm_operator *op, const tsm_value *in) {
    const tsm_value *inputs[TSM_SHORT_INPUTS] = {&in[0], &in[1], &in[2], &in[3]};
    tsm_value expected, got;
    const size_t used = x->heap.used;
    const bool is_done = op->on_values(x, in, &got);
    if (!accepts_all(op, in)) {
        assert_false(is_done);
        return false;
    }
    const tsm_status status = op->kernel(x, inputs, &expected);
    if (is_done) {
        assert_int_equal(status, TSM_OK);
        assert_true(tsm_values_equal(x, expected, got));
        if (tsm_is_object(got)) {
            assert_int_equal(expected.as.o->type, got.as.o->type);
            assert_int_equal(got.as.o->references, 1);
            assert_ptr_not_equal(expected.as.o, got.as.o);
        }
        tsm_drop(x, got);
    }
    if (status == TSM_OK)
        tsm_drop(x, expected);
    assert_int_equal(x->heap.used, used);
    return is_done;
}

static void try_all(tsm_exec *x, const tsm_operator *op, tsm_value *in, uint32_t place, size_t *counts) {
    if (place == op->inputs) {
        counts[compare_on_values(x, op, in)]++;
        return;
    }
    tsm_value samples[SAMPLES];
    const uint32_t n = samples_of(x, op->accepted_types[place], samples);
    for (uint32_t i = 0; i < n; i++) {
        in[place] = samples[i];
        try_all(x, op, in, place + 1, counts);
    }
    for (uint32_t i = 0; i < n; i++)
        tsm_drop(x, samples[i]);
}

static void test_short_kernels(void **state) {
    (void)state;
    static _Alignas(64) uint8_t buffer[BUFFER_BYTES];
    char message[MESSAGE_BYTES];
    size_t found = 0;
    for (size_t i = 0; i < tsm_operator_count; i++) {
        const tsm_operator *op = &tsm_operator_table[i];
        if (!op->on_values || op->result_tag)
            continue;
        tsm_exec x = {.op = op, .message = message, .message_bytes = sizeof message, .fuel = INT64_MAX};
        tsm_heap_init(&x.heap, buffer, sizeof buffer);
        tsm_value in[TSM_SHORT_INPUTS] = {{0}};
        size_t counts[2] = {0};
        try_all(&x, op, in, 0, counts);
        assert_true(counts[0] > 0 && counts[1] > 10);
        found++;
    }
    assert_true(found > 2);
}

/* Where there is no room for the result nothing is made, and nothing is lost. */
static void test_short_kernels_without_room(void **state) {
    (void)state;
    static _Alignas(64) uint8_t buffer[BUFFER_BYTES];
    char message[MESSAGE_BYTES];
    tsm_exec x = {.message = message, .message_bytes = sizeof message, .fuel = INT64_MAX};
    tsm_heap_init(&x.heap, buffer, sizeof buffer);
    tsm_value long_text, sum;
    assert_int_equal(tsm_make_str(&x, NULL, BUFFER_BYTES / 2, &long_text), TSM_OK);
    memset(tsm_str_buffer(long_text), 'a', BUFFER_BYTES / 2);
    const tsm_value in[TSM_SHORT_INPUTS] = {long_text, long_text};
    const size_t used = x.heap.used;
    x.op = tsm_operator_find("aten::add.str");
    assert_false(x.op->on_values(&x, in, &sum));
    assert_int_equal(x.heap.used, used);
    tsm_drop(&x, long_text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_kernels), cmocka_unit_test(test_short_kernels),
                                       cmocka_unit_test(test_short_kernels_without_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
