/* The int8 inner loops that exist once for each instruction set, behind one table of functions, as simd/f32.h does for
 * float32.
 *
 * Activations are uint8 (x), weights int8 (w); sums are int32. A weight is packed (kernels/quantized/quantized_pack.h)
 * in panels of 16 outputs; in a panel, for each four neighbouring k, 16 times the four weights of one output: a block
 * of 64 bytes, which are one vector of AVX-512, two of AVX2, four of NEON, and what their dot product instructions
 * read. Instruction sets whose dot product takes signed bytes only compute with x - 128. `x_bias` is what a table
 * subtracts from x; the caller makes up for it by adding x_bias * (sum of an output's weights). */
#ifndef TSM_SIMD_Q8_H
#define TSM_SIMD_Q8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/simd/tables.h"

enum {
    TSM_Q8_PANEL = 16,                          /* outputs of a panel */
    TSM_Q8_GROUP = 4,                           /* neighbouring k that lie together */
    TSM_Q8_BLOCK = TSM_Q8_PANEL * TSM_Q8_GROUP, /* bytes of a whole panel for one group */
};

/* What happens to a sum s of column j: quantized, y = clamp(round_to_even((s + offset[j]) * scale[j] + rest[j]) +
 * zero_point, low, 255); as floats, y = (s + offset[j]) * scale[j] + bias[j], at least 0 when `relu`. Arrays are
 * readable up to a whole panel. */
typedef struct {
    const int32_t *offset;
    const float *scale;
    const float *rest; /* of quantized results */
    const float *bias; /* of float results; NULL: quantized ones */
    int32_t zero_point, low;
    bool relu;
} tsm_q8_finish;

/* A part of a product: rows of A given by pointers, once for each tap, `groups` * 4 bytes from each. Column panels of B
 * lie b_panel bytes apart and hold taps * groups blocks of 64 bytes; the blocks of the panel with the last columns lie
 * b_last bytes apart, and what follows of the 64 is readable. */
typedef struct {
    size_t rows;         /* 1 .. gemm_rows of the table */
    size_t columns;      /* any */
    size_t taps, groups; /* taps at least 1 */
    const uint8_t *const *a;
    size_t a_step; /* pointers from a tap to the next */
    const int8_t *b;
    size_t b_panel, b_last;
    void *c;            /* uint8_t, or float where `finish` says so */
    ptrdiff_t c_stride; /* elements from a row to the next */
    const tsm_q8_finish *finish;
} tsm_q8_gemm_block;

/* Neighbouring output pixels of a depthwise convolution. A column is what one horizontal position of the kernel sees:
 * `rows` pixels above each other, given by pointers, NULL never. Pixel p sees columns p * step + k * column_step, k <
 * width; column c's pointers are at columns[c * rows ...]. Weights: in a panel of 16 channels, for each k, ceil(rows /
 * 4) blocks of 16 channels times four rows. */
typedef struct {
    size_t pixels, channels, rows, width;
    const uint8_t *const *columns;
    size_t step, column_step;
    const int8_t *w;
    size_t w_panel; /* bytes */
    uint8_t *out;
    ptrdiff_t out_stride;
    const tsm_q8_finish *finish;
} tsm_q8_depthwise_run;

/* y = clamp(round((a * a_factor + b * b_factor + offset) / 2^shift) + zero_point, low, 255), halves away from zero. The
 * factors are the scales relative to the result's, in fixed point; no sum overflows
 * (kernels/quantized/quantized_pointwise.c). */
typedef struct {
    int32_t a_factor, b_factor, offset, shift;
    int32_t zero_point, low;
} tsm_q8_sum;

/* y = clamp(round((a - a_zero) * (b - b_zero) * scale) + zero_point). */
typedef struct {
    int32_t a_zero, b_zero;
    float scale;
    int32_t zero_point, low;
} tsm_q8_product;

typedef struct tsm_q8_loops {
    const char *name;
    size_t gemm_rows;
    int32_t x_bias; /* 0 or 128 */
    void (*gemm)(const tsm_q8_gemm_block *g);
    void (*depthwise)(const tsm_q8_depthwise_run *d);
    /* y = clamp(round_to_even(x * inverse) + zero_point, 0, 255). */
    void (*quantize)(uint8_t *y, const float *x, size_t n, float inverse, int32_t zero_point);
    /* y = (x - zero_point) * scale. */
    void (*dequantize)(float *y, const uint8_t *x, size_t n, float scale, int32_t zero_point);
    void (*add)(uint8_t *y, const uint8_t *a, const uint8_t *b, size_t n, const tsm_q8_sum *s);
    void (*multiply)(uint8_t *y, const uint8_t *a, const uint8_t *b, size_t n, const tsm_q8_product *p);
    /* y[c] = the greatest of rows[i][c], i < count; count >= 1. */
    void (*max_rows)(uint8_t *y, const uint8_t *const *rows, size_t count, size_t n);
    /* sums[c] += rows[i][c]. */
    void (*add_rows)(int32_t *sums, const uint8_t *const *rows, size_t count, size_t n);
    /* The least and the greatest of n > 0 floats. */
    void (*range)(const float *x, size_t n, float *least, float *greatest);
} tsm_q8_loops;

/* What a processor has beyond the instructions that the library was compiled for, where a program cannot ask the
 * processor itself: tsm_platform's `features`. */
const tsm_q8_loops *tsm_q8_select(uint64_t features);

/* Tables by name, for tests: NULL where this build or this machine has no such table. */
const tsm_q8_loops *tsm_q8_by_name(const char *name, uint64_t features);

extern const tsm_q8_loops tsm_q8_base;
#if defined(TSM_TABLES_X86_64)
extern const tsm_q8_loops tsm_q8_avx2, tsm_q8_vnni;
#elif defined(TSM_TABLES_AARCH64)
extern const tsm_q8_loops tsm_q8_dot;
#endif

#endif
