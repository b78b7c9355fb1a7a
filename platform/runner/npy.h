/* Tensors from NumPy's .npy files (format versions 1 to 3, numpy.lib.format). */
#ifndef RUNNER_NPY_H
#define RUNNER_NPY_H

#include "tsmobile.h"

/* Reads a file into a tensor over memory that lives until the program ends; row-major and column-major arrays of
 * booleans, integers, floats and complex numbers, little-endian. Anything else ends the program with exit status 2. */
tsm_value npy_value(const char *path, tsm_instance *inst);

#endif
