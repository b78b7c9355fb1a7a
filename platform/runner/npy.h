/* Tensors from NumPy's .npy files (format versions 1 to 3, numpy.lib.format), and to them. */
#ifndef RUNNER_NPY_H
#define RUNNER_NPY_H

#include "tsmobile.h"

enum { NPY_MOST_HEADER = 512 };

/* Reads a file into a tensor over memory that lives until the program ends; row-major and column-major arrays of
 * booleans, integers, floats and complex numbers, in either order of bytes. Anything else ends the program with exit
 * status 2. */
tsm_value npy_value(const char *path, tsm_instance *inst);
/* The same of the n bytes of a file; `name` stands in errors. */
tsm_value npy_value_of(const char *name, const void *bytes, size_t n, tsm_instance *inst);

/* A tensor as the n bytes of a file, in memory that lives until the program ends. An element type that NumPy lacks ends
 * the program with exit status 2. */
void *npy_bytes(const tsm_tensor_view *t, size_t *n);

#endif
