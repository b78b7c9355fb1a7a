/* classify PICTURE...: says what is in pictures (PNG, JPEG and what else stb_image reads).
 *
 * The model does the rest: it takes a picture of any size and gives names with probabilities (make_model.py). */
#include "classifier.h" /* made of classifier.pt by tsmobile_add_model */
#include <stdio.h>
#include <stdlib.h>

#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>

enum { CHANNELS = 3, BUFFER_BYTES = 32 << 20 };

/* All the memory that the model has, whatever the picture: a larger one is refused. */
static _Alignas(64) unsigned char buffer[BUFFER_BYTES];

/* Prints what forward(picture) gave: a list of tuples of a name and a probability. */
static void print_names(tsm_value names) {
    for (size_t i = 0; i < tsm_sequence_size(names); i++) {
        const tsm_value pair = tsm_sequence_get(names, i);
        size_t length;
        const char *name = tsm_str_get(tsm_sequence_get(pair, 0), &length);
        printf("  %5.1f %%  %.*s\n", 100 * tsm_sequence_get(pair, 1).as.f, (int)length, name);
    }
}

static tsm_status classify(classifier *model, int width, int height, unsigned char *pixels) {
    const tsm_dim sizes[] = {height, width, CHANNELS};
    tsm_value picture, names;
    tsm_status status = tsm_tensor_wrap(model->inst, &picture, TSM_UINT8, 3, sizes, NULL, pixels);
    if (status != TSM_OK)
        return status;
    status = tsm_call(model->inst, tsm_method(&model->program, "forward"), &picture, 1, &names);
    if (status == TSM_OK)
        print_names(names);
    tsm_release(model->inst, names);
    tsm_release(model->inst, picture);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: classify PICTURE...\n");
        return 2;
    }
    classifier model;
    if (classifier_open(&model, NULL, buffer, sizeof buffer) != TSM_OK) {
        fprintf(stderr, "classify: the model does not fit into %d bytes\n", BUFFER_BYTES);
        return 3;
    }
    int failures = 0;
    for (int i = 1; i < argc; i++) {
        int width, height, channels;
        unsigned char *pixels = stbi_load(argv[i], &width, &height, &channels, CHANNELS);
        if (!pixels) {
            fprintf(stderr, "classify: %s: %s\n", argv[i], stbi_failure_reason());
            failures++;
            continue;
        }
        printf("%s\n", argv[i]);
        if (classify(&model, width, height, pixels) != TSM_OK) {
            fprintf(stderr, "classify: %s: %s\n", argv[i], tsm_error(model.inst));
            failures++;
        }
        stbi_image_free(pixels);
    }
    return failures ? 1 : 0;
}
