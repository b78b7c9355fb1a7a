/* Weights, biases and results of quantized layers. */
#include "runtime/kernels/quantized/quantized_layer.h"

/* ---- Weights ---- */

static bool qlayer_has(const tsm_tensor *t, tsm_dtype dtype, size_t elements) {
    return t && t->dtype == dtype && (size_t)t->elements == elements && tsm_tensor_is_contiguous(t);
}

tsm_status tsm_quantized_weight_read(tsm_exec *x, const tsm_value *const *in, int first, const quantized_weight_form *f,
                                     quantized_weight *w) {
    const tsm_tensor *packed = arg_tensor(in, first), *scales = arg_tensor(in, first + 1),
                     *sums = arg_tensor(in, first + 2);
    const tsm_tensor *bias = arg_tensor_or_null(in, first + 3);
    const bool has_one_scale = qlayer_has(scales, TSM_FLOAT32, 1), has_short_sums = sums && sums->dtype == TSM_INT16;
    const quantized_layout layout = tsm_quantized_layout_of(f, packed && packed->dims > 1);
    if (!qlayer_has(packed, TSM_INT8, layout.bytes) ||
        !(has_one_scale || qlayer_has(scales, TSM_FLOAT32, f->outputs)) ||
        !qlayer_has(sums, has_short_sums ? TSM_INT16 : TSM_INT32, f->outputs) ||
        (bias && !qlayer_has(bias, TSM_FLOAT32, f->outputs)))
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not packed for these outputs", x->op->name);
    *w = (quantized_weight){
        .packed = packed->data,
        .scales = scales->data,
        .scale_step = !has_one_scale,
        .sums = sums->data,
        .short_sums = has_short_sums ? sums->data : NULL,
        .bias = bias ? bias->data : NULL,
        .outputs = f->outputs,
        .panel_bytes = layout.panel_bytes,
        .last_block = layout.last_block,
        .run_bytes = layout.run_bytes,
    };
    return TSM_OK;
}

bool tsm_quantized_weight_form_of(int dims, const tsm_dim *sizes, int64_t groups, quantized_weight_form *f) {
    const tsm_dim most =
        PTRDIFF_MAX / (2 * TSM_Q8_BLOCK); /* padding makes a packed weight at most a block for each number */
    tsm_dim elements = 1, rows = 1;
    if (dims < 2 || dims > 5 || groups < 1 || groups > INT32_MAX || sizes[0] % groups)
        return false;
    for (int d = 0; d < dims; d++)
        if (sizes[d] < 1 || __builtin_mul_overflow(elements, sizes[d], &elements) || elements > most)
            return false;
    for (int d = 2; d + 1 < dims; d++)
        rows *= sizes[d];
    *f = (quantized_weight_form){(size_t)sizes[0], (size_t)sizes[1], (size_t)tsm_saturate_dim(groups), (size_t)rows,
                                 dims > 2 ? (size_t)sizes[dims - 1] : 1};
    return true;
}

/* What the loops compute with: weights of qint8 with zero points of 0, quantized as a whole or by outputs. */
static bool loops_can(const tsm_tensor *weight) {
    const tsm_quantizer *q = weight->quantizer;
    bool can = q && weight->dtype == TSM_QINT8 && q->axis <= 0 && !q->has_float_zero_points;
    for (tsm_dim c = 0; can && c < q->channels; c++)
        can = q->zero_points[c] == 0;
    return can;
}

static tsm_status make_parts(tsm_exec *x, const quantized_weight_form *f, bool is_whole, tsm_tensor *parts[3]) {
    const quantized_layout layout = tsm_quantized_layout_of(f, false);
    tsm_dim outputs = (tsm_dim)f->outputs, scales = is_whole ? 1 : outputs, bytes = (tsm_dim)layout.bytes,
            sizes[] = {(tsm_dim)layout.panels, (tsm_dim)quantized_blocks(f), TSM_Q8_PANEL, TSM_Q8_GROUP};
    const bool is_depthwise = quantized_is_depthwise(f);
    TSM_TRY(tsm_tensor_make(x, TSM_INT8, is_depthwise ? 4 : 1, is_depthwise ? sizes : &bytes, &parts[0]));
    TSM_TRY(tsm_tensor_make(x, TSM_FLOAT32, 1, &scales, &parts[1]));
    return tsm_tensor_make(x, TSM_INT32, 1, &outputs, &parts[2]);
}

/* Sums that all fit int16 become that. */
static tsm_status shorten_sums(tsm_exec *x, tsm_tensor **sums) {
    const int32_t *wide = (*sums)->data;
    const tsm_dim n = (*sums)->elements;
    tsm_tensor *made;
    for (tsm_dim i = 0; i < n; i++)
        if (wide[i] < INT16_MIN || wide[i] > INT16_MAX)
            return TSM_OK;
    TSM_TRY(tsm_tensor_make(x, TSM_INT16, 1, &n, &made));
    for (tsm_dim i = 0; i < n; i++)
        ((int16_t *)made->data)[i] = (int16_t)wide[i];
    tsm_tensor_drop(x, *sums);
    *sums = made;
    return TSM_OK;
}

TSM_KERNEL(tsm_quantized_pack) {
    tsm_tensor *weight = arg_tensor(in, 0), *plain = NULL, *parts[3] = {NULL, NULL, NULL};
    quantized_weight_form f;
    if (!tsm_quantized_weight_form_of(weight->dims, weight->sizes, arg_int(in, 1), &f))
        return TSM_RAISE(x, "a weight of %d dimensions cannot be packed in %ld groups", (int)weight->dims,
                         arg_int(in, 1));
    if (!loops_can(weight))
        return TSM_RAISE(x, "quantized weights must be of qint8 with zero points of 0, got %s",
                         tsm_dtype_name((tsm_dtype)weight->dtype));
    tsm_status status = tsm_tensor_contiguous(x, weight, &plain);
    if (status == TSM_OK)
        status = make_parts(x, &f, weight->quantizer->channels == 1, parts);
    if (status == TSM_OK) {
        tsm_quantized_pack(parts[0]->data, parts[2]->data, plain->data, &f);
        for (tsm_dim i = 0; i < parts[1]->elements; i++)
            ((float *)parts[1]->data)[i] = (float)weight->quantizer->scales[i];
        status = shorten_sums(x, &parts[2]);
    }
    tsm_tensor_drop(x, plain);
    for (int i = 0; i < 3; i++)
        if (status == TSM_OK)
            out[i] = tsm_of_tensor(parts[i]);
        else
            tsm_tensor_drop(x, parts[i]);
    return status;
}

/* ---- Finishing ---- */

/* Tables of `outputs` numbers for each group, padded to whole panels: offsets, scales, and what is added. */
static tsm_status make_tables(tsm_exec *x, size_t padded, quantized_finish *f, int32_t **offset, float **scale,
                              float **added) {
    size_t bytes = padded * sizeof(float) * 3;
    f->memory = tsm_scratch(x, bytes);
    if (!f->memory)
        return TSM_OUT_OF_MEMORY;
    memset(f->memory, 0, bytes);
    *offset = f->memory;
    *scale = (float *)f->memory + padded;
    *added = *scale + padded;
    f->finish.offset = *offset;
    f->finish.scale = *scale;
    return TSM_OK;
}

enum { MOST_BIAS_STEPS = 1 << 30 };

/* A bias in units of the sums, rounded to even as rintf does, which is a call where the machine has no instruction for
 * it. Sums have 31 bits: of a larger bias they hold MOST_BIAS_STEPS. Of NaN the least number is made. */
static inline int32_t bias_in_steps(float bias, float inverse_step) {
    const float most = MOST_BIAS_STEPS, whole = 1 << 23; /* floats from `whole` on are whole numbers */
    const float v = bias * inverse_step, size = fabsf(v), rounded = copysignf(size + whole - whole, v);
    const float kept = size < whole ? rounded : v;
    return (int32_t)(kept > most ? most : kept >= -most ? kept : -most);
}

/* What `steps` leave of the bias, in units of the result. What is no number is taken for none. */
static float rest_of_bias(float bias, int32_t steps, float step, float inverse) {
    const double most = 1 << 24, rest = ((double)bias - (double)steps * step) * inverse;
    return (float)(rest > most ? most : rest >= -most ? rest : rest < -most ? -most : 0.0);
}

static inline int32_t sum_of(const quantized_weight *w, size_t output) {
    return w->short_sums ? w->short_sums[output] : w->sums[output];
}

tsm_status tsm_quantized_finish_make(tsm_exec *x, const quantized_weight *w, size_t groups, const quantized_input *a,
                                     const quantized_result *r, int32_t zero_point, quantized_finish *f) {
    size_t of_group = w->outputs / groups, padded = (of_group + TSM_Q8_PANEL - 1) / TSM_Q8_PANEL * TSM_Q8_PANEL;
    int32_t *offset, moved = a->zero_point - loops_q8(x)->x_bias;
    float *scales, *rest;
    *f = (quantized_finish){.finish = {.zero_point = zero_point, .low = r->relu ? zero_point : 0}};
    float inverse = 1.0f / (float)r->scale; /* products in this order, as QNNPACK has them: results agree to the bit */
    TSM_TRY(make_tables(x, groups * padded, f, &offset, &scales, &rest));
    f->finish.rest = rest;
    for (size_t g = 0; g < groups; g++) {
        const float *weight_scales = w->scales + g * of_group * w->scale_step,
                    *bias = w->bias ? w->bias + g * of_group : NULL;
        const size_t first = g * padded, scale_step = w->scale_step;
        for (size_t i = 0; i < of_group; i++) {
            scales[first + i] = weight_scales[i * scale_step] * a->scale * inverse;
            offset[first + i] = -moved * sum_of(w, g * of_group + i);
        }
        for (size_t i = 0; bias && i < of_group; i++) {
            const float step = weight_scales[i * scale_step] * a->scale;
            const int32_t steps = bias_in_steps(bias[i], 1.0f / step);
            offset[first + i] += steps;
            if (r->float_bias || steps == MOST_BIAS_STEPS || steps == -MOST_BIAS_STEPS)
                rest[first + i] = rest_of_bias(bias[i], steps, step, inverse);
        }
    }
    return TSM_OK;
}

tsm_status tsm_quantized_finish_floats(tsm_exec *x, const quantized_weight *w, float scale, int32_t zero_point,
                                       bool relu, quantized_finish *f) {
    size_t padded = (w->outputs + TSM_Q8_PANEL - 1) / TSM_Q8_PANEL * TSM_Q8_PANEL;
    int32_t *offset, moved = zero_point - loops_q8(x)->x_bias;
    float *scales, *bias;
    *f = (quantized_finish){.finish = {.relu = relu}};
    TSM_TRY(make_tables(x, padded, f, &offset, &scales, &bias));
    f->finish.bias = bias;
    for (size_t o = 0; o < w->outputs; o++) {
        scales[o] = scale * w->scales[o * w->scale_step];
        offset[o] = -moved * sum_of(w, o);
        bias[o] = w->bias ? w->bias[o] : 0.0f;
    }
    return TSM_OK;
}
