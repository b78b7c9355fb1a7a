/* The numbers that quantized linear layers and convolutions turn sums into results with. */
#ifndef TSM_KERNELS_QUANTIZED_QUANTIZED_LAYER_H
#define TSM_KERNELS_QUANTIZED_QUANTIZED_LAYER_H

#include "runtime/kernels/quantized/quantized_pack.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"

/* A packed weight with what belongs to it. */
typedef struct {
    const int8_t *packed;
    const float *scales; /* one an output; with scale_step 0 one for all */
    size_t scale_step;
    const int32_t *sums;       /* of the weights of each output; or else: */
    const int16_t *short_sums; /* where all are so small; NULL: they are not */
    const float *bias;         /* NULL: none */
    size_t outputs;
    size_t panel_bytes, last_block, run_bytes; /* quantized_layout */
} quantized_weight;

/* The form of a weight of these sizes: [outputs, inputs], or [outputs, inputs of a group, kernel...]; false when it
 * cannot be one. */
bool tsm_quantized_weight_form_of(int dims, const tsm_dim *sizes, int64_t groups, quantized_weight_form *f);

/* Takes a weight from arguments packed, scales, sums, bias; raises when they do not fit the form. */
tsm_status tsm_quantized_weight_read(tsm_exec *x, const tsm_value *const *in, int first, const quantized_weight_form *f,
                                     quantized_weight *w);

/* What a call adds to the weight: tables of whole panels in scratch memory (`memory`, to be freed), one run of panels
 * for each group. */
typedef struct {
    tsm_q8_finish finish;
    void *memory;
} quantized_finish;

/* Quantized results: `relu` clamps them from below. A bias is rounded to the unit of the sums, as QNNPACK does, or,
 * with float_bias, what that leaves of it is added as well, as programs do that calculate with floats in between. */
typedef struct {
    double scale;
    int64_t zero_point;
    bool relu, float_bias;
} quantized_result;

/* `zero_point` is that of the bytes. */
tsm_status tsm_quantized_finish_make(tsm_exec *x, const quantized_weight *w, size_t groups, const quantized_input *a,
                                     const quantized_result *r, int32_t zero_point, quantized_finish *f);
/* For float results. */
tsm_status tsm_quantized_finish_floats(tsm_exec *x, const quantized_weight *w, float scale, int32_t zero_point,
                                       bool relu, quantized_finish *f);

/* The finish of columns from `column` on. */
static inline tsm_q8_finish quantized_finish_at(const tsm_q8_finish *f, size_t column) {
    tsm_q8_finish part = *f;
    part.offset += column;
    part.scale += column;
    if (part.bias)
        part.bias += column;
    else
        part.rest += column;
    return part;
}

#endif
