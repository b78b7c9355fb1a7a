/* Destinations that overlap. */
#include "runtime/tensor/overlap.h"

#include <string.h>

#include "runtime/tensor/promotion.h"
#include "runtime/value/parts.h"

bool tsm_tensor_is_dense(const tsm_tensor *t) {
    if (tsm_tensor_is_contiguous(t))
        return true;
    tsm_dim expected = 1;
    uint32_t done = 0;
    for (int k = 0; k < t->dims; k++) {
        int best = -1;
        for (int d = 0; d < t->dims; d++)
            if (!(done >> d & 1) && (t->sizes[d] <= 1 || t->strides[d] == expected)) {
                best = d;
                break;
            }
        if (best < 0)
            return false;
        done |= 1u << best;
        expected = tsm_dim_mul(expected, t->sizes[best] > 0 ? t->sizes[best] : 1);
    }
    return true;
}

/* As TensorIterator's get_overlap_status, which does not decide this for tensors that are not dense. */
static bool shares_parts(const tsm_tensor *a, const tsm_tensor *b) {
    if (!a->elements || !b->elements || !tsm_tensor_is_dense(a) || !tsm_tensor_is_dense(b))
        return false;
    const char *from = a->data, *other = b->data;
    const size_t bytes = (size_t)a->elements * tsm_dtype_size((tsm_dtype)a->dtype),
                 other_bytes = (size_t)b->elements * tsm_dtype_size((tsm_dtype)b->dtype);
    if (from != other || bytes != other_bytes)
        return from < other + other_bytes && other < from + bytes;
    return a->dims != b->dims || memcmp(a->strides, b->strides, (size_t)a->dims * sizeof *a->strides) != 0;
}

tsm_sharing tsm_sharing_of(const tsm_tensor *a, const tsm_tensor *b) {
    if (a == b)
        return TSM_SHARE_ALL;
    if (a->storage != b->storage)
        return TSM_SHARE_NOTHING;
    if (shares_parts(a, b))
        return TSM_SHARE_PARTS;
    bool all = a->data == b->data && a->dims == b->dims && a->dtype == b->dtype;
    for (int i = 0; all && i < a->dims; i++)
        all = a->sizes[i] == b->sizes[i] && (a->strides[i] == b->strides[i] || a->sizes[i] == 1);
    return all ? TSM_SHARE_ALL : TSM_SHARE_OTHER;
}

tsm_status tsm_check_written_once(tsm_exec *x, int dims, const tsm_dim *sizes, const tsm_dim *strides) {
    bool repeats = false;
    for (int d = 0; d < dims; d++) {
        if (sizes[d] == 0)
            return TSM_OK;
        repeats |= sizes[d] > 1 && strides[d] == 0;
    }
    return !repeats
               ? TSM_OK
               : TSM_RAISE(x, "unsupported operation: more than one element of the written-to tensor refers to a "
                              "single memory location. Please clone() the tensor before performing the operation.");
}

tsm_status tsm_check_sharing(tsm_exec *x, const tsm_tensor *dest, const tsm_tensor *source, tsm_overlap_rule rule) {
    if (rule == TSM_OVERLAP_ANY)
        return TSM_OK;
    const tsm_sharing sharing = tsm_sharing_of(dest, source);
    if (sharing != TSM_SHARE_PARTS && (rule == TSM_OVERLAP_ALL || sharing != TSM_SHARE_ALL || !dest->elements))
        return TSM_OK;
    return TSM_RAISE(x, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                        "single memory location. Please clone() the tensor before performing the operation.");
}

static tsm_status check_sources(tsm_exec *x, const tsm_tensor *dest, const tsm_list *l, tsm_overlap_rule rule) {
    for (uint32_t i = 0; i < l->length; i++)
        if (l->items[i].tag == TSM_TAG_TENSOR)
            TSM_TRY(tsm_check_sharing(x, dest, tsm_as_tensor(l->items[i]), rule));
    return TSM_OK;
}

static tsm_status check_input(tsm_exec *x, const tsm_tensor *dest, tsm_value v) {
    const tsm_overlap_rule rule = (tsm_overlap_rule)x->op->overlap;
    if (v.tag == TSM_TAG_TENSOR)
        return tsm_check_sharing(x, dest, tsm_as_tensor(v), rule);
    return v.tag == TSM_TAG_LIST ? check_sources(x, dest, tsm_as_list(v), rule) : TSM_OK;
}

tsm_tensor *tsm_filling_index(const tsm_list *indices, const tsm_tensor *values, bool accumulate) {
    tsm_tensor *only = NULL;
    for (uint32_t i = 0; i < indices->length; i++) {
        if (indices->items[i].tag != TSM_TAG_TENSOR)
            continue;
        if (only)
            return NULL;
        only = tsm_as_tensor(indices->items[i]);
    }
    return accumulate || values->elements != 1 ? NULL : only;
}

tsm_status tsm_check_put(tsm_exec *x, const tsm_tensor *dest, const tsm_list *indices, const tsm_tensor *values,
                         bool accumulate) {
    const tsm_tensor *filling = tsm_filling_index(indices, values, accumulate);
    if (filling && (filling->dtype == TSM_BOOL || filling->dtype == TSM_UINT8))
        return tsm_check_sharing(x, dest, filling, TSM_OVERLAP_ALL);
    TSM_TRY(tsm_check_sharing(x, dest, values, TSM_OVERLAP_NONE));
    return check_sources(x, dest, indices, TSM_OVERLAP_NONE);
}

TSM_PART tsm_status tsm_check_destination_dtype(tsm_exec *x, const tsm_tensor *dest, tsm_dtype dtype) {
    const tsm_dtype to = (tsm_dtype)dest->dtype;
    if (x->op && x->op->kind == TSM_OP_OUT && x->op->is_exact && to != dtype)
        return TSM_RAISE(x, "Expected out tensor to have dtype %s, but got %s instead", tsm_dtype_name(dtype),
                         tsm_dtype_name(to));
    if (!tsm_dtype_can_cast(dtype, to))
        return TSM_RAISE(x, "result type %s can't be cast to the desired output type %s", tsm_dtype_class_name(dtype),
                         tsm_dtype_class_name(to));
    return TSM_OK;
}

TSM_PART tsm_status tsm_check_destination(tsm_exec *x, const tsm_tensor *dest, const tsm_value *const *in) {
    if (x->op->overlap == TSM_OVERLAP_PUT) /* of a destination that lies at one place PyTorch only warns */
        return tsm_check_put(x, dest, tsm_as_list(*in[1]), tsm_as_tensor(*in[2]), in[3]->as.b);
    TSM_TRY(tsm_check_written_once(x, dest->dims, dest->sizes, dest->strides));
    const bool is_out = x->op->kind == TSM_OP_OUT;
    for (uint32_t i = !is_out; i < x->inputs - is_out && x->op->overlap != TSM_OVERLAP_ANY; i++)
        TSM_TRY(check_input(x, dest, *in[i]));
    return TSM_OK;
}
