/* A guard region under the C stack: runs a program that goes deep (deep.py) and looks how far down the stack was used.
 * It must stay within the depth that tests/device/stack.py computes for this build.
 *
 *   test_stack BYTES FILE.tsm      BYTES: the deepest that a call into libtsmobile may get */
#include "platform/baremetal/baremetal.h"
#include "platform/platform.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of the argument; BUFFER is enough for the program, and leaves the boards some memory. */
enum { ELEMENTS = 32, BUFFER = 1 << 20 };

static int fail(const char *what, const char *why) {
    fprintf(stderr, "test_stack: %s: %s\n", what, why);
    return 1;
}

static tsm_status run(const tsm_program *program, void *buffer, size_t bytes, tsm_value *result, char *message,
                      size_t n) {
    float elements[ELEMENTS];
    const tsm_dim sizes[] = {ELEMENTS};
    const tsm_options options = {.message = message, .message_bytes = n};
    tsm_instance *inst;
    tsm_value argument;
    for (int i = 0; i < ELEMENTS; i++)
        elements[i] = (float)(i * 37 % 23 - 11) / 7.0F;
    tsm_status status = tsm_instance_init(&inst, program, &options, buffer, bytes);
    if (status == TSM_OK)
        status = tsm_tensor_wrap(inst, &argument, TSM_FLOAT32, 1, sizes, NULL, elements);
    return status == TSM_OK ? tsm_call(inst, 0, &argument, 1, result) : status;
}

int main(int argc, char **argv) {
    static char message[2048];
    platform_file file;
    tsm_program program;
    tsm_value result = {0};
    size_t bytes;
    platform_arguments(&argc, argv);
    if (argc < 3)
        return fail("usage", "test_stack BYTES FILE.tsm");
    if (!platform_file_open(&file, argv[2], message, sizeof message))
        return fail(argv[2], message);
    void *buffer = platform_buffer(BUFFER, &bytes);
    if (!buffer)
        return fail(argv[2], "no memory for the instance");
    /* What this function has taken so far is not the library's. */
    baremetal_stack_paint();
    const size_t before = baremetal_stack_bytes(), allowed = strtoul(argv[1], NULL, 10);
    if (tsm_program_open(&program, file.data, file.bytes, message, sizeof message) != TSM_OK ||
        run(&program, buffer, bytes, &result, message, sizeof message) != TSM_OK)
        return fail(argv[2], message);
    const size_t deep = baremetal_stack_bytes() - before;
    printf("stack         %zu of at most %zu bytes; the program gives %.4f\n", deep, allowed, result.as.f);
    return deep > allowed ? fail("the stack got deeper than computed", argv[2]) : 0;
}
