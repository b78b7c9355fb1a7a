/* Pooling of quantized images. */
#ifndef TSM_KERNELS_QUANTIZED_QUANTIZED_POOL_H
#define TSM_KERNELS_QUANTIZED_QUANTIZED_POOL_H

#include "runtime/kernels/nn/pool.h"

/* The maximum over windows of an image [N, C, spatial...] with n spatial dimensions; the result has the input's
 * quantizer. */
tsm_status quantized_max_pool(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, tsm_value *out);

/* The average over all spatial dimensions: [N, C], or with `keep` ones for them. Only where quantized_can_average. */
bool quantized_can_average(const tsm_tensor *a);
tsm_status quantized_global_average(tsm_exec *x, tsm_tensor *a, bool keep, tsm_value *out);

#endif
