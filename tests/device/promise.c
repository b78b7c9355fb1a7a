/* Calls methods in exactly the buffer that their files promise (tsm_method_bytes), on every target.
 *
 *     promise FILE.tsm...      arguments are made after the example: what the method's GUARD compares */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"
#include "runtime/interpreter/instance.h"

/* An instance leaves its memory forbidden to AddressSanitizer. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { MOST_ARGUMENTS = 8, MOST_DIMS = 8, BUFFER_BYTES = 2 << 20, GUARD_BYTES = 64 };

static char message[512];

static int fail(const char *path, const char *what) {
    printf("%s: %s: %s\n", path, what, message);
    return 1;
}

/* Elements are zeros, which are valid as indices too. They belong to the caller. */
static tsm_status make_tensor(tsm_instance *inst, uint32_t word, const uint32_t *sizes, tsm_value *v,
                              void **elements_of) {
    tsm_dim dims[MOST_DIMS], elements = 1;
    const uint32_t count = word >> 16 & 255;
    for (uint32_t d = 0; d < count; d++)
        elements *= dims[d] = (tsm_dim)sizes[d];
    void *data = *elements_of = calloc((size_t)elements + 1, sizeof(double));
    return data ? tsm_tensor_wrap(inst, v, (tsm_dtype)(word >> 8 & 255), (int)count, dims, NULL, data)
                : TSM_OUT_OF_MEMORY;
}

/* The arguments that the guard admits; how many. */
static tsm_status make_arguments(tsm_instance *inst, tsmf_Plan plan, tsm_value *arguments, void **elements, size_t *n) {
    const uint32_t *at = tsmf_Plan_guards(plan), *end = at + tsmf_Plan_guards_len(plan);
    for (*n = 0; at < end; ++*n) {
        const uint32_t word = *at++;
        arguments[*n] = (word & 255) == TSM_TAG_BOOL ? tsm_bool((word >> 8) != 0) : tsm_none();
        if ((word & 255) != TSM_TAG_TENSOR)
            continue;
        const tsm_status status = make_tensor(inst, word, at, &arguments[*n], &elements[*n]);
        if (status != TSM_OK)
            return status;
        at += word >> 16 & 255;
    }
    return TSM_OK;
}

static tsm_status call(tsm_instance *inst, int method, tsmf_Plan plan) {
    tsm_value arguments[MOST_ARGUMENTS], result;
    void *elements[MOST_ARGUMENTS] = {NULL};
    size_t n;
    tsm_status status = make_arguments(inst, plan, arguments, elements, &n);
    if (status == TSM_OK)
        status = tsm_call(inst, method, arguments, n, &result);
    if (status == TSM_OK)
        tsm_release(inst, result);
    for (size_t i = 0; i < n; i++)
        tsm_release(inst, arguments[i]);
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        free(elements[i]);
    return status;
}

static int keep_promise(const char *path, uint8_t *buffer) {
    platform_file file;
    tsm_program program;
    tsm_instance *inst;
    const tsm_options options = {.message = message, .message_bytes = sizeof message};
    if (!platform_file_open(&file, path, message, sizeof message) ||
        tsm_program_open(&program, file.data, file.bytes, message, sizeof message) != TSM_OK)
        return fail(path, "cannot be opened");
    for (size_t i = 0; i < tsm_method_count(&program); i++) {
        const size_t need = tsm_method_bytes(&program, i);
        if (!need)
            continue;
        if (need > BUFFER_BYTES)
            return fail(path, "promises more than this test has");
        UNPOISON(buffer, BUFFER_BYTES + GUARD_BYTES); /* from the program before */
        memset(buffer + need, 0xa5, GUARD_BYTES);
        if (tsm_instance_init(&inst, &program, &options, buffer, need) != TSM_OK)
            return fail(path, "no instance");
        const tsmf_Plan plan =
            tsmf_Program_plans(inst->root, tsmf_Method_plan(tsmf_Program_methods(inst->root, (uint32_t)i)));
        for (int times = 0; times < 8; times++)
            if (call(inst, (int)i, plan) != TSM_OK)
                return fail(path, tsm_method_name(&program, i));
        for (size_t k = 0; k < GUARD_BYTES; k++)
            if (buffer[need + k] != 0xa5)
                return fail(path, "wrote behind the buffer");
        printf("%s: %zu bytes promised, %zu in use\n", path, need, tsm_instance_usage(inst).high_water_bytes);
        return 0;
    }
    return fail(path, "promises nothing");
}

int main(int argc, char **argv) {
    size_t got;
    uint8_t *buffer = platform_buffer(BUFFER_BYTES + GUARD_BYTES, &got);
    if (!buffer)
        return 2;
    int failures = 0;
    platform_arguments(&argc, argv);
    for (int i = 1; i < argc; i++)
        failures += keep_promise(argv[i], buffer);
    printf("%d of %d promises kept\n", argc - 1 - failures, argc - 1);
    return failures != 0;
}
