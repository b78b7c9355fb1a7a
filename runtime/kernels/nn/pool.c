/* Pooling over one, two and three spatial dimensions; all are computed as three-dimensional ones, each plane on its
 * own. */
#include "runtime/kernels/nn/pool.h"

#include "runtime/kernels/quantizer/quantized_tensor.h"

/* Output size, as PyTorch's pooling_output_shape: in ceil mode the last window must start inside the input or its left
 * padding. */
static tsm_dim output_size(tsm_dim in, tsm_dim kernel, tsm_dim stride, tsm_dim padding, tsm_dim dilation,
                           bool ceil_mode) {
    tsm_dim room = tsm_dim_add(in, 2 * padding) - tsm_dim_mul(dilation, kernel - 1) - 1;
    tsm_dim out = tsm_dim_floor_div(tsm_dim_min(room, PTRDIFF_MAX / 2) + (ceil_mode ? stride - 1 : 0), stride) + 1;
    if (ceil_mode && (out - 1) * stride >= in + padding)
        out--;
    return out;
}

/* Raises PyTorch's texts for sizes that do not fit. With `fits_window` the input itself must be as large as the window,
 * whatever the padding: PyTorch asks that of averages over three dimensions. */
static tsm_status check_sizes(tsm_exec *x, const pool_window *w, int n, tsm_dim channels, bool fits_window) {
    ptrdiff_t in[3], out[3], kernel[3];
    for (int d = 0; d < 3; d++) {
        in[d] = (ptrdiff_t)w->in[d];
        out[d] = (ptrdiff_t)w->out[d];
        kernel[d] = (ptrdiff_t)w->kernel[d];
    }
    if (fits_window && (in[0] < kernel[0] || in[1] < kernel[1] || in[2] < kernel[2]))
        return TSM_RAISE(x, "input image (T: %zd H: %zd W: %zd) smaller than kernel size (kT: %zd kH: %zd kW: %zd)",
                         in[0], in[1], in[2], kernel[0], kernel[1], kernel[2]);
    if (out[0] >= 1 && out[1] >= 1 && out[2] >= 1)
        return TSM_OK;
    if (n == 3)
        return TSM_RAISE(
            x,
            "Given input size: (%zdx%zdx%zdx%zd). Calculated output size: (%zdx%zdx%zdx%zd). Output size is too small",
            (ptrdiff_t)channels, in[0], in[1], in[2], (ptrdiff_t)channels, out[0], out[1], out[2]);
    return TSM_RAISE(x,
                     "Given input size: (%zdx%zdx%zd). Calculated output size: (%zdx%zdx%zd). Output size is too small",
                     (ptrdiff_t)channels, in[1], in[2], (ptrdiff_t)channels, out[1], out[2]);
}

/* Charges the elements of the windows that lie inside of the input, at most. */
static tsm_status charge_windows(tsm_exec *x, const pool_window *w) {
    uint64_t work = (uint64_t)w->planes;
    for (int d = 0; d < 3; d++)
        work = tsm_work(work, tsm_work((uint64_t)w->out[d], (uint64_t)tsm_dim_min(w->kernel[d], w->in[d]) + 1));
    return tsm_charge(x, work);
}

static tsm_status pool_read_window(tsm_exec *x, const tsm_value *const *in, const tsm_tensor *a, int n, int dilation_at,
                                   pool_window *w) {
    tsm_dim kernel[3], stride[3], padding[3], dilation[3] = {1, 1, 1};
    TSM_TRY(tsm_nn_ints(x, in, 1, "kernel_size", n, NULL, kernel));
    TSM_TRY(tsm_nn_ints(x, in, 2, "stride", n, kernel, stride));
    TSM_TRY(tsm_nn_ints(x, in, 3, "padding", n, NULL, padding));
    if (dilation_at)
        TSM_TRY(tsm_nn_ints(x, in, dilation_at, "dilation", n, NULL, dilation));
    if (a->dims != n + 1 && a->dims != n + 2)
        return TSM_RAISE(x, "Expected %dD or %dD (batch mode) tensor for input, but got %dD", n + 1, n + 2, a->dims);
    for (int d = a->dims - n - 1; d < a->dims; d++)
        if (!a->sizes[d])
            return TSM_RAISE(x, "Expected %dD or %dD (batch mode) tensor with optional 0 dim batch size for input",
                             n + 1, n + 2);
    w->planes = 1;
    for (int d = 0; d < a->dims - n; d++)
        w->planes *= a->sizes[d];
    for (int d = 0; d < 3; d++) {
        int k = d - (3 - n);
        bool there = k >= 0;
        w->kernel[d] = there ? kernel[k] : 1;
        w->stride[d] = there ? stride[k] : 1;
        w->padding[d] = there ? padding[k] : 0;
        w->dilation[d] = there ? dilation[k] : 1;
        w->in[d] = there ? a->sizes[a->dims - n + k] : 1;
        if (w->kernel[d] <= 0 || w->stride[d] <= 0 || w->dilation[d] <= 0)
            return TSM_RAISE(x, "kernel size, stride and dilation should be greater than zero");
        if (w->padding[d] < 0 || w->padding[d] > w->kernel[d] / 2)
            return TSM_RAISE(x, "pad should be at most half of kernel size, but got pad=%zd and kernel_size=%zd",
                             (ptrdiff_t)w->padding[d], (ptrdiff_t)w->kernel[d]);
        w->out[d] = output_size(w->in[d], w->kernel[d], w->stride[d], w->padding[d], w->dilation[d], w->ceil_mode);
    }
    TSM_TRY(check_sizes(x, w, n, a->sizes[a->dims - n - 1], n == 3 && !dilation_at));
    return charge_windows(x, w);
}

void tsm_pool_sizes(const tsm_tensor *a, const pool_window *w, int n, tsm_dim *sizes) {
    memcpy(sizes, a->sizes, (size_t)a->dims * sizeof *sizes);
    for (int k = 0; k < n; k++)
        sizes[a->dims - n + k] = w->out[3 - n + k];
}

/* ---- One plane ---- */

/* Where the line of a plane under positions (kz, ky, *) of the window of output element o begins; they lie inside. */
static inline tsm_dim line_under(const pool_window *w, const tsm_dim o[3], tsm_dim kz, tsm_dim ky) {
    const tsm_dim z = o[0] * w->stride[0] - w->padding[0] + kz * w->dilation[0];
    const tsm_dim y = o[1] * w->stride[1] - w->padding[1] + ky * w->dilation[1];
    return (z * w->in[1] + y) * w->in[2];
}

#define ELEMENT float
#define NAME(f) f##_f32
#define IS_NAN(v) ((v) != (v))
#define LEAST (-INFINITY)
#include "runtime/kernels/nn/pool_plane.h"
#define ELEMENT double
#define SUM double
#define NAME(f) f##_f64
#define IS_NAN(v) ((v) != (v))
#define LEAST (-INFINITY)
#include "runtime/kernels/nn/pool_plane.h"
#define ELEMENT int64_t
#define SUM uint64_t /* wraps */
#define NAME(f) f##_i64
#define IS_NAN(v) false
#define LEAST INT64_MIN
#include "runtime/kernels/nn/pool_plane.h"

/* ---- Maximum ---- */

static tsm_status max_pool(tsm_exec *x, const tsm_value *const *in, int n, bool with_indices, tsm_value *out) {
    tsm_tensor *a = arg_tensor(in, 0), *image = NULL, *y = NULL, *at = NULL;
    pool_window w = {.ceil_mode = arg_bool(in, 5)};
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    if (tsm_dtype_is_complex(dtype))
        return TSM_RAISE(x, "\"max_pool%dd\" not implemented for '%s'", n, tsm_dtype_class_name((tsm_dtype)a->dtype));
    TSM_TRY(pool_read_window(x, in, a, n, 4, &w));
    if (a->quantizer && !with_indices)
        return a->dims == n + 2 && a->dtype != TSM_QINT32 ? tsm_pool_max_quantized(x, a, &w, n, out)
                                                          : tsm_quantized_as_stored(x, in, out);
    if (!with_indices && tsm_pool_can_stay_channels_last(a, n))
        return tsm_pool_max_channels_last(x, a, &w, n, out);
    tsm_pool_sizes(a, &w, n, sizes);
    tsm_status status = tsm_kernel_contiguous(x, a, dtype, &image);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, dtype, a->dims, sizes, &y);
    if (status == TSM_OK && with_indices)
        status = tsm_tensor_make(x, TSM_INT64, a->dims, sizes, &at);
    tsm_dim in_plane = w.in[0] * w.in[1] * w.in[2], out_plane = w.out[0] * w.out[1] * w.out[2];
    const bool lines = dtype == TSM_FLOAT32 && !with_indices;
    if (status == TSM_OK && lines && y->elements)
        status = tsm_pool_max_lines(x, &w, image->data, y->data);
    for (tsm_dim p = 0; p < w.planes && status == TSM_OK && !lines; p++) {
        int64_t *indices = at ? (int64_t *)at->data + p * out_plane : NULL;
        if (dtype == TSM_FLOAT32)
            max_plane_f32(&w, (const float *)image->data + p * in_plane, (float *)y->data + p * out_plane, indices);
        else if (dtype == TSM_FLOAT64)
            max_plane_f64(&w, (const double *)image->data + p * in_plane, (double *)y->data + p * out_plane, indices);
        else
            max_plane_i64(&w, (const int64_t *)image->data + p * in_plane, (int64_t *)y->data + p * out_plane, indices);
    }
    tsm_tensor_drop(x, image);
    status = tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
    if (status == TSM_OK && at)
        out[1] = tsm_of_tensor(at);
    else
        tsm_tensor_drop(x, at);
    return status;
}
TSM_KERNEL(aten_max_pool1d) {
    return max_pool(x, in, 1, false, out);
}
TSM_KERNEL(aten_max_pool2d) {
    return max_pool(x, in, 2, false, out);
}
TSM_KERNEL(aten_max_pool3d) {
    return max_pool(x, in, 3, false, out);
}
TSM_KERNEL(aten_max_pool1d_with_indices) {
    return max_pool(x, in, 1, true, out);
}
TSM_KERNEL(aten_max_pool2d_with_indices) {
    return max_pool(x, in, 2, true, out);
}
TSM_KERNEL(aten_max_pool3d_with_indices) {
    return max_pool(x, in, 3, true, out);
}

/* ---- Average ---- */

double tsm_pool_box(const pool_window *w, int d, tsm_dim o, bool adaptive, tsm_dim *from, tsm_dim *to) {
    if (adaptive) {
        *from = o * w->in[d] / w->out[d];
        *to = tsm_dim_ceil_div((o + 1) * w->in[d], w->out[d]);
        return (double)(*to - *from);
    }
    const tsm_dim start = o * w->stride[d] - w->padding[d],
                  end = tsm_dim_min(start + w->kernel[d], w->in[d] + w->padding[d]);
    *from = tsm_dim_max(start, 0);
    *to = tsm_dim_min(end, w->in[d]);
    return (double)(w->count_padding ? end - start : tsm_dim_max(0, *to - *from));
}

double tsm_pool_boxes(const pool_window *w, const tsm_dim *o, bool adaptive, tsm_dim *from, tsm_dim *to) {
    double count = 1;
    for (int d = 0; d < 3; d++)
        count *= tsm_pool_box(w, d, o[d], adaptive, &from[d], &to[d]);
    return w->divisor ? (double)w->divisor : count;
}

static tsm_status average(tsm_exec *x, tsm_tensor *a, const pool_window *w, int n, bool adaptive, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS], from[3], to[3], o[3];
    tsm_tensor *image = NULL, *y = NULL;
    if (tsm_pool_can_stay_channels_last(a, n))
        return tsm_pool_average_channels_last(x, a, w, n, adaptive, out);
    tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    if (tsm_dtype_is_complex((tsm_dtype)a->dtype) ||
        (dtype == TSM_INT64 && (adaptive ? a->elements != 0 : a->dtype != TSM_INT64)))
        return TSM_RAISE(x, "\"%savg_pool%dd\" not implemented for '%s'", adaptive ? "adaptive_" : "", n,
                         tsm_dtype_class_name((tsm_dtype)a->dtype));
    tsm_pool_sizes(a, w, n, sizes);
    tsm_status status = tsm_kernel_contiguous(x, a, dtype, &image);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, dtype, a->dims, sizes, &y);
    const bool lines = dtype == TSM_FLOAT32;
    if (status == TSM_OK && lines && y->elements)
        status = tsm_pool_average_lines(x, w, adaptive, image->data, y->data);
    tsm_dim in_plane = w->in[0] * w->in[1] * w->in[2], at = 0;
    for (tsm_dim p = 0; p < w->planes && status == TSM_OK && !lines; p++)
        for (o[0] = 0; o[0] < w->out[0]; o[0]++)
            for (o[1] = 0; o[1] < w->out[1]; o[1]++) {
                double shared = 0; /* what boxes of one line share is calculated once, but where room is short */
                if (TSM_NARROW_LANES)
                    shared = tsm_pool_box(w, 0, o[0], adaptive, &from[0], &to[0]) *
                             tsm_pool_box(w, 1, o[1], adaptive, &from[1], &to[1]);
                for (o[2] = 0; o[2] < w->out[2]; o[2]++, at++) {
                    const double count =
                        !TSM_NARROW_LANES ? tsm_pool_boxes(w, o, adaptive, from, to)
                        : w->divisor      ? (tsm_pool_box(w, 2, o[2], adaptive, &from[2], &to[2]), (double)w->divisor)
                                          : shared * tsm_pool_box(w, 2, o[2], adaptive, &from[2], &to[2]);
                    if (dtype == TSM_INT64)
                        ((int64_t *)y->data)[at] =
                            mean_box_i64((const int64_t *)image->data + p * in_plane, w->in, from, to, count);
                    else
                        ((double *)y->data)[at] =
                            mean_box_f64((const double *)image->data + p * in_plane, w->in, from, to, count);
                }
            }
    tsm_tensor_drop(x, image);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
}

static tsm_status avg_pool(tsm_exec *x, const tsm_value *const *in, int n, tsm_value *out) {
    pool_window w = {.ceil_mode = arg_bool(in, 4), .count_padding = arg_bool(in, 5)};
    if (n > 1 && !arg_is_none(in, 6)) {
        w.divisor = arg_int(in, 6);
        if (!w.divisor)
            return TSM_RAISE(x, "divisor must be not zero");
    }
    TSM_TRY(pool_read_window(x, in, arg_tensor(in, 0), n, 0, &w));
    return arg_tensor(in, 0)->quantizer ? tsm_pool_average_quantized(x, in, &w, n, false, out)
                                        : average(x, arg_tensor(in, 0), &w, n, false, out);
}
TSM_KERNEL(aten_avg_pool1d) {
    return avg_pool(x, in, 1, out);
}
TSM_KERNEL(aten_avg_pool2d) {
    return avg_pool(x, in, 2, out);
}
TSM_KERNEL(aten_avg_pool3d) {
    return avg_pool(x, in, 3, out);
}

static tsm_status adaptive_avg_pool(tsm_exec *x, const tsm_value *const *in, int n, tsm_value *out) {
    const tsm_tensor *a = arg_tensor(in, 0);
    tsm_dim wanted[3];
    pool_window w = {.planes = 1};
    TSM_TRY(tsm_nn_ints(x, in, 1, "output_size", n, NULL, wanted));
    if (a->dims != n + 1 && a->dims != n + 2)
        return TSM_RAISE(x, "adaptive_avg_pool%dd(): Expected %dD or %dD tensor, but got %dD", n, n + 1, n + 2,
                         a->dims);
    for (int d = 0; d < a->dims - n; d++)
        w.planes *= a->sizes[d];
    for (int d = 0; d < 3; d++) {
        int k = d - (3 - n);
        w.in[d] = k >= 0 ? a->sizes[a->dims - n + k] : 1;
        w.out[d] = k >= 0 ? wanted[k] : 1;
        if (w.out[d] < 0 || !w.in[d])
            return TSM_RAISE(x, "adaptive_avg_pool%dd(): Expected input to have non-zero size for non-batch dimensions",
                             n);
        w.kernel[d] = w.out[d] ? w.in[d] / w.out[d] + 1 : 0;
    }
    TSM_TRY(charge_windows(x, &w));
    return a->quantizer ? tsm_pool_average_quantized(x, in, &w, n, true, out)
                        : average(x, arg_tensor(in, 0), &w, n, true, out);
}
TSM_KERNEL(aten_adaptive_avg_pool1d) {
    return adaptive_avg_pool(x, in, 1, out);
}
TSM_KERNEL(aten_adaptive_avg_pool2d) {
    return adaptive_avg_pool(x, in, 2, out);
}
TSM_KERNEL(aten_adaptive_avg_pool3d) {
    return adaptive_avg_pool(x, in, 3, out);
}
