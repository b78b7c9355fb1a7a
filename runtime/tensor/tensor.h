/* Tensors: making, laying out, copying and resizing them, and their texts. */
#ifndef TSM_TENSOR_TENSOR_H
#define TSM_TENSOR_TENSOR_H

#include "runtime/value/exec.h"

/* A contiguous tensor, elements uninitialized. `out` has one count. */
tsm_status tsm_tensor_make(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, tsm_tensor **out);
/* With given strides (elements; must be >= 0); the storage covers what they reach. */
tsm_status tsm_tensor_make_strided(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                                   tsm_tensor **out);
/* Same dtype class and layout order as PyTorch's empty_like(preserve_format): dense tensors keep their stride order. */
tsm_status tsm_tensor_make_like(tsm_exec *x, const tsm_tensor *like, tsm_dtype dtype, tsm_tensor **out);
/* A tensor object whose storage and data are still to be set. */
tsm_status tsm_tensor_shell(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                            tsm_tensor **out);
/* Bytes that a storage needs for these sizes and strides, from its first element; false when they cannot be counted. */
bool tsm_tensor_reach(int dims, const tsm_dim *sizes, const tsm_dim *strides, size_t element, size_t *bytes);
/* How many elements sizes make; false when they cannot be counted. Sizes are not negative. */
bool tsm_count_elements(int dims, const tsm_dim *sizes, tsm_dim *elements);
/* A view of t's storage. `offset` in elements from t->data. Shares t's quantizer. Raises PyTorch's texts when an
 * element would lie outside of the storage, whatever the numbers are: kernels need not check what they ask for. */
tsm_status tsm_tensor_view_of(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                              tsm_dim offset, tsm_tensor **out);
/* The same with the memory taken for elements of another type; `offset` counts those. */
tsm_status tsm_tensor_view_as(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                              const tsm_dim *strides, tsm_dim offset, tsm_tensor **out);
/* Gives t, which is of a quantized dtype, a quantizer in place of what it has: copies of `channels` scales and zero
 * points along `axis`, or of one for the whole tensor (axis -1). Raises when they do not fit the tensor. */
tsm_status tsm_tensor_quantize_by(tsm_exec *x, tsm_tensor *t, int axis, tsm_dim channels, const double *scales,
                                  const int64_t *zero_points);
/* Raises PyTorch's text when a zero point is no number of the quantized dtype. */
tsm_status tsm_check_zero_points(tsm_exec *x, tsm_dtype dtype, tsm_dim channels, const int64_t *zero_points);
/* Whether a quantizer (NULL: none) has a scale for each index along its axis of a tensor of these sizes. Every tensor's
 * has. */
static inline bool tsm_quantizer_fits(const tsm_quantizer *q, int dims, const tsm_dim *sizes) {
    return !q || q->axis < 0 || (q->axis < dims && sizes[q->axis] == q->channels);
}
/* A 0-dim tensor. */
tsm_status tsm_tensor_scalar(tsm_exec *x, tsm_dtype dtype, tsm_value number, tsm_tensor **out);
bool tsm_tensor_is_contiguous(const tsm_tensor *t);
/* NHWC order of a 4-dim tensor (NDHWC of a 5-dim one). */
bool tsm_tensor_is_channels_last(const tsm_tensor *t);
/* Strides of a channels-last tensor of these sizes (4 or 5 dims). */
void tsm_strides_channels_last(int dims, const tsm_dim *sizes, tsm_dim *strides);
/* Row-major strides for sizes. */
void tsm_strides_contiguous(int dims, const tsm_dim *sizes, tsm_dim *strides);
/* t itself (with one more count) when contiguous, else a contiguous copy; NULL after a failure. */
tsm_status tsm_tensor_contiguous(tsm_exec *x, tsm_tensor *t, tsm_tensor **out);
/* Whether PyTorch takes t for channels-last (suggest_memory_format): 4 or 5 dims in that order of strides, also with
 * gaps. */
bool tsm_tensor_suggests_channels_last(const tsm_tensor *t);
/* The strides without gaps that the order of t's suggests: channels-last, or row-major. */
void tsm_strides_suggested(const tsm_tensor *t, tsm_dim *strides);
/* t itself (with one more count) when it lies so, else a copy that does; NULL after a failure. */
tsm_status tsm_tensor_closed(tsm_exec *x, tsm_tensor *t, tsm_tensor **out);
/* Copies elements of src into dst, which is new and has the same dtype; src's sizes are broadcast. What copies no more
 * than that links no conversions. */
void tsm_tensor_fill(tsm_tensor *dst, const tsm_tensor *src);
/* Copies elements of src into dst with broadcasting and conversion, as Tensor.copy_; shapes are checked. */
tsm_status tsm_tensor_copy(tsm_exec *x, tsm_tensor *dst, const tsm_tensor *src);
/* Same elements in another dtype (t itself with one more count when it is that already); NULL after a failure. */
tsm_status tsm_tensor_to(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out);
/* Makes `t` have these sizes, as resize_ does: keeps the storage when it is large enough. Raises when it is not and
 * other tensors use it too. */
tsm_status tsm_tensor_resize(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes);
/* Lets t stand for src's memory and shape (set_, resize of out=). */
tsm_status tsm_tensor_adopt(tsm_exec *x, tsm_tensor *t, tsm_tensor *src);
/* One element as a number (by linear position in row-major order, any strides). */
tsm_value tsm_tensor_item(tsm_exec *x, const tsm_tensor *t, tsm_dim linear, tsm_status *status);
static inline void tsm_tensor_drop(tsm_exec *x, tsm_tensor *t) {
    if (t)
        tsm_drop(x, tsm_of_tensor(t));
}
/* Whether the tensor and its storage have one reference each and the memory may be written: when the last reference
 * goes, a result may take the tensor over. */
static inline bool tsm_tensor_is_free(const tsm_tensor *t) {
    return t->header.references == 1 && t->storage->references == 1 && !t->quantizer &&
           !(t->storage->flags & ~(uint32_t)TSM_STORAGE_INSIDE);
}

/* ---- Shapes ---- */

static inline tsm_dim tsm_dim_min(tsm_dim a, tsm_dim b) {
    return a < b ? a : b;
}
static inline tsm_dim tsm_dim_max(tsm_dim a, tsm_dim b) {
    return a > b ? a : b;
}
static inline tsm_dim tsm_dim_clamp(tsm_dim v, tsm_dim low, tsm_dim high) {
    return v < low ? low : v > high ? high : v;
}
/* Sum and product of sizes and distances; the largest number where they are too large to be counted, which no size is.
 */
static inline tsm_dim tsm_dim_add(tsm_dim a, tsm_dim b) {
    tsm_dim sum;
    return __builtin_add_overflow(a, b, &sum) ? PTRDIFF_MAX : sum;
}
static inline tsm_dim tsm_dim_mul(tsm_dim a, tsm_dim b) {
    tsm_dim product;
    return __builtin_mul_overflow(a, b, &product) ? PTRDIFF_MAX : product;
}
static inline tsm_dim tsm_dim_ceil_div(tsm_dim a, tsm_dim b) {
    return (a + b - 1) / b;
}
static inline tsm_dim tsm_dim_floor_div(tsm_dim a, tsm_dim b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Bytes from an element to the next one along dimension d; 0 where there is none, of which the stride may be any
 * number. */
static inline tsm_dim tsm_tensor_step(const tsm_tensor *t, int d) {
    return t->elements && t->sizes[d] > 1 ? t->strides[d] * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype) : 0;
}

bool tsm_same_shape(const tsm_tensor *t, int dims, const tsm_dim *sizes);
/* Wraps a possibly negative dimension, so that 0 <= *out < dims; raises PyTorch's IndexError texts when it is out of
 * range or there are no dimensions. */
tsm_status tsm_wrap_dim(tsm_exec *x, int64_t dim, int dims, int *out);
/* The same where a tensor without dimensions counts as one with a dimension of one element: then *out is 0, and there
 * is no size or stride to be read. */
tsm_status tsm_wrap_dim_or_scalar(tsm_exec *x, int64_t dim, int dims, int *out);
/* Shape after broadcasting a with b; raises PyTorch's text when they do not fit. */
tsm_status tsm_broadcast_shapes(tsm_exec *x, int a_dims, const tsm_dim *a, int b_dims, const tsm_dim *b, int *dims,
                                tsm_dim *sizes);

/* ---- Texts ---- */

/* Writes "[2, 3]"; n >= 8; cut short when it does not fit. */
void tsm_shape_text(char *text, size_t n, int dims, const tsm_dim *sizes);

/* Appends v as TorchScript's print and str show it. */
tsm_status tsm_text_add_value(tsm_exec *x, tsm_text *t, tsm_value v);
/* The same for a tensor; out->status says whether it failed. */
void tsm_text_add_tensor(tsm_exec *x, tsm_text *out, const tsm_tensor *t);

#endif
