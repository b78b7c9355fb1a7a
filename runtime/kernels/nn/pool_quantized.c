/* The maximum over windows of quantized images, on the stored bytes. The result is channels-last. */
#include "runtime/kernels/nn/pool.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"

enum {
    ROWS = 32,           /* input pixels that one call of the inner loop takes */
    TASK_WORK = 1 << 17, /* bytes read that make a task worth its start */
};

typedef struct {
    const pool_window *w;
    const tsm_q8_loops *q8;
    quantized_image image;
    uint8_t *y;
} pooling;

static tsm_status make_result(tsm_exec *x, int dims, const tsm_dim *sizes, tsm_tensor **y) {
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_strides_channels_last(dims, sizes, strides);
    return tsm_tensor_make_strided(x, TSM_UINT8, dims, sizes, strides, y);
}

/* Rows of the pixels under an output pixel; full sets give one row, the maximum so far, in the result. */
static void max_pixel(const pooling *p, const uint8_t *image, const tsm_dim *o, uint8_t *y) {
    const pool_window *w = p->w;
    const uint8_t *rows[ROWS];
    size_t count = 0;
    tsm_dim from[3], to[3], at[3];
    for (int d = 0; d < 3; d++) {
        pool_positions(w, d, o[d], &from[d], &to[d]);
        at[d] = o[d] * w->stride[d] - w->padding[d];
    }
    for (tsm_dim kz = from[0]; kz < to[0]; kz++)
        for (tsm_dim ky = from[1]; ky < to[1]; ky++)
            for (tsm_dim kx = from[2]; kx < to[2]; kx++) {
                if (count == ROWS) {
                    p->q8->max_rows(y, rows, count, p->image.channels);
                    rows[0] = y;
                    count = 1;
                }
                rows[count++] = image + (at[0] + kz * w->dilation[0]) * p->image.step[0] +
                                (at[1] + ky * w->dilation[1]) * p->image.step[1] +
                                (at[2] + kx * w->dilation[2]) * p->image.step[2];
            }
    if (count)
        p->q8->max_rows(y, rows, count, p->image.channels);
    else
        memset(y, 0, p->image.channels);
}

static void max_range(void *argument, void *scratch, size_t begin, size_t end) {
    const pooling *p = argument;
    (void)scratch;
    for (size_t line = begin; line < end; line++) {
        tsm_dim l = (tsm_dim)line, o[3] = {l / p->w->out[1] % p->w->out[0], l % p->w->out[1], 0};
        const uint8_t *image = p->image.bytes + l / (p->w->out[1] * p->w->out[0]) * p->image.batch_step;
        for (; o[2] < p->w->out[2]; o[2]++)
            max_pixel(p, image, o, p->y + (line * (size_t)p->w->out[2] + (size_t)o[2]) * p->image.channels);
    }
}

tsm_status pool_max_quantized(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, tsm_value *out) {
    quantized_input input;
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_tensor *y = NULL;
    TSM_TRY(quantized_open_image(x, a, &input));
    pool_sizes(a, w, n, sizes);
    tsm_status status = make_result(x, a->dims, sizes, &y);
    if (status == TSM_OK && y->elements) {
        pooling p = {.w = w, .q8 = loops_q8(x), .image = quantized_image_of(input.tensor), .y = y->data};
        size_t lines = (size_t)(a->sizes[0] * w->out[0] * w->out[1]);
        size_t work = (size_t)(w->kernel[0] * w->kernel[1] * w->kernel[2] * w->out[2]) * p.image.channels + 1;
        status = loops_parallel(x, lines, TASK_WORK / work + 1, 0, max_range, &p);
    }
    tsm_tensor_drop(x, input.tensor);
    return quantized_close(x, status, y, (tsm_dtype)a->dtype, quantized_scale(a), quantized_zero_point(a), out);
}
