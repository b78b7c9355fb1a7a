/* Transposed convolutions of one, two and three spatial dimensions, computed as three-dimensional ones: each input
 * line adds its product with the kernel to the output. With several input channels, those products are summed over
 * the channels first, as a product of matrices. */
#include "runtime/kernels/linalg/gemm.h"
#include "runtime/kernels/nn/conv.h"
#include "runtime/kernels/nn/conv_complex.h"

#define ELEMENT float
#define NAME(f) f##_f32
#include "runtime/kernels/nn/conv_transpose_plain.h"
#define ELEMENT double
#define NAME(f) f##_f64
#include "runtime/kernels/nn/conv_transpose_plain.h"
#define ELEMENT uint64_t /* integers wrap */
#define NAME(f) f##_i64
#include "runtime/kernels/nn/conv_transpose_plain.h"

/* ---- By products of matrices ---- */

/* The most bytes of scratch for products, unless MIN_POSITIONS positions of one output channel take more. */
enum { SCRATCH_BYTES = 16384, MIN_POSITIONS = 16 };

/* Input positions from..to of one image, in the order of memory. */
typedef struct {
    tsm_dim from, to;
} position_range;

/* c = a b of m x k and k x n; rows of b and c are consecutive, and those of a (k of them) too. */
static tsm_status transposed_product_f32(tsm_exec *x, size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_col,
                                         const float *b, ptrdiff_t b_row, float *c) {
    const gemm_product product = {.batch = 1,
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .a = a,
                                  .a_row = 1,
                                  .a_col = a_col,
                                  .b = b,
                                  .b_row = b_row,
                                  .b_col = 1,
                                  .c = c,
                                  .c_row = (ptrdiff_t)n};
    return tsm_gemm_f32(x, &product);
}
static tsm_status transposed_product_f64(tsm_exec *x, size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_col,
                                         const double *b, ptrdiff_t b_row, double *c) {
    const gemm_any product = {m, n, k, a, 1, a_col, b, b_row, 1, c, (ptrdiff_t)n};
    tsm_gemm_plain(x, TSM_FLOAT64, &product);
    return TSM_OK;
}

#define ELEMENT float
#define NAME(f) transposed_##f##_f32
#include "runtime/kernels/nn/conv_transpose_product.h"
#define ELEMENT double
#define NAME(f) transposed_##f##_f64
#include "runtime/kernels/nn/conv_transpose_product.h"

/* ---- The operators ---- */

static tsm_status check_output(tsm_exec *x, const conv_geometry *g, int n) {
    ptrdiff_t in[3], out[3];
    for (int d = 0; d < 3; d++) {
        in[d] = (ptrdiff_t)g->in[d];
        out[d] = (ptrdiff_t)g->out[d];
    }
    if (out[0] >= 1 && out[1] >= 1 && out[2] >= 1)
        return TSM_OK;
    if (n == 3)
        return TSM_RAISE(x,
                         "Given input size per channel: (%zd x %zd x %zd). Calculated output size per channel: (%zd x "
                         "%zd x %zd). Output size "
                         "is too small",
                         in[0], in[1], in[2], out[0], out[1], out[2]);
    return TSM_RAISE(x,
                     "Given input size per channel: (%zd x %zd). Calculated output size per channel: (%zd x %zd). "
                     "Output size is too small",
                     in[1], in[2], out[1], out[2]);
}

tsm_status tsm_conv_transpose_sizes(tsm_exec *x, const tsm_tensor *a, const conv_form *f, const tsm_dim extra[3],
                                    conv_geometry *g) {
    const int n = f->spatial, unbatched = a->dims == n + 1;
    for (int d = 0; d < 3; d++) {
        const int k = d - (3 - n);
        const bool there = k >= 0;
        g->in[d] = there ? a->sizes[2 - unbatched + k] : 1;
        g->kernel[d] = there ? f->kernel[k] : 1;
        g->stride[d] = there ? f->stride[k] : 1;
        g->padding[d] = there ? f->padding[k] : 0;
        g->dilation[d] = there ? f->dilation[k] : 1;
        if (g->padding[d] < 0)
            return TSM_RAISE(x, "negative padding is not supported");
        if (g->stride[d] < 1)
            return TSM_RAISE(x, "non-positive stride is not supported");
        if (g->dilation[d] < 1)
            return TSM_RAISE(x, "dilation should be greater than zero");
        if (there && extra[k] < 0)
            return TSM_RAISE(x, "negative output_padding is not supported");
        if (there && extra[k] >= g->stride[d] && extra[k] >= g->dilation[d])
            return TSM_RAISE(x, "output padding must be smaller than either stride or dilation");
        tsm_dim extent = tsm_dim_add(tsm_dim_mul(g->dilation[d], g->kernel[d] - 1), there ? extra[k] : 0);
        extent = tsm_dim_add(extent, tsm_dim_mul(g->in[d] - 1, g->stride[d]));
        g->out[d] = tsm_dim_min(extent, PTRDIFF_MAX - 1) + 1 - 2 * g->padding[d];
    }
    if (g->batch && g->channels && !conv_plane(g->in))
        return TSM_RAISE(x, "Only zero batch or zero channel inputs are supported, but got an input of other size 0");
    TSM_TRY(check_output(x, g, n));
    return tsm_conv_charge(x, g, g->in);
}

/* Checks the input and the weight [channels, outputs of a group, kernel...]. */
static tsm_status check_transposed_weight(tsm_exec *x, const conv_geometry *g, const tsm_tensor *w,
                                          const tsm_tensor *bias) {
    if (g->groups <= 0)
        return TSM_RAISE(x, "non-positive groups is not supported");
    if (w->sizes[0] < g->groups)
        return TSM_RAISE(x, "Given groups=%zd, expected weight to be at least %zd at dimension 0, but got %zd",
                         (ptrdiff_t)g->groups, (ptrdiff_t)g->groups, (ptrdiff_t)w->sizes[0]);
    if (g->channels != w->sizes[0] || g->channels % g->groups)
        return TSM_RAISE(x,
                         "Given transposed=1, weight of size [%zd, ...], expected input to have %zd channels, but got "
                         "%zd channels instead",
                         (ptrdiff_t)w->sizes[0], (ptrdiff_t)w->sizes[0], (ptrdiff_t)g->channels);
    if (!w->elements)
        return TSM_RAISE(x, "non-empty weight expected, kernel size should be greater than zero");
    if (bias && bias->elements != g->outputs)
        return TSM_RAISE(x, "expected bias to be 1-dimensional with %zd elements", (ptrdiff_t)g->outputs);
    return TSM_OK;
}

static tsm_status conv_transpose(tsm_exec *x, const tsm_value *const *in, int n, tsm_value *out) {
    tsm_tensor *a = arg_tensor(in, 0), *w = arg_tensor(in, 1), *bias = arg_tensor_or_null(in, 2), *image = NULL,
               *weight = NULL, *b = NULL, *y = NULL;
    conv_form form = {.spatial = n, .kernel = w->sizes + 2};
    tsm_dim extra[3], sizes[5];
    conv_geometry g;
    memset(&g, 0, sizeof g);
    TSM_TRY(tsm_nn_ints(x, in, 3, "stride", n, NULL, form.stride));
    TSM_TRY(tsm_nn_ints(x, in, 4, "padding", n, NULL, form.padding));
    TSM_TRY(tsm_nn_ints(x, in, 5, "output_padding", n, NULL, extra));
    TSM_TRY(tsm_nn_ints(x, in, 7, "dilation", n, NULL, form.dilation));
    if (w->dims != n + 2 || (a->dims != n + 1 && a->dims != n + 2))
        return TSM_RAISE(x,
                         "Expected %dD (unbatched) or %dD (batched) input to conv_transpose%dd, but got input of "
                         "another number of dimensions (%d)",
                         n + 1, n + 2, n, a->dims);
    const int unbatched = a->dims == n + 1;
    int dims = 0;
    g.groups = arg_dim(in, 6);
    g.batch = unbatched ? 1 : a->sizes[0];
    g.channels = a->sizes[1 - unbatched];
    g.outputs = tsm_dim_mul(w->sizes[1], g.groups);
    TSM_TRY(check_transposed_weight(x, &g, w, bias));
    TSM_TRY(tsm_conv_transpose_sizes(x, a, &form, extra, &g));
    if (!unbatched)
        sizes[dims++] = g.batch;
    sizes[dims++] = g.outputs;
    for (int d = 3 - n; d < 3; d++)
        sizes[dims++] = g.out[d];
    tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    if (tsm_dtype_is_complex(dtype) || (dtype == TSM_INT64 && a->dtype != TSM_INT64))
        return TSM_RAISE(x, "%s is not implemented for '%s'", tsm_op_name(x), tsm_dtype_name((tsm_dtype)a->dtype));
    tsm_status status = tsm_kernel_contiguous(x, a, dtype, &image);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous(x, w, dtype, &weight);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous_or_null(x, bias, dtype, &b);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, dtype, dims, sizes, &y);
    bool has_elements = y && y->elements && image->elements;
    const bool multiplies = g.channels > g.groups && has_elements;
    if (status == TSM_OK && dtype == TSM_FLOAT64 && multiplies)
        status = transposed_multiply_f64(x, &g, image->data, weight->data, b ? b->data : NULL, y->data);
    else if (status == TSM_OK && dtype == TSM_FLOAT32 && multiplies)
        status = transposed_multiply_f32(x, &g, image->data, weight->data, b ? b->data : NULL, y->data);
    else if (status == TSM_OK && dtype == TSM_FLOAT32)
        scatter_f32(&g, image->data, weight->data, b ? b->data : NULL, y->data);
    else if (status == TSM_OK && dtype == TSM_INT64)
        scatter_i64(&g, image->data, weight->data, b ? b->data : NULL, y->data);
    else if (status == TSM_OK)
        scatter_f64(&g, image->data, weight->data, b ? b->data : NULL, y->data);
    tsm_tensor_drop(x, image);
    tsm_tensor_drop(x, weight);
    tsm_tensor_drop(x, b);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
}
TSM_KERNEL(aten_conv_transpose1d) {
    return conv_is_complex(in) ? tsm_conv_complex(x, tsm_k_aten_conv_transpose1d, 8, in, out)
                               : conv_transpose(x, in, 1, out);
}
TSM_KERNEL(aten_conv_transpose2d_input) {
    return conv_is_complex(in) ? tsm_conv_complex(x, tsm_k_aten_conv_transpose2d_input, 8, in, out)
                               : conv_transpose(x, in, 2, out);
}
TSM_KERNEL(aten_conv_transpose3d_input) {
    return conv_is_complex(in) ? tsm_conv_complex(x, tsm_k_aten_conv_transpose3d_input, 8, in, out)
                               : conv_transpose(x, in, 3, out);
}

tsm_status tsm_conv_transpose_of_convolution(tsm_exec *x, const tsm_value *const *in, int spatial, tsm_value *out) {
    const tsm_value *const order[] = {in[0], in[1], in[2], in[3], in[4], in[7], in[8], in[5]};
    return conv_transpose(x, order, spatial, out);
}
