/* Products of matrices of doubles. f64_product.h holds the loop in vector C; f64_base.c compiles it for the instruction
 * set that the library is compiled for, f64_avx2.c for x86-64 with AVX2 and FMA. */
#ifndef TSM_SIMD_F64_H
#define TSM_SIMD_F64_H

#include <stdbool.h>
#include <stddef.h>

/* C += A B, or C -= A B: A m x k, B k x n; strides in doubles, columns of B and C are consecutive. C shares no memory
 * with A and B. */
typedef struct {
    size_t m, n, k;
    const double *a;
    ptrdiff_t a_row, a_col;
    const double *b;
    ptrdiff_t b_row;
    double *c;
    ptrdiff_t c_row;
    bool subtract;
} tsm_f64_product;

void tsm_f64_add_product_base(const tsm_f64_product *p);
void tsm_f64_add_product_avx2(const tsm_f64_product *p); /* x86-64 */

#endif
