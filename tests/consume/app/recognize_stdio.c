/* A user's program for machines that have files and nothing else of an operating system: recognizes the digit in a file
 * of 64 floats and prints its ten scores.
 *
 *     recognize_stdio MODEL.tsm IMAGE */
#include <stdio.h>
#include <tsmobile.h>

static _Alignas(64) unsigned char model[1 << 17], buffer[1 << 17];
static float image[64];

static size_t read_file(const char *path, void *to, size_t bytes) {
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(to, 1, bytes, f) : 0;
    if (f)
        fclose(f);
    return n;
}

int main(int argc, char **argv) {
    static char message[512];
    const tsm_dim sizes[4] = {1, 1, 8, 8};
    tsm_options options = {.size = sizeof options, .message = message, .message_bytes = sizeof message};
    tsm_program program;
    tsm_instance *inst;
    tsm_value x, y;
    tsm_tensor_view scores;
    const size_t bytes = argc == 3 ? read_file(argv[1], model, sizeof model) : 0;
    if (!bytes || read_file(argv[2], image, sizeof image) != sizeof image)
        return 2;
    if (tsm_program_open(&program, model, bytes, message, sizeof message) != TSM_OK ||
        tsm_instance_init(&inst, &program, &options, buffer, sizeof buffer) != TSM_OK ||
        tsm_tensor_wrap(inst, &x, TSM_FLOAT32, 4, sizes, NULL, image) != TSM_OK ||
        tsm_call(inst, tsm_method(&program, "forward"), &x, 1, &y) != TSM_OK || !tsm_tensor_get(y, &scores)) {
        fprintf(stderr, "recognize_stdio: %s\n", message);
        return 3;
    }
    for (tsm_dim i = 0; i < scores.sizes[1]; i++)
        printf("%.9g\n", (double)((const float *)scores.data)[i]);
    tsm_release(inst, y);
    tsm_release(inst, x);
    return 0;
}
