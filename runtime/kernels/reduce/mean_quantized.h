/* The mean of quantized images. */
#ifndef TSM_KERNELS_REDUCE_MEAN_QUANTIZED_H
#define TSM_KERNELS_REDUCE_MEAN_QUANTIZED_H

#include "runtime/kernels/kernel.h"

/* The mean over all spatial dimensions: [N, C], or with `keep` ones for them. Only where tsm_mean_quantized_fits; other
 * means go through floats. */
bool tsm_mean_quantized_fits(const tsm_tensor *a);
tsm_status tsm_mean_quantized(tsm_exec *x, tsm_tensor *a, bool keep, tsm_value *out);

#endif
