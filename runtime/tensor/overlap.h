/* Destinations that share elements with themselves or with arguments: what PyTorch refuses, with its texts. */
#ifndef TSM_TENSOR_OVERLAP_H
#define TSM_TENSOR_OVERLAP_H

#include "runtime/tensor/tensor.h"

/* How two tensors share memory, the harmless ways first, as TensorIterator sees it. OTHER is what it does not decide.
 */
typedef enum { TSM_SHARE_NOTHING, TSM_SHARE_ALL, TSM_SHARE_OTHER, TSM_SHARE_PARTS } tsm_sharing;
tsm_sharing tsm_sharing_of(const tsm_tensor *a, const tsm_tensor *b);

/* Dense without overlap: its elements fill a block of memory, in whatever order of dimensions. */
bool tsm_tensor_is_dense(const tsm_tensor *t);

/* Refuses a destination of which several elements are one place in memory. */
tsm_status tsm_check_written_once(tsm_exec *x, int dims, const tsm_dim *sizes, const tsm_dim *strides);
/* Refuses one to whose dtype the result's cannot be cast, and of out=exact one of another dtype. */
tsm_status tsm_check_destination_dtype(tsm_exec *x, const tsm_tensor *dest, tsm_dtype dtype);
/* Refuses one that shares with `source` what the rule does not allow. */
tsm_status tsm_check_sharing(tsm_exec *x, const tsm_tensor *dest, const tsm_tensor *source, tsm_overlap_rule rule);
/* What values that are put at indices may share with `dest`: nothing. One number that is put by one mask fills, as
 * masked_fill does: it may be an element, and all of the mask may be what is filled. */
tsm_status tsm_check_put(tsm_exec *x, const tsm_tensor *dest, const tsm_list *indices, const tsm_tensor *values,
                         bool accumulate);
/* The only index by which one number is put, which fills if that is a mask; NULL: there are more, or none. */
tsm_tensor *tsm_filling_index(const tsm_list *indices, const tsm_tensor *values, bool accumulate);
/* Both, for the destination of the operator that runs and its other inputs; the destination has the result's sizes. */
tsm_status tsm_check_destination(tsm_exec *x, const tsm_tensor *dest, const tsm_value *const *in);

#endif
