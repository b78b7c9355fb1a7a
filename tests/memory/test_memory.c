/* Runs programs in buffers that grow from nothing in small steps until they succeed. Every failure on the way must be a
 * clean TSM_OUT_OF_MEMORY that says how much is missing, gives all memory back, and leaves the instance usable.
 *
 *   test_memory FILE.tsm=RESULT...      each holds one function (int) -> int; RESULT is what PyTorch gives for 40 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_file.h"
#include "tsmobile.h"

enum { ARGUMENT = 40, SMALL_ARGUMENT = 8, STEP = 48, LARGE = 1 << 22, MESSAGE = 1024 };

static const char *program_name;
static int failures;

static void complain(size_t bytes, const char *what, const char *detail) {
    fprintf(stderr, "%s, buffer of %zu bytes: %s: %s\n", program_name, bytes, what, detail);
    failures++;
}

static tsm_status call(tsm_instance *inst, int64_t n, int64_t *result) {
    tsm_value argument = tsm_int(n), out;
    tsm_status status = tsm_call(inst, 0, &argument, 1, &out);
    *result = status == TSM_OK ? out.as.i : 0;
    if (status == TSM_OK && out.tag != TSM_TAG_INT)
        complain(0, "the result is no int", "");
    tsm_release(inst, out);
    return status;
}

/* What outlives calls on purpose, the random generator, goes with a reset. */
static bool gives_back(tsm_instance *inst, size_t before) {
    return tsm_instance_usage(inst).used_bytes == before ||
           (tsm_instance_reset(inst) == TSM_OK && tsm_instance_usage(inst).used_bytes == before);
}

/* One buffer size; true when the program succeeded in it. */
static bool try_size(const tsm_program *program, void *buffer, size_t bytes, int64_t expected) {
    char message[MESSAGE] = "";
    tsm_options options = {.message = message, .message_bytes = sizeof message};
    tsm_instance *inst;
    tsm_status status = tsm_instance_init(&inst, program, &options, buffer, bytes);
    if (status != TSM_OK) {
        if (status != TSM_OUT_OF_MEMORY || !strstr(message, "missing"))
            complain(bytes, "tsm_instance_init fails otherwise", message);
        return false;
    }
    const size_t before = tsm_instance_usage(inst).used_bytes;
    int64_t result, again;
    status = call(inst, ARGUMENT, &result);
    if (status != TSM_OK && (status != TSM_OUT_OF_MEMORY || !tsm_error(inst)[0]))
        complain(bytes, "the call fails otherwise", tsm_error(inst));
    if (status == TSM_OK && result != expected)
        complain(bytes, "another result", "");
    if (!gives_back(inst, before))
        complain(bytes, "memory is not given back", status == TSM_OK ? "" : tsm_error(inst));
    /* The instance is still usable: the same call ends in the same way, and a smaller one may succeed. */
    if (call(inst, ARGUMENT, &again) != status || again != result)
        complain(bytes, "the second call ends otherwise", tsm_error(inst));
    tsm_status small = call(inst, SMALL_ARGUMENT, &again);
    if (small != TSM_OK && small != TSM_OUT_OF_MEMORY)
        complain(bytes, "a smaller call fails", tsm_error(inst));
    if (!gives_back(inst, before))
        complain(bytes, "memory is not given back after the smaller call", "");
    return status == TSM_OK;
}

static void test_program(const char *path, int64_t wanted, void *buffer) {
    size_t bytes;
    char message[MESSAGE] = "";
    tsm_program program;
    void *file = read_file(path, &bytes);
    program_name = path;
    if (!file || tsm_program_open(&program, file, bytes, message, sizeof message) != TSM_OK) {
        complain(0, "cannot be opened", message);
        return;
    }
    tsm_options options = {.message = message, .message_bytes = sizeof message};
    tsm_instance *inst;
    int64_t expected;
    if (tsm_instance_init(&inst, &program, &options, buffer, LARGE) != TSM_OK ||
        call(inst, ARGUMENT, &expected) != TSM_OK) {
        complain(LARGE, "fails with a large buffer", message);
        return;
    }
    if (expected != wanted)
        complain(LARGE, "another result than PyTorch's", "");
    size_t size = 0, tries = 0;
    while (size < LARGE && !try_size(&program, buffer, size, expected)) {
        size += STEP;
        tries++;
    }
    printf("%s: %" PRId64 ", needs %zu bytes, failed cleanly %zu times before\n", path, expected, size, tries);
    if (tries < 2)
        complain(size, "did not fail at all", "");
    free(file);
}

int main(int argc, char **argv) {
    void *buffer = aligned_alloc(64, LARGE);
    if (!buffer || argc < 2) {
        fputs("usage: test_memory FILE.tsm=RESULT...\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        char *equals = strrchr(argv[i], '=');
        if (!equals)
            return 2;
        *equals = 0;
        test_program(argv[i], strtoll(equals + 1, NULL, 10), buffer);
    }
    free(buffer);
    return failures != 0;
}
