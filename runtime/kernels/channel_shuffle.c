/* Channel shuffle: channel j * (C / groups) + i moves to i * groups + j. */
#include "runtime/kernels/nn.h"
#include "runtime/kernels/quantized.h"

/* float32 pixels, their channels together. */
static void shuffle_pixels(float *y, const float *a, ptrdiff_t a_pixel, size_t pixels, size_t groups, size_t of_group) {
    size_t channels = groups * of_group;
    for (size_t p = 0; p < pixels; p++, y += channels, a += a_pixel)
        for (size_t j = 0; j < groups; j++)
            for (size_t i = 0; i < of_group; i++)
                y[i * groups + j] = a[j * of_group + i];
}

/* The pixels of a 4-dim tensor follow each other at one distance, their channels together. */
static bool has_even_pixels(const tsm_tensor *a) {
    const tsm_dim *size = a->sizes, *stride = a->strides;
    return stride[1] == 1 && (size[2] == 1 || stride[2] == size[3] * stride[3]) &&
           (size[0] == 1 || stride[0] == size[2] * size[3] * stride[3]);
}

/* Any layout: both tensors seen with the channels in two dimensions, swapped in the result. */
static tsm_status shuffle_any(tsm_exec *x, tsm_tensor *a, tsm_tensor *y, tsm_dim groups) {
    tsm_dim sizes[TSM_MAX_DIMS], from[TSM_MAX_DIMS], to[TSM_MAX_DIMS], of_group = a->sizes[1] / groups;
    for (int d = 0; d <= a->dims; d++) {
        int k = d < 2 ? d : d - 1;
        sizes[d] = d == 1 ? groups : d == 2 ? of_group : a->sizes[k];
        from[d] = d == 1 ? a->strides[1] * of_group : d == 2 ? a->strides[1] : a->strides[k];
        to[d] = d == 1 ? y->strides[1] : d == 2 ? y->strides[1] * groups : y->strides[k];
    }
    tsm_tensor *in = NULL, *out = NULL;
    tsm_status status = tsm_tensor_view_of(x, a, a->dims + 1, sizes, from, 0, &in);
    if (status == TSM_OK)
        status = tsm_tensor_view_of(x, y, a->dims + 1, sizes, to, 0, &out);
    if (status == TSM_OK)
        status = tsm_tensor_copy(x, out, in);
    tsm_tensor_drop(x, in);
    tsm_tensor_drop(x, out);
    return status;
}

TSM_KERNEL(aten_channel_shuffle) {
    if (arg_tensor(in, 0)->quantizer)
        return quantized_as_stored(x, in, out);
    tsm_tensor *a = arg_tensor(in, 0), *y;
    int64_t groups = arg_int(in, 1);
    if (a->dims <= 2)
        return TSM_RAISE(x, "channel_shuffle expects input with > 2 dims, but got input with sizes of %d dimensions", a->dims);
    if (groups <= 0)
        return TSM_RAISE(x, "Number of groups to divide channels in must be positive. Value of groups:%ld", groups);
    if (a->sizes[1] % groups)
        return TSM_RAISE(x, "Number of channels must be divisible by groups. Got %zd channels and %ld groups.", (ptrdiff_t)a->sizes[1], groups);
    if (a->dims == TSM_MAX_DIMS)
        return tsm_fail(x, TSM_UNSUPPORTED, "channel_shuffle of %d dimensions is not supported", a->dims);
    tsm_dim strides[TSM_MAX_DIMS];
    bool channels_last = a->dims == 4 && a->strides[1] == 1 && !tsm_tensor_is_contiguous(a);
    if (channels_last)
        nn_channels_last_strides(a->dims, a->sizes, strides);
    else
        tsm_strides_contiguous(a->dims, a->sizes, strides);
    TSM_TRY(tsm_tensor_make_strided(x, (tsm_dtype)a->dtype, a->dims, a->sizes, strides, &y));
    tsm_status status = TSM_OK;
    if (y->elements && channels_last && a->dtype == TSM_FLOAT32 && has_even_pixels(a))
        shuffle_pixels(y->data, a->data, a->strides[3], (size_t)(a->elements / a->sizes[1]), (size_t)groups, (size_t)(a->sizes[1] / groups));
    else if (y->elements)
        status = shuffle_any(x, a, y, (tsm_dim)groups);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}
