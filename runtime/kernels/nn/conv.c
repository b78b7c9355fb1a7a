/* Convolutions of one, two and three spatial dimensions.
 *
 * All are computed as three-dimensional ones. Floats and doubles: each group is a product of its weights [O, K] with
 * the gathered input columns [K, block of outputs], K = channels * kernel positions (conv_columns.h); a 1x1 convolution
 * of stride 1 reads its input in place. Depthwise ones add weighed rows; ints, and doubles of one output in a group,
 * are plain loops. Scratch: item size * K * block bytes, at most L unless 16 columns alone are larger; with kernels
 * wider than the output, 64 * (K + O) bytes; depthwise at most L. */
#include "runtime/kernels/nn/conv.h"

#include "runtime/kernels/linalg/gemm.h"
#include "runtime/kernels/nn/conv_complex.h"
#include "runtime/kernels/nn/conv_packing.h"
#include "runtime/tensor/iter.h"

static bool reads_in_place(const conv_geometry *g) {
    for (int d = 0; d < 3; d++)
        if (g->kernel[d] != 1 || g->stride[d] != 1 || g->padding[d])
            return false;
    return true;
}

/* Whether the output of a plane lies as the input does: under a kernel position is the plane itself, shifted. */
static bool is_shifted(const conv_geometry *g) {
    for (int d = 0; d < 3; d++)
        if (g->stride[d] != 1 || g->out[d] != g->in[d])
            return false;
    return g->in[0] == 1 && g->kernel[0] == 1;
}

/* ---- Products with gathered columns ---- */

#define ELEMENT float
#define NAME(f) f##_f32
#include "runtime/kernels/nn/conv_columns.h"
#define ELEMENT double
#define NAME(f) f##_f64
#include "runtime/kernels/nn/conv_columns.h"

static tsm_status conv_product_f32(tsm_exec *x, size_t m, size_t n, size_t k, const float *w, const float *b,
                                   ptrdiff_t b_row, const float *bias, float *c, ptrdiff_t c_row) {
    tsm_finish finish;
    memset(&finish, 0, sizeof finish);
    finish.row_bias = bias;
    const gemm_product product = {.batch = 1,
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .a = w,
                                  .a_row = (ptrdiff_t)k,
                                  .a_col = 1,
                                  .b = b,
                                  .b_row = b_row,
                                  .b_col = 1,
                                  .c = c,
                                  .c_row = c_row,
                                  .finish = bias ? &finish : NULL};
    return tsm_gemm_f32(x, &product);
}

static tsm_status conv_product_f64(tsm_exec *x, size_t m, size_t n, size_t k, const double *w, const double *b,
                                   ptrdiff_t b_row, const double *bias, double *c, ptrdiff_t c_row) {
    const gemm_any product = {m, n, k, w, (ptrdiff_t)k, 1, b, b_row, 1, c, c_row};
    tsm_gemm_plain(x, TSM_FLOAT64, &product);
    for (size_t i = 0; bias && i < m; i++, c += c_row)
        for (size_t j = 0; j < n; j++)
            c[j] += bias[i];
    return TSM_OK;
}

/* ---- float32, of one input channel for each output ----
 *
 * Some lines of outputs at a time: the input under them, with its padding, is copied to planes of which each has the
 * elements that are `stride` apart. Under any kernel position lies then a part of such a plane, whose lines are as far
 * apart as those of the outputs, so that all lines are one for the inner loop. */

typedef struct {
    const conv_geometry *g;
    const float *a, *w, *bias;
    float *y;
    const tsm_f32_loops *f32;
    tsm_dim lines;       /* of outputs at a time */
    tsm_dim rows, pitch; /* of a plane, and elements of a row */
} depthwise_work;

/* How far the last kernel position is from the first in the planes of dimension d. */
static tsm_dim depthwise_reach(const conv_geometry *g, int d) {
    return tsm_dim_mul(g->kernel[d] - 1, g->dilation[d]) / g->stride[d];
}

/* Chooses the lines at a time; 0: one line has no room in `most` elements. Returns the elements that are needed. */
static tsm_dim depthwise_room(depthwise_work *d, tsm_dim most) {
    const conv_geometry *g = d->g;
    const tsm_dim reach = depthwise_reach(g, 1);
    d->pitch = tsm_dim_add(depthwise_reach(g, 2), g->out[2]);
    const tsm_dim row = tsm_dim_mul(tsm_dim_mul(g->kernel[0] * g->stride[1], g->stride[2]), d->pitch);
    const tsm_dim always = tsm_dim_mul(row, reach), line = tsm_dim_add(row, d->pitch);
    d->lines = always < most ? tsm_dim_min(g->out[1], (most - always) / line) : 0;
    d->rows = d->lines + reach;
    return d->lines ? always + d->lines * line : 0;
}

/* The planes of input plane z for the lines from oy on. */
static float *depthwise_copy(const depthwise_work *d, float *to, const float *image, tsm_dim z, tsm_dim oy) {
    const conv_geometry *g = d->g;
    for (tsm_dim py = 0; py < g->stride[1]; py++)
        for (tsm_dim px = 0; px < g->stride[2]; px++)
            for (tsm_dim r = 0; r < d->rows; r++, to += d->pitch) {
                const tsm_dim v = (oy + r) * g->stride[1] + py - g->padding[1];
                if (v < 0 || v >= g->in[1])
                    memset(to, 0, (size_t)d->pitch * sizeof *to);
                else if (g->stride[2] == 1)
                    copy_clipped_row_f32(to, image + (z * g->in[1] + v) * g->in[2], g->in[2], -g->padding[2], d->pitch);
                else
                    copy_strided_row_f32(to, image + (z * g->in[1] + v) * g->in[2], g->in[2], px - g->padding[2],
                                         d->pitch, g->stride[2]);
            }
    return to;
}

/* Output plane oz, lines [oy, oy + lines). */
static void depthwise_lines(const depthwise_work *d, float *scratch, const float *image, const float *w, float bias,
                            tsm_dim oz, tsm_dim oy, tsm_dim lines, float *y) {
    enum { TAPS = 64 };
    const conv_geometry *g = d->g;
    const tsm_dim plane = d->rows * d->pitch, all = (lines - 1) * d->pitch + g->out[2];
    float *const sums = scratch, *planes = scratch + d->lines * d->pitch;
    const float *rows[TAPS + 1];
    float weights[TAPS + 1];
    size_t count = 0;
    bool begins = true;
    for (tsm_dim kz = 0; kz < g->kernel[0]; kz++) {
        const tsm_dim z = oz * g->stride[0] - g->padding[0] + kz * g->dilation[0];
        const float *tap = w + kz * g->kernel[1] * g->kernel[2], *const first = planes;
        if (z < 0 || z >= g->in[0])
            continue;
        planes = depthwise_copy(d, planes, image, z, oy);
        for (tsm_dim ky = 0; ky < g->kernel[1]; ky++)
            for (tsm_dim kx = 0; kx < g->kernel[2]; kx++) {
                const tsm_dim v = ky * g->dilation[1], u = kx * g->dilation[2];
                if (count == TAPS) {
                    TSM_F32(d->f32, weigh_rows, sums, begins ? bias : 0, rows, weights, count, (size_t)all);
                    rows[0] = sums; /* is added to */
                    weights[0] = 1;
                    count = 1;
                    begins = false;
                }
                rows[count] = first + (v % g->stride[1] * g->stride[2] + u % g->stride[2]) * plane +
                              v / g->stride[1] * d->pitch + u / g->stride[2];
                weights[count++] = *tap++;
            }
    }
    TSM_F32(d->f32, weigh_rows, sums, begins ? bias : 0, rows, weights, count, (size_t)all);
    for (tsm_dim i = 0; i < lines; i++)
        memcpy(y + i * g->out[2], sums + i * d->pitch, (size_t)g->out[2] * sizeof *y);
}

static void conv_depthwise_range(void *argument, void *scratch, size_t begin, size_t end) {
    const depthwise_work *d = argument;
    const conv_geometry *g = d->g;
    const size_t in_plane = (size_t)conv_plane(g->in), per_group = (size_t)(g->outputs / g->groups);
    float *y = d->y + begin * (size_t)conv_plane(g->out);
    for (size_t p = begin; p < end; p++) {
        const size_t n = p / (size_t)g->outputs, o = p % (size_t)g->outputs;
        const float *image = d->a + (n * (size_t)g->channels + o / per_group) * in_plane;
        for (tsm_dim oz = 0; oz < g->out[0]; oz++)
            for (tsm_dim oy = 0, lines; oy < g->out[1]; oy += lines, y += lines * g->out[2]) {
                lines = tsm_dim_min(d->lines, g->out[1] - oy);
                depthwise_lines(d, scratch, image, d->w + o * (size_t)conv_taps(g), d->bias ? d->bias[o] : 0, oz, oy,
                                lines, y);
            }
    }
}

/* ---- float32, with a kernel that is wider than the output ----
 *
 * So are the gradients of weights, convolutions of the input and the gradient. What lies under one output is gathered
 * as a row, for outputs of several images together: rows of the kernel are longer than those of the output. */

enum { WIDE_OUTPUTS = 16 };

static bool is_wide(const conv_geometry *g) {
    return g->groups == 1 && g->dilation[2] == 1 && g->kernel[2] > g->out[2] && !reads_in_place(g);
}

/* The input under output `pixel` of an image. */
static void gather_wide(float *to, const float *image, const conv_geometry *g, tsm_dim pixel) {
    const tsm_dim x = pixel % g->out[2] * g->stride[2] - g->padding[2];
    const tsm_dim y = pixel / g->out[2] % g->out[1] * g->stride[1] - g->padding[1];
    const tsm_dim z = pixel / (g->out[2] * g->out[1]) * g->stride[0] - g->padding[0], width = g->kernel[2];
    for (tsm_dim c = 0; c < g->channels; c++, image += g->in[0] * g->in[1] * g->in[2])
        for (tsm_dim kz = 0; kz < g->kernel[0]; kz++)
            for (tsm_dim ky = 0; ky < g->kernel[1]; ky++, to += width) {
                const tsm_dim iz = z + kz * g->dilation[0], iy = y + ky * g->dilation[1];
                if (iz >= 0 && iz < g->in[0] && iy >= 0 && iy < g->in[1])
                    copy_clipped_row_f32(to, image + (iz * g->in[1] + iy) * g->in[2], g->in[2], x, width);
                else
                    memset(to, 0, (size_t)width * sizeof *to);
            }
}

static tsm_status convolve_wide(tsm_exec *x, const conv_geometry *g, const float *a, const float *w, const float *bias,
                                float *y) {
    const tsm_dim depth = g->channels * g->kernel[0] * g->kernel[1] * g->kernel[2];
    const tsm_dim in_image = g->channels * g->in[0] * g->in[1] * g->in[2],
                  out_plane = g->out[0] * g->out[1] * g->out[2];
    const tsm_dim all = g->batch * out_plane;
    float *rows = tsm_scratch(x, (size_t)(WIDE_OUTPUTS * (depth + g->outputs)) * sizeof *rows);
    if (!rows)
        return TSM_OUT_OF_MEMORY;
    float *results = rows + WIDE_OUTPUTS * depth;
    tsm_status status = TSM_OK;
    for (tsm_dim first = 0, count; first < all && status == TSM_OK; first += count) {
        count = tsm_dim_min(WIDE_OUTPUTS, all - first);
        for (tsm_dim i = 0; i < count; i++)
            gather_wide(rows + i * depth, a + (first + i) / out_plane * in_image, g, (first + i) % out_plane);
        const gemm_product p = {.batch = 1,
                                .m = (size_t)g->outputs,
                                .n = (size_t)count,
                                .k = (size_t)depth,
                                .a = w,
                                .a_row = depth,
                                .a_col = 1,
                                .b = rows,
                                .b_row = 1,
                                .b_col = depth,
                                .c = results,
                                .c_row = count};
        status = tsm_gemm_f32(x, &p);
        for (tsm_dim o = 0; o < g->outputs && status == TSM_OK; o++)
            for (tsm_dim i = 0; i < count; i++) {
                const tsm_dim image = (first + i) / out_plane, pixel = (first + i) % out_plane;
                y[(image * g->outputs + o) * out_plane + pixel] = results[o * count + i] + (bias ? bias[o] : 0);
            }
    }
    tsm_scratch_free(x, rows);
    return status;
}

static tsm_status convolve_f32(tsm_exec *x, const conv_geometry *g, const float *a, const float *w, const float *bias,
                               float *y) {
    if (g->channels == g->groups && g->groups > 1) {
        depthwise_work d = {.g = g, .a = a, .w = w, .bias = bias, .y = y, .f32 = loops_f32(x)};
        const tsm_dim room = depthwise_room(&d, (tsm_dim)(loops_scratch(x) / sizeof(float)));
        if (room)
            return tsm_loops_parallel(x, (size_t)(g->batch * g->outputs), 1, (size_t)room * sizeof(float),
                                      conv_depthwise_range, &d);
    }
    if (is_wide(g))
        return convolve_wide(x, g, a, w, bias, y);
    return multiply_f32(x, g, a, w, bias, y);
}

/* ---- Other dtypes ---- */

#define ELEMENT double
#define NAME(f) plain_##f##_f64
#include "runtime/kernels/nn/conv_plain.h"
#define ELEMENT int64_t
#define NAME(f) plain_##f##_i64
#include "runtime/kernels/nn/conv_plain.h"

/* Gathering pays where several outputs share what is gathered. */
static tsm_status convolve_f64(tsm_exec *x, const conv_geometry *g, const double *a, const double *w,
                               const double *bias, double *y) {
    if (g->outputs > g->groups)
        return multiply_f64(x, g, a, w, bias, y);
    plain_convolve_f64(g, a, w, bias, y);
    return TSM_OK;
}

/* ---- Shapes ---- */

tsm_status tsm_conv_charge(tsm_exec *x, const conv_geometry *g, const tsm_dim positions[3]) {
    uint64_t work = tsm_work((uint64_t)g->outputs, (uint64_t)(g->channels / g->groups));
    for (int d = 0; d < 3; d++)
        work = tsm_work(work, tsm_work((uint64_t)positions[d], (uint64_t)g->kernel[d]));
    return tsm_charge_product(x, work, (uint64_t)g->batch, 1);
}

tsm_status tsm_conv_read_geometry(tsm_exec *x, const tsm_tensor *a, const conv_form *f, conv_geometry *g) {
    int n = f->spatial;
    if (a->dims != n + 2 && a->dims != n + 1)
        return TSM_RAISE(x, "Expected %dD (unbatched) or %dD (batched) input to conv%dd, but got %d dimensions", n + 1,
                         n + 2, n, a->dims);
    int unbatched = a->dims == n + 1;
    memset(g, 0, sizeof *g);
    g->groups = f->groups;
    g->batch = unbatched ? 1 : a->sizes[0];
    g->channels = a->sizes[1 - unbatched];
    g->outputs = f->outputs;
    if (g->groups <= 0)
        return TSM_RAISE(x, "non-positive groups is not supported");
    if (g->channels != f->depth * g->groups)
        return TSM_RAISE(x,
                         "Given groups=%ld, weight of size [%zd, %zd, ...], expected input to have %zd channels, but "
                         "got %zd channels "
                         "instead",
                         (int64_t)g->groups, (ptrdiff_t)f->outputs, (ptrdiff_t)f->depth,
                         (ptrdiff_t)(f->depth * g->groups), (ptrdiff_t)g->channels);
    if (!f->outputs || f->outputs % g->groups)
        return TSM_RAISE(x, "Given groups=%ld, expected weight to be divisible by it at dimension 0",
                         (int64_t)g->groups);
    for (int d = 0; d < 3; d++) {
        int k = d - (3 - n);
        bool there = k >= 0;
        g->in[d] = there ? a->sizes[2 - unbatched + k] : 1;
        g->kernel[d] = there ? f->kernel[k] : 1;
        g->stride[d] = there ? f->stride[k] : 1;
        g->padding[d] = there ? f->padding[k] : 0;
        g->dilation[d] = there ? f->dilation[k] : 1;
        if (g->kernel[d] <= 0 || g->dilation[d] <= 0)
            return TSM_RAISE(x, "kernel size and dilation should be greater than zero");
        if (g->stride[d] <= 0)
            return TSM_RAISE(x, "non-positive stride is not supported");
        if (g->padding[d] < 0)
            return TSM_RAISE(x, "negative padding is not supported");
        tsm_dim reach = tsm_dim_add(g->in[d], 2 * g->padding[d]),
                span = tsm_dim_add(tsm_dim_mul(g->dilation[d], g->kernel[d] - 1), 1);
        /* PyTorch takes an input without positions only where there is nothing else to compute. */
        if (span > reach || (!g->in[d] && g->batch && g->channels))
            return TSM_RAISE(x,
                             "Calculated padded input size per channel: (%zd). Kernel size: (%zd). Kernel size can't "
                             "be greater than actual "
                             "input size",
                             (ptrdiff_t)reach, (ptrdiff_t)span);
        g->out[d] = (reach - span) / g->stride[d] + 1;
    }
    return tsm_conv_charge(x, g, g->out);
}

static tsm_status as_it_lies_or_contiguous(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, bool as_it_lies,
                                           tsm_tensor **out) {
    if (!as_it_lies || t->dtype != dtype)
        return tsm_kernel_contiguous(x, t, dtype, out);
    tsm_hold(tsm_of_tensor(t));
    *out = t;
    return TSM_OK;
}

static tsm_status convolve(tsm_exec *x, tsm_tensor *a, tsm_tensor *w, tsm_tensor *bias, conv_form *form,
                           tsm_value *out) {
    conv_geometry g;
    int n = form->spatial;
    if (w->dims != n + 2)
        return TSM_RAISE(x, "weight should have at least three dimensions");
    form->outputs = w->sizes[0];
    form->depth = w->sizes[1];
    form->kernel = w->sizes + 2;
    TSM_TRY(tsm_conv_read_geometry(x, a, form, &g));
    if (bias && (bias->dims != 1 || bias->sizes[0] != form->outputs))
        return TSM_RAISE(x, "Given weight of size [%zd, ...], expected bias to be 1-dimensional with %zd elements",
                         (ptrdiff_t)form->outputs, (ptrdiff_t)form->outputs);
    if (a->dtype != w->dtype)
        return TSM_RAISE(x, "Input type (%s) and weight type (%s) should be the same",
                         tsm_dtype_name((tsm_dtype)a->dtype), tsm_dtype_name((tsm_dtype)w->dtype));
    tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    if (a->dtype == TSM_BOOL || tsm_dtype_is_complex(dtype))
        return tsm_loops_missing(x, "slow_conv2d_cpu", (tsm_dtype)a->dtype);
    tsm_tensor *image = NULL, *weight = NULL, *b = NULL, *y = NULL;
    tsm_dim sizes[5];
    int dims = 0;
    if (a->dims == n + 2)
        sizes[dims++] = g.batch;
    sizes[dims++] = g.outputs;
    for (int d = 3 - n; d < 3; d++)
        sizes[dims++] = g.out[d];
    /* PyTorch 1.13's results of three dimensions are contiguous all the same. */
    const bool is_channels_last =
        n == 2 && a->dims == 4 && a->dtype == TSM_FLOAT32 && tsm_tensor_suggests_channels_last(a);
    const bool packs = CONV_PACKING_IS_THERE && dtype == TSM_FLOAT32 && tsm_conv_packing_pays(x, &g, is_channels_last);
    const bool follows = packs && is_channels_last;
    tsm_status status = as_it_lies_or_contiguous(x, a, dtype, packs, &image);
    if (status == TSM_OK)
        status = as_it_lies_or_contiguous(x, w, dtype, packs && tsm_conv_packing_takes(w), &weight);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous_or_null(x, bias, dtype, &b);
    const void *bias_data = b ? b->data : NULL;
    if (status == TSM_OK && follows)
        status = tsm_conv_packing_follow(x, &g, n, image, weight, bias_data, out);
    else if (status == TSM_OK)
        status = tsm_tensor_make(x, dtype, dims, sizes, &y);
    if (status == TSM_OK && y && y->elements) {
        if (packs)
            status = tsm_conv_packing(x, &g, n, image, weight, bias_data, y->data);
        else if (dtype == TSM_FLOAT32)
            status = convolve_f32(x, &g, image->data, weight->data, bias_data, y->data);
        else if (dtype == TSM_FLOAT64)
            status = convolve_f64(x, &g, image->data, weight->data, bias_data, y->data);
        else
            plain_convolve_i64(&g, image->data, weight->data, bias_data, y->data);
    }
    tsm_tensor_drop(x, image);
    tsm_tensor_drop(x, weight);
    tsm_tensor_drop(x, b);
    return follows ? status : tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
}

tsm_status tsm_conv_read_form(tsm_exec *x, const tsm_value *const *in, int first, int spatial, int64_t groups,
                              conv_form *f) {
    memset(f, 0, sizeof *f);
    f->spatial = spatial;
    f->groups = tsm_saturate_dim(groups);
    TSM_TRY(tsm_nn_ints(x, in, first, "stride", spatial, NULL, f->stride));
    TSM_TRY(tsm_nn_ints(x, in, first + 1, "padding", spatial, NULL, f->padding));
    return tsm_nn_ints(x, in, first + 2, "dilation", spatial, NULL, f->dilation);
}

static tsm_status conv_n(tsm_exec *x, const tsm_value *const *in, int n, int64_t groups, tsm_value *out) {
    conv_form f;
    TSM_TRY(tsm_conv_read_form(x, in, 3, n, groups, &f));
    return convolve(x, arg_tensor(in, 0), arg_tensor(in, 1), arg_tensor_or_null(in, 2), &f, out);
}
TSM_KERNEL(aten_conv1d) {
    return conv_is_complex(in) ? tsm_conv_complex(x, tsm_k_aten_conv1d, 7, in, out)
                               : conv_n(x, in, 1, arg_int(in, 6), out);
}
TSM_KERNEL(aten_conv2d) {
    return conv_is_complex(in) ? tsm_conv_complex(x, tsm_k_aten_conv2d, 7, in, out)
                               : conv_n(x, in, 2, arg_int(in, 6), out);
}
TSM_KERNEL(aten_conv3d) {
    return conv_is_complex(in) ? tsm_conv_complex(x, tsm_k_aten_conv3d, 7, in, out)
                               : conv_n(x, in, 3, arg_int(in, 6), out);
}

/* The form that traced models hold; spatial dimensions from the weight. */
TSM_KERNEL(aten__convolution) {
    int n = arg_tensor(in, 1)->dims - 2;
    if (n < 1 || n > 3)
        return TSM_RAISE(x, "weight should have at least three dimensions");
    if (arg_bool(in, 6))
        return tsm_conv_transpose_of_convolution(x, in, n, out);
    return conv_n(x, in, n, arg_int(in, 8), out);
}
TSM_KERNEL_ALIAS(aten__convolution_deprecated, aten__convolution);
TSM_KERNEL_ALIAS(aten_convolution, aten__convolution);
