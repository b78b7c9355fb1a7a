/* Pooling of channels-last images: each output pixel is the maximum or the sum of rows of channels. Scratch: none. */
#include "runtime/kernels/nn/pool.h"

enum { LAST_TASK_WORK = 1 << 15 }; /* elements read that make a task worth its start */

typedef struct {
    const pool_window *w;
    const tsm_f32_loops *f32;
    const tsm_tensor *a;
    float *y;
    size_t channels;
    ptrdiff_t batch_step, step[3];
    bool adaptive;
} pooling;

/* An image of one pixel is channels-last only if its strides say so. */
bool tsm_pool_can_stay_channels_last(const tsm_tensor *a, int n) {
    return a->dtype == TSM_FLOAT32 && n >= 2 && a->dims == n + 2 && a->sizes[1] > 1 && a->strides[1] == 1 &&
           a->strides[a->dims - 1] >= a->sizes[1];
}

static const float *image_of(const pooling *p, tsm_dim n) {
    return (const float *)p->a->data + n * p->batch_step;
}

/* The line (n, z, y) of output pixels that an index means. */
static tsm_dim line_of(const pooling *p, size_t line, tsm_dim *o) {
    tsm_dim l = (tsm_dim)line;
    o[1] = l % p->w->out[1];
    o[0] = l / p->w->out[1] % p->w->out[0];
    return l / (p->w->out[1] * p->w->out[0]);
}

/* ---- Maximum ---- */

#define NAME max_pixel_f32
#define POOLING pooling
#define ELEMENT float
#define MAX_ROWS(...) TSM_F32(p->f32, max_rows, __VA_ARGS__)
#define STEP p->step
#define CHANNELS p->channels
#define LEAST (-INFINITY)
#include "runtime/kernels/nn/pool_max_pixel.h"

/* The image's lines under a line of windows, from column 0 on. */
static size_t point_at_lines(const pooling *p, const float *image, const tsm_dim *o, const float **lines) {
    const pool_window *w = p->w;
    size_t count = 0;
    tsm_dim from[2], to[2], at[2];
    for (int d = 0; d < 2; d++) {
        pool_positions(w, d, o[d], &from[d], &to[d]);
        at[d] = o[d] * w->stride[d] - w->padding[d];
    }
    for (tsm_dim kz = from[0]; kz < to[0]; kz++)
        for (tsm_dim ky = from[1]; ky < to[1]; ky++)
            lines[count++] =
                image + (at[0] + kz * w->dilation[0]) * p->step[0] + (at[1] + ky * w->dilation[1]) * p->step[1];
    return count;
}

/* A line of windows of at most POOL_ROWS pixels. */
static void max_line(const pooling *p, const float *image, const tsm_dim *o, float *y) {
    const pool_window *w = p->w;
    const float *lines[POOL_ROWS], *rows[POOL_ROWS];
    const ptrdiff_t step = p->step[2];
    const tsm_dim dilation = w->dilation[2];
    size_t count = point_at_lines(p, image, o, lines);
    for (tsm_dim ox = 0; ox < w->out[2]; ox++, y += p->channels) {
        tsm_dim x = ox * w->stride[2] - w->padding[2], first, last;
        pool_positions(w, 2, ox, &first, &last);
        size_t n = 0;
        for (size_t l = 0; l < count; l++) {
            const float *row = lines[l] + (x + first * dilation) * step;
            for (tsm_dim k = first; k < last; k++, row += dilation * step)
                rows[n++] = row;
        }
        if (n)
            TSM_F32(p->f32, max_rows, y, rows, n, p->channels);
        for (size_t c = 0; !n && c < p->channels; c++)
            y[c] = -INFINITY;
    }
}

static void max_range(void *argument, void *scratch, size_t begin, size_t end) {
    (void)scratch;
    const pooling *p = argument;
    for (size_t line = begin; line < end; line++) {
        tsm_dim o[3], n = line_of(p, line, o);
        if (p->w->kernel[0] * p->w->kernel[1] * p->w->kernel[2] <= POOL_ROWS) {
            max_line(p, image_of(p, n), o, p->y + line * (size_t)p->w->out[2] * p->channels);
            continue;
        }
        for (o[2] = 0; o[2] < p->w->out[2]; o[2]++)
            max_pixel_f32(p, image_of(p, n), o, p->y + (line * (size_t)p->w->out[2] + (size_t)o[2]) * p->channels);
    }
}

/* ---- Average ---- */

static void average_pixel(const pooling *p, const float *image, const tsm_dim *o, float *y) {
    const float *rows[POOL_ROWS];
    size_t count = 0;
    tsm_dim from[3], to[3];
    const double divisor = tsm_pool_boxes(p->w, o, p->adaptive, from, to);
    memset(y, 0, p->channels * sizeof *y);
    for (tsm_dim z = from[0]; z < to[0]; z++)
        for (tsm_dim v = from[1]; v < to[1]; v++)
            for (tsm_dim u = from[2]; u < to[2]; u++) {
                rows[count++] = image + z * p->step[0] + v * p->step[1] + u * p->step[2];
                if (count == POOL_ROWS) {
                    TSM_F32(p->f32, add_rows, y, rows, count, p->channels);
                    count = 0;
                }
            }
    TSM_F32(p->f32, add_rows, y, rows, count, p->channels);
    TSM_F32(p->f32, affine, y, y, p->channels, (float)(1.0 / divisor), 0.0f);
}

static void average_range(void *argument, void *scratch, size_t begin, size_t end) {
    (void)scratch;
    const pooling *p = argument;
    for (size_t line = begin; line < end; line++) {
        tsm_dim o[3], n = line_of(p, line, o);
        for (o[2] = 0; o[2] < p->w->out[2]; o[2]++)
            average_pixel(p, image_of(p, n), o, p->y + (line * (size_t)p->w->out[2] + (size_t)o[2]) * p->channels);
    }
}

/* ---- Both ---- */

static tsm_status run(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, bool adaptive, loops_range range,
                      tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    tsm_tensor *y;
    tsm_pool_sizes(a, w, n, sizes);
    tsm_strides_channels_last(a->dims, sizes, strides);
    TSM_TRY(tsm_tensor_make_strided(x, TSM_FLOAT32, a->dims, sizes, strides, &y));
    pooling p = {
        .w = w, .f32 = loops_f32(x), .a = a, .y = y->data, .channels = (size_t)a->sizes[1], .adaptive = adaptive};
    p.batch_step = a->strides[0];
    for (int d = 0; d < 3; d++)
        p.step[d] = d < 3 - n ? 0 : a->strides[2 + d - (3 - n)];
    size_t lines = (size_t)(a->sizes[0] * w->out[0] * w->out[1]);
    size_t work = lines && w->out[2] ? (size_t)a->elements / lines + 1 : 1;
    tsm_status status = y->elements ? tsm_loops_parallel(x, lines, LAST_TASK_WORK / work + 1, 0, range, &p) : TSM_OK;
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

tsm_status tsm_pool_max_channels_last(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, tsm_value *out) {
    return run(x, a, w, n, false, max_range, out);
}

tsm_status tsm_pool_average_channels_last(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, bool adaptive,
                                          tsm_value *out) {
    return run(x, a, w, n, adaptive, average_range, out);
}
