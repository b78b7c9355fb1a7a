/* Reductions of a matrix by reflections, for kernels of eigenvalues and singular values. Matrices are dense, row after
 * row, in double (TSM_FLOAT64) or complex double (TSM_COMPLEX128). */
#ifndef TSM_KERNELS_LINALG_FACTOR_H
#define TSM_KERNELS_LINALG_FACTOR_H

#include "runtime/kernels/kernel.h"

/* Multiplies n numbers by the power of two that brings the largest near to 1, where squares neither overflow nor vanish
 * (1 where they are near enough, not finite, or all 0), and returns it. */
double tsm_factor_scale(double *v, size_t n);

/* The reductions take numbers so small that their squares vanish for 0: matrices are scaled before.
 *
 * Householder's reduction of the Hermitian matrix a (n x n, both triangles) to a real tridiagonal one: d gets its
 * diagonal (n), e its subdiagonal (n - 1). The rows of q (n x n) become the columns of Q with A = Q T Q^H; q may be
 * NULL. a is overwritten. `scratch` holds 6 n elements. The signs are LAPACK's (sytrd with the lower triangle). */
void tsm_factor_tridiagonal(tsm_exec *x, tsm_dtype dtype, void *a, tsm_dim n, double *d, double *e, void *q,
                            void *scratch);

/* The reduction of a (m x n, m >= n) to a real upper bidiagonal matrix of the same singular values: d gets its diagonal
 * (n), e what stands above it (n - 1). a is overwritten. `scratch` holds 2 m + n elements. */
void tsm_factor_bidiagonal(tsm_exec *x, tsm_dtype dtype, void *a, tsm_dim m, tsm_dim n, double *d, double *e,
                           void *scratch);

#endif
