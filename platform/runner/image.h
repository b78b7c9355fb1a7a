/* Pictures (PNG, JPEG) as tensors. */
#ifndef RUNNER_IMAGE_H
#define RUNNER_IMAGE_H

#include "platform/runner/settings.h"

/* How a picture becomes a tensor; what is NULL the program's metadata says ("image.size", ...), or what it declares.
 * docs/values.md describes them. */
typedef struct {
    const char *size, *crop, *mean, *std, *layout;
} image_options;

/* Reads a picture, brings it to the size that is wanted and makes a tensor of it: of uint8 where that is declared, else
 * of float32, (pixel / 255 - mean) / std. What cannot be read ends the program with exit status 2. */
tsm_value image_value(const input_place *place, const char *path, const image_options *options);

#endif
