/* Images of digits (tests/models/digits_test.bin; make_digits.py describes the file), with PyTorch's answers or, as
 * those of digits_train.bin, without. */
#ifndef TESTS_DEVICE_DIGIT_IMAGES_H
#define TESTS_DEVICE_DIGIT_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGIT_LEVELS = 16, DIGIT_MAX_PIXELS = 256, DIGIT_MAX_CLASSES = 16 };

/* Pointers lead into the file's bytes. */
typedef struct {
    uint32_t count, height, width, classes;
    const uint8_t *pixels;    /* [count][height][width], 0 to DIGIT_LEVELS */
    const uint8_t *labels;    /* [count] */
    const uint8_t *predicted; /* [count], by PyTorch; NULL without answers */
    const uint8_t *scores;    /* [count][classes] little-endian float32, by PyTorch; NULL without answers */
} digit_images;

/* False when the bytes are not such a file. */
bool digit_images_open(digit_images *images, const void *file, size_t bytes);

/* The model's input for an image: height * width numbers from 0 to 1. */
void digit_images_input(const digit_images *images, uint32_t image, float *input);

/* PyTorch's score of a class. */
float digit_images_score(const digit_images *images, uint32_t image, uint32_t class_number);

/* Prints an image in characters, each line ended by the matching one of `notes` (as many as there are,
 * NULL-terminated). */
void digit_images_print(const digit_images *images, uint32_t image, const char *const *notes);

#endif
