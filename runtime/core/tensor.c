#include <string.h>

#include "runtime/core/exec.h"
#include "runtime/kernels/iter.h"

size_t tsm_element_size(tsm_dtype dtype) { return tsm_dtype_size(dtype); }

/* ---- Making ---- */

/* Large storages start on a cache line, for wide loads; small ones lie behind their tsm_storage. */
enum { WIDE_BYTES = 256, WIDE_ALIGN = 64 };

static tsm_status out_of_memory(tsm_exec *x, size_t bytes) {
    return tsm_fail(x, TSM_OUT_OF_MEMORY, "the buffer is too small: a tensor needs %zu bytes, %zu are missing", bytes,
                    x->heap.missing);
}

static tsm_status make_storage(tsm_exec *x, size_t bytes, tsm_storage **out) {
    bool wide = bytes >= WIDE_BYTES;
    tsm_storage *s = tsm_heap_alloc(&x->heap, sizeof *s + (wide ? 0 : bytes));
    if (!s)
        return out_of_memory(x, bytes);
    s->data = wide ? tsm_heap_alloc_aligned(&x->heap, bytes, WIDE_ALIGN) : (uint8_t *)(s + 1);
    if (!s->data) {
        tsm_heap_free(&x->heap, s);
        return out_of_memory(x, bytes);
    }
    s->references = 1;
    s->flags = 0;
    s->bytes = bytes;
    *out = s;
    return TSM_OK;
}

static tsm_dim product(int dims, const tsm_dim *sizes) {
    tsm_dim n = 1;
    for (int d = 0; d < dims; d++)
        n *= sizes[d];
    return n;
}

/* Bytes that a storage needs for these sizes and strides, from its first element; false when they cannot be counted. */
static bool reach_of(int dims, const tsm_dim *sizes, const tsm_dim *strides, size_t element, size_t *bytes) {
    size_t last = 0;
    for (int d = 0; d < dims; d++) {
        if (sizes[d] == 0) {
            *bytes = 0;
            return true;
        }
        size_t step;
        if (__builtin_mul_overflow((size_t)(sizes[d] - 1), (size_t)strides[d], &step) || __builtin_add_overflow(last, step, &last))
            return false;
    }
    return !__builtin_add_overflow(last, (size_t)1, &last) && !__builtin_mul_overflow(last, element, bytes) &&
           *bytes <= (size_t)PTRDIFF_MAX / 2;
}

static tsm_status check_sizes(tsm_exec *x, int dims, const tsm_dim *sizes) {
    if (dims > TSM_MAX_DIMS)
        return TSM_RAISE(x, "a tensor of %d dimensions is not possible, at most %d are", dims, TSM_MAX_DIMS);
    for (int d = 0; d < dims; d++)
        if (sizes[d] < 0)
            return TSM_RAISE(x, "Trying to create tensor with negative dimension %ld", (int64_t)sizes[d]);
    return TSM_OK;
}

/* A tensor object without memory. */
static tsm_status make_shell(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                             tsm_tensor **out) {
    size_t bytes = sizeof(tsm_tensor) + 2 * (size_t)dims * sizeof(tsm_dim);
    tsm_tensor *t = tsm_heap_alloc(&x->heap, bytes);
    if (!t)
        return out_of_memory(x, bytes);
    memset(t, 0, sizeof *t);
    t->header.references = 1;
    t->header.tag = TSM_TAG_TENSOR;
    t->dtype = (uint8_t)dtype;
    t->dims = (uint8_t)dims;
    t->sizes = (tsm_dim *)(t + 1);
    t->strides = t->sizes + dims;
    t->elements = product(dims, sizes);
    if (dims) {
        memcpy(t->sizes, sizes, (size_t)dims * sizeof *sizes);
        memcpy(t->strides, strides, (size_t)dims * sizeof *strides);
    }
    *out = t;
    return TSM_OK;
}

tsm_status tsm_tensor_make_strided(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                                   tsm_tensor **out) {
    TSM_TRY(check_sizes(x, dims, sizes));
    size_t bytes;
    if (!reach_of(dims, sizes, strides, tsm_element_size(dtype), &bytes))
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "the buffer is too small: the sizes of a tensor are too large for any memory");
    tsm_storage *s;
    TSM_TRY(make_storage(x, bytes, &s));
    tsm_status status = make_shell(x, dtype, dims, sizes, strides, out);
    if (status != TSM_OK) {
        tsm_storage_drop(x, s);
        return status;
    }
    (*out)->storage = s;
    (*out)->data = s->data;
    return TSM_OK;
}

tsm_status tsm_tensor_make(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, tsm_tensor **out) {
    tsm_dim strides[TSM_MAX_DIMS];
    TSM_TRY(check_sizes(x, dims, sizes));
    tsm_strides_contiguous(dims, sizes, strides);
    return tsm_tensor_make_strided(x, dtype, dims, sizes, strides, out);
}

/* Dimensions from the slowest to the fastest, as the strides of `t` say. False when t's elements overlap or leave gaps. */
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
            expected *= t->sizes[d];
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
        next *= like->sizes[order[k]] > 0 ? like->sizes[order[k]] : 1;
    }
    return tsm_tensor_make_strided(x, dtype, like->dims, like->sizes, strides, out);
}

tsm_status tsm_tensor_view_of(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes, const tsm_dim *strides, tsm_dim offset,
                              tsm_tensor **out) {
    TSM_TRY(check_sizes(x, dims, sizes));
    TSM_TRY(make_shell(x, (tsm_dtype)t->dtype, dims, sizes, strides, out));
    (*out)->storage = t->storage;
    t->storage->references++;
    (*out)->data = (char *)t->data + offset * (tsm_dim)tsm_element_size((tsm_dtype)t->dtype);
    (*out)->quantizer = t->quantizer;
    if (t->quantizer)
        t->quantizer->references++;
    (*out)->flags = t->flags;
    return TSM_OK;
}

tsm_status tsm_tensor_scalar(tsm_exec *x, tsm_dtype dtype, tsm_value number, tsm_tensor **out) {
    TSM_TRY(tsm_tensor_make(x, dtype, 0, NULL, out));
    tsm_lane lane = number.tag == TSM_TAG_COMPLEX ? TSM_LANE_C128 : number.tag == TSM_TAG_FLOAT ? TSM_LANE_F64 : TSM_LANE_I64;
    tsm_lane_item item = tsm_lane_item_of(lane, number);
    tsm_lane_store(dtype, (*out)->data, 0, lane, &item, 1);
    return TSM_OK;
}

/* ---- Layout ---- */

void tsm_strides_contiguous(int dims, const tsm_dim *sizes, tsm_dim *strides) {
    tsm_dim next = 1;
    for (int d = dims - 1; d >= 0; d--) {
        strides[d] = next;
        if (__builtin_mul_overflow(next, sizes[d] > 1 ? sizes[d] : 1, &next))
            next = PTRDIFF_MAX; /* refused where the storage is made */
    }
}

bool tsm_tensor_is_contiguous(const tsm_tensor *t) {
    if (t->elements == 0)
        return true;
    tsm_dim expected = 1;
    for (int d = t->dims - 1; d >= 0; d--)
        if (t->sizes[d] != 1) {
            if (t->strides[d] != expected)
                return false;
            expected *= t->sizes[d];
        }
    return true;
}

bool tsm_tensor_is_channels_last(const tsm_tensor *t) {
    if (t->dims != 4 && t->dims != 5)
        return false;
    tsm_dim expected = 1;
    for (int k = 0; k < t->dims; k++) { /* channels, then the spatial dimensions from the last, then the batch */
        int d = k == 0 ? 1 : k == t->dims - 1 ? 0 : t->dims - k;
        if (t->sizes[d] != 1 && t->strides[d] != expected)
            return false;
        expected *= t->sizes[d];
    }
    return true;
}

tsm_status tsm_tensor_contiguous(tsm_exec *x, tsm_tensor *t, tsm_tensor **out) {
    if (tsm_tensor_is_contiguous(t)) {
        t->header.references++;
        *out = t;
        return TSM_OK;
    }
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, out));
    (*out)->quantizer = t->quantizer;
    if (t->quantizer)
        t->quantizer->references++;
    tsm_status status = tsm_tensor_copy(x, *out, t);
    if (status != TSM_OK)
        tsm_tensor_drop(x, *out);
    return status;
}

/* ---- Copying ---- */

/* One run of elements of `size` bytes. */
static void copy_run(char *to, tsm_dim to_stride, const char *from, tsm_dim from_stride, tsm_dim n, size_t size) {
#define COPY_CASE(T)                                                                                                         \
    case sizeof(T):                                                                                                          \
        for (tsm_dim i = 0; i < n; i++)                                                                                      \
            *(T *)(void *)(to + i * to_stride) = *(const T *)(const void *)(from + i * from_stride);                         \
        break
    if (to_stride == (tsm_dim)size && from_stride == (tsm_dim)size) {
        memmove(to, from, (size_t)n * size);
        return;
    }
    switch (size) {
        COPY_CASE(uint8_t);
        COPY_CASE(uint16_t);
        COPY_CASE(uint32_t);
        COPY_CASE(uint64_t);
        COPY_CASE(tsm_complex);
    default: break;
    }
}

/* Elements of 4 bytes with both inner dimensions swapped (transposes): square tiles keep both sides in the cache. */
static void copy_tiles(const tsm_iter *it) {
    enum { TILE = 16 };
    tsm_dim rows = it->sizes[1], columns = it->sizes[0];
    for (tsm_dim r = 0; r < rows; r += TILE)
        for (tsm_dim c = 0; c < columns; c += TILE) {
            tsm_dim r_end = r + TILE < rows ? r + TILE : rows, m = c + TILE < columns ? TILE : columns - c;
            for (tsm_dim i = r; i < r_end; i++)
                copy_run(it->data[0] + i * it->strides[0][1] + c * it->strides[0][0], it->strides[0][0],
                         it->data[1] + i * it->strides[1][1] + c * it->strides[1][0], it->strides[1][0], m, 4);
        }
}

static void copy_same_type(tsm_tensor *dst, const tsm_tensor *src) {
    size_t size = tsm_element_size((tsm_dtype)dst->dtype);
    tsm_iter it;
    tsm_iter_start(&it, dst->dims, dst->sizes);
    tsm_iter_add(&it, dst);
    tsm_iter_add(&it, src);
    tsm_iter_ready(&it);
    bool tiles = size == 4 && it.dims >= 2 && it.strides[0][0] == 4 && it.strides[1][1] == 4 && it.sizes[1] > 1;
    tsm_dim last = 0;
    while (tsm_iter_next(&it)) {
        if (!tiles)
            copy_run(it.data[0], it.strides[0][0], it.data[1], it.strides[1][0], it.sizes[0], size);
        else if (it.position[1] == last) /* the first row of a plane stands for all of them */
            copy_tiles(&it);
    }
}

static void identity_loop(const void *size, void *const *p, tsm_dim n) {
    if (p[0] != p[1])
        memcpy(p[0], p[1], (size_t)n * *(const size_t *)size);
}

static tsm_status check_copy(tsm_exec *x, const tsm_tensor *dst, const tsm_tensor *src) {
    bool fits = src->dims <= dst->dims;
    for (int d = 0; fits && d < src->dims; d++) {
        tsm_dim s = src->sizes[src->dims - 1 - d], t = dst->sizes[dst->dims - 1 - d];
        fits = s == t || s == 1;
    }
    if (fits)
        return TSM_OK;
    /* PyTorch names the sizes of the destination as tensor a and those of the source as tensor b. */
    for (int d = 0; d < src->dims && d < dst->dims; d++) {
        tsm_dim s = src->sizes[src->dims - 1 - d], t = dst->sizes[dst->dims - 1 - d];
        if (s != t && s != 1 && t != 1)
            return TSM_RAISE(x, "The size of tensor a (%ld) must match the size of tensor b (%ld) at non-singleton dimension %d",
                             (int64_t)t, (int64_t)s, (src->dims > dst->dims ? src->dims : dst->dims) - 1 - d);
    }
    return TSM_RAISE(x, "output with shape of %d dimensions doesn't match the broadcast shape of %d dimensions", (int)dst->dims,
                     (int)src->dims);
}

static bool may_overlap(const tsm_tensor *a, const tsm_tensor *b) { return a->storage == b->storage && a->data != b->data; }

tsm_status tsm_tensor_copy(tsm_exec *x, tsm_tensor *dst, const tsm_tensor *src) {
    TSM_TRY(check_copy(x, dst, src));
    if (dst->elements == 0)
        return TSM_OK;
    if (dst->storage->flags & TSM_STORAGE_CONSTANT)
        return TSM_RAISE(x, "%s: a constant tensor of the program cannot be written", x->op ? x->op->name : "copy_");
    if (may_overlap(dst, src)) { /* parts of one storage: through a copy, so that nothing is read after it was overwritten */
        tsm_tensor *copy;
        TSM_TRY(tsm_tensor_make(x, (tsm_dtype)src->dtype, src->dims, src->sizes, &copy));
        copy_same_type(copy, src);
        tsm_status status = tsm_tensor_copy(x, dst, copy);
        tsm_tensor_drop(x, copy);
        return status;
    }
    if (dst->dtype == src->dtype) {
        copy_same_type(dst, src);
        return TSM_OK;
    }
    bool to_mask = dst->dtype == TSM_BOOL, to_real = !tsm_dtype_is_complex((tsm_dtype)dst->dtype);
    tsm_lane lane = to_mask ? TSM_LANE_MASK : tsm_lane_of((tsm_dtype)(to_real ? dst->dtype : TSM_COMPLEX128));
    size_t size = tsm_lane_size(lane);
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, lane, dst);
    tsm_map_in(&m, lane, src);
    return tsm_map_run(x, &m, identity_loop, &size);
}

tsm_status tsm_tensor_to(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    if (t->dtype == dtype) {
        t->header.references++;
        *out = t;
        return TSM_OK;
    }
    TSM_TRY(tsm_tensor_make_like(x, t, dtype, out));
    tsm_status status = tsm_tensor_copy(x, *out, t);
    if (status != TSM_OK)
        tsm_tensor_drop(x, *out);
    return status;
}

/* ---- Changing ---- */

/* Sets sizes and strides; a tensor that gets more dimensions than it was made with keeps them in a block of its own. */
static tsm_status set_shape(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes, const tsm_dim *strides) {
    if (t->header.flags & TSM_OBJECT_STATIC)
        return TSM_RAISE(x, "%s: the shape of a constant tensor of the program cannot be changed", x->op ? x->op->name : "resize_");
    if (dims > t->dims) {
        tsm_dim *place = tsm_heap_alloc(&x->heap, 2 * (size_t)dims * sizeof *place);
        if (!place)
            return out_of_memory(x, 2 * (size_t)dims * sizeof *place);
        if (t->sizes != (tsm_dim *)(t + 1))
            tsm_heap_free(&x->heap, t->sizes);
        t->sizes = place;
    }
    t->strides = t->sizes + dims;
    memmove(t->sizes, sizes, (size_t)dims * sizeof *sizes);
    memmove(t->strides, strides, (size_t)dims * sizeof *strides);
    t->dims = (uint8_t)dims;
    t->elements = product(dims, sizes);
    return TSM_OK;
}

tsm_status tsm_tensor_resize(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes) {
    TSM_TRY(check_sizes(x, dims, sizes));
    tsm_dim strides[TSM_MAX_DIMS], wanted_sizes[TSM_MAX_DIMS];
    memcpy(wanted_sizes, sizes, (size_t)dims * sizeof *sizes);
    tsm_strides_contiguous(dims, wanted_sizes, strides);
    size_t bytes, offset = (size_t)((uint8_t *)t->data - t->storage->data);
    if (!reach_of(dims, wanted_sizes, strides, tsm_element_size((tsm_dtype)t->dtype), &bytes))
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "the buffer is too small: the sizes of a tensor are too large for any memory");
    if (offset + bytes > t->storage->bytes) {
        /* Other views keep the old memory. */
        tsm_storage *larger;
        TSM_TRY(make_storage(x, offset + bytes, &larger));
        memcpy(larger->data, t->storage->data, t->storage->bytes);
        tsm_storage_drop(x, t->storage);
        t->storage = larger;
        t->data = larger->data + offset;
    }
    return set_shape(x, t, dims, wanted_sizes, strides);
}

tsm_status tsm_tensor_adopt(tsm_exec *x, tsm_tensor *t, tsm_tensor *src) {
    if (t == src)
        return TSM_OK;
    TSM_TRY(set_shape(x, t, src->dims, src->sizes, src->strides));
    src->storage->references++;
    tsm_storage_drop(x, t->storage);
    t->storage = src->storage;
    t->data = src->data;
    t->dtype = src->dtype;
    return TSM_OK;
}

tsm_value tsm_tensor_item(tsm_exec *x, const tsm_tensor *t, tsm_dim linear, tsm_status *status) {
    const char *at = t->data;
    tsm_dim rest = linear;
    for (int d = t->dims - 1; d >= 0; d--) {
        at += rest % t->sizes[d] * t->strides[d] * (tsm_dim)tsm_element_size((tsm_dtype)t->dtype);
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
    if (lane == TSM_LANE_I64)
        return tsm_int(item.i);
    if (lane == TSM_LANE_F64)
        return tsm_float(item.f64);
    tsm_value v = tsm_none();
    *status = tsm_make_complex(x, item.c.re, item.c.im, &v);
    return v;
}
