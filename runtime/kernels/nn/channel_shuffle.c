/* Channel shuffle: channel j * (C / groups) + i moves to i * groups + j. Concatenation followed by a shuffle is one
 * copy. */
#include "runtime/kernels/nn/nn.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/shape/shape.h"

/* Groups of float32 channels whose pixels follow each other at one distance. */
typedef struct {
    const tsm_f32_loops *f32;
    float *y;
    size_t groups, of_group;
    const float *const *parts;
    const ptrdiff_t *part_pixel; /* floats from a pixel to the next */
} pixel_shuffle;

static void shuffle_range(void *argument, void *scratch, size_t begin, size_t end) {
    (void)scratch;
    const pixel_shuffle *s = argument;
    size_t channels = s->groups * s->of_group;
    for (size_t p = begin; p < end; p++) {
        float *y = s->y + p * channels;
        if (s->groups == 2) {
            TSM_F32(s->f32, interleave, y, s->parts[0] + (ptrdiff_t)p * s->part_pixel[0],
                    s->parts[1] + (ptrdiff_t)p * s->part_pixel[1], s->of_group);
            continue;
        }
        for (size_t j = 0; j < s->groups; j++) {
            const float *a = s->parts[j] + (ptrdiff_t)p * s->part_pixel[j];
            for (size_t i = 0; i < s->of_group; i++)
                y[i * s->groups + j] = a[i];
        }
    }
}

enum { MOST_GROUPS = 16, TASK_FLOATS = 1 << 15 };

static tsm_status shuffle_pixels(tsm_exec *x, pixel_shuffle *s, size_t pixels) {
    s->f32 = loops_f32(x);
    return tsm_loops_parallel(x, pixels, TASK_FLOATS / (s->groups * s->of_group + 1) + 1, 0, shuffle_range, s);
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
    const tsm_dtype dtype = (tsm_dtype)arg_tensor(in, 0)->dtype;
    if (arg_tensor(in, 0)->quantizer && dtype != TSM_QUINT8)
        return TSM_RAISE(x, "Quantized channel shuffle works only on QUInt8 but got %s", tsm_dtype_class_name(dtype));
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_as_stored(x, in, out);
    tsm_tensor *a = arg_tensor(in, 0), *y;
    tsm_dim groups = arg_dim(in, 1);
    if (a->dims <= 2)
        return TSM_RAISE(x, "channel_shuffle expects input with > 2 dims, but got input with sizes of %d dimensions",
                         a->dims);
    if (groups <= 0)
        return TSM_RAISE(x, "Number of groups to divide channels in must be positive. Value of groups:%ld",
                         arg_int(in, 1));
    if (a->sizes[1] % groups)
        return TSM_RAISE(x, "Number of channels must be divisible by groups. Got %zd channels and %ld groups.",
                         (ptrdiff_t)a->sizes[1], arg_int(in, 1));
    if (a->dims == TSM_MAX_DIMS)
        return tsm_fail(x, TSM_UNSUPPORTED, "channel_shuffle of %d dimensions is not supported", a->dims);
    tsm_dim strides[TSM_MAX_DIMS];
    bool channels_last = a->dims == 4 && a->strides[1] == 1 && !tsm_tensor_is_contiguous(a);
    if (channels_last)
        tsm_strides_channels_last(a->dims, a->sizes, strides);
    else
        tsm_strides_contiguous(a->dims, a->sizes, strides);
    TSM_TRY(tsm_tensor_make_strided(x, (tsm_dtype)a->dtype, a->dims, a->sizes, strides, &y));
    tsm_status status = TSM_OK;
    if (y->elements && channels_last && a->dtype == TSM_FLOAT32 && has_even_pixels(a) && groups <= MOST_GROUPS) {
        const float *parts[MOST_GROUPS];
        ptrdiff_t part_pixel[MOST_GROUPS];
        pixel_shuffle s = {.y = y->data,
                           .groups = (size_t)groups,
                           .of_group = (size_t)(a->sizes[1] / groups),
                           .parts = parts,
                           .part_pixel = part_pixel};
        for (tsm_dim j = 0; j < groups; j++) {
            parts[j] = (const float *)a->data + (size_t)j * s.of_group;
            part_pixel[j] = a->strides[3];
        }
        status = shuffle_pixels(x, &s, (size_t)(a->elements / a->sizes[1]));
    } else if (y->elements)
        status = shuffle_any(x, a, y, groups);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

/* Parts of one size, float32, with pixels at even distances, and not all row-major. */
static bool are_alike(const tsm_list *l) {
    bool is_row_major = true;
    if (l->length < 2 || l->length > MOST_GROUPS)
        return false;
    const tsm_tensor *first = tsm_as_tensor(l->items[0]);
    for (uint32_t i = 0; i < l->length; i++) {
        const tsm_tensor *t = tsm_as_tensor(l->items[i]);
        if (t->dtype != TSM_FLOAT32 || t->dims != 4 || memcmp(t->sizes, first->sizes, 4 * sizeof *t->sizes) ||
            t->elements == 0 || !has_even_pixels(t))
            return false;
        is_row_major &= tsm_tensor_is_contiguous(t);
    }
    return !is_row_major;
}

static tsm_status cat_and_shuffle(tsm_exec *x, const tsm_value *list, int64_t groups, tsm_value *out) {
    tsm_value together, arguments[2] = {*list, tsm_int(1)};
    TSM_TRY(tsm_kernel_call(x, tsm_k_aten_cat, 2, arguments, &together));
    arguments[0] = together;
    arguments[1] = tsm_int(groups);
    tsm_status status = tsm_kernel_call(x, tsm_k_aten_channel_shuffle, 2, arguments, out);
    tsm_drop(x, together);
    return status;
}

TSM_KERNEL(tsm_cat_shuffled) {
    const tsm_list *l = arg_list(in, 0);
    if (!are_alike(l))
        return cat_and_shuffle(x, in[0], l->length, out);
    const tsm_tensor *first = tsm_as_tensor(l->items[0]);
    const float *parts[MOST_GROUPS];
    ptrdiff_t part_pixel[MOST_GROUPS];
    tsm_dim sizes[4], strides[4];
    pixel_shuffle s = {
        .groups = l->length, .of_group = (size_t)first->sizes[1], .parts = parts, .part_pixel = part_pixel};
    memcpy(sizes, first->sizes, sizeof sizes);
    sizes[1] *= (tsm_dim)l->length;
    tsm_strides_channels_last(4, sizes, strides);
    for (uint32_t i = 0; i < l->length; i++) {
        const tsm_tensor *t = tsm_as_tensor(l->items[i]);
        parts[i] = t->data;
        part_pixel[i] = t->strides[3];
    }
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make_strided(x, TSM_FLOAT32, 4, sizes, strides, &y));
    s.y = y->data;
    return tsm_kernel_finish(x, shuffle_pixels(x, &s, (size_t)(first->elements / first->sizes[1])), y, TSM_FLOAT32,
                             out);
}
