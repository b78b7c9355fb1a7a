/* What the kernels of neural network operators share. */
#ifndef TSM_KERNELS_NN_NN_H
#define TSM_KERNELS_NN_NN_H

#include "runtime/kernels/kernel.h"
#include "runtime/kernels/loops.h"

/* The largest kernel, stride, padding or dilation, so that sums of a few of them and an image's size can be counted;
 * products are tsm_dim_mul's. */
#define NN_MOST_INT (PTRDIFF_MAX / 16)

/* An int[n] argument: exactly n items, or one for all. An empty list gives `absent` when that is not NULL. `name` is
 * for PyTorch's error text, as "stride". */
tsm_status tsm_nn_ints(tsm_exec *x, const tsm_value *const *in, int i, const char *name, int n, const tsm_dim *absent,
                       tsm_dim *v);

/* t in channels-last order, float32. */
tsm_status tsm_nn_channels_last(tsm_exec *x, tsm_tensor *t, tsm_tensor **out);

TSM_KERNEL_DECLARE(aten_channel_shuffle);
TSM_KERNEL_DECLARE(aten_layer_norm);
TSM_KERNEL_DECLARE(aten_softmax_int);
TSM_KERNEL_DECLARE(tsm_softmax_attention);

#endif
