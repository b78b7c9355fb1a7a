/* What the kernels of eigenvalues share: a batch of matrices in, values and vectors out. */
#ifndef TSM_KERNELS_LINALG_EIGEN_H
#define TSM_KERNELS_LINALG_EIGEN_H

#include "runtime/kernels/kernel.h"

typedef struct {
    tsm_tensor *values, *vectors;
} eigen_results;

/* Results for a batch of square matrices [batch, n, n], contiguous, in double or complex double; raises when t is
 * something else. Without vectors their tensor is empty. */
tsm_status tsm_eigen_begin(tsm_exec *x, const tsm_tensor *t, tsm_dtype values, tsm_dtype vectors, bool has_vectors,
                           eigen_results *r);
/* Gives the results, or drops them when `status` is a failure. */
tsm_status tsm_eigen_end(tsm_exec *x, tsm_status status, const eigen_results *r, tsm_value *out);

#endif
