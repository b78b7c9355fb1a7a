/* A training step is all or nothing: of each program that is named, a step that ends early leaves the state as it was.
 * It ends at every value of fuel up to 512, then at ever fewer, and in buffers of every size that is too small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/memory/read_file.h"
#include "tsmobile.h"

enum { BUFFER = 1 << 20, MESSAGE = 4096, STATE = 1 << 17, MOST_FUEL = 100000000, GRAIN = 16 };

static tsm_program program;
static _Alignas(64) uint8_t buffer[BUFFER];
static char message[MESSAGE];
static uint8_t before[STATE], after[STATE];

static tsm_instance *start(size_t bytes, uint64_t fuel) {
    tsm_options options = {.message = message, .message_bytes = sizeof message, .fuel = fuel};
    tsm_instance *inst;
    return tsm_instance_init(&inst, &program, &options, buffer, bytes) == TSM_OK ? inst : NULL;
}

/* forward(x, t, i) of the modules of tests/autograd. */
static tsm_status step(tsm_instance *inst, int64_t i) {
    float x[24];
    int64_t t[] = {2, 0, 1, 1, 2, 0};
    const tsm_dim sizes[] = {6, 4};
    tsm_value arguments[] = {tsm_none(), tsm_none(), tsm_int(i)}, result;
    for (int k = 0; k < 24; k++)
        x[k] = (float)((k * 37) % 23) / 11 - 1;
    tsm_status status = tsm_tensor_wrap(inst, &arguments[0], TSM_FLOAT32, 2, sizes, NULL, x);
    if (status != TSM_OK)
        return status;
    status = tsm_tensor_wrap(inst, &arguments[1], TSM_INT64, 1, sizes, NULL, t);
    if (status == TSM_OK)
        status = tsm_call_or_restore(inst, tsm_method(&program, "forward"), arguments, 3, &result);
    if (status == TSM_OK)
        tsm_release(inst, result);
    tsm_release(inst, arguments[0]);
    tsm_release(inst, arguments[1]);
    return status;
}

/* The state after one step, in `before`. */
static size_t first_state(void) {
    size_t needed;
    tsm_instance *inst = start(BUFFER, MOST_FUEL);
    assert_non_null(inst);
    if (step(inst, 0) != TSM_OK)
        fail_msg("%s", tsm_error(inst));
    assert_int_equal(tsm_instance_save(inst, before, sizeof before, &needed), TSM_OK);
    return needed;
}

/* Where the buffer has no room to save in, nothing is compared. */
static bool is_as_before(tsm_instance *inst, size_t bytes) {
    size_t needed;
    if (tsm_instance_save(inst, after, sizeof after, &needed) != TSM_OK)
        return false;
    assert_int_equal(needed, bytes);
    assert_memory_equal(after, before, bytes);
    return true;
}

static void test_every_fuel(void **state) {
    (void)state;
    const size_t bytes = first_state();
    uint64_t stopped = 0, wanted = 1;
    for (uint64_t fuel = 1;; fuel += wanted) {
        tsm_instance *inst = start(BUFFER, fuel);
        assert_int_equal(tsm_instance_load(inst, before, bytes), TSM_OK);
        const tsm_status status = step(inst, 1);
        if (status == TSM_OK)
            break;
        assert_int_equal(status, TSM_OUT_OF_FUEL);
        assert_true(is_as_before(inst, bytes));
        stopped++;
        wanted = fuel / 512 + 1; /* each of the first, then ever fewer */
    }
    assert_true(stopped > 500);
}

static void test_every_size(void **state) {
    (void)state;
    const size_t bytes = first_state();
    size_t compared = 0;
    for (size_t room = tsm_instance_bytes(&program);; room += GRAIN) {
        assert_true(room <= BUFFER);
        tsm_instance *inst = start(room, MOST_FUEL);
        if (!inst || tsm_instance_load(inst, before, bytes) != TSM_OK)
            continue;
        const tsm_status status = step(inst, 1);
        if (status == TSM_OK)
            break;
        assert_int_equal(status, TSM_OUT_OF_MEMORY);
        compared += is_as_before(inst, bytes);
    }
    assert_true(compared > 20);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        size_t bytes;
        void *file = read_file(argv[i], &bytes);
        printf("%s\n", argv[i]);
        assert_int_equal(tsm_program_open(&program, file, bytes, message, sizeof message), TSM_OK);
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_fuel), cmocka_unit_test(test_every_size)};
        const int failed = cmocka_run_group_tests(tests, NULL, NULL);
        free(file);
        if (failed)
            return failed;
    }
    return argc < 2;
}
