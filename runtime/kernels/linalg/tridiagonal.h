/* Eigenvalues of real symmetric tridiagonal matrices, and the vectors that rotations make of given ones, as LAPACK
 * finds them: the QL or QR algorithm with implicit shifts (Golub and Van Loan, Matrix Computations, 8.3; Wilkinson and
 * Reinsch, Linear Algebra, II/4). */
#ifndef TSM_KERNELS_LINALG_TRIDIAGONAL_H
#define TSM_KERNELS_LINALG_TRIDIAGONAL_H

#include "runtime/tensor/tensor.h"

typedef struct {
    tsm_dim n;
    double *d, *e;  /* the diagonal, n numbers, and the subdiagonal, n - 1 */
    double epsilon; /* what is smaller than its neighbours on the diagonal by this factor counts as nothing */
    double *rows;   /* n vectors, one for each place of the diagonal, which are turned along; or NULL */
    tsm_dim width;  /* numbers of a row: two for each element of a complex vector */
} tridiagonal;

/* Leaves the eigenvalues in d, ascending, and the rows in their order; e is lost. false: no convergence. */
bool tsm_tridiagonal_diagonalize(tridiagonal *t);

/* c and s with c f + s g = r and c g - s f = 0; r has the sign of f, or of g where f is 0. */
double tsm_linalg_rotation(double f, double g, double *c, double *s);

#endif
