/* Views: the same memory under other sizes and strides. */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"

static tsm_status view(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                       tsm_dim offset, tsm_value *out) {
    tsm_tensor *made;
    TSM_TRY(tsm_tensor_view_of(x, t, dims, sizes, strides, offset, &made));
    return ret_tensor(out, made);
}

/* Whether parts of t have some of its scales. Float zero points are those of tables, which are not cut. */
static bool has_channels(const tsm_tensor *t) {
    return t->quantizer && t->quantizer->axis >= 0 && !t->quantizer->has_float_zero_points;
}

/* ---- view, reshape ---- */

/* Replaces a -1 among the sizes; raises when the number of elements does not fit. */
static tsm_status infer_sizes(tsm_exec *x, const tsm_tensor *t, int dims, tsm_dim *sizes) {
    tsm_dim known;
    int unknown = -1;
    for (int d = 0; d < dims; d++) {
        if (sizes[d] == -1) {
            if (unknown >= 0)
                return TSM_RAISE(x, "only one dimension can be inferred");
            unknown = d;
        } else if (sizes[d] < 0)
            return TSM_RAISE(x, "invalid shape dimension %zd", (ptrdiff_t)sizes[d]);
    }
    if (unknown >= 0)
        sizes[unknown] = 1;
    bool is_counted = tsm_count_elements(dims, sizes, &known);
    if (unknown >= 0)
        sizes[unknown] = -1;
    if (!is_counted)
        known = -1; /* fits no tensor */
    if (unknown >= 0 && known > 0 && t->elements % known == 0)
        sizes[unknown] = t->elements / known;
    else if (unknown >= 0 && !known)
        return TSM_RAISE(x,
                         "cannot reshape tensor of %zd elements into shape with a 0, because the unspecified dimension "
                         "size -1 can be "
                         "any value and is ambiguous",
                         (ptrdiff_t)t->elements);
    else if (unknown >= 0 || known != t->elements) {
        tsm_text text = {0};
        tsm_status status = tsm_text_add(x, &text, "shape '[", 8);
        for (int d = 0; d < dims && status == TSM_OK; d++) {
            char number[TSM_NUMBER_TEXT];
            if (d)
                status = tsm_text_add(x, &text, ", ", 2);
            if (status == TSM_OK)
                status = tsm_text_add(x, &text, number, tsm_format_int(number, sizes[d]));
        }
        status = status == TSM_OK ? TSM_RAISE(x, "%.*s]' is invalid for input of size %zd", (int)text.length, text.text,
                                              (ptrdiff_t)t->elements)
                                  : status;
        tsm_text_free(x, &text);
        return status;
    }
    return TSM_OK;
}

/* Strides under which t's memory has the new sizes; false when a copy is needed. Dimensions that lie one behind the
 * other form chunks; each new dimension must stay inside of one. */
static bool view_strides(const tsm_tensor *t, int dims, const tsm_dim *sizes, tsm_dim *strides) {
    if (!t->elements) {
        tsm_strides_contiguous(dims, sizes, strides);
        return true;
    }
    int d = dims - 1;
    tsm_dim chunk = 1, base = t->dims ? t->strides[t->dims - 1] : 1, taken = 1;
    for (int s = t->dims - 1; s >= 0; s--) {
        chunk *= t->sizes[s];
        if (s && (t->sizes[s - 1] == 1 || t->strides[s - 1] == chunk * base))
            continue;
        while (d >= 0 && (taken < chunk || sizes[d] == 1)) {
            strides[d] = taken * base;
            taken *= sizes[d];
            d--;
        }
        if (taken != chunk)
            return false;
        if (s) {
            base = t->strides[s - 1];
            chunk = taken = 1;
        }
    }
    for (; d >= 0; d--)
        strides[d] = taken * base;
    return true;
}

static tsm_status as_shape(tsm_exec *x, tsm_tensor *t, int dims, tsm_dim *sizes, bool may_copy, tsm_value *out) {
    tsm_dim strides[TSM_MAX_DIMS];
    if (dims < 0)
        return TSM_RAISED;
    TSM_TRY(infer_sizes(x, t, dims, sizes));
    if (view_strides(t, dims, sizes, strides))
        return view(x, t, dims, sizes, strides, 0, out);
    if (!may_copy)
        return TSM_RAISE(
            x,
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead.");
    tsm_tensor *copy;
    TSM_TRY(tsm_tensor_contiguous(x, t, &copy));
    tsm_strides_contiguous(dims, sizes, strides);
    tsm_status status = view(x, copy, dims, sizes, strides, 0, out);
    tsm_tensor_drop(x, copy);
    return status;
}

TSM_KERNEL_LIGHT(aten_view) {
    tsm_dim sizes[TSM_MAX_DIMS];
    return as_shape(x, arg_tensor(in, 0), tsm_arg_ints(x, in, 1, sizes, TSM_MAX_DIMS), sizes, false, out);
}
TSM_KERNEL_ALIAS(aten__unsafe_view, aten_view);
TSM_KERNEL_LIGHT(aten_reshape) {
    tsm_dim sizes[TSM_MAX_DIMS];
    return as_shape(x, arg_tensor(in, 0), tsm_arg_ints(x, in, 1, sizes, TSM_MAX_DIMS), sizes, true, out);
}
TSM_KERNEL_LIGHT(aten_view_as) {
    tsm_dim sizes[TSM_MAX_DIMS];
    memcpy(sizes, arg_tensor(in, 1)->sizes, (size_t)arg_tensor(in, 1)->dims * sizeof *sizes);
    return as_shape(x, arg_tensor(in, 0), arg_tensor(in, 1)->dims, sizes, false, out);
}
TSM_KERNEL_LIGHT(aten_reshape_as) {
    tsm_dim sizes[TSM_MAX_DIMS];
    memcpy(sizes, arg_tensor(in, 1)->sizes, (size_t)arg_tensor(in, 1)->dims * sizeof *sizes);
    return as_shape(x, arg_tensor(in, 0), arg_tensor(in, 1)->dims, sizes, true, out);
}

static tsm_status flatten(tsm_exec *x, tsm_tensor *t, int64_t from, int64_t to, tsm_value *out) {
    int first, last;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, from, t->dims, &first));
    TSM_TRY(tsm_wrap_dim_or_scalar(x, to, t->dims, &last));
    if (first > last)
        return TSM_RAISE(x, "flatten() has invalid args: start_dim cannot come after end_dim");
    tsm_dim sizes[TSM_MAX_DIMS], together = 1;
    int dims = 0;
    for (int d = 0; d < first; d++)
        sizes[dims++] = t->sizes[d];
    for (int d = first; d <= last && d < t->dims; d++)
        together = tsm_dim_mul(together, t->sizes[d]);
    sizes[dims++] = together;
    for (int d = last + 1; d < t->dims; d++)
        sizes[dims++] = t->sizes[d];
    return as_shape(x, t, dims, sizes, true, out);
}
TSM_KERNEL_LIGHT(aten_flatten_using_ints) {
    return flatten(x, arg_tensor(in, 0), arg_int(in, 1), arg_int(in, 2), out);
}
TSM_KERNEL_LIGHT(aten_ravel) {
    return flatten(x, arg_tensor(in, 0), 0, -1, out);
}

/* A part of -1 is found from the dimension alone, since other ones may be 0. What does not fit, and a second part of
 * -1, is left for as_shape. */
static void find_part(tsm_dim size, int n, tsm_dim *parts) {
    tsm_dim known = 1;
    int wanted = -1, count = 0;
    for (int i = 0; i < n; i++)
        if (parts[i] == -1) {
            wanted = i;
            count++;
        } else {
            known = tsm_dim_mul(known, parts[i]);
        }
    if (count == 1 && known > 0 && size % known == 0)
        parts[wanted] = size / known;
}

TSM_KERNEL_LIGHT(aten_unflatten_int) {
    const tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim parts[TSM_MAX_DIMS], sizes[2 * TSM_MAX_DIMS];
    int dim, n = tsm_arg_ints(x, in, 2, parts, TSM_MAX_DIMS), dims = 0;
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), t->dims, &dim));
    if (n < 0)
        return TSM_RAISED;
    if (t->dims - 1 + n > TSM_MAX_DIMS)
        return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    find_part(t->sizes[dim], n, parts);
    for (int d = 0; d < t->dims; d++)
        if (d != dim)
            sizes[dims++] = t->sizes[d];
        else
            for (int i = 0; i < n; i++)
                sizes[dims++] = parts[i];
    return as_shape(x, arg_tensor(in, 0), dims, sizes, true, out);
}

/* ---- Order of dimensions ---- */

static tsm_status permuted(tsm_exec *x, tsm_tensor *t, const int *order, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    for (int d = 0; d < t->dims; d++) {
        sizes[d] = t->sizes[order[d]];
        strides[d] = t->strides[order[d]];
    }
    return view(x, t, t->dims, sizes, strides, 0, out);
}

TSM_KERNEL_LIGHT(aten_permute) {
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim wanted[TSM_MAX_DIMS];
    int order[TSM_MAX_DIMS], n = tsm_arg_ints(x, in, 1, wanted, TSM_MAX_DIMS);
    unsigned seen = 0;
    if (n < 0)
        return TSM_RAISED;
    if (n != t->dims)
        return TSM_RAISE(
            x,
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d",
            t->dims, n);
    for (int d = 0; d < n; d++) {
        TSM_TRY(tsm_wrap_dim_or_scalar(x, wanted[d], t->dims, &order[d]));
        if (seen >> order[d] & 1)
            return TSM_RAISE(x, "repeated dim in permute");
        seen |= 1u << order[d];
    }
    return permuted(x, t, order, out);
}

static tsm_status swapped(tsm_exec *x, tsm_tensor *t, int64_t a, int64_t b, tsm_value *out) {
    int order[TSM_MAX_DIMS], da, db;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, a, t->dims, &da));
    TSM_TRY(tsm_wrap_dim_or_scalar(x, b, t->dims, &db));
    for (int d = 0; d < t->dims; d++)
        order[d] = d == da ? db : d == db ? da : d;
    return permuted(x, t, order, out);
}
TSM_KERNEL_LIGHT(aten_transpose_int) {
    return swapped(x, arg_tensor(in, 0), arg_int(in, 1), arg_int(in, 2), out);
}
TSM_KERNEL_ALIAS(aten_swapaxes, aten_transpose_int);
TSM_KERNEL_ALIAS(aten_swapdims, aten_transpose_int);
TSM_KERNEL_LIGHT(aten_t) {
    tsm_tensor *t = arg_tensor(in, 0);
    if (t->dims > 2)
        return TSM_RAISE(x, "t() expects a tensor with <= 2 dimensions, but self is %dD", t->dims);
    return t->dims < 2 ? view(x, t, t->dims, t->sizes, t->strides, 0, out) : swapped(x, t, 0, 1, out);
}
TSM_KERNEL_LIGHT(aten_numpy_T) {
    int order[TSM_MAX_DIMS];
    for (int d = 0; d < arg_tensor(in, 0)->dims; d++)
        order[d] = arg_tensor(in, 0)->dims - 1 - d;
    return permuted(x, arg_tensor(in, 0), order, out);
}

static tsm_status move_dims(tsm_exec *x, tsm_tensor *t, int n, const tsm_dim *from, const tsm_dim *to, tsm_value *out) {
    int order[TSM_MAX_DIMS], source[TSM_MAX_DIMS], target[TSM_MAX_DIMS];
    unsigned moved = 0, placed = 0;
    for (int i = 0; i < n; i++) {
        TSM_TRY(tsm_wrap_dim_or_scalar(x, from[i], t->dims, &source[i]));
        TSM_TRY(tsm_wrap_dim_or_scalar(x, to[i], t->dims, &target[i]));
        if (moved >> source[i] & 1 || placed >> target[i] & 1)
            return TSM_RAISE(x, "movedim: repeated dim in `source` or `destination`");
        moved |= 1u << source[i];
        placed |= 1u << target[i];
        order[target[i]] = source[i];
    }
    for (int d = 0, next = 0; d < t->dims; d++)
        if (!(placed >> d & 1)) {
            while (moved >> next & 1)
                next++;
            order[d] = next++;
        }
    return permuted(x, t, order, out);
}
TSM_KERNEL_LIGHT(aten_movedim_int) {
    tsm_dim from = arg_dim(in, 1), to = arg_dim(in, 2);
    return move_dims(x, arg_tensor(in, 0), 1, &from, &to, out);
}
TSM_KERNEL_LIGHT(aten_movedim_intlist) {
    tsm_dim from[TSM_MAX_DIMS], to[TSM_MAX_DIMS];
    int n = tsm_arg_ints(x, in, 1, from, TSM_MAX_DIMS), m = tsm_arg_ints(x, in, 2, to, TSM_MAX_DIMS);
    if (n < 0 || m < 0)
        return TSM_RAISED;
    return n == m
               ? move_dims(x, arg_tensor(in, 0), n, from, to, out)
               : TSM_RAISE(
                     x, "movedim: Invalid source or destination dims: source and destination have different lengths");
}

/* ---- Dimensions of size 1 ---- */

static tsm_status squeezed(tsm_exec *x, tsm_tensor *t, int only, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    int dims = 0;
    for (int d = 0; d < t->dims; d++)
        if (t->sizes[d] != 1 || (only >= 0 && d != only)) {
            sizes[dims] = t->sizes[d];
            strides[dims++] = t->strides[d];
        }
    return view(x, t, dims, sizes, strides, 0, out);
}
TSM_KERNEL_LIGHT(aten_squeeze) {
    return squeezed(x, arg_tensor(in, 0), -1, out);
}
TSM_KERNEL_LIGHT(aten_squeeze_dim) {
    int dim;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), arg_tensor(in, 0)->dims, &dim));
    return squeezed(x, arg_tensor(in, 0), dim, out);
}

/* The new layout of unsqueeze. */
static tsm_status unsqueezed(tsm_exec *x, const tsm_tensor *t, int64_t at, tsm_dim *sizes, tsm_dim *strides, int *dim) {
    if (t->dims == TSM_MAX_DIMS)
        return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    TSM_TRY(tsm_wrap_dim(x, at, t->dims + 1, dim));
    for (int d = 0; d <= t->dims; d++) {
        int from = d - (d > *dim);
        sizes[d] = d == *dim ? 1 : t->sizes[from];
        strides[d] = d == *dim ? (*dim < t->dims ? t->sizes[*dim] * t->strides[*dim] : 1) : t->strides[from];
    }
    return TSM_OK;
}
TSM_KERNEL_LIGHT(aten_unsqueeze) {
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    int dim;
    TSM_TRY(unsqueezed(x, t, arg_int(in, 1), sizes, strides, &dim));
    if (has_channels(t))
        return tsm_quantized_view(x, t, t->dims + 1, sizes, strides, 0,
                                  t->quantizer->axis + (dim <= t->quantizer->axis), 0, 1, out);
    return view(x, t, t->dims + 1, sizes, strides, 0, out);
}

/* In-place forms change the tensor itself, not its elements. */
static tsm_status become(tsm_exec *x, const tsm_value *const *in, tsm_status status, tsm_value made, tsm_value *out) {
    if (status != TSM_OK)
        return status;
    status = tsm_tensor_adopt(x, arg_tensor(in, 0), tsm_as_tensor(made));
    tsm_drop(x, made);
    if (status == TSM_OK)
        *out = tsm_hold(*in[0]);
    return status;
}
TSM_KERNEL_LIGHT(aten_unsqueeze_) {
    tsm_value made = tsm_none();
    tsm_status status = tsm_k_aten_unsqueeze(x, in, &made);
    return become(x, in, status, made, out);
}
TSM_KERNEL_LIGHT(aten_squeeze_) {
    tsm_value made = tsm_none();
    tsm_status status = tsm_k_aten_squeeze(x, in, &made);
    return become(x, in, status, made, out);
}
TSM_KERNEL_LIGHT(aten_squeeze__dim) {
    tsm_value made = tsm_none();
    tsm_status status = tsm_k_aten_squeeze_dim(x, in, &made);
    return become(x, in, status, made, out);
}
TSM_KERNEL_LIGHT(aten_transpose_) {
    tsm_value made = tsm_none();
    tsm_status status = tsm_k_aten_transpose_int(x, in, &made);
    return become(x, in, status, made, out);
}
TSM_KERNEL_ALIAS(aten_swapaxes_, aten_transpose_);
TSM_KERNEL_ALIAS(aten_swapdims_, aten_transpose_);
TSM_KERNEL_LIGHT(aten_t_) {
    tsm_value made = tsm_none();
    tsm_status status = tsm_k_aten_t(x, in, &made);
    return become(x, in, status, made, out);
}

/* ---- expand ---- */

static tsm_status expand(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *wanted, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    if (dims < 0)
        return TSM_RAISED;
    if (dims < t->dims)
        return TSM_RAISE(
            x,
            "expand(): the number of sizes provided (%d) must be greater or equal to the number of dimensions in the "
            "tensor (%d)",
            dims, t->dims);
    for (int d = 0; d < dims; d++) {
        int from = d - (dims - t->dims);
        tsm_dim size = from >= 0 ? t->sizes[from] : 1;
        sizes[d] = wanted[d] == -1 && from >= 0 ? size : wanted[d];
        if (sizes[d] < 0 || (size != 1 && size != sizes[d]))
            return TSM_RAISE(x,
                             "The expanded size of the tensor (%zd) must match the existing size (%zd) at "
                             "non-singleton dimension %d.",
                             (ptrdiff_t)sizes[d], (ptrdiff_t)size, d);
        strides[d] = from >= 0 && size == sizes[d] ? t->strides[from] : 0;
    }
    return view(x, t, dims, sizes, strides, 0, out);
}
TSM_KERNEL_LIGHT(aten_expand) {
    tsm_dim sizes[TSM_MAX_DIMS];
    return expand(x, arg_tensor(in, 0), tsm_arg_ints(x, in, 1, sizes, TSM_MAX_DIMS), sizes, out);
}
TSM_KERNEL_ALIAS(aten_broadcast_to, aten_expand);
TSM_KERNEL_LIGHT(aten_expand_as) {
    return expand(x, arg_tensor(in, 0), arg_tensor(in, 1)->dims, arg_tensor(in, 1)->sizes, out);
}

/* ---- Parts ---- */

tsm_status tsm_select_offset(tsm_exec *x, const tsm_tensor *t, int64_t dim, int64_t index, int *d, tsm_dim *offset) {
    if (!t->dims)
        return TSM_RAISE(x, "select() cannot be applied to a 0-dim tensor.");
    TSM_TRY(tsm_wrap_dim(x, dim, t->dims, d));
    if (index < -t->sizes[*d] || index >= t->sizes[*d]) {
        char shape[128];
        tsm_shape_text(shape, sizeof shape, t->dims, t->sizes);
        return TSM_RAISE(x, "select(): index %ld out of range for tensor of size %s at dimension %d", index, shape, *d);
    }
    *offset = (tsm_dim)(index < 0 ? index + t->sizes[*d] : index) * t->strides[*d];
    return TSM_OK;
}

static tsm_status select_at(tsm_exec *x, tsm_tensor *t, int64_t dim, int64_t index, tsm_value *out) {
    int d;
    tsm_dim offset;
    TSM_TRY(tsm_select_offset(x, t, dim, index, &d, &offset));
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    for (int k = 0; k < t->dims - 1; k++) {
        sizes[k] = t->sizes[k + (k >= d)];
        strides[k] = t->strides[k + (k >= d)];
    }
    if (has_channels(t)) {
        const int axis = t->quantizer->axis;
        const tsm_dim first = d == axis ? (tsm_dim)(index < 0 ? index + t->sizes[d] : index) : 0;
        return tsm_quantized_view(x, t, t->dims - 1, sizes, strides, offset, d == axis ? -1 : axis - (d < axis), first,
                                  1, out);
    }
    return view(x, t, t->dims - 1, sizes, strides, offset, out);
}
TSM_KERNEL_LIGHT(aten_select_int) {
    return select_at(x, arg_tensor(in, 0), arg_int(in, 1), arg_int(in, 2), out);
}

/* The stride of every step-th entry. It may wrap only where the step is longer than the dimension, so that no two
 * entries are left. */
static tsm_dim step_over(tsm_dim stride, int64_t step) {
    return (tsm_dim)((size_t)stride * (size_t)tsm_saturate_dim(step));
}

static tsm_status slice(tsm_exec *x, tsm_tensor *t, int d, int64_t start, int64_t end, int64_t step, tsm_value *out) {
    int64_t size = t->sizes[d];
    start += start < 0 ? size : 0;
    end += end < 0 ? size : 0;
    start = start < 0 ? 0 : start > size ? size : start;
    end = end < start ? start : end > size ? size : end;
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    memcpy(sizes, t->sizes, (size_t)t->dims * sizeof *sizes);
    memcpy(strides, t->strides, (size_t)t->dims * sizeof *strides);
    sizes[d] = tsm_saturate_dim((end - start) / step + ((end - start) % step != 0));
    strides[d] = step_over(strides[d], step);
    if (has_channels(t) && d == t->quantizer->axis && sizes[d])
        return tsm_quantized_view(x, t, t->dims, sizes, strides, tsm_saturate_dim(start) * t->strides[d],
                                  sizes[d] == 1 ? -1 : d, tsm_saturate_dim(start), tsm_saturate_dim(step), out);
    return view(x, t, t->dims, sizes, strides, tsm_saturate_dim(start) * t->strides[d], out);
}
TSM_KERNEL_LIGHT(aten_slice_Tensor) {
    tsm_tensor *t = arg_tensor(in, 0);
    int d;
    if (!t->dims)
        return TSM_RAISE(x, "slice() cannot be applied to a 0-dim tensor.");
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), t->dims, &d));
    if (arg_int(in, 4) <= 0)
        return TSM_RAISE(x, "slice step must be positive");
    return slice(x, t, d, arg_int_or(in, 2, 0), arg_int_or(in, 3, INT64_MAX), arg_int(in, 4), out);
}
TSM_KERNEL_LIGHT(aten_narrow) {
    tsm_tensor *t = arg_tensor(in, 0);
    int d;
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), t->dims, &d));
    int64_t start = arg_int(in, 2), length = arg_int(in, 3);
    start += start < 0 ? t->sizes[d] : 0;
    if (length < 0 || start < 0 || start > t->sizes[d] - length)
        return TSM_RAISE(x, "start (%ld) + length (%ld) exceeds dimension size (%zd).", start, length,
                         (ptrdiff_t)t->sizes[d]);
    return slice(x, t, d, start, start + length, 1, out);
}

/* Charges a part and appends it to a list; gives back the list on failure. */
static tsm_status add_part(tsm_exec *x, tsm_list *l, tsm_status status, tsm_value part) {
    if (status == TSM_OK)
        status = tsm_charge(x, 1);
    if (status == TSM_OK)
        status = tsm_list_append(x, l, part);
    tsm_drop(x, part);
    if (status != TSM_OK)
        tsm_drop(x, tsm_of(TSM_TAG_LIST, l));
    return status;
}

static tsm_status split_each(tsm_exec *x, tsm_tensor *t, int d, tsm_dim size, tsm_dim pieces, tsm_value *out) {
    tsm_list *l;
    TSM_TRY(tsm_make_list(x, (size_t)pieces, &l));
    for (tsm_dim i = 0; i < pieces; i++) {
        tsm_value part = tsm_none();
        tsm_status status = slice(x, t, d, i * size, (i + 1) * size, 1, &part);
        TSM_TRY(add_part(x, l, status, part));
    }
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}
TSM_KERNEL_LIGHT(aten_split_Tensor) {
    int d;
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 2), arg_tensor(in, 0)->dims, &d));
    if (arg_int(in, 1) < 0 || (!arg_int(in, 1) && arg_tensor(in, 0)->sizes[d]))
        return TSM_RAISE(x, "split expects split_size be non-negative, but got split_size=%ld", arg_int(in, 1));
    const tsm_dim total = arg_tensor(in, 0)->sizes[d], size = arg_dim(in, 1);
    const tsm_dim pieces = total ? total / size + (total % size != 0) : 1;
    return split_each(x, arg_tensor(in, 0), d, size, pieces, out);
}
TSM_KERNEL_LIGHT(aten_chunk) {
    int d;
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 2), arg_tensor(in, 0)->dims, &d));
    int64_t chunks = arg_int(in, 1);
    if (chunks <= 0)
        return TSM_RAISE(x, "chunk expects `chunks` to be greater than 0, got: %ld", chunks);
    const int64_t size = arg_tensor(in, 0)->sizes[d], part = size / chunks + (size % chunks != 0);
    /* Nothing is split into as many parts as were asked for. */
    const tsm_dim pieces = tsm_saturate_dim(part ? size / part + (size % part != 0) : chunks);
    return split_each(x, arg_tensor(in, 0), d, tsm_saturate_dim(part), pieces, out);
}
TSM_KERNEL_LIGHT(aten_split_with_sizes) {
    tsm_tensor *t = arg_tensor(in, 0);
    const tsm_list *sizes = arg_list(in, 1);
    tsm_list *l;
    int d;
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 2), t->dims, &d));
    int64_t at = 0;
    bool fits = true;
    for (uint32_t i = 0; i < sizes->length && fits; i++) {
        int64_t size = sizes->items[i].tag == TSM_TAG_INT ? sizes->items[i].as.i : -1;
        fits = size >= 0 && size <= t->sizes[d] - at;
        at += fits ? size : 0;
    }
    if (!fits || at != t->sizes[d])
        return TSM_RAISE(
            x,
            "split_with_sizes expects split_sizes to sum exactly to %zd (input tensor's size at dimension %d), but got "
            "another sum",
            (ptrdiff_t)t->sizes[d], d);
    TSM_TRY(tsm_make_list(x, sizes->length, &l));
    at = 0;
    for (uint32_t i = 0; i < sizes->length; i++) {
        tsm_value part = tsm_none();
        tsm_status status = slice(x, t, d, at, at + sizes->items[i].as.i, 1, &part);
        TSM_TRY(add_part(x, l, status, part));
        at += sizes->items[i].as.i;
    }
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_split_sizes, aten_split_with_sizes);
TSM_KERNEL_LIGHT(aten_unbind_int) {
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_list *l;
    int d;
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), t->dims, &d));
    TSM_TRY(tsm_make_list(x, (size_t)t->sizes[d], &l));
    for (tsm_dim i = 0; i < t->sizes[d]; i++) {
        tsm_value part = tsm_none();
        tsm_status status = select_at(x, t, d, i, &part);
        TSM_TRY(add_part(x, l, status, part));
    }
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}

/* ---- The same bytes as numbers of another type ---- */

/* Sizes and strides in elements of `size` bytes instead of `of`, one of which divides the other. */
static tsm_status recount(tsm_exec *x, const tsm_tensor *t, tsm_dtype dtype, tsm_dim *sizes, tsm_dim *strides) {
    const char *from = tsm_dtype_class_name((tsm_dtype)t->dtype), *to = tsm_dtype_class_name(dtype);
    tsm_dim of = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype), size = (tsm_dim)tsm_dtype_size(dtype), n = size / of;
    int last = t->dims - 1;
    if (last < 0)
        return TSM_RAISE(x, "self.dim() cannot be 0 to view %s as %s (different element sizes)", from, to);
    for (int d = 0; d < last; d++) {
        if (n > 1 && t->strides[d] % n)
            return TSM_RAISE(
                x, "self.stride(%d) must be divisible by %ld to view %s as %s (different element sizes), but got %ld",
                d, (int64_t)n, from, to, (int64_t)t->strides[d]);
        sizes[d] = t->sizes[d];
        strides[d] = n > 1 ? t->strides[d] / n : t->strides[d] * (of / size);
    }
    if (t->strides[last] != 1)
        return TSM_RAISE(x, "self.stride(-1) must be 1 to view %s as %s (different element sizes), but got %ld", from,
                         to, (int64_t)t->strides[last]);
    if (n > 1 && t->sizes[last] % n)
        return TSM_RAISE(
            x, "self.size(-1) must be divisible by %ld to view %s as %s (different element sizes), but got %ld",
            (int64_t)n, from, to, (int64_t)t->sizes[last]);
    sizes[last] = n > 1 ? t->sizes[last] / n : t->sizes[last] * (of / size);
    strides[last] = 1;
    return TSM_OK;
}

TSM_KERNEL_LIGHT(aten_view_dtype) {
    tsm_tensor *t = arg_tensor(in, 0), *made;
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    if (!tsm_dtype_exists(arg_int(in, 1)))
        return TSM_RAISE(x, "unknown dtype %ld", arg_int(in, 1));
    tsm_dtype dtype = kernel_dtype(arg_int(in, 1));
    size_t of = tsm_dtype_size((tsm_dtype)t->dtype), size = tsm_dtype_size(dtype);
    if (t->quantizer || tsm_dtype_is_quantized(dtype))
        return TSM_RAISE(x, "quantized tensors cannot be viewed as another dtype, nor others as quantized");
    if (of != size)
        TSM_TRY(recount(x, t, dtype, sizes, strides));
    if (size > of && (uintptr_t)t->data % size)
        return TSM_RAISE(x, "self.storage_offset() must be divisible by %zu to view %s as %s (different element sizes)",
                         size / of, tsm_dtype_class_name((tsm_dtype)t->dtype), tsm_dtype_class_name(dtype));
    TSM_TRY(tsm_tensor_view_as(x, t, dtype, t->dims, of != size ? sizes : t->sizes, of != size ? strides : t->strides,
                               0, &made));
    return ret_tensor(out, made);
}

/* ---- Free choice of strides ---- */

TSM_KERNEL_LIGHT(aten_as_strided) {
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    int n = tsm_arg_ints(x, in, 1, sizes, TSM_MAX_DIMS), m = tsm_arg_ints(x, in, 2, strides, TSM_MAX_DIMS);
    if (n < 0 || m < 0)
        return TSM_RAISED;
    if (n != m)
        return TSM_RAISE(x, "mismatch in length of strides and shape");
    for (int d = 0; d < n; d++)
        if (strides[d] < 0)
            return TSM_RAISE(x, "as_strided: Negative strides are not supported at the moment, got strides: [%ld]",
                             (int64_t)strides[d]);
    if (arg_is_none(in, 3))
        return view(x, t, n, sizes, strides, 0, out);
    tsm_dim now = ((const uint8_t *)t->data - t->storage->data) / (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    if (arg_int(in, 3) < 0)
        return TSM_RAISE(x, "Tensor: invalid storage offset %ld", arg_int(in, 3));
    return view(x, t, n, sizes, strides, arg_dim(in, 3) - now, out);
}

TSM_KERNEL_LIGHT(aten_as_strided_) {
    tsm_value made = tsm_none();
    tsm_status status = tsm_k_aten_as_strided(x, in, &made);
    return become(x, in, status, made, out);
}

TSM_KERNEL_LIGHT(aten_diagonal) {
    tsm_tensor *t = arg_tensor(in, 0);
    int a, b, dims = 0;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 2), t->dims, &a));
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 3), t->dims, &b));
    if (a == b)
        return TSM_RAISE(x, "diagonal dimensions cannot be identical %d, %d", a, b);
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    tsm_dim shift = tsm_dim_max(-t->sizes[a], tsm_dim_min(arg_dim(in, 1), t->sizes[b]));
    tsm_dim rows = t->sizes[a] - (shift < 0 ? -shift : 0), cols = t->sizes[b] - (shift > 0 ? shift : 0);
    tsm_dim length = rows < cols ? rows : cols;
    length = length < 0 ? 0 : length;
    for (int d = 0; d < t->dims; d++)
        if (d != a && d != b) {
            sizes[dims] = t->sizes[d];
            strides[dims++] = t->strides[d];
        }
    sizes[dims] = length;
    strides[dims++] = t->strides[a] + t->strides[b];
    tsm_dim offset = !length ? 0 : shift < 0 ? -shift * t->strides[a] : shift * t->strides[b];
    return view(x, t, dims, sizes, strides, offset, out);
}

TSM_KERNEL_LIGHT(aten_unfold) {
    tsm_tensor *t = arg_tensor(in, 0);
    int d;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), t->dims, &d));
    tsm_dim size = arg_dim(in, 2), step = arg_dim(in, 3), have = t->dims ? t->sizes[d] : 1;
    if (size < 0 || size > have)
        return TSM_RAISE(x, "maximum size for tensor at dimension %d is %zd but size is %zd", d, (ptrdiff_t)have,
                         (ptrdiff_t)size);
    if (step <= 0)
        return TSM_RAISE(x, "step is %zd but must be > 0", (ptrdiff_t)step);
    if (t->dims == TSM_MAX_DIMS)
        return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    memcpy(sizes, t->sizes, (size_t)t->dims * sizeof *sizes);
    memcpy(strides, t->strides, (size_t)t->dims * sizeof *strides);
    sizes[t->dims] = size;
    strides[t->dims] = t->dims ? t->strides[d] : 1;
    if (t->dims) {
        sizes[d] = (have - size) / step + 1;
        strides[d] = step_over(strides[d], step);
    }
    return view(x, t, t->dims + 1, sizes, strides, 0, out);
}

/* ---- Other memory for the same tensor ---- */

TSM_KERNEL_LIGHT(aten_resize_) {
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim sizes[TSM_MAX_DIMS];
    int n = tsm_arg_ints(x, in, 1, sizes, TSM_MAX_DIMS);
    if (n < 0)
        return TSM_RAISED;
    for (int d = 0; d < n; d++)
        if (sizes[d] < 0)
            return TSM_RAISE(x, "requested resize to a negative size (%zd)", (ptrdiff_t)sizes[d]);
    TSM_TRY(tsm_tensor_resize(x, t, n, sizes));
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

TSM_KERNEL_LIGHT(aten_set__source_Tensor) {
    const tsm_tensor *t = arg_tensor(in, 0), *source = arg_tensor(in, 1);
    if (t->dtype != source->dtype)
        return TSM_RAISE(x, "Could not set tensor of type %s to a tensor of type %s",
                         tsm_dtype_class_name((tsm_dtype)source->dtype), tsm_dtype_class_name((tsm_dtype)t->dtype));
    TSM_TRY(tsm_tensor_adopt(x, arg_tensor(in, 0), arg_tensor(in, 1)));
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

/* x.data = y: the dtype may change. */
TSM_KERNEL_LIGHT(aten_set_data) {
    (void)out;
    if (!arg_tensor(in, 0)->quantizer != !arg_tensor(in, 1)->quantizer)
        return TSM_RAISE(x, "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
                            "incompatible tensor type.");
    return tsm_tensor_adopt(x, arg_tensor(in, 0), arg_tensor(in, 1));
}
