/* Reads the held-out images of the digits model, and draws them. */
#include "tests/device/digit_images.h"

#include <stdio.h>
#include <string.h>

static uint32_t read_u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool digit_images_open(digit_images *images, const void *file, size_t bytes) {
    enum { HEADER = 24, MOST = 100000 };
    const uint8_t *p = file;
    if (bytes < HEADER || memcmp(p, "TSMDIGIT", 8) != 0)
        return false;
    images->count = read_u32(p + 8);
    images->height = read_u32(p + 12);
    images->width = read_u32(p + 16);
    images->classes = read_u32(p + 20);
    if (images->count > MOST || images->height > DIGIT_MAX_PIXELS || images->width > DIGIT_MAX_PIXELS ||
        images->height * images->width > DIGIT_MAX_PIXELS || images->classes > DIGIT_MAX_CLASSES)
        return false;
    const size_t n = images->count, scores = (HEADER + n * images->height * images->width + 2 * n + 3) & ~(size_t)3;
    const size_t labelled = HEADER + n * images->height * images->width + n;
    const bool has_answers = bytes == scores + n * images->classes * 4;
    if (!has_answers && bytes != labelled)
        return false;
    images->pixels = p + HEADER;
    images->labels = images->pixels + n * images->height * images->width;
    images->predicted = has_answers ? images->labels + n : NULL;
    images->scores = has_answers ? p + scores : NULL;
    return true;
}

static const uint8_t *image_at(const digit_images *images, uint32_t image) {
    return images->pixels + (size_t)image * images->height * images->width;
}

void digit_images_input(const digit_images *images, uint32_t image, float *input) {
    const uint8_t *pixels = image_at(images, image);
    for (uint32_t i = 0; i < images->height * images->width; i++)
        input[i] = (float)pixels[i] / DIGIT_LEVELS;
}

float digit_images_score(const digit_images *images, uint32_t image, uint32_t class_number) {
    const uint32_t bits = read_u32(images->scores + 4 * ((size_t)image * images->classes + class_number));
    float score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

void digit_images_print(const digit_images *images, uint32_t image, const char *const *notes) {
    static const char shades[] = " .:-=+*#@";
    const uint8_t *pixel = image_at(images, image);
    for (uint32_t y = 0; y < images->height; y++) {
        fputs("    ", stdout);
        for (uint32_t x = 0; x < images->width; x++, pixel++) {
            const char shade = shades[*pixel * (sizeof shades - 2) / DIGIT_LEVELS];
            printf("%c%c", shade, shade);
        }
        if (*notes)
            printf("   %s", *notes++);
        putchar('\n');
    }
}
