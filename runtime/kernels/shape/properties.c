/* Operators that return properties of tensors: strides, overlaps, identity of storages, quantizers. */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/shape/shape.h"
#include "runtime/tensor/overlap.h"

/* Dimensions of images from the fastest to the slowest when channels come last; 0 entries for other formats and numbers
 * of dimensions. */
static int channels_last_order(const tsm_tensor *t, int64_t format, int *order) {
    int n = format == CHANNELS_LAST_FORMAT ? 4 : format == CHANNELS_LAST_3D_FORMAT ? 5 : 0;
    if (!n || t->dims != n)
        return 0;
    order[0] = 1;
    for (int i = 1; i < n - 1; i++)
        order[i] = n - i;
    order[n - 1] = 0;
    return n;
}

/* Do the dimensions, from the fastest on, lie densely? Those of size 1 may have any stride. */
static bool is_dense_in_order(const tsm_tensor *t, const int *order, int n) {
    tsm_dim expected = 1;
    for (int i = 0; i < n; i++) {
        int d = order[i];
        if (t->sizes[d] == 1)
            continue;
        if (t->strides[d] != expected)
            return false;
        expected = tsm_dim_mul(expected, t->sizes[d]);
    }
    return true;
}

TSM_KERNEL_LIGHT(aten_is_contiguous_memory_format) {
    TSM_UNUSED_IO();
    const tsm_tensor *t = arg_tensor(in, 0);
    int order[5], n = channels_last_order(t, arg_int(in, 1), order);
    if (arg_int(in, 1) == CHANNELS_LAST_FORMAT || arg_int(in, 1) == CHANNELS_LAST_3D_FORMAT)
        return ret_bool(out, n && is_dense_in_order(t, order, n));
    return ret_bool(out, tsm_tensor_is_contiguous(t));
}

/* Strides that grow in the order of the format, gaps allowed. Where channels and images are single, 1 x 1 and N x 1 x 1
 * x 1, strides cannot tell: those are row-major. */
TSM_KERNEL_LIGHT(aten_is_strides_like_format) {
    TSM_UNUSED_IO();
    const tsm_tensor *t = arg_tensor(in, 0);
    int order[5], n = channels_last_order(t, arg_int(in, 1), order);
    tsm_dim least = 0;
    if (!n || t->strides[1] == 0)
        return ret_bool(out, false);
    for (int i = 0; i < n; i++) {
        int d = order[i];
        if (t->sizes[d] == 0 || t->strides[d] < least || (d == 0 && least == t->strides[1]))
            return ret_bool(out, false);
        least = t->strides[d] * (t->sizes[d] > 1 ? t->sizes[d] : 1);
    }
    return ret_bool(out, true);
}

/* Is every element of the memory between the first and the last one element of the tensor? */
static bool is_dense(const tsm_tensor *t) {
    int order[TSM_MAX_DIMS], n = 0;
    for (int d = 0; d < t->dims; d++) {
        int at = n;
        if (t->sizes[d] < 2)
            continue;
        for (; at > 0 && t->strides[order[at - 1]] > t->strides[d]; at--)
            order[at] = order[at - 1];
        order[at] = d;
        n++;
    }
    return tsm_tensor_is_contiguous(t) || is_dense_in_order(t, order, n);
}

TSM_KERNEL_LIGHT(aten_is_non_overlapping_and_dense) {
    TSM_UNUSED_IO();
    return ret_bool(out, is_dense(arg_tensor(in, 0)));
}

/* Do elements share memory? PyTorch's answers: 0 no, 1 yes, 2 not known. */
TSM_KERNEL_LIGHT(aten__debug_has_internal_overlap) {
    TSM_UNUSED_IO();
    const tsm_tensor *t = arg_tensor(in, 0);
    if (is_dense(t))
        return ret_int(out, 0);
    for (int d = 0; d < t->dims; d++)
        if (t->strides[d] == 0 && t->sizes[d] > 1)
            return ret_int(out, 1);
    return ret_int(out, 2);
}

TSM_KERNEL_LIGHT(tsm_check_overlap) {
    TSM_UNUSED_IO();
    const tsm_tensor *source = arg_tensor_or_null(in, 1);
    return source
               ? tsm_check_sharing(x, arg_tensor(in, 0), source, arg_bool(in, 2) ? TSM_OVERLAP_ALL : TSM_OVERLAP_NONE)
               : TSM_OK;
}

/* Asks what calls of operators with kernels are asked, of an operator that is made of others. */
TSM_KERNEL_LIGHT(tsm_check_dtypes) {
    TSM_UNUSED_IO();
    const tsm_operator *own = x->op;
    const tsm_operator asked = {.name = tsm_as_str(*in[0])->text, .refuses = arg_int(in, 1) & 127};
    x->op = &asked;
    x->inputs -= 2;
    const tsm_status status = tsm_check_dtypes(x, in + 2);
    x->inputs += 2;
    x->op = own;
    return status;
}

/* Are both the same view of the same memory? */
TSM_KERNEL_LIGHT(aten_is_set_to) {
    TSM_UNUSED_IO();
    const tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1);
    const size_t bytes = (size_t)a->dims * sizeof *a->sizes;
    return ret_bool(out, a->storage == b->storage && a->data == b->data && a->dims == b->dims &&
                             !memcmp(a->sizes, b->sizes, bytes) && !memcmp(a->strides, b->strides, bytes));
}

TSM_KERNEL_LIGHT(aten__has_same_storage_numel) {
    TSM_UNUSED_IO();
    const tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1);
    return ret_bool(out, a->storage->bytes / tsm_dtype_size((tsm_dtype)a->dtype) ==
                             b->storage->bytes / tsm_dtype_size((tsm_dtype)b->dtype));
}

/* c10::QScheme: 0 per tensor, 1 per channel, 4 per channel with zero points that are floats. */
TSM_KERNEL_LIGHT(aten_qscheme) {
    const tsm_quantizer *q = arg_tensor(in, 0)->quantizer;
    if (!q)
        return TSM_RAISE(x,
                         "NotImplementedError: Could not run 'aten::qscheme' with arguments from the 'CPU' backend.");
    return ret_int(out, q->axis < 0 ? 0 : q->has_float_zero_points ? 4 : 1);
}
