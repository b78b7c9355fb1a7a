/* Resizing of images of bytes with whole weights: linear and cubic interpolation over two dimensions, smoothed or not.
 * Weights are calculated in double and rounded to 16 bits, with as many digits after the point as the greatest of them
 * allows (PyTorch, aten/src/ATen/native/cpu/UpSampleKernel.cpp). And of images of floats, smoothed, with weights that
 * are calculated so, too.
 *
 * Scratch of floats: for each output of a line two words and the weights of all inputs that it may be made of; the
 * image with one dimension resized is a tensor. */
#include "runtime/kernels/nn/upsample.h"

/* What one line of outputs is made of. */
typedef struct {
    tsm_dim in, out, most; /* inputs, outputs, and the most inputs that one output is made of */
    double scale, support, shift;
    bool is_cubic, antialias;
    int digits; /* of the weights after the point */
    tsm_dim *first;
    int16_t *weights; /* [out][most] */
} byte_line;

static double triangle(double x) {
    return x < 1 ? 1 - x : 0;
}
/* Keys' cubic kernel. */
static double cubic(double x, double a) {
    return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static double weight_at(const byte_line *l, double x) {
    return !l->is_cubic ? triangle(fabs(x)) : cubic(fabs(x), l->antialias ? -0.5 : -0.75);
}

/* Where the inputs of output o begin, and how many there are. Without smoothing the first may lie outside. */
static tsm_dim span_of(const byte_line *l, double center, tsm_dim *count) {
    if (!l->antialias) {
        *count = l->most;
        return (tsm_dim)floor(center - l->support + 0.5 + l->shift);
    }
    double low = center - l->support + 0.5, high = center + l->support + 0.5;
    tsm_dim first = low > 0 ? (tsm_dim)low : 0, end = high < (double)l->in ? (tsm_dim)high : l->in;
    *count = end - first < l->most ? end - first : l->most;
    return first;
}

/* The weights of output o, those outside the image added to the nearest inside; returns the first input. */
static tsm_dim weights_at(const byte_line *l, tsm_dim o, double *w) {
    double center = l->scale * ((double)o + 0.5 - l->shift), total = 0;
    double inverse = l->scale >= 1 && l->antialias ? 1 / l->scale : 1;
    tsm_dim count, first = span_of(l, center, &count), begin = first < 0 ? 0 : first;
    for (tsm_dim j = 0; j < l->most; j++)
        w[j] = 0;
    if (begin > l->in - 1)
        begin = l->in - 1;
    for (tsm_dim j = 0; j < count; j++) {
        double v = weight_at(l, ((double)(j + first) - center + 0.5 - l->shift) * inverse);
        tsm_dim at = j + first < begin ? begin : j + first > l->in - 1 ? l->in - 1 : j + first;
        w[at - begin] += v;
        total += v;
    }
    for (tsm_dim j = 0; j < l->most && total != 0; j++)
        w[j] /= total;
    return begin;
}

static void find_digits(byte_line *l, double *w) {
    double most = 0;
    for (tsm_dim o = 0; o < l->out; o++) {
        weights_at(l, o, w);
        for (tsm_dim j = 0; j < l->most; j++)
            most = w[j] > most ? w[j] : most;
    }
    for (l->digits = 0; l->digits < 22; l->digits++)
        if ((int)(0.5 + most * (1 << (l->digits + 1))) >= 1 << 15)
            return;
}

static void round_weights(byte_line *l, double *w) {
    for (tsm_dim o = 0; o < l->out; o++) {
        l->first[o] = weights_at(l, o, w);
        for (tsm_dim j = 0; j < l->most; j++) {
            double v = w[j] * (1 << l->digits);
            l->weights[o * l->most + j] = (int16_t)(v < 0 ? v - 0.5 : v + 0.5);
        }
    }
}

static void drop_line(tsm_exec *x, byte_line *l) {
    tsm_scratch_free(x, l->first);
    tsm_scratch_free(x, l->weights);
}

/* How far an output reaches; charges its weights. */
static tsm_status bound_line(tsm_exec *x, byte_line *l) {
    l->support = (l->is_cubic ? 2 : 1) * (l->antialias && l->scale > 1 ? l->scale : 1);
    double most = l->antialias ? ceil(l->support) * 2 + 1 : 2 * l->support;
    l->most = most < (double)NN_MOST_INT ? (tsm_dim)most : NN_MOST_INT;
    TSM_TRY(tsm_charge(x, tsm_work((uint64_t)l->out, (uint64_t)l->most)));
    return tsm_dim_mul(tsm_dim_mul(l->out, l->most), sizeof(double)) >= PTRDIFF_MAX / 2 ? TSM_OUT_OF_MEMORY : TSM_OK;
}

/* Makes the weights. */
static tsm_status make_line(tsm_exec *x, byte_line *l) {
    TSM_TRY(bound_line(x, l));
    double *w = tsm_scratch(x, (size_t)l->most * sizeof *w);
    l->first = w ? tsm_scratch(x, (size_t)l->out * TSM_WORD_BYTES) : NULL;
    l->weights = l->first ? tsm_scratch(x, (size_t)(l->out * l->most) * sizeof *l->weights) : NULL;
    if (l->weights) {
        find_digits(l, w);
        round_weights(l, w);
    }
    tsm_scratch_free(x, w);
    if (l->weights)
        return TSM_OK;
    drop_line(x, l);
    return TSM_OUT_OF_MEMORY;
}

static uint8_t round_sum(const byte_line *l, int64_t sum) {
    sum += l->digits ? (int64_t)1 << (l->digits - 1) : 0;
    uint64_t rounded = sum < 0 ? 0 : (uint64_t)sum >> l->digits;
    return rounded > UINT8_MAX ? UINT8_MAX : (uint8_t)rounded;
}

/* `lines` lines whose items, of `width` bytes that are resized alike, follow each other. */
static void resize_lines(const byte_line *l, const uint8_t *from, uint8_t *to, tsm_dim lines, tsm_dim width) {
    for (tsm_dim n = 0; n < lines; n++, from += l->in * width)
        for (tsm_dim o = 0; o < l->out; o++) {
            const int16_t *w = l->weights + o * l->most;
            tsm_dim first = l->first[o], count = l->in - first < l->most ? l->in - first : l->most;
            for (tsm_dim k = 0; k < width; k++) {
                const uint8_t *item = from + first * width + k;
                int64_t sum = 0;
                for (tsm_dim j = 0; j < count; j++, item += width)
                    sum += *item * w[j];
                *to++ = round_sum(l, sum);
            }
        }
}

/* One dimension of t, contiguous: 3 (columns) or 2 (rows). */
static tsm_status resize_dim(tsm_exec *x, const tsm_tensor *t, const byte_resize *r, int dim, tsm_tensor **out) {
    tsm_dim sizes[4] = {t->sizes[0], t->sizes[1], t->sizes[2], t->sizes[3]};
    tsm_dim lines = dim == 3 ? sizes[0] * sizes[1] * sizes[2] : sizes[0] * sizes[1], width = dim == 3 ? 1 : sizes[3];
    byte_line l = {.in = sizes[dim],
                   .out = r->out[dim - 2],
                   .scale = r->scale[dim - 2],
                   .shift = r->align_corners && !r->antialias ? 0.5 : 0,
                   .is_cubic = r->is_cubic,
                   .antialias = r->antialias};
    sizes[dim] = l.out;
    TSM_TRY(make_line(x, &l));
    tsm_status status = tsm_charge(
        x, tsm_work(tsm_work((uint64_t)lines, (uint64_t)width), tsm_work((uint64_t)l.out, (uint64_t)l.most)));
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_UINT8, 4, sizes, out);
    if (status == TSM_OK)
        resize_lines(&l, t->data, (*out)->data, lines, width);
    drop_line(x, &l);
    return status;
}

tsm_status tsm_nn_upsample_bytes(tsm_exec *x, tsm_tensor *t, const byte_resize *r, tsm_value *out) {
    tsm_tensor *image = NULL, *columns = NULL, *y = NULL;
    tsm_status status = tsm_kernel_contiguous(x, t, TSM_UINT8, &image);
    if (status == TSM_OK)
        status = resize_dim(x, image, r, 3, &columns);
    if (status == TSM_OK)
        status = resize_dim(x, columns, r, 2, &y);
    tsm_tensor_drop(x, image);
    tsm_tensor_drop(x, columns);
    return tsm_kernel_finish(x, status, y, TSM_UINT8, out);
}

/* ---- Floats ---- */

enum { SMOOTHED_ROWS = 32 }; /* that one call of the inner loop takes */

/* to = the sum of rows by their weights; `to` may be one of the rows. */
static void smooth_rows_f32(const tsm_f32_loops *f32, float *to, const float *const *rows, const float *weights,
                            tsm_dim count, tsm_dim n) {
    TSM_F32(f32, weigh_rows, to, 0, rows, weights, (size_t)count, (size_t)n);
}
static void smooth_rows_f64(const tsm_f32_loops *f32, double *to, const double *const *rows, const double *weights,
                            tsm_dim count, tsm_dim n) {
    (void)f32;
    for (tsm_dim i = 0; i < n; i++) {
        double sum = 0;
        for (tsm_dim k = 0; k < count; k++)
            sum += weights[k] * rows[k][i];
        to[i] = sum;
    }
}

#define ELEMENT float
#define NAME(f) f##_f32
#include "runtime/kernels/nn/upsample_smoothed.h"
#define ELEMENT double
#define NAME(f) f##_f64
#include "runtime/kernels/nn/upsample_smoothed.h"

/* One dimension of t, contiguous: 3 (columns) or 2 (rows). */
static tsm_status smooth_dim(tsm_exec *x, const tsm_tensor *t, const byte_resize *r, int dim, tsm_tensor **out) {
    tsm_dim sizes[4] = {t->sizes[0], t->sizes[1], t->sizes[2], t->sizes[3]};
    byte_line l = {.in = sizes[dim],
                   .out = r->out[dim - 2],
                   .scale = r->scale[dim - 2],
                   .is_cubic = r->is_cubic,
                   .antialias = true};
    TSM_TRY(bound_line(x, &l));
    sizes[dim] = l.out;
    TSM_TRY(tsm_charge(x, tsm_work(tsm_work((uint64_t)(t->elements / l.in), (uint64_t)l.out), (uint64_t)l.most)));
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, 4, sizes, out));
    return (t->dtype == TSM_FLOAT64 ? smooth_line_f64 : smooth_line_f32)(x, &l, t, dim, (*out)->data);
}

/* The dimension comes first that leaves less to do for the other. */
static tsm_status smooth_floats(tsm_exec *x, tsm_tensor *t, const byte_resize *r, tsm_value *out) {
    const int first = (double)r->out[0] * (double)t->sizes[3] < (double)r->out[1] * (double)t->sizes[2] ? 2 : 3;
    tsm_tensor *image = NULL, *half = NULL, *y = NULL;
    tsm_status status = tsm_kernel_contiguous(x, t, tsm_kernel_compute_dtype((tsm_dtype)t->dtype), &image);
    if (status == TSM_OK)
        status = smooth_dim(x, image, r, first, &half);
    if (status == TSM_OK)
        status = smooth_dim(x, half, r, 5 - first, &y);
    tsm_tensor_drop(x, image);
    tsm_tensor_drop(x, half);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)t->dtype, out);
}

/* ---- The operators ---- */

/* self, sizes, scales (input positions for one output position), is_cubic. */
static tsm_status read_smoothing(tsm_exec *x, const tsm_value *const *in, bool fits, byte_resize *r) {
    const tsm_tensor *t = arg_tensor(in, 0);
    const tsm_list *scales = arg_list(in, 2);
    memset(r, 0, sizeof *r);
    r->is_cubic = arg_bool(in, 3);
    r->antialias = true;
    TSM_TRY(tsm_nn_ints(x, in, 1, "output_size", 2, NULL, r->out));
    if (!fits || t->dims != 4 || !t->sizes[2] || !t->sizes[3] || r->out[0] < 1 || r->out[1] < 1 || scales->length != 2)
        return TSM_RAISE(x, "Input and output sizes should be greater than 0");
    for (int k = 0; k < 2; k++) {
        r->scale[k] = scales->items[k].as.f;
        if (!(r->scale[k] >= 0 && r->scale[k] <= (double)t->sizes[2 + k]))
            return TSM_RAISE(x, "the scale of a resized image must lie between 0 and its size");
    }
    return TSM_OK;
}

TSM_KERNEL(tsm_upsample_bytes_aa) {
    byte_resize r;
    const tsm_tensor *t = arg_tensor(in, 0);
    TSM_TRY(read_smoothing(x, in, t->dtype == TSM_UINT8 && t->elements, &r));
    return tsm_nn_upsample_bytes(x, arg_tensor(in, 0), &r, out);
}
TSM_KERNEL(tsm_upsample_smoothed) {
    byte_resize r;
    TSM_TRY(read_smoothing(x, in, tsm_dtype_is_floating((tsm_dtype)arg_tensor(in, 0)->dtype), &r));
    return smooth_floats(x, arg_tensor(in, 0), &r, out);
}
