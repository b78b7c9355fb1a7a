/* Reads narrow weights, and makes them floats. */
#include "runtime/kernels/nn/narrow.h"

/* Row k of a panel. */
static const char *row_of(const narrow_weight *w, size_t panel, size_t k) {
    const size_t element = w->elements == TSM_NARROW_INT8 ? 1 : sizeof(uint16_t);
    return (const char *)w->data + (panel * w->inputs + k) * TSM_PANEL * element;
}

static const float *scales_of(const narrow_weight *w, size_t panel) {
    return w->scales ? w->scales + panel * TSM_PANEL : NULL;
}

static void widen_narrow(const tsm_f32_loops *f32, const narrow_weight *w, size_t panel, size_t k, size_t rows,
                         float *to) {
    (void)f32;
    TSM_F32(f32, widen, to, row_of(w, panel, k), w->elements, scales_of(w, panel), rows);
}

static void multiply_narrow_row(const tsm_f32_loops *f32, const narrow_weight *w, size_t panel, const float *x,
                                float *y) {
    (void)f32;
    TSM_F32(f32, narrow_row, y, x, row_of(w, panel, 0), w->elements, scales_of(w, panel), w->inputs);
}

tsm_status tsm_narrow_read(tsm_exec *x, const tsm_tensor *weight, const tsm_tensor *scales, narrow_weight *w) {
    const bool are_bytes = weight->dtype == TSM_INT8, are_bfloat16 = weight->dtype == TSM_BFLOAT16;
    const tsm_dim outputs = weight->dims ? tsm_dim_mul(weight->sizes[0], TSM_PANEL) : 0;
    bool fits = weight->dims >= 3 && weight->elements > 0 && weight->sizes[weight->dims - 1] == TSM_PANEL &&
                tsm_tensor_is_contiguous(weight) && (are_bytes || are_bfloat16 || weight->dtype == TSM_FLOAT16) &&
                are_bytes == (scales != NULL);
    if (scales)
        fits &= scales->dtype == TSM_FLOAT32 && scales->elements == outputs && tsm_tensor_is_contiguous(scales);
    if (!fits)
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not narrow and packed", x->op->name);
    *w = (narrow_weight){.data = weight->data,
                         .elements = are_bytes      ? TSM_NARROW_INT8
                                     : are_bfloat16 ? TSM_NARROW_BF16
                                                    : TSM_NARROW_F16,
                         .scales = scales ? scales->data : NULL,
                         .inputs = (size_t)(weight->elements / outputs),
                         .widen = widen_narrow,
                         .multiply_row = multiply_narrow_row};
    return TSM_OK;
}

/* ---- Layers of halves ---- */

tsm_status tsm_half_begin(tsm_exec *x, const tsm_value *const *in, int count, half_layer *l) {
    tsm_tensor *floats;
    l->dtype = (tsm_dtype)arg_tensor(in, 1)->dtype;
    TSM_TRY(tsm_tensor_to(x, arg_tensor(in, 0), TSM_FLOAT32, &floats));
    l->input = tsm_of_tensor(floats);
    for (int i = 0; i < count; i++)
        l->in[i] = i ? in[i] : &l->input;
    return TSM_OK;
}

tsm_status tsm_half_end(tsm_exec *x, tsm_status status, half_layer *l, tsm_value *out) {
    tsm_drop(x, l->input);
    return status == TSM_OK ? tsm_kernel_finish(x, status, tsm_as_tensor(*out), l->dtype, out) : status;
}
