#include "exporter/passes/analysis/evaluate_operator.h"

#include <stdlib.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/value_conversion.h"
#include "exporter/schema/schema.h"
#include "runtime/interpreter/operators.h"
#include "runtime/tensor/tensor.h"

enum { MAX_INPUTS = 32, MAX_OUTPUTS = 8, MESSAGE_BYTES = 256 };

/* The heap of a run is made larger until everything fits. */
static const size_t FIRST_BUFFER = (size_t)1 << 16, LARGEST_BUFFER = (size_t)1 << 34;

/* ---- Constants to values ---- */

static tsm_status to_quantizer(tsm_exec *x, const pt_tensor *t, tsm_tensor *made) {
    bool by_channel = t->qscheme == PT_PER_CHANNEL_AFFINE;
    size_t channels = by_channel ? (size_t)pt_tensor_numel(t->scales) : 1;
    if (by_channel && (t->scales->dtype != PT_FLOAT64 || t->zero_points->dtype != PT_INT64))
        return TSM_RAISED;
    tsm_quantizer *q = tsm_allocate(x, sizeof *q + channels * (sizeof(double) + sizeof(int64_t)));
    if (!q)
        return TSM_OUT_OF_MEMORY;
    *q = (tsm_quantizer){1, by_channel ? t->axis : -1, (tsm_dim)channels, (double *)(void *)(q + 1), NULL};
    q->zero_points = (int64_t *)(void *)(q->scales + channels);
    memcpy(q->scales, by_channel ? pt_tensor_data(t->scales) : &t->scale, channels * sizeof(double));
    memcpy(q->zero_points, by_channel ? pt_tensor_data(t->zero_points) : &t->zero_point, channels * sizeof(int64_t));
    made->quantizer = q;
    return TSM_OK;
}

static tsm_status to_tensor(tsm_exec *x, const pt_tensor *t, tsm_value *v) {
    if (t->layout != PT_STRIDED || t->qscheme == PT_PER_CHANNEL_AFFINE_FLOAT_QPARAMS || pt_dtype_packed(t->dtype) != 1)
        return TSM_RAISED;
    tsm_dim sizes[PT_MAX_DIMS];
    tsm_tensor *made;
    for (int i = 0; i < t->ndim; i++)
        sizes[i] = (tsm_dim)t->sizes[i];
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->ndim, sizes, &made));
    if (pt_tensor_bytes(t))
        memcpy(made->data, pt_tensor_data(t), pt_tensor_bytes(t));
    *v = tsm_of_tensor(made);
    return t->qscheme == PT_NOT_QUANTIZED ? TSM_OK : to_quantizer(x, t, made);
}

static tsm_status to_value(tsm_exec *x, const ir_constant *c, tsm_value *v) {
    switch (c->kind) {
    case CONST_NONE:
        *v = tsm_none();
        return TSM_OK;
    case CONST_BOOL:
        *v = tsm_bool(c->boolean);
        return TSM_OK;
    case CONST_INT:
        *v = tsm_int(c->integer);
        return TSM_OK;
    case CONST_FLOAT:
        *v = tsm_float(c->real);
        return TSM_OK;
    case CONST_STR:
        return tsm_make_str(x, c->string.bytes, c->string.length, v);
    case CONST_DEVICE:
        return tsm_device_read(x, c->string.bytes, c->string.length, v);
    case CONST_TENSOR:
        return to_tensor(x, c->tensor, v);
    case CONST_LIST: {
        tsm_list *list;
        TSM_TRY(tsm_make_list(x, c->list.count, &list));
        *v = tsm_of(TSM_TAG_LIST, list);
        for (uint32_t i = 0; i < c->list.count; i++) {
            tsm_value item;
            TSM_TRY(to_value(x, c->list.items[i], &item));
            TSM_TRY(tsm_list_append(x, list, item));
        }
        return TSM_OK;
    }
    default:
        return TSM_RAISED;
    }
}

/* ---- Running ---- */

static tsm_status run(tsm_exec *x, const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs) {
    tsm_value values[MAX_INPUTS], out[MAX_OUTPUTS];
    const tsm_value *in[MAX_INPUTS];
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        TSM_TRY(to_value(x, inputs[i], &values[i]));
        in[i] = &values[i];
    }
    for (uint32_t i = 0; i < MAX_OUTPUTS; i++)
        out[i] = tsm_none();
    TSM_TRY(x->op->kernel(x, in, out));
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (!(outputs[i] = constant_from_value(out[i], ir_out(n, i)->type)))
            return TSM_RAISED;
    return TSM_OK;
}

bool evaluate_operator_within(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs, size_t most) {
    const tsm_operator *op = n->schema ? tsm_operator_find(n->schema->full_name) : NULL;
    if (!op || op->kind != TSM_OP_FUNCTIONAL || ir_input_count(n) > MAX_INPUTS || ir_output_count(n) > MAX_OUTPUTS)
        return false;
    char message[MESSAGE_BYTES];
    tsm_status status = TSM_OUT_OF_MEMORY;
    for (size_t size = FIRST_BUFFER; status == TSM_OUT_OF_MEMORY && size <= most; size *= 8) {
        void *buffer = aligned_alloc(64, size);
        if (!buffer)
            return false;
        tsm_exec x = {.op = op, .inputs = ir_input_count(n), .outputs = ir_output_count(n)};
        x.message = message;
        x.message_bytes = sizeof message;
        tsm_heap_init(&x.heap, buffer, size);
        status = run(&x, n, inputs, outputs);
        free(buffer);
    }
    return status == TSM_OK;
}

bool evaluate_operator(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs) {
    return evaluate_operator_within(n, inputs, outputs, LARGEST_BUFFER);
}
