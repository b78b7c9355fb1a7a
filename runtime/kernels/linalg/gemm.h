/* Products of float32 matrices of any strides, and of other dtypes by plain loops. */
#ifndef TSM_KERNELS_LINALG_GEMM_H
#define TSM_KERNELS_LINALG_GEMM_H

#include "runtime/kernels/kernel.h"
#include "runtime/kernels/loops.h"
#include "runtime/kernels/simd/f64.h"
#include "runtime/kernels/simd/pack.h"

/* C[b] = finish(A[b] B[b]) for b < batch: A m x k, B k x n, strides in floats; columns of C are consecutive. C must not
 * overlap A or B. Biases of `finish` (may be NULL) serve every batch; its residual is C-shaped, batches residual_batch
 * apart. */
typedef struct {
    size_t batch, m, n, k;
    const float *a;
    ptrdiff_t a_batch, a_row, a_col;
    const float *b;
    ptrdiff_t b_batch, b_row, b_col;
    float *c;
    ptrdiff_t c_batch, c_row;
    const tsm_finish *finish;
    ptrdiff_t residual_batch;
} gemm_product;

/* Scratch: at most 64 * min(k, 256) * min(panels, max(1, L / (64 * min(k, 256)))) + 4 * gemm_rows * min(k, 256) bytes a
 * task, that is at most L + 12 KiB (on a microcontroller 20 KiB); one task unless the platform has threads. Rows of A
 * that lie together take none, nor does B where few rows meet it as it lies. */
tsm_status tsm_gemm_f32(tsm_exec *x, const gemm_product *p);

/* Products of a few steps without a finish, without scratch: false when it is not one. tsm_gemm_f32 takes this way by
 * itself. */
bool tsm_gemm_small(const gemm_product *p);

/* Products of few columns and steps, but many rows or matrices, with biases of columns at most, without scratch.
 * tsm_gemm_f32 takes this way by itself. Only with TSM_NARROW_LANES. */
bool tsm_gemm_is_tiny(tsm_exec *x, const gemm_product *p);
tsm_status tsm_gemm_tiny(tsm_exec *x, const gemm_product *p);

/* The same with B packed (pack.h), and A's columns consecutive: p->b, its strides and p->a_col are not used. `packed`
 * holds all n columns. No scratch. */
tsm_status tsm_gemm_f32_packed(tsm_exec *x, const gemm_product *p, const float *packed);

/* The same with a narrow weight; A's columns are consecutive. Scratch: that of tsm_gemm_f32, none for one row. */
tsm_status tsm_gemm_f32_narrow(tsm_exec *x, const gemm_product *p, const narrow_weight *w);

/* A tall block against columns that lie packed or row by row: the tiles of `m` rows of A (consecutive columns, a_row
 * apart) and `depth` deep. `b_stride`, `b_panel`, `accumulate`, `more` as in tsm_gemm_block. */
typedef struct {
    const float *a;
    ptrdiff_t a_row;
    size_t m, depth, columns;
    const float *b;
    size_t b_stride, b_panel;
    float *c;
    ptrdiff_t c_row;
    bool accumulate, more, is_lone_row;
    const tsm_finish *finish; /* of the block: biases and residual start at its corner */
} gemm_tall;
void tsm_gemm_tall_run(const tsm_f32_loops *f32, const gemm_tall *t);

/* The finish of a part of C that starts at (row, column). */
tsm_finish tsm_gemm_finish_at(const tsm_finish *f, ptrdiff_t row, ptrdiff_t column);

/* Rows whose pointers are given to the inner loop at once: whole tiles, at most GEMM_STRIP. */
enum { GEMM_STRIP = 64 };
static inline size_t gemm_strip(const tsm_f32_loops *f32) {
    return GEMM_STRIP / f32->gemm_rows * f32->gemm_rows;
}

/* C = A B for TSM_FLOAT64, TSM_INT64 and TSM_COMPLEX128: every matrix of that dtype, strides in elements, one batch. */
typedef struct {
    size_t m, n, k;
    const void *a;
    ptrdiff_t a_row, a_col;
    const void *b;
    ptrdiff_t b_row, b_col;
    void *c;
    ptrdiff_t c_row;
} gemm_any;
void tsm_gemm_plain(tsm_exec *x, tsm_dtype dtype, const gemm_any *g);
/* The same, without the loops for columns that are consecutive (gemm_plain.c). */
void tsm_gemm_others(tsm_exec *x, tsm_dtype dtype, const gemm_any *g);
/* C += A B or C -= A B (simd/f64.h), with the loops for this machine. */
void tsm_gemm_add_f64(tsm_exec *x, const tsm_f64_product *p);
/* The same of complex numbers, whose strides count pairs of doubles. */
void tsm_gemm_add_c128(tsm_exec *x, const tsm_f64_product *p);

#endif
