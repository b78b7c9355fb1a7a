/* Kernels of shapes and views that other families call. */
#ifndef TSM_KERNELS_SHAPE_SHAPE_H
#define TSM_KERNELS_SHAPE_SHAPE_H

#include "runtime/kernels/kernel.h"

/* torch.memory_format as programs have it. */
enum { CONTIGUOUS_FORMAT, PRESERVE_FORMAT, CHANNELS_LAST_FORMAT, CHANNELS_LAST_3D_FORMAT };

/* Quantized tensors along a dimension; without parameters (NULL) those of the first one. `activation`: a kernel of one
 * Tensor that each goes through before, or NULL. */
tsm_status tsm_cat_quantized(tsm_exec *x, const tsm_list *list, int64_t dim, const double *scale,
                             const int64_t *zero_point, tsm_kernel activation, tsm_value *out);

TSM_KERNEL_DECLARE(aten_cat);
TSM_KERNEL_DECLARE(aten_imag);
TSM_KERNEL_DECLARE(aten_index_select);
TSM_KERNEL_DECLARE(aten_real);
TSM_KERNEL_DECLARE(aten_squeeze_dim);
TSM_KERNEL_DECLARE(aten_unsqueeze);

#endif
