/* Elements at other places of the same shape: flip, roll, tril, triu. */
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/tensor/iter.h"

/* ---- flip ---- */

/* A run read backwards. The compiler turns vectors around where it knows the step. */
static void copy_reversed(char *to, const char *from, tsm_dim n, size_t size) {
#define REVERSED_CASE(T)                                                                                               \
    case sizeof(T): {                                                                                                  \
        T *y = (void *)to;                                                                                             \
        const T *v = (const void *)from;                                                                               \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) y[i] = v[-i];                                                  \
        break;                                                                                                         \
    }
    switch (size) {
        REVERSED_CASE(uint8_t)
        REVERSED_CASE(uint16_t)
        REVERSED_CASE(uint32_t)
        REVERSED_CASE(uint64_t)
    default:
        tsm_copy_run(to, (tsm_dim)size, from, -(tsm_dim)size, n, size);
    }
}

static tsm_status flip(tsm_exec *x, const tsm_tensor *t, unsigned flipped, tsm_value *out) {
    tsm_tensor *y;
    tsm_iter it;
    tsm_dim strides[TSM_MAX_DIMS], first = 0, size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    TSM_TRY(tsm_tensor_make_like(x, t, (tsm_dtype)t->dtype, &y));
    if (!t->elements)
        return ret_tensor(out, y);
    for (int d = 0; d < t->dims; d++) {
        bool turned = flipped >> d & 1;
        strides[d] = turned ? -t->strides[d] : t->strides[d];
        first += turned ? (t->sizes[d] - 1) * t->strides[d] : 0;
    }
    tsm_iter_start(&it, t->dims, t->sizes);
    tsm_iter_add(&it, y);
    tsm_iter_add_raw(&it, (char *)t->data + first * size, strides, (size_t)size);
    tsm_iter_ready(&it);
    if (it.strides[0][0] != size || it.strides[1][0] != -size)
        tsm_iter_copy(&it, (size_t)size);
    else
        while (tsm_iter_next(&it))
            copy_reversed(it.data[0], it.data[1], it.sizes[0], (size_t)size);
    return ret_tensor(out, y);
}

TSM_KERNEL(aten_flip) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_as_stored(x, in, out);
    const tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim dims[TSM_MAX_DIMS];
    unsigned set = 0;
    int n = tsm_arg_ints(x, in, 1, dims, TSM_MAX_DIMS), d;
    if (n < 0)
        return TSM_RAISED;
    for (int k = 0; k < n; k++) {
        TSM_TRY(tsm_wrap_dim_or_scalar(x, dims[k], t->dims, &d));
        if (set >> d & 1)
            return TSM_RAISE(x, "dim %d appears multiple times in the list of dims", d);
        set |= 1u << d;
    }
    return flip(x, t, t->dims ? set : 0, out);
}

/* ---- roll ---- */

/* y is t moved by shift[d], 0 <= shift[d] < sizes[d]: along each dimension that moves the tensor is cut in two, and the
 * parts change places. */
static void roll(const tsm_tensor *t, const tsm_dim *shift, tsm_tensor *y) {
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    unsigned moved = 0;
    for (int d = 0; d < t->dims; d++)
        moved |= shift[d] ? 1u << d : 0;
    for (unsigned part = moved;; part = (part - 1) & moved) { /* all subsets: bit d set, what goes around the end */
        tsm_dim sizes[TSM_MAX_DIMS], from = 0, to = 0;
        tsm_iter it;
        for (int d = 0; d < t->dims; d++) {
            bool is_end = part >> d & 1;
            sizes[d] = is_end ? shift[d] : t->sizes[d] - shift[d];
            from += is_end ? (t->sizes[d] - shift[d]) * t->strides[d] : 0;
            to += is_end ? 0 : shift[d] * y->strides[d];
        }
        tsm_iter_start(&it, t->dims, sizes);
        tsm_iter_add_raw(&it, (char *)y->data + to * size, y->strides, (size_t)size);
        tsm_iter_add_raw(&it, (char *)t->data + from * size, t->strides, (size_t)size);
        tsm_iter_ready(&it);
        tsm_iter_copy(&it, (size_t)size);
        if (!part)
            return;
    }
}

/* All elements in one row. */
static tsm_status roll_flat(tsm_exec *x, tsm_tensor *t, tsm_dim shift, tsm_value *out) {
    tsm_tensor *row, *y;
    const size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    TSM_TRY(tsm_tensor_contiguous(x, t, &row));
    tsm_status status = tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, &y);
    if (status == TSM_OK && t->elements) {
        size_t all = (size_t)t->elements * size;
        size_t end = (size_t)((shift % t->elements + t->elements) % t->elements) * size;
        memcpy(y->data, (const char *)row->data + (all - end), end);
        memcpy((char *)y->data + end, row->data, all - end);
    }
    tsm_tensor_drop(x, row);
    return status == TSM_OK ? ret_tensor(out, y) : status;
}

TSM_KERNEL(aten_roll) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_as_stored(x, in, out);
    tsm_tensor *t = arg_tensor(in, 0), *y;
    tsm_dim shifts[TSM_MAX_DIMS], dims[TSM_MAX_DIMS], by[TSM_MAX_DIMS] = {0}, strides[TSM_MAX_DIMS];
    int n = tsm_arg_ints(x, in, 1, shifts, TSM_MAX_DIMS), m = tsm_arg_ints(x, in, 2, dims, TSM_MAX_DIMS), d;
    if (n < 0 || m < 0)
        return TSM_RAISED;
    if (n == 1 && !m)
        return roll_flat(x, t, shifts[0], out);
    if (!n || n != m)
        return TSM_RAISE(x, "shifts and dimensions must align. shifts: %d, dims:%d", n, m);
    bool all_move = true;
    for (int k = 0; k < n; k++) {
        TSM_TRY(tsm_wrap_dim(x, dims[k], t->dims, &d));
        tsm_dim size = t->sizes[d] ? t->sizes[d] : 1;
        all_move &= shifts[k] % size != 0;
        by[d] = ((by[d] + shifts[k] % size) % size + size) % size;
    }
    /* PyTorch puts two parts together, of which an empty one is never channels-last. */
    tsm_strides_contiguous(t->dims, t->sizes, strides);
    if (all_move)
        tsm_strides_suggested(t, strides);
    TSM_TRY(tsm_tensor_make_strided(x, (tsm_dtype)t->dtype, t->dims, t->sizes, strides, &y));
    if (t->elements)
        roll(t, by, y);
    return ret_tensor(out, y);
}

/* ---- Triangles ---- */

static tsm_dim clamped(tsm_dim v, tsm_dim most) {
    return v < 0 ? 0 : v > most ? most : v;
}

/* Columns kept of row r: from *begin to *end. */
static void kept_columns(tsm_dim r, tsm_dim columns, tsm_dim diagonal, bool upper, tsm_dim *begin, tsm_dim *end) {
    *begin = upper ? clamped(tsm_dim_add(r, diagonal), columns) : 0;
    *end = upper ? columns : clamped(tsm_dim_add(tsm_dim_add(r, diagonal), 1), columns);
}

static tsm_status rearrange_triangle(tsm_exec *x, const tsm_tensor *t, tsm_dim diagonal, bool upper, tsm_value *out) {
    tsm_tensor *y;
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    if (t->dims < 2)
        return TSM_RAISE(x, "%s: input tensor must have at least 2 dimensions", upper ? "triu" : "tril");
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, &y));
    if (!t->elements)
        return ret_tensor(out, y);
    tsm_dim columns = t->sizes[t->dims - 1], rows = t->sizes[t->dims - 2], begin, end;
    tsm_dim step = tsm_tensor_step(t, t->dims - 1), lines = y->elements / columns;
    char *to = y->data;
    for (tsm_dim i = 0; i < lines; i++, to += columns * size) {
        tsm_dim rest = i, at = 0;
        for (int d = t->dims - 2; d >= 0; d--) {
            at += rest % t->sizes[d] * t->strides[d];
            rest /= t->sizes[d];
        }
        kept_columns(i % rows, columns, diagonal, upper, &begin, &end);
        memset(to, 0, (size_t)(begin * size));
        tsm_copy_run(to + begin * size, size, (const char *)t->data + at * size + begin * step, step, end - begin,
                     (size_t)size);
        memset(to + end * size, 0, (size_t)((columns - end) * size));
    }
    return ret_tensor(out, y);
}

TSM_KERNEL(aten_tril) {
    return rearrange_triangle(x, arg_tensor(in, 0), arg_dim(in, 1), false, out);
}
TSM_KERNEL(aten_triu) {
    return rearrange_triangle(x, arg_tensor(in, 0), arg_dim(in, 1), true, out);
}
