/* A user's program: recognizes the digit in a file of 64 floats and prints its ten scores. It is C and C++.
 *
 *     recognize MODEL.tsm IMAGE */
#include <stdio.h>
#include <stdlib.h>
#include <tsmobile.h>
#include <tsmobile/platform.h>

static char message[512];

static int fail(const char *what) {
    fprintf(stderr, "recognize: %s: %s\n", what, message);
    return 2;
}

int main(int argc, char **argv) {
    platform_file model, image;
    if (argc != 3 || !platform_file_open(&model, argv[1], message, sizeof message) ||
        !platform_file_open(&image, argv[2], message, sizeof message))
        return fail("files");

    tsm_program program;
    if (tsm_program_open(&program, model.data, model.bytes, message, sizeof message) != TSM_OK)
        return fail(argv[1]);
    size_t bytes;
    void *buffer = platform_buffer(1 << 20, &bytes);
    tsm_options options = {sizeof(tsm_options), platform_table(), 0, message, sizeof message, false};
    tsm_instance *inst;
    if (!buffer || tsm_instance_init(&inst, &program, &options, buffer, bytes) != TSM_OK)
        return fail("instance");

    const tsm_dim sizes[4] = {1, 1, 8, 8};
    tsm_value x, y;
    tsm_tensor_view scores;
    if (tsm_tensor_wrap(inst, &x, TSM_FLOAT32, 4, sizes, NULL, (void *)image.data) != TSM_OK ||
        tsm_call(inst, tsm_method(&program, "forward"), &x, 1, &y) != TSM_OK || !tsm_tensor_get(y, &scores))
        return fail("forward");
    for (tsm_dim i = 0; i < scores.sizes[1]; i++)
        printf("%.9g\n", (double)((const float *)scores.data)[i]);
    tsm_release(inst, y);
    tsm_release(inst, x);
    return tsm_version() == TSM_VERSION_NUMBER ? 0 : fail("another version is linked than compiled for");
}
