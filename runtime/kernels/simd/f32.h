/* The float32 inner loops that exist once for each instruction set, behind one table of functions.
 *
 * simd/f32_loops.h holds the loops in vector C. f32_base.c compiles them for the instruction set that the whole library
 * is compiled for (SSE2, NEON, MVE or none), f32_avx2.c and f32_avx512.c for wider ones of x86-64, f32_neon.c with what
 * is written by hand for AArch64. tsm_f32_select picks a table at run time; the choice is kept in the instance, because
 * the library has no writable globals. */
#ifndef TSM_SIMD_F32_H
#define TSM_SIMD_F32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/simd/narrow.h"
#include "runtime/kernels/simd/tables.h"

/* Columns of a panel of packed weights; see kernels/simd/pack.h. One width serves every instruction set. */
enum { TSM_PANEL = 16 };

/* Floats from a channel to the next in a panel of transformed 3x3 weights: 36 positions, and a line more so that the
 * rows that a product reads do not fall into the same sets of the cache. */
enum { TSM_WINOGRAD_ROW = 37 * TSM_PANEL };

/* tsm_f32_loops.scratch_limit, and how much of a weight stays in a cache: 256 KiB, on microcontrollers 16 KiB. */
#if (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M') || (defined(__riscv) && __riscv_xlen == 32)
enum { LOOPS_SCRATCH_LIMIT = 16 * 1024 };
#else
enum { LOOPS_SCRATCH_LIMIT = 256 * 1024 };
#endif

/* What is done to a result on its way to memory. Numbers are part of the file format: packed operators of schema/
 * operators_tsm.txt carry them. */
typedef enum {
    TSM_ACT_NONE,
    TSM_ACT_RELU,
    TSM_ACT_CLAMP, /* low, high: relu6, hardtanh */
    TSM_ACT_HARDSWISH,
    TSM_ACT_HARDSIGMOID,
    TSM_ACT_SILU,
    TSM_ACT_SIGMOID,
    TSM_ACT_TANH,
    TSM_ACT_GELU,       /* by erf */
    TSM_ACT_GELU_TANH,  /* the tanh approximation */
    TSM_ACT_LEAKY_RELU, /* low: negative slope */
    TSM_ACT_COUNT
} tsm_activation;

/* The finish of a matrix product: c = activation(product + bias + residual). Pointers may be NULL; at most one bias is
 * given. */
typedef struct {
    const float *column_bias; /* one for each column of C */
    const float *row_bias;    /* one for each row of C */
    const float *residual;    /* laid out as C, with rows `residual_stride` floats apart */
    ptrdiff_t residual_stride;
    tsm_activation activation;
    float low, high;
} tsm_finish;

/* A block of a matrix product: C[r][j] = sum over t, k of a[t * a_step + r][k] * B[t * depth + k][j].
 *
 * Rows of A are given by pointers, once for each tap: a plain product has one tap and one pointer for each row; a
 * convolution has a tap for each kernel position, and the pointer of a position that lies in the padding leads to
 * zeros. B is read row by row: element (k, j) is at b[j / 16 * b_panel + k * b_stride + j % 16]. Packed: b_stride 16
 * and every panel padded to 16 columns. Plain rows of a matrix work too (b_panel 16, b_stride its row stride) when
 * columns % 16 == 0. */
typedef struct {
    size_t rows;    /* any, computed in tiles of gemm_rows of the table */
    size_t columns; /* any; the last panel may be used in part */
    size_t taps, depth;
    const float *const *a;
    size_t a_step;
    const float *b;
    size_t b_stride, b_panel;
    float *c;
    ptrdiff_t c_stride; /* floats from a row of C to the next */
    bool accumulate;    /* add to what C holds; biases were added then already */
    bool is_lone_row;   /* the product has this row only: its sums may be taken in parts (other rows have one order, in
                           whatever tile) */
    bool from_last;     /* hint: the last columns first, because the cache still holds them */
    bool more;          /* more will be accumulated: leave residual and activation for the last call */
    const tsm_finish *finish;
} tsm_gemm_block;

/* A line of output pixels of a depthwise convolution in channels-last order. Kernel rows that lie in the padding are
 * left out, and so are taps beside the image: for pixel p and channel c, out[p * out_stride + c] = finish(sum over rows
 * r, taps t of rows[r][x * column_step + c] * W(r, t, c)) over those t whose column x = begin + p * stride + t *
 * dilation lies in [0, width), where W(r, t, c) = w[c / 16 * w_panel + w_rows[r] + t * 16 + c % 16] (packed with one
 * input channel a group, pack.h). */
typedef struct {
    size_t pixels, channels, row_count, taps; /* taps: of each row */
    const float *const *rows;                 /* column 0 of the image's lines */
    ptrdiff_t column_step;                    /* floats */
    ptrdiff_t begin, width, stride, dilation; /* columns of the image */
    const float *w;
    const size_t *w_rows;
    size_t w_panel;
    float *out;
    ptrdiff_t out_stride;
    const tsm_finish *finish; /* column_bias: one a channel; residual laid out as out */
} tsm_depthwise_run;

/* What a narrow weight (pack.h) holds. */
typedef enum { TSM_NARROW_F16, TSM_NARROW_BF16, TSM_NARROW_INT8 } tsm_narrow_elements;

/* A row of a softmax that comes in blocks: the greatest number so far, and the sum of e^(u - top). */
typedef struct {
    float top, sum;
} tsm_softmax_row;

typedef struct tsm_f32_loops {
    const char *name;
    size_t lanes;
    size_t gemm_rows;
    size_t scratch_limit; /* bytes that a kernel asks for one block of packed or gathered data */
    bool is_narrow;       /* narrow elements are calculated as they lie (simd/narrow.h) */
    void (*gemm)(const tsm_gemm_block *g);
    void (*depthwise)(const tsm_depthwise_run *d);
    /* The transforms of F(4x4, 3x3) (conv_winograd.h); positions are numbered row by row.
     * Input: `channels` numbers of 6x6 pixels; position p is written to v + p * v_position. channels % 16 == 0.
     * Weight: one panel of packed 3x3 weights of `depth` channels; position p, channel k to u + k * TSM_WINOGRAD_ROW +
     * p * 16. Output: 16 channels of 4x4 pixels from position p at m + p * m_position, finished; a pixel that is NULL
     * is left out. */
    void (*winograd_input)(float *v, size_t v_position, const float *const *pixels, size_t channels);
    void (*winograd_weight)(float *u, const float *w, size_t depth);
    void (*winograd_output)(float *const *pixels, const float *const *residuals, const float *m, size_t m_position,
                            const tsm_finish *finish);
    /* y[i * y_stride] += sum_k x[k] * w[i * w_stride + k], i < n: rows of w lie along k. */
    void (*dots)(size_t n, size_t k, const float *x, const float *w, ptrdiff_t w_stride, float *y, ptrdiff_t y_stride);
    /* Rows of a narrow weight (nn/narrow.h) made floats: 16 numbers each, side by side. `scales`: of the 16 columns of
     * int8; NULL for others. */
    void (*widen)(float *y, const void *rows, tsm_narrow_elements elements, const float *scales, size_t count);
    /* y[j] += sum_k x[k] * w[k][j] over `depth` such rows, j < 16. */
    void (*narrow_row)(float *y, const float *x, const void *rows, tsm_narrow_elements elements, const float *scales,
                       size_t depth);
    /* y = activation(x), n elements; in place is allowed. */
    void (*activate)(float *y, const float *x, size_t n, tsm_activation a, float low, float high);
    /* One step of an LSTM for n hidden units: gates i, f, g, o lie n apart in `gates` (before activation); c and h are
     * written. c_in may be c_out. */
    void (*lstm)(size_t n, const float *gates, const float *c_in, float *c_out, float *h_out);
    /* One step of a GRU: gates r, z, n of input and of hidden state (n apart), each with its bias added. */
    void (*gru)(size_t n, const float *input_gates, const float *hidden_gates, const float *h_in, float *h_out);
    /* Softmax of n numbers in place of x into y; max subtracted. */
    void (*softmax)(float *y, const float *x, size_t n);
    /* Adds a block to a softmax row, which begins as {-inf, 0}: with u[i] = x[i] * scale + mask[i] (mask may be NULL),
     * x[i] becomes e^(u[i] - row->top). Returns the factor by which sums over earlier blocks must be multiplied. */
    float (*softmax_block)(float *x, size_t n, float scale, const float *mask, tsm_softmax_row *row);
    /* Sum and sum of squared differences from the mean (for normalization), in lanes and then pairwise. */
    void (*moments)(const float *x, size_t n, double *mean, double *squares);
    /* y = x * scale + shift with one scale and shift. */
    void (*affine)(float *y, const float *x, size_t n, float scale, float shift);
    /* y[i] = (x[i] - mean) * scale * weight[i] + bias[i]. */
    void (*normalize)(float *y, const float *x, size_t n, float mean, float scale, const float *weight,
                      const float *bias);
    /* y[c] = the greatest of rows[i][c], i < count; NaN wins. count >= 1. */
    void (*max_rows)(float *y, const float *const *rows, size_t count, size_t n);
    /* y[2 * i] = a[i], y[2 * i + 1] = b[i], i < n. */
    void (*interleave)(float *y, const float *a, const float *b, size_t n);
    /* y[3 * i], y[3 * i + 1], y[3 * i + 2] = a[i], b[i], c[i]: pixels of three planes. */
    void (*interleave_three)(float *y, const float *a, const float *b, const float *c, size_t n);
    /* y[c] += the sum of rows[i][c], i < count. */
    void (*add_rows)(float *y, const float *const *rows, size_t count, size_t n);
    /* y[c] = start + the sum of weights[i] * rows[i][c], i < count. */
    void (*weigh_rows)(float *y, float start, const float *const *rows, const float *weights, size_t count, size_t n);
} tsm_f32_loops;

/* The loops of a table, by families. */
/* clang-format off */
#define TSM_F32_LOOPS(X)                                                                                               \
    X(gemm) X(dots) X(widen) X(narrow_row) X(activate)                                                                 \
    X(depthwise) X(winograd_input) X(winograd_weight) X(winograd_output)                                               \
    X(lstm) X(gru) X(softmax) X(softmax_block) X(moments) X(affine) X(normalize)                                       \
    X(max_rows) X(add_rows) X(weigh_rows) X(interleave) X(interleave_three)
/* clang-format on */

/* TSM_F32(table, loop, arguments...) calls a table's loop. With TSM_DIRECT_LOOPS tables have none, and the loop itself
 * is called: programs link the loops that their operators call, and no others. */
#if defined(TSM_DIRECT_LOOPS)
#define TSM_F32(table, loop, ...) ((void)(table), tsm_f32_base_##loop(__VA_ARGS__))
#define TSM_F32_DECLARE(loop) extern const __typeof__(((tsm_f32_loops *)NULL)->loop) tsm_f32_base_##loop;
TSM_F32_LOOPS(TSM_F32_DECLARE)
/* What tsm_f32_base_activate does for activations other than relu and clamps. */
void tsm_f32_activate_smooth(float *y, const float *x, size_t n, int a, float low, float high);
#else
#define TSM_F32(table, loop, ...) ((table)->loop(__VA_ARGS__))
#endif

/* The loops for the machine that runs this. Costs some microseconds on x86-64 (CPUID): keep the answer. */
const tsm_f32_loops *tsm_f32_select(void);

/* Tables by name, for tests: NULL where this build or this machine has no such table. */
const tsm_f32_loops *tsm_f32_by_name(const char *name);

extern const tsm_f32_loops tsm_f32_base;
#if defined(TSM_TABLES_X86_64)
extern const tsm_f32_loops tsm_f32_avx2, tsm_f32_avx512;
#elif defined(TSM_TABLES_AARCH64)
extern const tsm_f32_loops tsm_f32_neon;
#endif

#endif
