/* Opens and runs damaged .tsm files. Whatever is in them, libtsmobile must neither read nor write outside of the file
 * and the buffer (the sanitizers watch), nor run for ever (fuel, and an alarm).
 *
 *     fuzz_tsm COUNT SEED FILE.tsm...        fuzz_tsm NUMBER+ SEED FILE.tsm...  runs only that damaged copy, without a
 * child
 */
#include "tests/fuzz/batch.h"
#include "tests/fuzz/mutate.h"
#include "tsmobile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 32, BUFFER_BYTES = 1 << 20, FUEL = 20000, BATCH = 100, SECONDS = 20 };

typedef struct {
    uint64_t seed;
    mutate_file files[MAX_FILES];
    size_t count;
    unsigned char *buffer;
} campaign;

/* Calls a method with arguments that may or may not fit. */
static void call(tsm_instance *inst, int method, size_t count) {
    enum { MOST = 8 };
    static float data[64];
    const tsm_dim sizes[4] = {1, 1, 8, 8};
    tsm_value arguments[MOST], result;
    if (count > MOST)
        count = MOST;
    for (size_t i = 0; i < count; i++)
        if (tsm_tensor_wrap(inst, &arguments[i], TSM_FLOAT32, 4, sizes, NULL, data) != TSM_OK)
            arguments[i] = tsm_none();
    if (tsm_call(inst, method, arguments, count, &result) == TSM_OK)
        tsm_release(inst, result);
    for (size_t i = 0; i < count; i++)
        tsm_release(inst, arguments[i]);
}

static void run_case(tsm_instance *inst, size_t number) {
    tsm_value arguments, expected, result, values[8];
    int method;
    bool has_expected;
    if (tsm_bundle_get(inst, number, &method, &arguments, &expected, &has_expected) != TSM_OK)
        return;
    size_t n = tsm_sequence_size(arguments);
    n = n < 8 ? n : 8;
    for (size_t i = 0; i < n; i++)
        values[i] = tsm_sequence_get(arguments, i);
    if (tsm_call(inst, method, values, n, &result) == TSM_OK)
        tsm_release(inst, result);
    tsm_release(inst, arguments);
    tsm_release(inst, expected);
}

/* True when the file is well formed. */
static bool open_and_run(const campaign *c, mutate_file file) {
    char message[256];
    tsm_program program;
    tsm_instance *inst;
    const tsm_options options = {.fuel = FUEL, .message = message, .message_bytes = sizeof message};
    if (tsm_program_open(&program, file.data, file.bytes, message, sizeof message) != TSM_OK)
        return false;
    if (tsm_instance_init(&inst, &program, &options, c->buffer, BUFFER_BYTES) != TSM_OK)
        return false;
    for (size_t m = 0; m < tsm_method_count(&program) && m < 16; m++)
        call(inst, (int)m, tsm_method_arguments(&program, m));
    for (size_t i = 0; i < tsm_bundle_count(&program) && i < 4; i++)
        run_case(inst, i);
    return true;
}

static bool one(void *context, uint64_t number) {
    const campaign *c = context;
    mutate_random r = mutate_start(c->seed, number);
    const mutate_file file = c->files[number % c->count], other = c->files[mutate_below(&r, c->count)];
    mutate_file damaged = mutate_copy(&r, file, other);
    const bool opened = open_and_run(c, damaged);
    free(damaged.data);
    return opened;
}

static void tell(void *context, uint64_t number) {
    const campaign *c = context;
    printf("run it alone: fuzz_tsm %llu+ %llu and the same files\n", (unsigned long long)number,
           (unsigned long long)c->seed);
}

int main(int argc, char **argv) {
    static campaign c;
    void *buffer;
    if (argc < 4 || argc > 3 + MAX_FILES || posix_memalign(&buffer, 64, BUFFER_BYTES) != 0) {
        fputs("usage: fuzz_tsm COUNT SEED FILE.tsm...\n", stderr);
        return 2;
    }
    c.buffer = buffer;
    c.seed = strtoull(argv[2], NULL, 10);
    c.count = (size_t)argc - 3;
    for (size_t i = 0; i < c.count; i++) {
        c.files[i] = mutate_read(argv[3 + i]);
        open_and_run(&c, c.files[i]);
    }
    char *end;
    const uint64_t count = strtoull(argv[1], &end, 10);
    if (*end == '+') {
        one(&c, count);
        return 0;
    }
    const batch_result result = batch_run(&(batch){count, BATCH, SECONDS, one, tell, &c});
    printf("%llu damaged .tsm files: %llu opened all the same, %llu failures\n", (unsigned long long)count,
           (unsigned long long)result.accepted, (unsigned long long)result.failures);
    return result.failures != 0 || result.accepted == 0;
}
