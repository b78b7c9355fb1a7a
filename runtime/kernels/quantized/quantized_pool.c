/* Pooling of quantized images on the stored bytes: the maximum over windows, and the average over whole images. Other
 * averages go through floats (pool.c). Results are channels-last. */
#include "runtime/kernels/quantized/quantized_pool.h"

#include "runtime/kernels/quantized/quantized.h"

enum {
    ROWS = 32,           /* input pixels that one call of the inner loop takes */
    TASK_WORK = 1 << 17, /* bytes read that make a task worth its start */
};

typedef struct {
    const pool_window *w;
    const tsm_q8_loops *q8;
    const uint8_t *image;
    ptrdiff_t batch_step, step[3];
    size_t channels;
    uint8_t *y;
} pooling;

/* The image as bytes whose channels lie together. */
static tsm_status open_image(tsm_exec *x, tsm_tensor *a, quantized_input *input) {
    TSM_TRY(quantized_open(x, a, tsm_op_name(x), input));
    if (a->sizes[1] == 1 || a->strides[1] == 1)
        return TSM_OK;
    tsm_tensor *interleaved;
    tsm_status status = quantized_channels_last(x, input->tensor, &interleaved);
    tsm_tensor_drop(x, input->tensor);
    TSM_TRY(status);
    input->tensor = interleaved;
    return TSM_OK;
}

static void find_steps(pooling *p, const tsm_tensor *a, int n) {
    p->image = a->data;
    p->channels = (size_t)a->sizes[1];
    p->batch_step = a->strides[0];
    for (int d = 0; d < 3; d++)
        p->step[d] = d < 3 - n ? 0 : a->strides[2 + d - (3 - n)];
}

static tsm_status make_result(tsm_exec *x, int dims, const tsm_dim *sizes, tsm_tensor **y) {
    tsm_dim strides[TSM_MAX_DIMS];
    nn_channels_last_strides(dims, sizes, strides);
    return tsm_tensor_make_strided(x, TSM_UINT8, dims, sizes, strides, y);
}

/* ---- Maximum ---- */

/* Rows of the pixels under an output pixel; full sets give one row, the maximum so far, in the result. */
static void max_pixel(const pooling *p, const uint8_t *image, const tsm_dim *o, uint8_t *y) {
    const pool_window *w = p->w;
    const uint8_t *rows[ROWS];
    size_t count = 0;
    for (tsm_dim k = 0; k < w->kernel[0] * w->kernel[1] * w->kernel[2]; k++) {
        const tsm_dim tap[3] = {k / w->kernel[2] / w->kernel[1], k / w->kernel[2] % w->kernel[1], k % w->kernel[2]};
        const uint8_t *row = image;
        bool inside = true;
        for (int d = 0; d < 3; d++) {
            tsm_dim at = o[d] * w->stride[d] - w->padding[d] + tap[d] * w->dilation[d];
            inside &= at >= 0 && at < w->in[d];
            row += at * p->step[d];
        }
        if (!inside)
            continue;
        if (count == ROWS) {
            p->q8->max_rows(y, rows, count, p->channels);
            rows[0] = y;
            count = 1;
        }
        rows[count++] = row;
    }
    if (count)
        p->q8->max_rows(y, rows, count, p->channels);
    else
        memset(y, 0, p->channels);
}

static void max_range(void *argument, void *scratch, size_t begin, size_t end) {
    const pooling *p = argument;
    (void)scratch;
    for (size_t line = begin; line < end; line++) {
        tsm_dim l = (tsm_dim)line, o[3] = {l / p->w->out[1] % p->w->out[0], l % p->w->out[1], 0};
        const uint8_t *image = p->image + l / (p->w->out[1] * p->w->out[0]) * p->batch_step;
        for (; o[2] < p->w->out[2]; o[2]++)
            max_pixel(p, image, o, p->y + (line * (size_t)p->w->out[2] + (size_t)o[2]) * p->channels);
    }
}

tsm_status quantized_max_pool(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, tsm_value *out) {
    quantized_input input;
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_tensor *y = NULL;
    TSM_TRY(open_image(x, a, &input));
    pool_sizes(a, w, n, sizes);
    tsm_status status = make_result(x, a->dims, sizes, &y);
    if (status == TSM_OK && y->elements) {
        pooling p = {.w = w, .q8 = nn_q8(x), .y = y->data};
        find_steps(&p, input.tensor, n);
        size_t lines = (size_t)(a->sizes[0] * w->out[0] * w->out[1]);
        size_t work = (size_t)(w->kernel[0] * w->kernel[1] * w->kernel[2] * w->out[2]) * p.channels + 1;
        status = nn_parallel(x, lines, TASK_WORK / work + 1, 0, max_range, &p);
    }
    tsm_tensor_drop(x, input.tensor);
    return quantized_close(x, status, y, (tsm_dtype)a->dtype, quantized_scale(a), quantized_zero_point(a), out);
}

/* ---- Average ---- */

/* Sums over all pixels of an image, line by line. */
static void sum_image(const pooling *p, const tsm_dim *in, const uint8_t *image, int32_t *sums) {
    const uint8_t *rows[ROWS];
    size_t count = 0;
    memset(sums, 0, p->channels * sizeof *sums);
    for (tsm_dim z = 0; z < in[0]; z++)
        for (tsm_dim v = 0; v < in[1]; v++)
            for (tsm_dim u = 0; u < in[2]; u++) {
                rows[count++] = image + z * p->step[0] + v * p->step[1] + u * p->step[2];
                if (count == ROWS) {
                    p->q8->add_rows(sums, rows, count, p->channels);
                    count = 0;
                }
            }
    p->q8->add_rows(sums, rows, count, p->channels);
}

/* The mean's distance from the zero point is rounded to even. */
static void average_channels(const int32_t *sums, size_t channels, size_t pixels, int32_t zero_point, uint8_t *y) {
    const float part = 1.0f / (float)pixels;
    for (size_t c = 0; c < channels; c++) {
        float distance = (float)(sums[c] - zero_point * (int32_t)pixels) * part;
        int32_t r = (int32_t)rintf(distance) + zero_point;
        y[c] = (uint8_t)(r < 0 ? 0 : r > 255 ? 255 : r);
    }
}

bool quantized_can_average(const tsm_tensor *a) {
    const tsm_dim most = INT32_MAX / 255; /* pixels whose sum has room */
    return (a->dims == 4 || a->dims == 5) && a->quantizer->axis < 0 &&
           (a->dtype == TSM_QUINT8 || a->dtype == TSM_QINT8) && a->elements > 0 &&
           a->elements / a->sizes[0] / a->sizes[1] <= most;
}

tsm_status quantized_global_average(tsm_exec *x, tsm_tensor *a, bool keep, tsm_value *out) {
    quantized_input input;
    tsm_dim sizes[TSM_MAX_DIMS] = {a->sizes[0], a->sizes[1], 1, 1, 1}, in[3] = {1, 1, 1};
    tsm_tensor *y = NULL;
    for (int d = 2; d < a->dims; d++)
        in[3 - a->dims + d] = a->sizes[d];
    TSM_TRY(open_image(x, a, &input));
    tsm_status status = tsm_tensor_make(x, TSM_UINT8, keep ? a->dims : 2, sizes, &y);
    int32_t *sums = status == TSM_OK ? tsm_scratch(x, (size_t)a->sizes[1] * sizeof *sums) : NULL;
    if (status == TSM_OK && !sums)
        status = TSM_OUT_OF_MEMORY;
    pooling p = {.q8 = nn_q8(x)};
    find_steps(&p, input.tensor, a->dims - 2);
    for (tsm_dim i = 0; i < a->sizes[0] && status == TSM_OK; i++) {
        sum_image(&p, in, p.image + i * p.batch_step, sums);
        average_channels(sums, p.channels, (size_t)(in[0] * in[1] * in[2]), input.zero_point,
                         (uint8_t *)y->data + (size_t)i * p.channels);
    }
    tsm_scratch_free(x, sums);
    tsm_tensor_drop(x, input.tensor);
    return quantized_close(x, status, y, (tsm_dtype)a->dtype, quantized_scale(a), quantized_zero_point(a), out);
}
