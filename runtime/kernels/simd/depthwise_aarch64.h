/* The hand-written loops of depthwise_aarch64.S. */
#ifndef TSM_SIMD_DEPTHWISE_AARCH64_H
#define TSM_SIMD_DEPTHWISE_AARCH64_H

#include <stddef.h>
#include <stdint.h>

/* A line of output pixels of a depthwise convolution with a K x K kernel, for V vectors of channels and then the next,
 * up to `bytes` of channels. Columns of the image are numbered from the padding's edge. Steps in bytes. The assembler
 * code knows the offsets. */
typedef struct {
    const float *rows[5]; /* the image's rows under the kernel, from their first column */
    ptrdiff_t steps[5];   /* from a column to the next */
    size_t advances[5];   /* all bits: the row has all channels; 0: it is padding, and points to 2 vectors of zeros with
                             step 0 */
    const float *w;       /* packed (pack.h) */
    ptrdiff_t w_panel;
    const float *bias; /* V vectors, or of all channels */
    size_t bias_step;  /* from V vectors to the next: 0 or 16 V */
    float *out;
    ptrdiff_t out_step; /* from a pixel to the next */
    size_t bytes;       /* of channels: a multiple of 16 V */
    size_t whole;       /* pixels whose last column is in the image; at least 1 */
    size_t left;        /* columns of padding, at most K / 2 */
    size_t extra;       /* columns after the last of those pixels that others see: 0 or 1 with stride 2 */
    size_t right;       /* pixels whose last columns are padding: at most 2 with a 5x5 kernel of stride 1, else 1 */
    _Alignas(16) float low[4];
    float high[4];
} tsm_depthwise_a64;

_Static_assert(offsetof(tsm_depthwise_a64, steps) == 40 && offsetof(tsm_depthwise_a64, advances) == 80 &&
                   offsetof(tsm_depthwise_a64, w) == 120 && offsetof(tsm_depthwise_a64, bias) == 136 &&
                   offsetof(tsm_depthwise_a64, out) == 152 && offsetof(tsm_depthwise_a64, bytes) == 168 &&
                   offsetof(tsm_depthwise_a64, right) == 200 && offsetof(tsm_depthwise_a64, low) == 208,
               "depthwise_aarch64.S has these offsets");

typedef void (*tsm_depthwise_a64_function)(const tsm_depthwise_a64 *d);

#define TSM_DEPTHWISE_A64_DECLARE(form)                                                                                \
    void tsm_depthwise_a64_##form(const tsm_depthwise_a64 *d);                                                         \
    void tsm_depthwise_a64_##form##_clamp(const tsm_depthwise_a64 *d);
TSM_DEPTHWISE_A64_DECLARE(3x1_1)
TSM_DEPTHWISE_A64_DECLARE(3x1_2)
TSM_DEPTHWISE_A64_DECLARE(3x2_1)
TSM_DEPTHWISE_A64_DECLARE(3x2_2)
TSM_DEPTHWISE_A64_DECLARE(5x1_1)
TSM_DEPTHWISE_A64_DECLARE(5x2_1)
#undef TSM_DEPTHWISE_A64_DECLARE

#endif
