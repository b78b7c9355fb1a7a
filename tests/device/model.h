/* The digits model: named on the command line where there are files, carried in flash by a bare-metal program. */
#ifndef TESTS_DEVICE_MODEL_H
#define TESTS_DEVICE_MODEL_H

#include "platform/platform.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef TSM_BAREMETAL
extern const char digits_model[], digits_model_end[]; /* embed.c */
enum { MODEL_ARGUMENTS = 0 };

static inline platform_file model_open(char **arguments) {
    (void)arguments;
    return (platform_file){digits_model, (size_t)(digits_model_end - digits_model)};
}
#else
enum { MODEL_ARGUMENTS = 1 };

/* arguments[0] is the path of the .tsm. */
static inline platform_file model_open(char **arguments) {
    platform_file file;
    char message[128];
    if (!platform_file_open(&file, arguments[0], message, sizeof message)) {
        fprintf(stderr, "%s: %s\n", arguments[0], message);
        exit(2);
    }
    return file;
}
#endif

#endif
