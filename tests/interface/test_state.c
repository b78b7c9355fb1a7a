/* tsm_instance_save, tsm_instance_load and tsm_call_or_restore, with the module of stateful.py: what comes back, what
 * is refused, and what an instance is after a refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/interpreter/check_sums.h"
#include "runtime/interpreter/state.h"
#include "tests/memory/read_file.h"
#include "tsmobile.h"

enum { BUFFER = 1 << 18, MESSAGE = 4096, STATE = 1 << 16, TEXT = 1 << 14 };

static tsm_program program, other;
static _Alignas(64) uint8_t buffers[2][BUFFER];
static char message[MESSAGE];
static uint8_t saved[STATE], damaged[STATE];

static tsm_instance *start_with(int buffer, size_t bytes, uint64_t fuel) {
    tsm_options options = {.message = message, .message_bytes = sizeof message, .fuel = fuel};
    tsm_instance *inst;
    assert_int_equal(tsm_instance_init(&inst, &program, &options, buffers[buffer], bytes), TSM_OK);
    return inst;
}

static tsm_instance *start(int buffer) {
    return start_with(buffer, BUFFER, 1000000);
}

static tsm_status call(tsm_instance *inst, const char *method, const tsm_value *arguments, size_t n,
                       tsm_value *result) {
    const int number = tsm_method(&program, method);
    assert_true(number >= 0);
    return tsm_call(inst, number, arguments, n, result);
}

typedef tsm_status caller(tsm_instance *, int, const tsm_value *, size_t, tsm_value *);

/* Calls a method of a tensor and an int. */
static tsm_status call_with(tsm_instance *inst, caller *how, const char *method, int n) {
    float elements[] = {0, 1, 2, 3, 4, (float)n};
    const tsm_dim sizes[] = {2, 3};
    tsm_value arguments[] = {tsm_none(), tsm_int(n)}, result;
    const int number = tsm_method(&program, method);
    assert_true(number >= 0);
    tsm_status status = tsm_tensor_wrap(inst, &arguments[0], TSM_FLOAT32, 2, sizes, NULL, elements);
    if (status != TSM_OK)
        return status;
    status = how(inst, number, arguments, 2, &result);
    tsm_release(inst, result);
    tsm_release(inst, arguments[0]);
    return status;
}

static void change(tsm_instance *inst, int n) {
    if (call_with(inst, tsm_call, "change", n) != TSM_OK)
        fail_msg("%s", tsm_error(inst));
}

/* What a method that gives a text says. */
static const char *text_of(tsm_instance *inst, const char *method, char *text) {
    tsm_value result;
    size_t n;
    if (call(inst, method, NULL, 0, &result) != TSM_OK)
        fail_msg("%s: %s", method, tsm_error(inst));
    const char *from = tsm_str_get(result, &n);
    assert_true(from && n < TEXT);
    memcpy(text, from, n);
    text[n] = 0;
    tsm_release(inst, result);
    return text;
}

static double random_of(tsm_instance *inst) {
    tsm_value result;
    assert_int_equal(call(inst, "random", NULL, 0, &result), TSM_OK);
    return result.as.f;
}

static size_t save(tsm_instance *inst) {
    size_t needed, again;
    assert_int_equal(tsm_instance_save(inst, NULL, 0, &needed), TSM_OK);
    assert_true(needed <= STATE);
    if (tsm_instance_save(inst, saved, needed, &again) != TSM_OK)
        fail_msg("%s", tsm_error(inst));
    assert_int_equal(again, needed);
    return needed;
}

/* An instance that has changed, its state in `saved`. */
static tsm_instance *changed(int buffer, size_t *bytes) {
    tsm_instance *inst = start(buffer);
    random_of(inst);
    change(inst, 2);
    change(inst, 3);
    *bytes = save(inst);
    return inst;
}

static void assert_same_texts(tsm_instance *a, tsm_instance *b, const char *method) {
    static char texts[2][TEXT];
    assert_string_equal(text_of(a, method, texts[0]), text_of(b, method, texts[1]));
}

static void test_everything_comes_back(void **state) {
    (void)state;
    size_t bytes;
    tsm_instance *a = changed(0, &bytes), *b = start(1);
    change(b, 7); /* is forgotten */
    memcpy(damaged, saved, bytes);
    if (tsm_instance_load(b, damaged, STATE) != TSM_OK)
        fail_msg("%s", tsm_error(b));
    assert_int_equal(save(b), bytes);
    assert_memory_equal(saved, damaged, bytes);
    assert_same_texts(a, b, "show");
    assert_true(random_of(a) == random_of(b));
    assert_same_texts(a, b, "change_aliases");
    change(a, 4);
    change(b, 4);
    assert_same_texts(a, b, "change_aliases");
    static char text[TEXT];
    assert_non_null(strstr(text_of(a, "show", text), "alias"));
    assert_non_null(strstr(text, "1012"));
}

static void test_nothing_changed(void **state) {
    (void)state;
    tsm_instance *inst = start(0);
    static char text[TEXT];
    text_of(inst, "show", text);
    assert_int_equal(save(inst), sizeof(state_head));
    assert_int_equal(tsm_instance_load(inst, saved, sizeof(state_head)), TSM_OK);
}

static void test_size_is_of_what_changed(void **state) {
    (void)state;
    tsm_instance *inst = start(0);
    random_of(inst);
    assert_true(save(inst) > 2500 && save(inst) < 2600); /* random numbers */
    size_t bytes;
    changed(0, &bytes);
    assert_true(bytes < 6000);
}

static void test_loading_gives_memory_back(void **state) {
    (void)state;
    size_t bytes;
    tsm_instance *inst = start(0);
    const size_t used = tsm_instance_usage(inst).used_bytes;
    inst = changed(0, &bytes);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tsm_instance_load(inst, saved, bytes), TSM_OK);
    assert_int_equal(tsm_instance_reset(inst), TSM_OK);
    assert_int_equal(tsm_instance_usage(inst).used_bytes, used);
}

static void test_too_small_memory(void **state) {
    (void)state;
    size_t bytes, needed;
    tsm_instance *inst = changed(0, &bytes);
    for (size_t room = 0; room < bytes; room += 7) {
        memset(damaged, 0xee, bytes);
        assert_int_equal(tsm_instance_save(inst, damaged, room, &needed), TSM_OUT_OF_MEMORY);
        assert_int_equal(needed, bytes);
        assert_non_null(strstr(tsm_error(inst), "the state needs "));
        for (size_t i = room; i < bytes; i++)
            assert_int_equal(damaged[i], 0xee);
    }
}

/* Whatever byte is not as it was: the instance stays what it is. */
static void test_damage(void **state) {
    (void)state;
    size_t bytes;
    tsm_instance *inst = changed(0, &bytes);
    static char before[TEXT], after[TEXT];
    change(inst, 5);
    text_of(inst, "show", before);
    memcpy(damaged, saved, bytes);
    for (size_t i = 0; i < bytes; i++) {
        damaged[i] ^= (uint8_t)(1 + i % 255);
        const tsm_status status = tsm_instance_load(inst, damaged, bytes);
        if (status != TSM_BAD_FILE)
            fail_msg("byte %zu: %s", i, tsm_status_text(status));
        damaged[i] = saved[i];
    }
    for (size_t n = 0; n < bytes; n++)
        assert_int_equal(tsm_instance_load(inst, saved, n), TSM_BAD_FILE);
    assert_string_equal(before, text_of(inst, "show", after));
}

static void compute_sums(uint8_t *at, size_t bytes) {
    state_head h;
    memcpy(&h, at, sizeof h);
    h.bytes = bytes;
    h.sum = tsm_sum_of(at + sizeof h, bytes - sizeof h);
    h.head_sum = tsm_sum_of((const uint8_t *)&h, STATE_HEAD_SUMMED);
    memcpy(at, &h, sizeof h);
}

/* With checksums that fit, a state is refused or taken; either way the instance goes on, and nothing leaks. */
static void test_forged(void **state) {
    (void)state;
    size_t bytes, refused = 0, taken = 0;
    tsm_instance *inst = start(0);
    const size_t used = tsm_instance_usage(inst).used_bytes;
    inst = changed(0, &bytes);
    for (size_t i = sizeof(state_head); i < bytes; i++) {
        static const uint8_t others[] = {0, 1, 3, 8, 0x40, 0x7f, 0xff};
        memcpy(damaged, saved, bytes);
        damaged[i] = others[i % sizeof others];
        if (i % 5 == 0)
            damaged[i] = saved[i] + 1;
        compute_sums(damaged, bytes);
        const tsm_status status = tsm_instance_load(inst, damaged, bytes);
        assert_true(status == TSM_OK || status == TSM_BAD_FILE || status == TSM_BAD_ARGUMENT ||
                    status == TSM_OUT_OF_MEMORY || status == TSM_RAISED);
        *(status == TSM_OK ? &taken : &refused) += 1;
        if (status != TSM_OK)
            assert_int_equal(tsm_instance_usage(inst).used_bytes, used);
        tsm_value result;
        if (call(inst, "change_aliases", NULL, 0, &result) == TSM_OK)
            tsm_release(inst, result);
    }
    assert_true(refused > 500 && taken > 500);
    memcpy(damaged, saved, bytes);
    ((state_head *)(void *)damaged)->version = 2;
    compute_sums(damaged, bytes);
    assert_int_equal(tsm_instance_load(inst, damaged, bytes), TSM_UNSUPPORTED);
}

static void test_other_program(void **state) {
    (void)state;
    size_t bytes;
    changed(0, &bytes);
    tsm_options options = {.message = message, .message_bytes = sizeof message};
    tsm_instance *inst;
    assert_int_equal(tsm_instance_init(&inst, &other, &options, buffers[1], BUFFER), TSM_OK);
    assert_int_equal(tsm_instance_load(inst, saved, bytes), TSM_BAD_ARGUMENT);
    assert_string_equal(tsm_error(inst), "the state belongs to another program");
}

/* In a buffer that is too small the instance is afterwards what the file says. */
static void test_small_buffers(void **state) {
    (void)state;
    size_t bytes, needed, failed = 0;
    changed(0, &bytes);
    const size_t least = tsm_instance_bytes(&program);
    for (size_t room = least; room < least + 3 * bytes; room += 64) {
        tsm_instance *inst = start_with(1, room, 0);
        const size_t used = tsm_instance_usage(inst).used_bytes;
        const tsm_status status = tsm_instance_load(inst, saved, bytes);
        if (status == TSM_OK)
            continue;
        failed++;
        assert_int_equal(status, TSM_OUT_OF_MEMORY);
        assert_int_equal(tsm_instance_usage(inst).used_bytes, used);
        if (tsm_instance_save(inst, NULL, 0, &needed) == TSM_OK)
            assert_int_equal(needed, sizeof(state_head));
    }
    assert_true(failed > 10);
}

/* ---- tsm_call_or_restore ---- */

static uint8_t now[STATE];

/* After a call that failed, the instance's state is the one in `saved`. Nothing has leaked: reset, it takes `fresh`
 * bytes. */
static void assert_as_saved(tsm_instance *inst, size_t bytes, size_t fresh) {
    size_t needed;
    if (tsm_instance_save(inst, now, sizeof now, &needed) == TSM_OK) { /* else the buffer has no room for that */
        assert_int_equal(needed, bytes);
        assert_memory_equal(now, saved, bytes);
    }
    assert_int_equal(tsm_instance_reset(inst), TSM_OK);
    assert_int_equal(tsm_instance_usage(inst).used_bytes, fresh);
}

static void test_steps_of_fuel(void **state) {
    (void)state;
    size_t bytes, needed, stopped = 0;
    changed(0, &bytes);
    tsm_status status = TSM_OUT_OF_FUEL;
    tsm_instance *inst = NULL;
    for (uint64_t fuel = 1; status != TSM_OK; fuel += 9) {
        inst = start_with(1, BUFFER, fuel);
        const size_t fresh = tsm_instance_usage(inst).used_bytes;
        assert_int_equal(tsm_instance_load(inst, saved, bytes), TSM_OK);
        status = call_with(inst, tsm_call_or_restore, "learn", 5);
        if (status == TSM_OK)
            break;
        assert_int_equal(status, TSM_OUT_OF_FUEL);
        assert_as_saved(inst, bytes, fresh);
        stopped++;
    }
    assert_true(stopped > 20);
    /* A call that succeeds does what tsm_call does. */
    tsm_instance *other_one = start(0);
    assert_int_equal(tsm_instance_load(other_one, saved, bytes), TSM_OK);
    assert_int_equal(call_with(other_one, tsm_call, "learn", 5), TSM_OK);
    const size_t after = save(other_one);
    assert_int_equal(tsm_instance_save(inst, now, sizeof now, &needed), TSM_OK);
    assert_int_equal(needed, after);
    assert_memory_equal(now, saved, after);
}

static void test_steps_of_memory(void **state) {
    (void)state;
    size_t bytes, stopped = 0;
    changed(0, &bytes);
    for (size_t room = tsm_instance_bytes(&program);; room += 64) {
        tsm_instance *inst = start_with(1, room, 0);
        const size_t fresh = tsm_instance_usage(inst).used_bytes;
        if (tsm_instance_load(inst, saved, bytes) != TSM_OK)
            continue;
        const tsm_status status = call_with(inst, tsm_call_or_restore, "learn", 5);
        if (status == TSM_OK)
            break;
        assert_int_equal(status, TSM_OUT_OF_MEMORY);
        assert_as_saved(inst, bytes, fresh);
        stopped++;
    }
    assert_true(stopped > 20);
}

static void test_exceptions(void **state) {
    (void)state;
    size_t bytes;
    const size_t fresh = tsm_instance_usage(start(0)).used_bytes;
    tsm_instance *inst = changed(0, &bytes);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(call_with(inst, tsm_call_or_restore, "change_and_raise", 5), TSM_RAISED);
        assert_non_null(strstr(tsm_error(inst), "too late"));
    }
    assert_as_saved(inst, bytes, fresh);
    assert_int_equal(call_with(inst, tsm_call, "change_and_raise", 5), TSM_RAISED);
    size_t needed;
    assert_int_equal(tsm_instance_save(inst, now, sizeof now, &needed), TSM_OK);
    assert_true(needed != bytes || memcmp(now, saved, bytes) != 0);
}

int main(int argc, char **argv) {
    assert_int_equal(argc, 3);
    size_t bytes;
    const void *file = read_file(argv[1], &bytes);
    assert_int_equal(tsm_program_open(&program, file, bytes, message, sizeof message), TSM_OK);
    file = read_file(argv[2], &bytes);
    assert_int_equal(tsm_program_open(&other, file, bytes, message, sizeof message), TSM_OK);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_comes_back),
        cmocka_unit_test(test_nothing_changed),
        cmocka_unit_test(test_size_is_of_what_changed),
        cmocka_unit_test(test_loading_gives_memory_back),
        cmocka_unit_test(test_too_small_memory),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_forged),
        cmocka_unit_test(test_other_program),
        cmocka_unit_test(test_small_buffers),
        cmocka_unit_test(test_steps_of_fuel),
        cmocka_unit_test(test_steps_of_memory),
        cmocka_unit_test(test_exceptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
