#include "runtime/kernels/quantized_layer.h"

/* ---- Weights ---- */

static bool has(const tsm_tensor *t, tsm_dtype dtype, size_t elements) {
    return t && t->dtype == dtype && (size_t)t->elements == elements && tsm_tensor_is_contiguous(t);
}

tsm_status quantized_weight_read(tsm_exec *x, const tsm_value *const *in, int first, const quantized_weight_form *f,
                                 quantized_weight *w) {
    const tsm_tensor *packed = arg_tensor(in, first), *scales = arg_tensor(in, first + 1),
                     *sums = arg_tensor(in, first + 2);
    const tsm_tensor *bias = arg_tensor_or_null(in, first + 3);
    if (!has(packed, TSM_INT8, quantized_packed_bytes(f)) || !has(scales, TSM_FLOAT32, f->outputs) ||
        !has(sums, TSM_INT32, f->outputs) || (bias && !has(bias, TSM_FLOAT32, f->outputs)))
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not packed for these outputs", x->op->name);
    *w = (quantized_weight){
        .packed = packed->data,
        .scales = scales->data,
        .sums = sums->data,
        .bias = bias ? bias->data : NULL,
        .outputs = f->outputs,
        .panel_bytes = quantized_panel_groups(f) * TSM_Q8_BLOCK,
    };
    return TSM_OK;
}

static bool loops_can(const tsm_tensor *weight) {
    const tsm_quantizer *q = weight->quantizer;
    bool can = q && weight->dtype == TSM_QINT8 && q->axis <= 0;
    for (tsm_dim c = 0; can && c < q->channels; c++)
        can = q->zero_points[c] == 0;
    return can;
}

static bool bias_fits(const tsm_tensor *bias, size_t outputs) {
    return !bias || has(bias, TSM_FLOAT32, outputs);
}

tsm_status quantized_weight_make(tsm_exec *x, tsm_tensor *weight, tsm_tensor *bias, const quantized_weight_form *f,
                                 bool *can, quantized_weight *w) {
    *can = loops_can(weight) && bias_fits(bias, f->outputs);
    if (!*can)
        return TSM_OK;
    size_t bytes = quantized_packed_bytes(f), numbers = f->outputs * sizeof(float);
    int8_t *packed = tsm_scratch(x, bytes + 2 * numbers);
    if (!packed)
        return TSM_OUT_OF_MEMORY;
    tsm_tensor *plain;
    tsm_status status = tsm_tensor_contiguous(x, weight, &plain);
    if (status != TSM_OK) {
        tsm_scratch_free(x, packed);
        return status;
    }
    int32_t *sums = (int32_t *)(void *)(packed + bytes);
    float *scales = (float *)(void *)(sums + f->outputs);
    quantized_pack(packed, sums, plain->data, f);
    tsm_tensor_drop(x, plain);
    for (size_t o = 0; o < f->outputs; o++)
        scales[o] = (float)weight->quantizer->scales[weight->quantizer->channels > 1 ? o : 0];
    *w = (quantized_weight){
        packed, scales, sums, bias ? bias->data : NULL, f->outputs, quantized_panel_groups(f) * TSM_Q8_BLOCK, packed};
    return TSM_OK;
}

void quantized_weight_free(tsm_exec *x, quantized_weight *w) {
    tsm_scratch_free(x, w->owned);
}

/* ---- Finishing ---- */

/* Tables of `outputs` numbers for each group, padded to whole panels: offsets and scales, and biases where they stay
 * floats. */
static tsm_status make_tables(tsm_exec *x, size_t padded, bool with_bias, quantized_finish *f, int32_t **offset,
                              float **scale, float **bias) {
    size_t bytes = padded * sizeof(float) * (with_bias ? 3 : 2);
    f->memory = tsm_scratch(x, bytes);
    if (!f->memory)
        return TSM_OUT_OF_MEMORY;
    memset(f->memory, 0, bytes);
    *offset = f->memory;
    *scale = (float *)f->memory + padded;
    *bias = with_bias ? *scale + padded : NULL;
    f->finish.offset = *offset;
    f->finish.scale = *scale;
    f->finish.bias = *bias;
    return TSM_OK;
}

/* A bias in steps of the sums. Sums have 31 bits; a bias beyond that would drown them anyway. */
static int32_t bias_in_steps(float bias, float inverse_step) {
    const float most = 1 << 30;
    float v = rintf(bias * inverse_step);
    return (int32_t)(v > most ? most : v < -most ? -most : v);
}

tsm_status quantized_finish_make(tsm_exec *x, const quantized_weight *w, size_t groups, const quantized_input *a,
                                 float scale, int32_t zero_point, bool relu, quantized_finish *f) {
    size_t of_group = w->outputs / groups, padded = (of_group + TSM_Q8_PANEL - 1) / TSM_Q8_PANEL * TSM_Q8_PANEL;
    int32_t *offset, moved = a->zero_point - nn_q8(x)->x_bias;
    float *scales, *none;
    *f = (quantized_finish){.finish = {.zero_point = zero_point, .low = relu ? zero_point : 0}};
    float inverse = 1.0f / scale; /* products in this order, as QNNPACK has them: results agree to the bit */
    TSM_TRY(make_tables(x, groups * padded, false, f, &offset, &scales, &none));
    for (size_t g = 0, o = 0; g < groups; g++)
        for (size_t i = 0; i < of_group; i++, o++) {
            float step = w->scales[o] * a->scale;
            scales[g * padded + i] = step * inverse;
            offset[g * padded + i] = (w->bias ? bias_in_steps(w->bias[o], 1.0f / step) : 0) - moved * w->sums[o];
        }
    return TSM_OK;
}

tsm_status quantized_finish_floats(tsm_exec *x, const quantized_weight *w, float scale, int32_t zero_point, bool relu,
                                   quantized_finish *f) {
    size_t padded = (w->outputs + TSM_Q8_PANEL - 1) / TSM_Q8_PANEL * TSM_Q8_PANEL;
    int32_t *offset, moved = zero_point - nn_q8(x)->x_bias;
    float *scales, *bias;
    *f = (quantized_finish){.finish = {.relu = relu}};
    TSM_TRY(make_tables(x, padded, true, f, &offset, &scales, &bias));
    for (size_t o = 0; o < w->outputs; o++) {
        scales[o] = scale * w->scales[o];
        offset[o] = -moved * w->sums[o];
        bias[o] = w->bias ? w->bias[o] : 0.0f;
    }
    return TSM_OK;
}
