/* Recognizes the held-out images of handwritten digits with the digits model, on any target.
 *
 *     digits IMAGES.bin MODEL.tsm [SHOW]
 *
 * Bare-metal programs carry the model in flash and are called without MODEL.tsm. SHOW images are printed as text. The
 * program ends with status 0 when every prediction is PyTorch's and every score is within 1e-4 of PyTorch's. */
#include "platform/platform.h"
#include "tests/device/digit_images.h"
#include "tests/device/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef TSM_BAREMETAL
#include "platform/baremetal/baremetal.h"
#endif

/* The only memory that the model runs in. */
/* Kernels take smaller blocks of it on microcontrollers (LOOPS_SCRATCH_LIMIT of runtime/kernels/loops.h). */
#ifdef TSM_BAREMETAL
static _Alignas(64) unsigned char buffer[256 * 1024];
#else
static _Alignas(64) unsigned char buffer[256 * 1024];
#endif
static char message[1024];

typedef struct {
    digit_images images;
    tsm_program program;
    tsm_instance *inst;
    int forward;
    uint32_t right, same; /* predictions that are the label; that are PyTorch's */
    float difference;     /* the largest, of any score from PyTorch's */
    uint64_t nanoseconds;
} recognition;

_Noreturn static void fail(const char *what, const char *why) {
    fprintf(stderr, "digits: %s: %s\n", what, why);
    exit(2);
}

static platform_file open_file(const char *path) {
    platform_file file;
    if (!platform_file_open(&file, path, message, sizeof message))
        fail(path, message);
    return file;
}

static void start(recognition *r, platform_file model) {
    tsm_options options = {.platform = platform_table(), .message = message, .message_bytes = sizeof message};
    if (tsm_program_open(&r->program, model.data, model.bytes, message, sizeof message) != TSM_OK ||
        tsm_instance_init(&r->inst, &r->program, &options, buffer, sizeof buffer) != TSM_OK)
        fail("the model", message);
    r->forward = tsm_method(&r->program, "forward");
}

/* Runs one image; writes the scores and returns the class with the largest. */
static uint32_t predict(recognition *r, uint32_t image, float *scores) {
    float input[DIGIT_MAX_PIXELS];
    const tsm_dim sizes[4] = {1, 1, (tsm_dim)r->images.height, (tsm_dim)r->images.width};
    tsm_value argument, result;
    tsm_tensor_view view;
    digit_images_input(&r->images, image, input);

    const uint64_t begin = platform_nanoseconds(NULL);
    if (tsm_tensor_wrap(r->inst, &argument, TSM_FLOAT32, 4, sizes, NULL, input) != TSM_OK ||
        tsm_call(r->inst, r->forward, &argument, 1, &result) != TSM_OK)
        fail("the model", tsm_error(r->inst));
    r->nanoseconds += platform_nanoseconds(NULL) - begin;

    if (!tsm_tensor_get(result, &view) || view.dtype != TSM_FLOAT32 || view.dims != 2 ||
        view.sizes[1] != (tsm_dim)r->images.classes)
        fail("the model", "its result is not a row of scores");
    uint32_t best = 0;
    for (uint32_t c = 0; c < r->images.classes; c++) {
        scores[c] = ((const float *)view.data)[(tsm_dim)c * view.strides[1]];
        if (scores[c] > scores[best])
            best = c;
    }
    tsm_release(r->inst, result);
    tsm_release(r->inst, argument);
    return best;
}

static void recognize(recognition *r, uint32_t image, bool show) {
    float scores[DIGIT_MAX_CLASSES];
    const uint32_t best = predict(r, image, scores);
    r->right += best == r->images.labels[image];
    r->same += best == r->images.predicted[image];
    for (uint32_t c = 0; c < r->images.classes; c++) {
        const float difference = fabsf(scores[c] - digit_images_score(&r->images, image, c));
        if (isnan(difference) || difference > r->difference)
            r->difference = isnan(difference) ? INFINITY : difference;
    }
    if (show) {
        char line[64];
        snprintf(line, sizeof line, "predicted %u, %s", (unsigned)best,
                 best == r->images.labels[image] ? "right" : "wrong");
        const char *const notes[] = {"", "", "", line, NULL};
        digit_images_print(&r->images, image, notes);
        putchar('\n');
    }
}

static uint32_t pytorch_right(const digit_images *images) {
    uint32_t right = 0;
    for (uint32_t i = 0; i < images->count; i++)
        right += images->predicted[i] == images->labels[i];
    return right;
}

static void report(const recognition *r, platform_file model) {
    const unsigned n = r->images.count, right = r->right, pytorch = pytorch_right(&r->images);
    const tsm_usage usage = tsm_instance_usage(r->inst);
    printf("accuracy      %u of %u images (%.1f %%); PyTorch %u of %u (%.1f %%)\n", right, n, 100.0 * right / n,
           pytorch, n, 100.0 * pytorch / n);
    printf("predictions   %u of %u the same as PyTorch's; scores differ by %.1e at most\n", (unsigned)r->same, n,
           (double)r->difference);
    printf("model         %zu bytes (.tsm), used where it lies\n", model.bytes);
    printf("buffer        %zu bytes at most in use, all memory that the model needs\n", usage.high_water_bytes);
#ifndef TSM_BAREMETAL
    printf("time          %.3f ms an image\n", (double)r->nanoseconds / n / 1e6);
#else
    printf("time          %.3f ms an image, by QEMU's clock: not a real core's\n", (double)r->nanoseconds / n / 1e6);
    printf("flash         %zu bytes: program, libtsmobile and model\n", baremetal_flash_bytes());
    printf("RAM           %zu bytes: %zu of the buffer, %zu of stack, %zu of variables\n",
           usage.high_water_bytes + baremetal_stack_bytes() + baremetal_static_ram_bytes() - sizeof buffer,
           usage.high_water_bytes, baremetal_stack_bytes(), baremetal_static_ram_bytes() - sizeof buffer);
#endif
}

int main(int argc, char **argv) {
    static recognition r;
    platform_arguments(&argc, argv);
#ifdef TSM_BAREMETAL
    baremetal_stack_paint();
#endif
    if (argc < 2 + MODEL_ARGUMENTS)
        fail("usage", "digits IMAGES.bin MODEL.tsm [SHOW]");
    const platform_file images = open_file(argv[1]), model = model_open(argv + 2);
    if (!digit_images_open(&r.images, images.data, images.bytes) || !r.images.scores)
        fail(argv[1], "this is not a file of digit images with PyTorch's answers");
    start(&r, model);
    const uint32_t show = argc > 2 + MODEL_ARGUMENTS ? (uint32_t)strtoul(argv[2 + MODEL_ARGUMENTS], NULL, 10) : 0;
    for (uint32_t i = 0; i < r.images.count; i++)
        recognize(&r, i, i < show);
    report(&r, model);
    return r.same == r.images.count && r.difference <= 1e-4f ? 0 : 1;
}
