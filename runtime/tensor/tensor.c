/* Tensors and their storages: making, viewing, resizing, reading one element. */
#include "runtime/tensor/tensor.h"

#include <string.h>

#include "runtime/tensor/lanes.h"
#include "runtime/tensor/work.h"

/* ---- Making ---- */

static tsm_status out_of_memory(tsm_exec *x, size_t bytes) {
    return tsm_fail(x, TSM_OUT_OF_MEMORY, "the buffer is too small: a tensor needs %zu bytes, %zu are missing", bytes,
                    x->heap.missing);
}

bool tsm_tensor_reach(int dims, const tsm_dim *sizes, const tsm_dim *strides, size_t element, size_t *bytes) {
    size_t last = 0;
    for (int d = 0; d < dims; d++) {
        if (sizes[d] == 0) {
            *bytes = 0;
            return true;
        }
        size_t step;
        if (__builtin_mul_overflow((size_t)(sizes[d] - 1), (size_t)strides[d], &step) ||
            __builtin_add_overflow(last, step, &last))
            return false;
    }
    return !__builtin_add_overflow(last, (size_t)1, &last) && !__builtin_mul_overflow(last, element, bytes) &&
           *bytes <= (size_t)PTRDIFF_MAX / 2;
}

/* Where elements of any type may begin behind a tensor and its shape. */
static size_t data_offset(int dims) {
    return (sizeof(tsm_tensor) + 2 * (size_t)dims * TSM_WORD_BYTES + sizeof(int64_t) - 1) / sizeof(int64_t) *
           sizeof(int64_t);
}

/* Programs may give any int as dtype. */
static tsm_status check_tensor(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes) {
    if (!tsm_dtype_exists(dtype))
        return TSM_RAISE(x, "unknown dtype %d", (int)dtype);
    if (dims > TSM_MAX_DIMS)
        return TSM_RAISE(x, "a tensor of %d dimensions is not possible, at most %d are", dims, TSM_MAX_DIMS);
    for (int d = 0; d < dims; d++)
        if (sizes[d] < 0)
            return TSM_RAISE(x, "Trying to create tensor with negative dimension %ld", (int64_t)sizes[d]);
    return TSM_OK;
}

/* A tensor that has neither storage nor shape yet, with room for `behind` bytes of elements; NULL: no room. */
static inline tsm_tensor *make_bare(tsm_exec *x, tsm_dtype dtype, int dims, size_t behind) {
    tsm_tensor *t = tsm_heap_alloc(&x->heap, data_offset(dims) + behind);
    if (!t)
        return NULL;
    t->header = (tsm_object_header){1, TSM_TAG_TENSOR, 0};
    t->dtype = (uint8_t)dtype;
    x->made_kinds |= tsm_dtype_kinds[dtype];
    t->dims = (uint8_t)dims;
    t->flags = 0;
    t->reserved = 0;
    t->quantizer = NULL;
    t->sizes = (tsm_dim *)(t + 1);
    t->strides = t->sizes + dims;
    return t;
}

/* Gives the bare tensor a storage of its own. */
static inline void own_storage(tsm_tensor *t, void *data, size_t bytes, uint32_t flags) {
    t->own = (tsm_storage){1, flags, bytes, data};
    t->storage = &t->own;
    t->data = data;
}

/* Gives the bare tensor sizes and strides. */
static void set_layout(tsm_tensor *t, const tsm_dim *sizes, const tsm_dim *strides, tsm_dim elements) {
    for (int d = 0; d < t->dims; d++) {
        t->sizes[d] = sizes[d];
        t->strides[d] = strides[d];
    }
    t->elements = elements;
}

static tsm_status refuse_count(tsm_exec *x) {
    return TSM_RAISE(x, "numel: integer multiplication overflow");
}

tsm_status tsm_tensor_shell(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                            tsm_tensor **out) {
    tsm_dim elements;
    if (!tsm_count_elements(dims, sizes, &elements))
        return refuse_count(x);
    tsm_tensor *t = make_bare(x, dtype, dims, 0);
    if (!t)
        return out_of_memory(x, data_offset(dims));
    t->own.references = 0;
    set_layout(t, sizes, strides, elements);
    *out = t;
    return TSM_OK;
}

/* A tensor with a storage of its own, without a layout. Large storages start on a cache line, for wide loads; small
 * ones lie behind the tensor, so that they cost one block in all. NULL: the buffer is full, and the error says so. */
static TSM_OUT_OF_LINE tsm_tensor *make_with_storage(tsm_exec *x, tsm_dtype dtype, int dims, size_t bytes) {
    bool inside = bytes < TSM_LARGE_BYTES;
    tsm_tensor *t = make_bare(x, dtype, dims, inside ? bytes : 0);
    void *data = inside || !t ? (void *)t : tsm_scratch(x, bytes);
    if (!data) {
        tsm_heap_free(&x->heap, t);
        out_of_memory(x, bytes);
        return NULL;
    }
    own_storage(t, inside ? (char *)t + data_offset(dims) : data, bytes, inside ? TSM_STORAGE_INSIDE : 0);
    return t;
}

static tsm_status refuse_sizes(tsm_exec *x) {
    return tsm_fail(x, TSM_OUT_OF_MEMORY,
                    "the buffer is too small: the sizes of a tensor are too large for any memory");
}

tsm_status tsm_tensor_make_strided(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                                   tsm_tensor **out) {
    TSM_TRY(check_tensor(x, dtype, dims, sizes));
    size_t bytes;
    tsm_dim elements;
    if (!tsm_tensor_reach(dims, sizes, strides, tsm_dtype_size(dtype), &bytes) ||
        !tsm_count_elements(dims, sizes, &elements))
        return refuse_sizes(x);
    TSM_TRY(tsm_charge(x, (uint64_t)elements));
    *out = make_with_storage(x, dtype, dims, bytes);
    if (!*out)
        return TSM_OUT_OF_MEMORY;
    set_layout(*out, sizes, strides, elements);
    return TSM_OK;
}

/* What tsm_tensor_make cannot make straight away: tensors without elements, and what is to be refused. */
static tsm_status make_unusual(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, tsm_tensor **out) {
    TSM_TRY(check_tensor(x, dtype, dims, sizes));
    tsm_dim strides[TSM_MAX_DIMS];
    bool is_empty = false;
    size_t stride = 1;
    for (int d = dims - 1; d >= 0; d--) {
        is_empty |= sizes[d] == 0;
        strides[d] = (tsm_dim)stride;
        stride *= sizes[d] ? (size_t)sizes[d] : 1;
    }
    return is_empty ? tsm_tensor_make_strided(x, dtype, dims, sizes, strides, out) : refuse_sizes(x);
}

tsm_status tsm_tensor_make(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, tsm_tensor **out) {
    size_t bytes = tsm_dtype_size(dtype);
    for (int d = 0; d < dims; d++)
        if (sizes[d] <= 0 || __builtin_mul_overflow(bytes, (size_t)sizes[d], &bytes))
            return make_unusual(x, dtype, dims, sizes, out);
    if (!tsm_dtype_exists(dtype) || dims > TSM_MAX_DIMS || bytes > (size_t)PTRDIFF_MAX / 2)
        return make_unusual(x, dtype, dims, sizes, out);
    if (x->is_charged)
        TSM_TRY(tsm_charge_limited(x, bytes / tsm_dtype_size(dtype)));
    tsm_tensor *t = make_with_storage(x, dtype, dims, bytes);
    if (!t)
        return TSM_OUT_OF_MEMORY;
    tsm_dim stride = 1;
    for (int d = dims - 1; d >= 0; d--) {
        t->sizes[d] = sizes[d];
        t->strides[d] = stride;
        stride *= sizes[d];
    }
    t->elements = stride;
    *out = t;
    return TSM_OK;
}

/* Dimensions from the slowest to the fastest, as the strides of `t` say. False when t's elements overlap or leave gaps.
 */
static bool dense_order(const tsm_tensor *t, int *order) {
    for (int d = 0; d < t->dims; d++) {
        int at = d;
        for (; at > 0 && t->strides[order[at - 1]] < t->strides[d]; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    tsm_dim expected = 1;
    for (int k = t->dims - 1; k >= 0; k--) {
        int d = order[k];
        if (t->sizes[d] > 1) {
            if (t->strides[d] != expected)
                return false;
            expected = tsm_dim_mul(expected, t->sizes[d]);
        }
    }
    return true;
}

tsm_status tsm_tensor_make_like(tsm_exec *x, const tsm_tensor *like, tsm_dtype dtype, tsm_tensor **out) {
    int order[TSM_MAX_DIMS];
    if (tsm_tensor_is_contiguous(like))
        return tsm_tensor_make(x, dtype, like->dims, like->sizes, out);
    if (dense_order(like, order))
        return tsm_tensor_make_strided(x, dtype, like->dims, like->sizes, like->strides, out);
    /* Not dense: PyTorch keeps the order of the strides and closes the gaps. */
    tsm_dim strides[TSM_MAX_DIMS], next = 1;
    for (int k = like->dims - 1; k >= 0; k--) {
        strides[order[k]] = next;
        next = tsm_dim_mul(next, like->sizes[order[k]] > 0 ? like->sizes[order[k]] : 1);
    }
    return tsm_tensor_make_strided(x, dtype, like->dims, like->sizes, strides, out);
}

static TSM_OUT_OF_LINE tsm_status refuse_view(tsm_exec *x, const tsm_tensor *t, int dims, const tsm_dim *sizes,
                                              const tsm_dim *strides, tsm_dim offset) {
    char shape[160], steps[160];
    tsm_shape_text(shape, sizeof shape, dims, sizes);
    tsm_shape_text(steps, sizeof steps, dims, strides);
    return TSM_RAISE(x,
                     "setStorage: sizes %s, strides %s, %ld elements further are out of bounds for storage of size %zu",
                     shape, steps, (int64_t)offset, t->storage->bytes);
}

/* Counts a view's elements, and how far behind its first one the last lies; false when a number is negative or too
 * large to be counted. Strides of dimensions with fewer than two entries do not matter. */
static inline bool measure_view(int dims, const tsm_dim *sizes, const tsm_dim *strides, tsm_dim *elements,
                                tsm_dim *last) {
    tsm_dim n = 1, at = 0, step;
    bool fits = true;
    for (int d = 0; d < dims; d++) {
        fits = !__builtin_mul_overflow(n, sizes[d], &n) && sizes[d] >= 0 && fits;
        if (sizes[d] > 1)
            fits = strides[d] >= 0 && !__builtin_mul_overflow(sizes[d] - 1, strides[d], &step) &&
                   !__builtin_add_overflow(at, step, &at) && fits;
    }
    *elements = n;
    *last = at;
    return fits;
}

/* Whether elements [first, last] of `size` bytes, counted from t's first, lie inside of its storage. */
static inline bool is_inside_storage(const tsm_tensor *t, tsm_dim size, tsm_dim first, tsm_dim last) {
    const tsm_dim before = (uint8_t *)t->data - t->storage->data, behind = (tsm_dim)t->storage->bytes - before;
    tsm_dim begin, end;
    return !__builtin_mul_overflow(first, size, &begin) && begin >= -before &&
           !__builtin_add_overflow(first, last, &end) && !__builtin_add_overflow(end, (tsm_dim)1, &end) &&
           !__builtin_mul_overflow(end, size, &end) && end <= behind;
}

/* What the quick way below cannot do: views without elements, which may begin anywhere, and what is to be refused. */
static TSM_OUT_OF_LINE tsm_status view_unusual(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, int dims,
                                               const tsm_dim *sizes, const tsm_dim *strides, tsm_dim *offset) {
    tsm_dim elements;
    TSM_TRY(check_tensor(x, dtype, dims, sizes));
    if (!tsm_count_elements(dims, sizes, &elements))
        return refuse_count(x);
    if (elements)
        return refuse_view(x, t, dims, sizes, strides, *offset);
    *offset = 0;
    return TSM_OK;
}

tsm_status tsm_tensor_view_of(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                              tsm_dim offset, tsm_tensor **out) {
    return tsm_tensor_view_as(x, t, (tsm_dtype)t->dtype, dims, sizes, strides, offset, out);
}

/* Whether a view has the channels of its tensor, so that the quantizer is good for it too. */
static bool keeps_channels(const tsm_tensor *t, int dims, const tsm_dim *sizes, const tsm_dim *strides) {
    const int axis = t->quantizer->axis;
    return tsm_quantizer_fits(t->quantizer, dims, sizes) &&
           (axis < 0 || sizes[axis] < 2 || strides[axis] == t->strides[axis]);
}

tsm_status tsm_tensor_view_as(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                              const tsm_dim *strides, tsm_dim offset, tsm_tensor **out) {
    tsm_dim size = (tsm_dim)tsm_dtype_size(dtype), elements = 0, last;
    if (dims > TSM_MAX_DIMS || !measure_view(dims, sizes, strides, &elements, &last) || !elements ||
        !is_inside_storage(t, size, offset, last)) {
        TSM_TRY(view_unusual(x, t, dtype, dims, sizes, strides, &offset));
        elements = 0;
    }
    if (t->quantizer && !keeps_channels(t, dims, sizes, strides))
        return TSM_RAISE(x, "Setting strides is possible only on uniformly quantized tensor");
    *out = make_bare(x, dtype, dims, 0);
    if (!*out)
        return out_of_memory(x, data_offset(dims));
    (*out)->own.references = 0;
    set_layout(*out, sizes, strides, elements);
    (*out)->storage = t->storage;
    t->storage->references++;
    (*out)->data = (char *)t->data + offset * size;
    (*out)->quantizer = t->quantizer;
    if (t->quantizer)
        t->quantizer->references++;
    (*out)->flags = t->flags;
    return TSM_OK;
}

/* ---- Quantizers ---- */

tsm_status tsm_check_zero_points(tsm_exec *x, tsm_dtype dtype, tsm_dim channels, const int64_t *zero_points) {
    const int64_t least = dtype == TSM_QINT8    ? INT8_MIN
                          : dtype == TSM_QUINT8 ? 0
                                                : INT32_MIN,
                  most = dtype == TSM_QINT8    ? INT8_MAX
                         : dtype == TSM_QUINT8 ? UINT8_MAX
                                               : INT32_MAX;
    for (tsm_dim c = 0; c < channels; c++)
        if (zero_points[c] < least || zero_points[c] > most)
            return TSM_RAISE(x, "quantize_tensor_per_%s_affine zero_point %ld is %s bound.",
                             channels == 1 ? "tensor" : "channel", zero_points[c],
                             zero_points[c] < least ? "below lower" : "above upper");
    return TSM_OK;
}

tsm_status tsm_tensor_quantize_by(tsm_exec *x, tsm_tensor *t, int axis, tsm_dim channels, const double *scales,
                                  const int64_t *zero_points) {
    const bool floats = axis >= TSM_QUANTIZER_FLOATS;
    axis -= floats ? TSM_QUANTIZER_FLOATS : 0;
    bool fits = axis == -1 ? channels == 1 : axis >= 0 && axis < t->dims && t->sizes[axis] == channels;
    if (!fits || !tsm_dtype_is_quantized((tsm_dtype)t->dtype))
        return tsm_fail(x, TSM_BAD_ARGUMENT, "a quantizer does not fit its tensor");
    if (!floats && tsm_check_zero_points(x, (tsm_dtype)t->dtype, channels, zero_points) != TSM_OK)
        return TSM_BAD_ARGUMENT;
    const size_t n = (size_t)channels;
    tsm_quantizer *q = tsm_allocate(x, sizeof *q + n * (sizeof(double) + sizeof(int64_t)));
    if (!q)
        return TSM_OUT_OF_MEMORY;
    q->references = 1;
    q->axis = (int16_t)axis;
    q->has_float_zero_points = floats;
    q->channels = channels;
    q->scales = (double *)(void *)(q + 1);
    q->zero_points = (int64_t *)(void *)(q->scales + n);
    memcpy(q->scales, scales, n * sizeof *q->scales);
    memcpy(q->zero_points, zero_points, n * sizeof *q->zero_points);
    tsm_quantizer_drop(x, t->quantizer);
    t->quantizer = q;
    return TSM_OK;
}

/* ---- Changing ---- */

/* Sets sizes and strides; a tensor that gets more dimensions than it was made with keeps them in a block of its own. */
static tsm_status set_shape(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes, const tsm_dim *strides) {
    tsm_dim elements;
    if (!tsm_count_elements(dims, sizes, &elements))
        return refuse_count(x);
    if (dims > t->dims) {
        tsm_dim *place = tsm_heap_alloc(&x->heap, 2 * (size_t)dims * TSM_WORD_BYTES);
        if (!place)
            return out_of_memory(x, 2 * (size_t)dims * TSM_WORD_BYTES);
        if (t->sizes != (tsm_dim *)(t + 1))
            tsm_heap_free(&x->heap, t->sizes);
        t->sizes = place;
    }
    t->strides = t->sizes + dims;
    memmove(t->sizes, sizes, (size_t)dims * sizeof *sizes);
    memmove(t->strides, strides, (size_t)dims * sizeof *strides);
    t->dims = (uint8_t)dims;
    t->elements = elements;
    return TSM_OK;
}

static void use_storage(tsm_exec *x, tsm_tensor *t, tsm_storage *s) {
    tsm_storage *before = t->storage;
    s->references++;
    t->storage = s;
    tsm_storage_drop(x, before);
}

tsm_status tsm_tensor_resize(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes) {
    TSM_TRY(check_tensor(x, (tsm_dtype)t->dtype, dims, sizes));
    if (!tsm_quantizer_fits(t->quantizer, dims, sizes))
        return TSM_RAISE(x, "a tensor that is quantized per channel cannot be resized");
    tsm_dim strides[TSM_MAX_DIMS], wanted_sizes[TSM_MAX_DIMS];
    memcpy(wanted_sizes, sizes, (size_t)dims * sizeof *sizes);
    tsm_strides_contiguous(dims, wanted_sizes, strides);
    size_t bytes, offset = (size_t)((uint8_t *)t->data - t->storage->data);
    if (!tsm_tensor_reach(dims, wanted_sizes, strides, tsm_dtype_size((tsm_dtype)t->dtype), &bytes))
        return refuse_sizes(x);
    if (offset + bytes > t->storage->bytes) {
        /* In PyTorch the others would get the larger memory too; here nothing leads from a storage to its tensors. */
        if (t->storage->references > 1)
            return TSM_RAISE(x,
                             "a tensor that shares its memory with others cannot be resized to %zu bytes: the memory "
                             "has %zu and cannot be moved",
                             offset + bytes, t->storage->bytes);
        tsm_dim count = (tsm_dim)(offset + bytes);
        tsm_tensor *larger;
        TSM_TRY(tsm_tensor_make(x, TSM_UINT8, 1, &count, &larger));
        memcpy(larger->data, t->storage->data, t->storage->bytes);
        memset((char *)larger->data + t->storage->bytes, 0, (size_t)count - t->storage->bytes);
        use_storage(x, t, larger->storage);
        t->data = (char *)larger->data + offset;
        tsm_tensor_drop(x, larger);
    }
    return set_shape(x, t, dims, wanted_sizes, strides);
}

tsm_status tsm_tensor_adopt(tsm_exec *x, tsm_tensor *t, tsm_tensor *src) {
    if (t == src)
        return TSM_OK;
    TSM_TRY(set_shape(x, t, src->dims, src->sizes, src->strides));
    use_storage(x, t, src->storage);
    t->data = src->data;
    t->dtype = src->dtype;
    if (src->quantizer)
        src->quantizer->references++;
    tsm_quantizer_drop(x, t->quantizer);
    t->quantizer = src->quantizer;
    return TSM_OK;
}

tsm_value tsm_tensor_item(tsm_exec *x, const tsm_tensor *t, tsm_dim linear, tsm_status *status) {
    const char *at = t->data;
    tsm_dim rest = linear;
    for (int d = t->dims - 1; d >= 0; d--) {
        at += rest % t->sizes[d] * t->strides[d] * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
        rest /= t->sizes[d];
    }
    tsm_lane_item item;
    *status = TSM_OK;
    if (t->quantizer && t->quantizer->axis < 0) {
        tsm_lane_load(TSM_LANE_I64, &item, (tsm_dtype)t->dtype, at, 0, 1);
        return tsm_float((double)(item.i - t->quantizer->zero_points[0]) * t->quantizer->scales[0]);
    }
    if (t->dtype == TSM_BOOL)
        return tsm_bool(*(const uint8_t *)at != 0);
    tsm_lane lane = tsm_lane_of((tsm_dtype)t->dtype);
    lane = lane == TSM_LANE_F32 ? TSM_LANE_F64 : lane;
    tsm_lane_load(lane, &item, (tsm_dtype)t->dtype, at, 0, 1);
    if (lane == TSM_LANE_I64 && t->dtype == TSM_UINT64 && item.i < 0)
        *status = TSM_RAISE(x, "value cannot be converted to type int64_t without overflow");
    if (lane == TSM_LANE_I64)
        return tsm_int(item.i);
    if (lane == TSM_LANE_F64)
        return tsm_float(item.f64);
    tsm_value v = tsm_none();
    *status = tsm_make_complex(x, item.c.re, item.c.im, &v);
    return v;
}
