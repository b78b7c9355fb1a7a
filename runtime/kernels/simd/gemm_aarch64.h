/* The hand-written tiles of gemm_aarch64.S. */
#ifndef TSM_SIMD_GEMM_AARCH64_H
#define TSM_SIMD_GEMM_AARCH64_H

#include <stddef.h>
#include <stdint.h>

/* R rows by 16 columns: c[r][j] = clamp(start[r][j] + sum over taps t, k < depth of a[t][r][k] * b[t * depth + k][j] + residual[r][j]).
 * Strides in bytes. The assembler code knows the offsets. */
typedef struct {
    const float *const *a; /* R pointers for each tap, a_step bytes from tap to tap */
    size_t a_step;
    size_t taps, depth;
    const float *b;     /* row k of B: 16 numbers at b + k * (b_skip + 32) */
    ptrdiff_t b_skip;   /* from the second half of a row to the next row */
    const float *start; /* first values of the sums; stride 0: the same row for all */
    ptrdiff_t start_stride;
    float *c;
    ptrdiff_t c_stride;
    const float *residual; /* NULL: none */
    ptrdiff_t residual_stride;
    float low, high;
    uint32_t clamps; /* bit 0: low, bit 1: high */
} tsm_gemm_tile_a64;

_Static_assert(offsetof(tsm_gemm_tile_a64, taps) == 16 && offsetof(tsm_gemm_tile_a64, b) == 32 &&
                   offsetof(tsm_gemm_tile_a64, start) == 48 && offsetof(tsm_gemm_tile_a64, c) == 64 &&
                   offsetof(tsm_gemm_tile_a64, residual) == 80 && offsetof(tsm_gemm_tile_a64, low) == 96 &&
                   offsetof(tsm_gemm_tile_a64, clamps) == 104,
               "gemm_aarch64.S has these offsets");

typedef void (*tsm_gemm_tile_a64_function)(const tsm_gemm_tile_a64 *t);
void tsm_gemm_tile_a64_1(const tsm_gemm_tile_a64 *t);
void tsm_gemm_tile_a64_2(const tsm_gemm_tile_a64 *t);
void tsm_gemm_tile_a64_3(const tsm_gemm_tile_a64 *t);
void tsm_gemm_tile_a64_4(const tsm_gemm_tile_a64 *t);
void tsm_gemm_tile_a64_5(const tsm_gemm_tile_a64 *t);
void tsm_gemm_tile_a64_6(const tsm_gemm_tile_a64 *t);

#endif
