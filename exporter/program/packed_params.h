/* Objects of packed parameters, as PyTorch's C++ code pickles them. */
#ifndef TSMC_PROGRAM_PACKED_PARAMS_H
#define TSMC_PROGRAM_PACKED_PARAMS_H

#include "exporter/archive/pickle.h"

/* The state of an object of a class of the program: what was pickled; for embeddings (rows of bytes, scales, zero
 * points); for convolution parameters the tuple that
 * the library's class takes: (weight, bias, stride, padding, output padding, dilation, groups, transposed). diag_fail
 * on a form that is not known. */
pkl_value *packed_params_state(const pkl_value *object);

#endif
