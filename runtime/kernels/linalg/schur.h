/* Schur's form of Hessenberg matrices by the QR algorithm (Francis 1961; Golub and Van Loan, Matrix Computations, 7.5),
 * with the shifts, the tests for small numbers and the signs of LAPACK. Matrices are n by n, row by row. Rows and
 * columns first to last, 0-based, are worked on: outside of them the matrix is triangular already. Rows of z
 * are multiplied by the rotations from the right. false: no convergence. */
#ifndef TSM_KERNELS_LINALG_SCHUR_H
#define TSM_KERNELS_LINALG_SCHUR_H

#include "runtime/kernels/complex_math.h"

typedef struct {
    tsm_dim n, first, last;
    tsm_dim z_rows; /* of z that are multiplied: n, or 0 where nobody asks for vectors */
    double epsilon; /* the distance from 1 to the next number of the matrix's precision */
} schur_size;

/* Subdiagonal elements up to this size are always negligible. */
static inline double schur_tiny(const schur_size *s) {
    return 2.2250738585072014e-308 * ((double)(s->last - s->first + 1) / s->epsilon);
}
/* Whether a subdiagonal element is negligible (Ahues and Tisseur 1997), by absolute values: `below` of itself, `above`
 * of the element across the diagonal, `own` of its row's diagonal element, `gap` of that one's difference from the
 * diagonal element before. */
static inline bool schur_is_small(const schur_size *s, double below, double above, double own, double gap) {
    double ab = fmax(below, above), ba = fmin(below, above), aa = fmax(own, gap), bb = fmin(own, gap), sum = aa + ab;
    return ba * (ab / sum) <= fmax(schur_tiny(s), s->epsilon * (bb * (aa / sum)));
}

/* Hessenberg's form by reflections, with LAPACK's signs, of a matrix that is triangular outside of first to last; z
 * becomes the matrix that does it, or is left alone with z_rows 0. Scratch: 2 n numbers. */
void tsm_hessenberg_real(const schur_size *size, double *h, double *z, double *scratch);

/* Blocks of 2 by 2 stay on the diagonal where eigenvalues are a complex pair; their diagonal elements are equal then.
 */
bool tsm_schur_real(const schur_size *size, double *h, double *z);
bool tsm_schur_complex(const schur_size *size, tsm_complex *h, tsm_complex *z);

#endif
