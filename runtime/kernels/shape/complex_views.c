/* Views of complex tensors as real ones and back: they share memory. */
#include "runtime/kernels/kernel.h"

/* A view of complex t's memory as numbers of its parts' dtype: strides twice as long, beginning `part` numbers later,
 * with a last dimension of the two parts when wanted. */
static tsm_status parts_view(tsm_exec *x, tsm_tensor *t, bool both, int part, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    int dims = t->dims;
    tsm_dtype dtype = tsm_real_dtype((tsm_dtype)t->dtype);
    if (both && dims == TSM_MAX_DIMS)
        return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    for (int d = 0; d < dims; d++) {
        sizes[d] = t->sizes[d];
        strides[d] = 2 * t->strides[d];
    }
    if (both) {
        sizes[dims] = 2;
        strides[dims++] = 1;
    }
    tsm_tensor *view;
    TSM_TRY(tsm_tensor_view_as(x, t, dtype, dims, sizes, strides, part, &view));
    return ret_tensor(out, view);
}

TSM_KERNEL_LIGHT(aten_view_as_real) {
    tsm_tensor *t = arg_tensor(in, 0);
    if (!tsm_dtype_is_complex((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "view_as_real is only supported for complex tensors");
    return parts_view(x, t, true, 0, out);
}

TSM_KERNEL_LIGHT(aten_real) {
    tsm_tensor *t = arg_tensor(in, 0);
    if (tsm_dtype_is_complex((tsm_dtype)t->dtype))
        return parts_view(x, t, false, 0, out);
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

TSM_KERNEL_LIGHT(aten_imag) {
    tsm_tensor *t = arg_tensor(in, 0);
    if (!tsm_dtype_is_complex((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "imag is not implemented for tensors with non-complex dtypes.");
    return parts_view(x, t, false, 1, out);
}

TSM_KERNEL_LIGHT(aten_view_as_complex) {
    tsm_tensor *t = arg_tensor(in, 0), *view;
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_dtype dtype = t->dtype == TSM_FLOAT64   ? TSM_COMPLEX128
                      : t->dtype == TSM_FLOAT32 ? TSM_COMPLEX64
                      : t->dtype == TSM_FLOAT16 ? TSM_COMPLEX32
                                                : TSM_BOOL;
    if (dtype == TSM_BOOL)
        return TSM_RAISE(
            x,
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: %s",
            tsm_dtype_class_name((tsm_dtype)t->dtype));
    if (!t->dims || t->sizes[t->dims - 1] != 2)
        return TSM_RAISE(x, "Tensor must have a last dimension of size 2");
    if (t->strides[t->dims - 1] != 1)
        return TSM_RAISE(x, "Tensor must have a last dimension with stride 1");
    for (int d = 0; d < t->dims - 1; d++) {
        if (t->strides[d] % 2)
            return TSM_RAISE(x, "Tensor must have a stride divisible by 2 for all but last dimension");
        strides[d] = t->strides[d] / 2;
    }
    if (((size_t)((char *)t->data - (char *)t->storage->data)) % tsm_dtype_size(dtype))
        return TSM_RAISE(x, "Tensor must have a storage_offset divisible by 2");
    TSM_TRY(tsm_tensor_view_as(x, t, dtype, t->dims - 1, t->sizes, strides, 0, &view));
    return ret_tensor(out, view);
}
