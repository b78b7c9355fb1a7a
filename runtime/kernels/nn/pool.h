/* Pooling windows, shared by the planar kernels (pool.c) and the channels-last ones (pool_channels_last.c). */
#ifndef TSM_KERNELS_NN_POOL_H
#define TSM_KERNELS_NN_POOL_H

#include "runtime/kernels/nn/nn.h"

enum { POOL_ROWS = 32 }; /* input pixels that one call of an inner loop takes */

/* Three spatial dimensions; missing ones are of size 1 and come first. */
typedef struct {
    tsm_dim kernel[3], stride[3], padding[3], dilation[3];
    tsm_dim in[3], out[3];
    tsm_dim planes;
    bool ceil_mode, count_padding;
    int64_t divisor; /* 0: the window's size */
} pool_window;

/* The positions [from, to) of the window over output o that lie inside of the input, in dimension d; from <= to.
 * Windows may be far larger than the input: loops over these positions are as long as what is read. */
static inline void pool_positions(const pool_window *w, int d, tsm_dim o, tsm_dim *from, tsm_dim *to) {
    const tsm_dim start = o * w->stride[d] - w->padding[d], dilation = w->dilation[d], left = w->in[d] - start;
    if (start >= 0 && left > (w->kernel[d] - 1) * dilation) {
        *from = 0;
        *to = w->kernel[d];
        return;
    }
    *from = start < 0 ? tsm_dim_min(tsm_dim_ceil_div(-start, dilation), w->kernel[d]) : 0;
    *to = tsm_dim_max(*from, left > 0 ? tsm_dim_min(tsm_dim_ceil_div(left, dilation), w->kernel[d]) : 0);
}

/* The outputs [from, to) of a line whose tap k lies inside of the input; the first reads column *at. */
static inline void pool_outputs_of_tap(const pool_window *w, tsm_dim k, tsm_dim *from, tsm_dim *to, tsm_dim *at) {
    const tsm_dim first = k * w->dilation[2] - w->padding[2], left = w->in[2] - first, stride = w->stride[2];
    if (first >= 0 && left > (w->out[2] - 1) * stride) {
        *from = 0;
        *to = w->out[2];
        *at = first;
        return;
    }
    *from = first < 0 ? tsm_dim_min(tsm_dim_ceil_div(-first, stride), w->out[2]) : 0;
    *to = left > 0 ? tsm_dim_min(tsm_dim_ceil_div(left, stride), w->out[2]) : 0;
    *at = first + *from * stride;
}

/* The result's sizes for n spatial dimensions. */
void tsm_pool_sizes(const tsm_tensor *a, const pool_window *w, int n, tsm_dim *sizes);

/* The positions [from, to) of the input under output o in dimension d, and how many an average counts: those of a
 * sliding window, or, adaptive, of windows that cut the input evenly: [floor(o in / out), ceil((o + 1) in / out)). */
double tsm_pool_box(const pool_window *w, int d, tsm_dim o, bool adaptive, tsm_dim *from, tsm_dim *to);
/* The same of all three dimensions; returns what to divide by. */
double tsm_pool_boxes(const pool_window *w, const tsm_dim *o, bool adaptive, tsm_dim *from, tsm_dim *to);

/* All planes of a contiguous image of floats. */
tsm_status tsm_pool_max_lines(tsm_exec *x, const pool_window *w, const float *a, float *y);
tsm_status tsm_pool_average_lines(tsm_exec *x, const pool_window *w, bool adaptive, const float *a, float *y);

/* float32 images of n >= 2 dimensions, in batches, whose channels lie together are pooled without turning them around;
 * the result is channels-last too.
 */
bool tsm_pool_can_stay_channels_last(const tsm_tensor *a, int n);
tsm_status tsm_pool_max_channels_last(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, tsm_value *out);
tsm_status tsm_pool_average_channels_last(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, bool adaptive,
                                          tsm_value *out);

/* The maximum over windows of a quantized image [N, C, spatial...] with n spatial dimensions; the result has the
 * input's quantizer and is channels-last where the image is, or contiguous. */
tsm_status tsm_pool_max_quantized(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, tsm_value *out);

/* The average over windows of in[0], a quantized image with n spatial dimensions, as PyTorch has it for each dtype and
 * layout (pool_quantized.c); the result has the image's quantizer. */
tsm_status tsm_pool_average_quantized(tsm_exec *x, const tsm_value *const *in, const pool_window *w, int n,
                                      bool adaptive, tsm_value *out);

#endif
