/* Reads narrow weights, and makes them floats. */
#include "runtime/kernels/nn/narrow.h"

static const char *panel_of(const narrow_weight *w, size_t panel, size_t element) {
    return (const char *)w->data + panel * w->inputs * TSM_PANEL * element;
}

static const float *scales_of(const narrow_weight *w, size_t panel) {
    return w->scales + panel * TSM_PANEL;
}

static void widen_halves(const tsm_f32_loops *f32, const narrow_weight *w, size_t panel, size_t k, size_t rows,
                         float *to) {
    const size_t row = TSM_PANEL * sizeof(uint16_t);
    (void)f32;
    TSM_F32(f32, widen, to, panel_of(w, panel, sizeof(uint16_t)) + k * row, NULL, rows);
}

static void multiply_row_of_halves(const tsm_f32_loops *f32, const narrow_weight *w, size_t panel, const float *x,
                                   float *y) {
    (void)f32;
    TSM_F32(f32, narrow_row, y, x, panel_of(w, panel, sizeof(uint16_t)), NULL, w->inputs);
}

static void widen_bytes(const tsm_f32_loops *f32, const narrow_weight *w, size_t panel, size_t k, size_t rows,
                        float *to) {
    (void)f32;
    TSM_F32(f32, widen, to, panel_of(w, panel, 1) + k * TSM_PANEL, scales_of(w, panel), rows);
}

static void multiply_row_of_bytes(const tsm_f32_loops *f32, const narrow_weight *w, size_t panel, const float *x,
                                  float *y) {
    (void)f32;
    TSM_F32(f32, narrow_row, y, x, panel_of(w, panel, 1), scales_of(w, panel), w->inputs);
}

tsm_status tsm_narrow_read(tsm_exec *x, const tsm_tensor *weight, const tsm_tensor *scales, narrow_weight *w) {
    const bool are_bytes = weight->dtype == TSM_INT8;
    const tsm_dim outputs = weight->dims ? tsm_dim_mul(weight->sizes[0], TSM_PANEL) : 0;
    bool fits = weight->dims >= 3 && weight->elements > 0 && weight->sizes[weight->dims - 1] == TSM_PANEL &&
                tsm_tensor_is_contiguous(weight) && (are_bytes || weight->dtype == TSM_FLOAT16) &&
                are_bytes == (scales != NULL);
    if (scales)
        fits &= scales->dtype == TSM_FLOAT32 && scales->elements == outputs && tsm_tensor_is_contiguous(scales);
    if (!fits)
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not narrow and packed", x->op->name);
    *w = (narrow_weight){.data = weight->data,
                         .scales = scales ? scales->data : NULL,
                         .inputs = (size_t)(weight->elements / outputs),
                         .widen = are_bytes ? widen_bytes : widen_halves,
                         .multiply_row = are_bytes ? multiply_row_of_bytes : multiply_row_of_halves};
    return TSM_OK;
}
