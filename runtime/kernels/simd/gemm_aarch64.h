/* The hand-written loops of gemm_aarch64.S. */
#ifndef TSM_SIMD_GEMM_AARCH64_H
#define TSM_SIMD_GEMM_AARCH64_H

#include <stddef.h>
#include <stdint.h>

/* R rows by `panels` panels of 4 * V columns:
 *     c[r][j] = clamp(start[r][j] + sum over taps t, k < depth of a[t][r][k] * b[t * depth + k][j] + residual[r][j])
 * A panel's columns of C, of the residual and of the first values lie 16 behind those of the panel before. Strides in
 * bytes. The assembler code knows the offsets, and moves b and residual on. */
typedef struct {
    const float *const *a; /* R pointers for each tap, a_step bytes from tap to tap */
    size_t a_step;
    size_t taps, depth; /* taps 0: no products */
    const float *b;     /* row k of B: at b + k * b_stride */
    ptrdiff_t b_stride, b_panel;
    size_t panels;
    const float *start;     /* first values of the sums */
    ptrdiff_t start_stride; /* 0: the same row for all */
    ptrdiff_t start_step;   /* from panel to panel: 64, or 0 where all panels have the same */
    float *c;
    ptrdiff_t c_stride;
    const float *residual; /* NULL: none */
    ptrdiff_t residual_stride;
    uint32_t clamps; /* bit 0: low, bit 1: high */
    _Alignas(16) float low[4];
    float high[4];
} tsm_gemm_a64;

_Static_assert(offsetof(tsm_gemm_a64, taps) == 16 && offsetof(tsm_gemm_a64, b) == 32 &&
                   offsetof(tsm_gemm_a64, panels) == 56 && offsetof(tsm_gemm_a64, start_step) == 80 &&
                   offsetof(tsm_gemm_a64, c) == 88 && offsetof(tsm_gemm_a64, residual) == 104 &&
                   offsetof(tsm_gemm_a64, clamps) == 120 && offsetof(tsm_gemm_a64, low) == 128,
               "gemm_aarch64.S has these offsets");

typedef void (*tsm_gemm_a64_function)(tsm_gemm_a64 *t);

#define TSM_GEMM_A64_EACH_VECTORS(F, rows) F(rows, 1) F(rows, 2) F(rows, 3) F(rows, 4)
#define TSM_GEMM_A64_DECLARE(rows, vectors) void tsm_gemm_a64_##rows##x##vectors(tsm_gemm_a64 *t);
TSM_GEMM_A64_EACH_VECTORS(TSM_GEMM_A64_DECLARE, 1)
TSM_GEMM_A64_EACH_VECTORS(TSM_GEMM_A64_DECLARE, 2)
TSM_GEMM_A64_EACH_VECTORS(TSM_GEMM_A64_DECLARE, 3)
TSM_GEMM_A64_EACH_VECTORS(TSM_GEMM_A64_DECLARE, 4)
#undef TSM_GEMM_A64_DECLARE

#endif
