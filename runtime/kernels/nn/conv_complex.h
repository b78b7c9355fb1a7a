/* Convolutions of complex tensors: four convolutions of their real and imaginary parts. */
#ifndef TSM_KERNELS_NN_CONV_COMPLEX_H
#define TSM_KERNELS_NN_CONV_COMPLEX_H

#include "runtime/kernels/nn/nn.h"

/* Runs `kernel`, which convolves real tensors, on the parts of its first three arguments (image, weight, optional
 * bias); all n arguments, 8 at most, are those of the running operator. Takes memory for the five results as well as
 * the kernel's own. */
tsm_status tsm_conv_complex(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *const *in, tsm_value *out);

static inline bool conv_is_complex(const tsm_value *const *in) {
    return tsm_dtype_is_complex((tsm_dtype)arg_tensor(in, 0)->dtype);
}

#endif
