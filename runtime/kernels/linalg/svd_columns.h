/* Columns of Jacobi's method (svd.c), which lie side by side in memory: products and rotations of two of them. */
#ifndef TSM_KERNELS_LINALG_SVD_COLUMNS_H
#define TSM_KERNELS_LINALG_SVD_COLUMNS_H

#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/loops.h"

/* b is multiplied by `phase` (of length 1; real columns: 1 or -1), then a := c a - s b, b := s a + c b. */
typedef struct {
    double c, s;
    tsm_complex phase;
} svd_rotation;

typedef struct {
    /* The sum of conj(a) b, of n elements. */
    tsm_complex (*product)(const void *a, const void *b, tsm_dim n);
    void (*turn)(const svd_rotation *r, void *a, void *b, tsm_dim n);
} svd_columns;

/* For columns of double or of complex double, on this machine. */
const svd_columns *tsm_svd_columns_choose(tsm_exec *x, bool is_complex);

#endif
