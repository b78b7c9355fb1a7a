/* Reductions that other families call. */
#ifndef TSM_KERNELS_REDUCE_REDUCE_H
#define TSM_KERNELS_REDUCE_REDUCE_H

#include "runtime/kernels/kernel.h"

/* Sums over the dimensions whose bits are set; integers give int64. */
tsm_status tsm_reduce_sum(tsm_exec *x, tsm_tensor *t, unsigned dims, tsm_value *out);

TSM_KERNEL_DECLARE(aten_mean_dim);

#endif
