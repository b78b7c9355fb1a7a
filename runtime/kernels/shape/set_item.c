/* Numbers stored into parts of tensors: x[i] = 2.0. */
#include <float.h>

#include "runtime/kernels/kernel.h"
#include "runtime/tensor/iter.h"
#include "runtime/tensor/overlap.h"

/* Fills a shape of t's elements. */
static tsm_status set_item_fill(tsm_exec *x, const tsm_tensor *t, void *data, int dims, const tsm_dim *sizes,
                                const tsm_dim *strides, tsm_value number) {
    tsm_dtype dtype = (tsm_dtype)t->dtype;
    TSM_TRY(tsm_check_written_once(x, dims, sizes, strides));
    if (tsm_dtype_is_quantized(dtype))
        return TSM_RAISE(x, "%s: a number cannot be stored into a quantized tensor", tsm_op_name(x));
    char element[sizeof(tsm_lane_item)];
    size_t size = tsm_dtype_size(dtype);
    if (number.tag == TSM_TAG_FLOAT ||
        number.tag == TSM_TAG_COMPLEX) /* PyTorch first makes it a tensor of its default dtype */
        TSM_TRY(tsm_check_number(x, number.tag == TSM_TAG_FLOAT ? TSM_FLOAT32 : TSM_COMPLEX64, number));
    tsm_number_store(dtype, element, number);
    tsm_iter it;
    tsm_iter_start(&it, dims, sizes);
    tsm_iter_add_raw(&it, data, strides, size);
    tsm_iter_ready(&it);
    while (tsm_iter_next(&it))
        for (tsm_dim i = 0; i < it.sizes[0]; i++)
            memcpy(it.data[0] + i * it.strides[0][0], element, size);
    return TSM_OK;
}

TSM_KERNEL(tsm_set_number_) {
    const tsm_tensor *t = arg_tensor(in, 0);
    (void)out;
    return set_item_fill(x, t, t->data, t->dims, t->sizes, t->strides, *in[1]);
}

TSM_KERNEL_LIGHT(tsm_set_item_) {
    const tsm_tensor *t = arg_tensor(in, 0);
    int d;
    tsm_dim offset;
    (void)out;
    TSM_TRY(tsm_select_offset(x, t, arg_int(in, 1), arg_int(in, 2), &d, &offset));
    TSM_TRY(tsm_charge(x, (uint64_t)(t->elements / t->sizes[d])));
    char *data = (char *)t->data + offset * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    if (t->dtype == TSM_FLOAT32 && t->dims == 1 && in[3]->tag == TSM_TAG_FLOAT &&
        fabs(in[3]->as.f) <= (double)FLT_MAX) {
        *(float *)(void *)data = (float)in[3]->as.f;
        return TSM_OK;
    }
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    for (int k = 0; k < t->dims - 1; k++) {
        sizes[k] = t->sizes[k + (k >= d)];
        strides[k] = t->strides[k + (k >= d)];
    }
    return set_item_fill(x, t, data, t->dims - 1, sizes, strides, *in[3]);
}
