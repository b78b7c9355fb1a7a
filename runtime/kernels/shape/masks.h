/* What tensors choose as conditions: all of their elements that are not zero. */
#ifndef TSM_KERNELS_SHAPE_MASKS_H
#define TSM_KERNELS_SHAPE_MASKS_H

#include "runtime/kernels/kernel.h"

/* The positions of all elements of t that are not zero, in row-major order: int64 [count, dimensions of t]. */
tsm_status tsm_mask_nonzero(tsm_exec *x, const tsm_tensor *t, tsm_tensor **out);

/* `mask` is over the first dimensions of self, at least one, and has their sizes; what is in the others lies side by
 * side in self. */

/* Copies what the mask chooses: [count, sizes of the other dimensions]. */
tsm_status tsm_mask_select(tsm_exec *x, const tsm_tensor *self, const tsm_tensor *mask, tsm_value *out);
/* Writes `values` to what the mask chooses, if they lie as tsm_mask_select would make them, or are one number for
 * single elements; *done says so. */
tsm_status tsm_mask_put(tsm_exec *x, const tsm_tensor *self, const tsm_tensor *mask, const tsm_tensor *values,
                        bool *done);

#endif
