/* Putting tensors together. */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/shape/shape.h"
#include "runtime/tensor/iter.h"

/* A view of dst: `size` entries from `at` on along dimension d. */
static tsm_status copy_into(tsm_exec *x, tsm_tensor *dst, int d, tsm_dim at, const tsm_tensor *src) {
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_tensor *part;
    memcpy(sizes, dst->sizes, (size_t)dst->dims * sizeof *sizes);
    sizes[d] = src->sizes[d];
    TSM_TRY(tsm_tensor_view_of(x, dst, dst->dims, sizes, dst->strides, at * dst->strides[d], &part));
    tsm_status status = tsm_tensor_copy(x, part, src);
    tsm_tensor_drop(x, part);
    return status;
}

/* With this many runs of one element each, the general copy is faster. */
enum { MANY_RUNS = 16 };

#if TSM_NARROW_LANES
/* Runs of one element of each of n parts, which lie side by side, into y: pairs (of which complex numbers are made),
 * threes and fours, in one pass. False: there is no loop for so many, and nothing is copied. */
static bool interleave_parts(void *y, const tsm_value *parts, uint32_t n, size_t size, tsm_dim runs) {
#define INTERLEAVE_LOOP(T, N)                                                                                          \
    case N: {                                                                                                          \
        T *restrict to = y;                                                                                            \
        const T *const a = from[0], *const b = from[1], *const c = from[2], *const d = from[3];                        \
        for (tsm_dim i = 0; i < runs; i++) {                                                                           \
            to[N * i] = a[i];                                                                                          \
            to[N * i + 1] = b[i];                                                                                      \
            if (N > 2)                                                                                                 \
                to[N * i + 2] = c[i];                                                                                  \
            if (N > 3)                                                                                                 \
                to[N * i + N - 1] = d[i];                                                                              \
        }                                                                                                              \
        return true;                                                                                                   \
    }
#define INTERLEAVE_CASE(T)                                                                                             \
    case sizeof(T):                                                                                                    \
        switch (n) {                                                                                                   \
            INTERLEAVE_LOOP(T, 2)                                                                                      \
            INTERLEAVE_LOOP(T, 3)                                                                                      \
            INTERLEAVE_LOOP(T, 4)                                                                                      \
        default:                                                                                                       \
            return false;                                                                                              \
        }
    enum { MOST_PARTS = 4 };
    const void *from[MOST_PARTS] = {NULL};
    for (uint32_t p = 0; p < n && p < MOST_PARTS; p++)
        from[p] = tsm_as_tensor(parts[p])->data;
    switch (size) {
        INTERLEAVE_CASE(uint8_t)
        INTERLEAVE_CASE(uint16_t)
        INTERLEAVE_CASE(uint32_t)
        INTERLEAVE_CASE(uint64_t)
    default:
        INTERLEAVE_CASE(tsm_complex)
    }
#undef INTERLEAVE_LOOP
#undef INTERLEAVE_CASE
}
/* Rows of y, of which part p has rows of its own, band by band, so that what is written stays in the first cache. */
static bool interleave_rows(char *y, tsm_dim y_step, const tsm_value *parts, uint32_t n, size_t size, tsm_dim runs) {
    enum { BAND_BYTES = 16384, ROW_BYTES = 1024 };
    if (y_step > ROW_BYTES || runs < 2)
        return false;
    const tsm_dim band = tsm_dim_max(BAND_BYTES / y_step, 1);
    for (tsm_dim i = 0, m; i < runs; i += m) {
        char *to = y + i * y_step;
        m = tsm_dim_min(runs - i, band);
        for (uint32_t p = 0; p < n; p++) {
            const tsm_tensor *part = tsm_as_tensor(parts[p]);
            const tsm_dim run = part->elements / runs * (tsm_dim)size;
            tsm_copy_rows(to, y_step, (const char *)part->data + i * run, run, m, (size_t)run);
            to += run;
        }
    }
    return true;
}
#else
#define interleave_parts(y, parts, n, size, runs) false
#define interleave_rows(y, y_step, parts, n, size, runs) false
#endif

#if TSM_NARROW_LANES
/* Whether an image of some elements lies channels-last without gaps. */
static bool lies_channels_last(const tsm_tensor *t) {
    tsm_dim strides[TSM_MAX_DIMS];
    if (t->dims < 4 || t->dims > 5 || !t->elements)
        return false;
    tsm_strides_channels_last(t->dims, t->sizes, strides);
    for (int k = 0; k < t->dims; k++)
        if (t->sizes[k] > 1 && t->strides[k] != strides[k])
            return false;
    return true;
}
#else
#define lies_channels_last(t) false
#endif
/* Where a dimension stands in the order of the elements. */
static inline int place_of_dim(const tsm_tensor *t, int d, bool channels_last) {
    return !channels_last || !d ? d : d == 1 ? t->dims - 1 : d - 1;
}

/* Copies n parts, one behind the other, to positions from `at` on along dimension d of y when all lie in order and are
 * of one type: a part has the sizes of y but for d, or lacks d. y is written in its own order. False: nothing is copied
 * yet. */
static bool copy_runs(const tsm_tensor *y, int d, tsm_dim at, const tsm_value *parts, uint32_t n) {
    tsm_dim runs = 1, inner = 1;
    bool are_single = true, has_single = false; /* all parts, or one, have one element in each run */
    const bool channels_last = lies_channels_last(y) && !tsm_tensor_is_contiguous(y);
    const int place = place_of_dim(y, d, channels_last);
    for (int k = 0; k < y->dims; k++)
        if (place_of_dim(y, k, channels_last) < place)
            runs *= y->sizes[k];
        else if (k != d)
            inner *= y->sizes[k];
    for (uint32_t p = 0; p < n; p++) {
        const tsm_tensor *part = tsm_as_tensor(parts[p]);
        if (part->dtype != y->dtype || part->quantizer || !part->elements ||
            (channels_last ? part->dims != y->dims || !lies_channels_last(part)
                           : !tsm_tensor_is_contiguous(part) || !tsm_tensor_is_contiguous(y)))
            return false;
        are_single &= part->elements == runs;
        has_single |= part->elements == runs;
    }
    const size_t size = tsm_dtype_size((tsm_dtype)y->dtype);
    if (are_single && runs > MANY_RUNS && y->elements == (tsm_dim)n * runs &&
        interleave_parts(y->data, parts, n, size, runs))
        return true;
    if (interleave_rows((char *)y->data + (size_t)(at * inner) * size, y->sizes[d] * inner * (tsm_dim)size, parts, n,
                        size, runs))
        return true;
    if (has_single && runs > MANY_RUNS)
        return false;
    for (tsm_dim i = 0; i < runs; i++) {
        char *to = (char *)y->data + (size_t)((i * y->sizes[d] + at) * inner) * size;
        for (uint32_t p = 0; p < n; p++) {
            const tsm_tensor *part = tsm_as_tensor(parts[p]);
            const size_t run = (size_t)(part->elements / runs) * size;
            memcpy(to, (const char *)part->data + (size_t)i * run, run);
            to += run;
        }
    }
    return true;
}

/* Legacy: empty 1-dim tensors fit anything. */
static bool is_skipped(const tsm_tensor *t) {
    return t->dims == 1 && !t->sizes[0];
}

static tsm_status check_list(tsm_exec *x, const tsm_list *l, const char *name) {
    if (!l->length)
        return TSM_RAISE(x, "%s: expected a non-empty list of Tensors", name);
    TSM_TRY(tsm_charge_product(x, l->length, 2, 1));
    for (uint32_t i = 0; i < l->length; i++)
        if (l->items[i].tag != TSM_TAG_TENSOR)
            return TSM_RAISE(x, "%s expects Tensors", name);
    return TSM_OK;
}

static tsm_dtype common_dtype(const tsm_list *l) {
    tsm_promotion p;
    tsm_promote_start(&p);
    for (uint32_t i = 0; i < l->length; i++)
        tsm_promote_value(&p, l->items[i]);
    return tsm_promote_end(&p);
}

/* Every image among them has its channels together: so has the result. */
static bool are_channels_last(const tsm_list *l) {
    for (uint32_t i = 0; i < l->length; i++)
        if (!tsm_tensor_suggests_channels_last(tsm_as_tensor(l->items[i])))
            return false;
    return true;
}

static tsm_status concatenate(tsm_exec *x, const tsm_list *l, int64_t dim, tsm_value *out) {
    const tsm_tensor *first = tsm_as_tensor(l->items[0]);
    for (uint32_t i = 0; i < l->length && is_skipped(first); i++)
        first = tsm_as_tensor(l->items[i]);
    int d;
    if (!first->dims)
        return TSM_RAISE(x, "zero-dimensional tensor (at position 0) cannot be concatenated");
    TSM_TRY(tsm_wrap_dim(x, is_skipped(first) ? 0 : dim, first->dims, &d)); /* an empty first tensor allows any dim */
    tsm_dim sizes[TSM_MAX_DIMS];
    memcpy(sizes, first->sizes, (size_t)first->dims * sizeof *sizes);
    sizes[d] = 0;
    for (uint32_t i = 0; i < l->length; i++) {
        const tsm_tensor *t = tsm_as_tensor(l->items[i]);
        if (is_skipped(t))
            continue;
        if (t->dims != first->dims)
            return TSM_RAISE(x, "Tensors must have same number of dimensions: got %d and %d", first->dims, t->dims);
        for (int k = 0; k < t->dims; k++)
            if (k != d && t->sizes[k] != first->sizes[k])
                return TSM_RAISE(
                    x,
                    "Sizes of tensors must match except in dimension %d. Expected size %zd but got size %zd for tensor "
                    "number %u in the list.",
                    d, (ptrdiff_t)first->sizes[k], (ptrdiff_t)t->sizes[k], i);
        sizes[d] += t->sizes[d];
    }
    tsm_tensor *y;
    tsm_dim strides[TSM_MAX_DIMS];
    if (are_channels_last(l))
        tsm_strides_channels_last(first->dims, sizes, strides);
    else
        tsm_strides_contiguous(first->dims, sizes, strides);
    const tsm_dtype dtype = common_dtype(l);
    TSM_TRY(tsm_check_promoted(x, dtype));
    TSM_TRY(tsm_tensor_make_strided(x, dtype, first->dims, sizes, strides, &y));
    if (copy_runs(y, d, 0, l->items, l->length))
        return ret_tensor(out, y);
    tsm_dim at = 0;
    for (uint32_t i = 0; i < l->length; i++) {
        const tsm_tensor *t = tsm_as_tensor(l->items[i]);
        if (is_skipped(t))
            continue;
        tsm_status status = copy_runs(y, d, at, &l->items[i], 1) ? TSM_OK : copy_into(x, y, d, at, t);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, y);
            return status;
        }
        at += t->sizes[d];
    }
    return ret_tensor(out, y);
}

TSM_KERNEL(aten_cat) {
    TSM_TRY(check_list(x, arg_list(in, 0), "torch.cat()"));
    if (tsm_as_tensor(arg_list(in, 0)->items[0])->quantizer)
        return tsm_cat_quantized(x, arg_list(in, 0), arg_int(in, 1), NULL, NULL, NULL, out);
    return concatenate(x, arg_list(in, 0), arg_int(in, 1), out);
}
TSM_KERNEL_ALIAS(aten_concat, aten_cat);
TSM_KERNEL_ALIAS(aten_concatenate, aten_cat);

/* The concatenation of the tensors with one more dimension. */
static tsm_status stack_quantized(tsm_exec *x, const tsm_list *l, int dim, tsm_value *out) {
    tsm_list *wide;
    TSM_TRY(tsm_make_list(x, l->length, &wide));
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < l->length && status == TSM_OK; i++) {
        tsm_value arguments[] = {l->items[i], tsm_int(dim)}, item;
        status = tsm_kernel_call(x, tsm_k_aten_unsqueeze, 2, arguments, &item);
        if (status == TSM_OK) {
            status = tsm_list_append(x, wide, item);
            tsm_drop(x, item);
        }
    }
    if (status == TSM_OK)
        status = tsm_cat_quantized(x, wide, dim, NULL, NULL, NULL, out);
    tsm_drop(x, tsm_of(TSM_TAG_LIST, wide));
    return status;
}

TSM_KERNEL(aten_stack) {
    const tsm_list *l = arg_list(in, 0);
    TSM_TRY(check_list(x, l, "stack"));
    const tsm_tensor *first = tsm_as_tensor(l->items[0]);
    int d;
    if (first->dims == TSM_MAX_DIMS)
        return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), first->dims + 1, &d));
    tsm_dim sizes[TSM_MAX_DIMS], one[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    for (int k = 0; k <= first->dims; k++)
        sizes[k] = one[k] = k == d ? 1 : first->sizes[k - (k > d)];
    sizes[d] = l->length;
    for (uint32_t i = 0; i < l->length; i++) {
        const tsm_tensor *t = tsm_as_tensor(l->items[i]);
        if (t->dims != first->dims || memcmp(t->sizes, first->sizes, (size_t)t->dims * sizeof *t->sizes))
            return TSM_RAISE(
                x, "stack expects each tensor to be equal size, but entry %u has another size than entry 0", i);
    }
    if (first->quantizer)
        return stack_quantized(x, l, d, out);
    tsm_tensor *y;
    const tsm_dtype dtype = common_dtype(l);
    TSM_TRY(tsm_check_promoted(x, dtype));
    TSM_TRY(tsm_tensor_make(x, dtype, first->dims + 1, sizes, &y));
    if (copy_runs(y, d, 0, l->items, l->length))
        return ret_tensor(out, y);
    for (uint32_t i = 0; i < l->length; i++) {
        tsm_tensor *t = tsm_as_tensor(l->items[i]), *shaped;
        if (copy_runs(y, d, i, &l->items[i], 1))
            continue;
        for (int k = 0; k <= t->dims; k++)
            strides[k] = k == d ? 0 : t->strides[k - (k > d)];
        tsm_status status = tsm_tensor_view_of(x, t, t->dims + 1, one, strides, 0, &shaped);
        if (status == TSM_OK) {
            status = copy_into(x, y, d, i, shaped);
            tsm_tensor_drop(x, shaped);
        }
        if (status != TSM_OK) {
            tsm_tensor_drop(x, y);
            return status;
        }
    }
    return ret_tensor(out, y);
}

/* Writes all copies of t, which y holds `times` of along each dimension, as one copy of a tensor that is repeated;
 * false: that would have too many dimensions, and nothing is copied. */
static bool repeat_at_once(tsm_tensor *y, const tsm_tensor *t, const tsm_dim *times, const tsm_dim *wide,
                           const tsm_dim *strides) {
    tsm_dim sizes[TSM_MAX_DIMS], to[TSM_MAX_DIMS], from[TSM_MAX_DIMS];
    const size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    tsm_iter it;
    int n = 0;
    for (int d = 0; d < y->dims; d++)
        for (int part = 0; part < 2; part++) { /* the copies, and the elements of one */
            const tsm_dim count = part ? wide[d] : times[d];
            if (count == 1)
                continue;
            if (n == TSM_MAX_DIMS)
                return false;
            sizes[n] = count;
            to[n] = part ? y->strides[d] : wide[d] * y->strides[d];
            from[n++] = part ? strides[d] : 0;
        }
    tsm_iter_start(&it, n, sizes);
    tsm_iter_add_raw(&it, y->data, to, size);
    tsm_iter_add_raw(&it, t->data, from, size);
    tsm_iter_ready(&it);
    tsm_iter_copy(&it, size);
    return true;
}

/* Sizes of t and of the repetitions, with as many dimensions. */
static tsm_status cat_repeat(tsm_exec *x, tsm_tensor *t, int n, const tsm_dim *times, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS], wide[2 * TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    if (n < t->dims)
        return TSM_RAISE(x,
                         "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
    for (int d = 0; d < n; d++) {
        int from = d - (n - t->dims);
        if (times[d] < 0)
            return TSM_RAISE(x, "Trying to create tensor with negative dimension %zd", (ptrdiff_t)times[d]);
        wide[d] = from >= 0 ? t->sizes[from] : 1;
        strides[d] = from >= 0 ? t->strides[from] : 0;
        if (__builtin_mul_overflow(wide[d], times[d], &sizes[d]))
            return TSM_RAISE(x, "repeat: the sizes of the result overflow");
    }
    tsm_tensor *y, *shaped = NULL;
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, n, sizes, &y));
    tsm_status status = tsm_tensor_view_of(x, t, n, wide, strides, 0, &shaped);
    /* Every position of the grid of copies; they can be counted where the result has elements. */
    tsm_dim copies = y->elements != 0;
    for (int d = 0; d < n && copies; d++)
        copies *= times[d];
    enum { UNITS_PER_COPY = 4 }; /* beside those of its elements */
    if (status == TSM_OK)
        status = tsm_charge_product(x, (uint64_t)copies, UNITS_PER_COPY, 1);
    if (status == TSM_OK && y->elements && repeat_at_once(y, t, times, wide, strides))
        copies = 0;
    for (tsm_dim c = 0; c < copies && status == TSM_OK; c++) {
        tsm_dim rest = c, offset = 0;
        for (int d = n - 1; d >= 0; d--) {
            offset += rest % times[d] * wide[d] * y->strides[d];
            rest /= times[d];
        }
        tsm_tensor *part;
        status = tsm_tensor_view_of(x, y, n, wide, y->strides, offset, &part);
        if (status == TSM_OK) {
            status = tsm_tensor_copy(x, part, shaped);
            tsm_tensor_drop(x, part);
        }
    }
    tsm_tensor_drop(x, shaped);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_repeat) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_as_stored(x, in, out);
    tsm_dim times[TSM_MAX_DIMS];
    int n = tsm_arg_ints(x, in, 1, times, TSM_MAX_DIMS);
    return n < 0 ? TSM_RAISED : cat_repeat(x, arg_tensor(in, 0), n, times, out);
}
