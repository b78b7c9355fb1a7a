/* The maximum over windows of quantized images, on the stored bytes. The result is channels-last. */
#include "runtime/kernels/nn/pool.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/value/parts.h"

enum { POOL_Q8_TASK_WORK = 1 << 17 }; /* bytes read that make a task worth its start */

typedef struct {
    const pool_window *w;
    const tsm_q8_loops *q8;
    quantized_image image;
    uint8_t *y;
} pool_q8;

static tsm_status pool_q8_result(tsm_exec *x, int dims, const tsm_dim *sizes, tsm_tensor **y) {
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_strides_channels_last(dims, sizes, strides);
    return tsm_tensor_make_strided(x, TSM_UINT8, dims, sizes, strides, y);
}

#define NAME max_pixel_q8
#define POOLING pool_q8
#define ELEMENT uint8_t
#define MAX_ROWS p->q8->max_rows
#define STEP p->image.step
#define CHANNELS p->image.channels
#define LEAST 0
#include "runtime/kernels/nn/pool_max_pixel.h"

static void max_range_q8(void *argument, void *scratch, size_t begin, size_t end) {
    const pool_q8 *p = argument;
    (void)scratch;
    for (size_t line = begin; line < end; line++) {
        tsm_dim l = (tsm_dim)line, o[3] = {l / p->w->out[1] % p->w->out[0], l % p->w->out[1], 0};
        const uint8_t *image = p->image.bytes + l / (p->w->out[1] * p->w->out[0]) * p->image.batch_step;
        for (; o[2] < p->w->out[2]; o[2]++)
            max_pixel_q8(p, image, o, p->y + (line * (size_t)p->w->out[2] + (size_t)o[2]) * p->image.channels);
    }
}

TSM_PART tsm_status tsm_pool_max_quantized(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, tsm_value *out) {
    quantized_input input;
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_tensor *y = NULL;
    TSM_TRY(tsm_quantized_open_image(x, a, &input));
    tsm_pool_sizes(a, w, n, sizes);
    tsm_status status = pool_q8_result(x, a->dims, sizes, &y);
    if (status == TSM_OK && y->elements) {
        pool_q8 p = {.w = w, .q8 = loops_q8(x), .image = tsm_quantized_image_of(input.tensor), .y = y->data};
        size_t lines = (size_t)(a->sizes[0] * w->out[0] * w->out[1]);
        size_t work = (size_t)(w->kernel[0] * w->kernel[1] * w->kernel[2] * w->out[2]) * p.image.channels + 1;
        status = tsm_loops_parallel(x, lines, POOL_Q8_TASK_WORK / work + 1, 0, max_range_q8, &p);
    }
    tsm_tensor_drop(x, input.tensor);
    return tsm_quantized_close(x, status, y, (tsm_dtype)a->dtype, quantized_scale(a), quantized_zero_point(a), out);
}
