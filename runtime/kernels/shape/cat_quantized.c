/* Concatenation of quantized tensors: of their stored numbers, once they all have the result's parameters. */
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/shape/shape.h"

typedef struct {
    double scale;
    int64_t zero_point;
    tsm_kernel activation; /* NULL: none */
} result_form;

/* t in other parameters, stored numbers without a quantizer. */
static tsm_status stored_as(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, const result_form *r, tsm_value *out) {
    bool same = quantized_is(t) && t->quantizer->axis < 0 && t->dtype == dtype && quantized_scale(t) == r->scale &&
                quantized_zero_point(t) == r->zero_point && !r->activation;
    tsm_value v = tsm_of_tensor(t), converted = tsm_none();
    tsm_status status = TSM_OK;
    if (!same) {
        status = tsm_kernel_replace(x, tsm_k_aten_dequantize_self, 1, &v, &converted);
        if (status == TSM_OK && r->activation)
            status = tsm_kernel_replace(x, r->activation, 1, &converted, &converted);
        if (status == TSM_OK) {
            tsm_value arguments[] = {converted, tsm_float(r->scale), tsm_int(r->zero_point), tsm_int(dtype)};
            status = tsm_kernel_replace(x, tsm_k_aten_quantize_per_tensor, 4, arguments, &converted);
        }
        v = converted;
    }
    tsm_tensor *view = NULL;
    if (status == TSM_OK) {
        const tsm_tensor *from = tsm_as_tensor(v);
        status = tsm_tensor_view_of(x, tsm_as_tensor(v), from->dims, from->sizes, from->strides, 0, &view);
    }
    tsm_drop(x, converted);
    TSM_TRY(status);
    tsm_quantizer_drop(x, view->quantizer);
    view->quantizer = NULL;
    view->dtype = dtype == TSM_QINT32 ? TSM_INT32 : TSM_UINT8;
    return ret_tensor(out, view);
}

static tsm_status cat_q8_concatenate(tsm_exec *x, const tsm_list *list, int64_t dim, const result_form *r,
                                     tsm_value *out) {
    tsm_list *stored;
    tsm_dtype dtype = (tsm_dtype)tsm_as_tensor(list->items[0])->dtype;
    TSM_TRY(tsm_make_list(x, list->length, &stored));
    tsm_value arguments[] = {tsm_of(TSM_TAG_LIST, stored), tsm_int(dim)}, y;
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < list->length && status == TSM_OK; i++) {
        tsm_value item;
        status = stored_as(x, tsm_as_tensor(list->items[i]), dtype, r, &item);
        if (status == TSM_OK) {
            status = tsm_list_append(x, stored, item);
            tsm_drop(x, item);
        }
    }
    if (status == TSM_OK)
        status = tsm_kernel_call(x, tsm_k_aten_cat, 2, arguments, &y);
    tsm_drop(x, arguments[0]);
    TSM_TRY(status);
    tsm_tensor *t = tsm_as_tensor(y);
    t->dtype = (uint8_t)dtype;
    status = tsm_quantized_set(x, t, r->scale, r->zero_point);
    if (status != TSM_OK) {
        tsm_drop(x, y);
        return status;
    }
    *out = y;
    return TSM_OK;
}

tsm_status tsm_cat_quantized(tsm_exec *x, const tsm_list *list, int64_t dim, const double *scale,
                             const int64_t *zero_point, tsm_kernel activation, tsm_value *out) {
    enum { UNITS_PER_PART = 8 };
    TSM_TRY(tsm_charge_product(x, list->length, UNITS_PER_PART, 1));
    for (uint32_t i = 0; i < list->length; i++) {
        const tsm_tensor *t = tsm_as_tensor(list->items[i]);
        if (!quantized_is(t) || t->quantizer->axis >= 0)
            return TSM_RAISE(x, "%s: expected tensors that are quantized per tensor", tsm_op_name(x));
    }
    if (!list->length)
        return TSM_RAISE(x, "%s: expected a non-empty list of Tensors", tsm_op_name(x));
    const tsm_tensor *first = tsm_as_tensor(list->items[0]);
    result_form r = {scale ? *scale : quantized_scale(first), zero_point ? *zero_point : quantized_zero_point(first),
                     activation};
    return cat_q8_concatenate(x, list, dim, &r, out);
}
