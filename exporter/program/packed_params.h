/* Objects of packed parameters, as PyTorch's C++ code pickles them. */
#ifndef TSMC_PROGRAM_PACKED_PARAMS_H
#define TSMC_PROGRAM_PACKED_PARAMS_H

#include "exporter/archive/pickle.h"

/* The state of an object whose class has a definition in the program. For embeddings it is (rows of bytes, scales, zero
 * points), for convolutions the tuple that the library's class takes: (weight, bias, stride, padding, output padding,
 * dilation, groups, transposed); for others it is the pickled state. diag_fail on a form that is not known. */
pkl_value *packed_params_state(const pkl_value *object);

#endif
