/* Maxima and averages over windows of quantized images, on the stored bytes. */
#include "runtime/kernels/nn/pool.h"

#include <limits.h>

#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/reduce/mean_quantized.h"
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
    if (status == TSM_OK && !tsm_tensor_suggests_channels_last(a)) {
        tsm_tensor *channels_apart;
        status = tsm_tensor_contiguous(x, y, &channels_apart);
        tsm_tensor_drop(x, y);
        y = channels_apart;
    }
    return tsm_quantized_close(x, status, y, (tsm_dtype)a->dtype, quantized_scale(a), quantized_zero_point(a), out);
}

/* ---- Average ---- */

typedef struct {
    const pool_window *w;
    const tsm_q8_loops *q8;
    quantized_image image;
    bool adaptive;
    int32_t zero, inside; /* of bytes: what means are taken from; the part of it that is added before rounding */
    uint8_t *y;
    ptrdiff_t batch_step, line_step, pixel_step, channel_step; /* of y */
} average_q8;

/* The factor of a sum over a box, rounded as PyTorch rounds it. */
static float part_of_box(const average_q8 *p, double count, const tsm_dim *from, const tsm_dim *to) {
    if (!p->adaptive)
        return 1.0f / (float)count;
    float part = 1.0f / (float)(to[0] - from[0]);
    for (int d = 1; d < 3; d++)
        part /= (float)(to[d] - from[d]);
    return part;
}

static void average_pixel_q8(const average_q8 *p, const uint8_t *image, const tsm_dim *o, int32_t *sums, uint8_t *y) {
    const uint8_t *rows[POOL_ROWS];
    size_t count = 0, pixels = 0;
    tsm_dim from[3], to[3];
    const double all = tsm_pool_boxes(p->w, o, p->adaptive, from, to);
    const float part = part_of_box(p, all, from, to);
    memset(sums, 0, p->image.channels * sizeof *sums);
    for (tsm_dim z = from[0]; z < to[0]; z++)
        for (tsm_dim v = from[1]; v < to[1]; v++)
            for (tsm_dim u = from[2]; u < to[2]; u++) {
                rows[count++] = image + z * p->image.step[0] + v * p->image.step[1] + u * p->image.step[2];
                pixels++;
                if (count == POOL_ROWS) {
                    p->q8->add_rows(sums, rows, count, p->image.channels);
                    count = 0;
                }
            }
    p->q8->add_rows(sums, rows, count, p->image.channels);
    for (size_t c = 0; c < p->image.channels; c++) {
        const float mean = (float)(sums[c] - p->zero * (int32_t)pixels) * part;
        const float rounded = rintf(mean + (float)p->inside) + (float)(p->zero - p->inside);
        y[(ptrdiff_t)c * p->channel_step] = (uint8_t)(rounded > 0 ? rounded < UCHAR_MAX ? rounded : UCHAR_MAX : 0);
    }
}

static void average_range_q8(void *argument, void *scratch, size_t begin, size_t end) {
    const average_q8 *p = argument;
    const pool_window *w = p->w;
    const tsm_dim lines = w->out[1] * w->out[0];
    for (size_t line = begin; line < end; line++) {
        tsm_dim l = (tsm_dim)line, o[3] = {l / w->out[1] % w->out[0], l % w->out[1], 0};
        uint8_t *y = p->y + l / lines * p->batch_step + l % lines * p->line_step;
        for (; o[2] < w->out[2]; o[2]++, y += p->pixel_step)
            average_pixel_q8(p, p->image.bytes + l / lines * p->image.batch_step, o, scratch, y);
    }
}

/* What is rounded to whole numbers when stored ones are averaged; of two that are equally near it is the even one. */
typedef enum {
    ROUNDS_DISTANCE, /* the mean distance from the zero point */
    ROUNDS_STORED,   /* that and the zero point */
    ROUNDS_SUMS,     /* the mean of the stored numbers, without their zero point */
} average_rounding;

/* Averages of a as its first two dimensions are those of `image`: a itself, or a view of it with a batch of one. */
static tsm_status average_image(tsm_exec *x, average_q8 *p, const tsm_tensor *a, tsm_tensor *image, tsm_tensor *y,
                                int n, average_rounding rounding) {
    quantized_input input;
    const int32_t zero_point = (int32_t)quantized_zero_point(a);
    TSM_TRY(tsm_quantized_open_image(x, image, &input));
    p->q8 = loops_q8(x);
    p->image = tsm_quantized_image_of(input.tensor);
    p->zero = rounding == ROUNDS_SUMS ? input.zero_point - zero_point : input.zero_point;
    p->inside = rounding == ROUNDS_STORED ? zero_point : 0;
    p->y = y->data;
    p->pixel_step = y->strides[y->dims - 1];
    p->line_step = p->w->out[2] * p->pixel_step;
    p->channel_step = y->strides[y->dims - n - 1];
    p->batch_step = y->dims == n + 2 ? y->strides[0] : 0;
    const size_t lines = (size_t)(image->sizes[0] * p->w->out[0] * p->w->out[1]);
    const size_t work =
        (size_t)(p->w->kernel[0] * p->w->kernel[1] * p->w->kernel[2] * p->w->out[2]) * p->image.channels + 1;
    const tsm_status status = tsm_loops_parallel(x, lines, POOL_Q8_TASK_WORK / work + 1,
                                                 p->image.channels * sizeof(int32_t), average_range_q8, p);
    tsm_tensor_drop(x, input.tensor);
    return status;
}

static tsm_status average_bytes(tsm_exec *x, tsm_tensor *a, average_q8 *p, int n, average_rounding rounding,
                                bool channels_last, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    tsm_tensor *y = NULL, *image = a;
    tsm_pool_sizes(a, p->w, n, sizes);
    (channels_last ? tsm_strides_channels_last : tsm_strides_contiguous)(a->dims, sizes, strides);
    tsm_status status = tsm_tensor_make_strided(x, TSM_UINT8, a->dims, sizes, strides, &y);
    if (status == TSM_OK && a->dims == n + 1) { /* a batch of one */
        memcpy(sizes + 1, a->sizes, (size_t)a->dims * sizeof *sizes);
        memcpy(strides + 1, a->strides, (size_t)a->dims * sizeof *strides);
        sizes[0] = 1;
        strides[0] = a->elements;
        status = tsm_tensor_view_of(x, a, a->dims + 1, sizes, strides, 0, &image);
    }
    if (status == TSM_OK && y->elements)
        status = average_image(x, p, a, image, y, n, rounding);
    if (image != a)
        tsm_tensor_drop(x, image);
    return tsm_quantized_close(x, status, y, (tsm_dtype)a->dtype, quantized_scale(a), quantized_zero_point(a), out);
}

static bool average_fits(const tsm_tensor *a, const pool_window *w) {
    const double pixels = (double)w->in[0] * (double)w->in[1] * (double)w->in[2]; /* their sum must have room */
    return (a->dtype == TSM_QUINT8 || a->dtype == TSM_QINT8) && a->quantizer->axis < 0 &&
           pixels <= INT32_MAX / UCHAR_MAX;
}

/* PyTorch hands batches of bytes without a sign to QNNPACK where all windows have one size. */
static bool is_by_qnnpack(const tsm_tensor *a, const pool_window *w, int n, bool adaptive) {
    bool is_even = true, is_same = true;
    for (int d = 0; d < 3 && adaptive; d++) {
        is_even = is_even && w->out[d] && w->in[d] % w->out[d] == 0;
        is_same = is_same && w->in[d] == w->out[d];
    }
    return n < 3 && a->dims == n + 2 && a->dtype == TSM_QUINT8 && (adaptive ? is_even && !is_same : !w->ceil_mode);
}

/* QNNPACK divides by the size of the window: it looks neither at count_include_pad nor at divisor_override. */
TSM_PART tsm_status tsm_pool_average_quantized(tsm_exec *x, const tsm_value *const *in, const pool_window *w, int n,
                                               bool adaptive, tsm_value *out) {
    tsm_tensor *a = arg_tensor(in, 0);
    const bool by_qnnpack = is_by_qnnpack(a, w, n, adaptive);
    /* Of four dimensions without a batch the second is not that of channels, whatever way they are rounded. */
    const bool lies_channels_last = a->dims > 3 && (tsm_tensor_is_channels_last(a) || (n == 3 && !adaptive)),
               channels_last = lies_channels_last && a->dims == n + 2;
    pool_window window = *w;
    average_q8 p = {.w = &window, .adaptive = adaptive};
    if (n == 3 && !adaptive && a->dims != 5)
        return TSM_RAISE(x, "required rank 5 tensor to use channels_last_3d format");
    if (by_qnnpack) {
        window.count_padding = true;
        window.divisor = 0;
    }
    if (!average_fits(a, w))
        return tsm_quantized_through_steps(x, in, out);
    if (adaptive && n == 2 && w->out[1] == 1 && w->out[2] == 1 && (by_qnnpack || channels_last) &&
        tsm_mean_quantized_fits(a))
        return tsm_mean_quantized(x, a, true, out);
    return average_bytes(x, a, &p, n,
                         by_qnnpack || lies_channels_last ? ROUNDS_DISTANCE
                         : adaptive                       ? ROUNDS_SUMS
                                                          : ROUNDS_STORED,
                         channels_last, out);
}
