/* Several tensors in one file: NumPy's .npz, an archive of .npy files. */
#ifndef RUNNER_NPZ_H
#define RUNNER_NPZ_H

#include "tsmobile.h"
#include <stdio.h>

typedef struct {
    const char *name;
    tsm_value value;
} npz_array;

/* Reads a file; stored and deflated arrays. The list lives until the program ends. What cannot be read ends the program
 * with exit status 2. */
npz_array *npz_read(const char *path, tsm_instance *inst, size_t *count);

/* Writes values that are tensors or numbers; others end the program with exit status 2. */
void npz_write(FILE *out, const npz_array *arrays, size_t count);

/* A value that is a tensor or a number as the bytes of a .npy file; `name` stands in errors. */
void *npz_bytes_of(const char *name, tsm_value v, size_t *n);

#endif
