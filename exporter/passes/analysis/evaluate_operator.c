/* Operators on constants: a kernel is called with a heap of its own, without a program. */
#include "exporter/passes/analysis/evaluate_operator.h"

#include "exporter/passes/analysis/growing_buffer.h"
#include "exporter/passes/analysis/value_conversion.h"
#include "exporter/schema/schema.h"
#include "runtime/interpreter/instance.h"
#include "runtime/interpreter/operators.h"
#include "runtime/tensor/work.h"

enum { MAX_INPUTS = 32, MAX_OUTPUTS = 8, MESSAGE_BYTES = 256 };

static const size_t FIRST_BUFFER = (size_t)1 << 16;

typedef struct {
    const tsm_operator *op;
    const ir_node *node;
    const ir_constant *const *inputs;
    ir_constant **outputs;
    int64_t work; /* the most units */
} evaluation;

static tsm_status call_kernel(tsm_instance *inst, const evaluation *e) {
    tsm_value values[MAX_INPUTS], out[MAX_OUTPUTS];
    const tsm_value *in[MAX_INPUTS];
    for (uint32_t i = 0; i < ir_input_count(e->node); i++) {
        TSM_TRY(value_from_constant(inst, e->inputs[i], ELEMENTS_IN_BUFFER, &values[i]));
        in[i] = &values[i];
    }
    for (uint32_t i = 0; i < MAX_OUTPUTS; i++)
        out[i] = tsm_none();
    TSM_TRY(tsm_run_charged(&inst->exec, in, out));
    for (uint32_t i = 0; i < ir_output_count(e->node); i++)
        if (!(e->outputs[i] = constant_from_value(out[i], ir_out(e->node, i)->type)))
            return TSM_RAISED;
    return TSM_OK;
}

static tsm_status evaluate(size_t bytes, void *data) {
    const evaluation *e = data;
    char message[MESSAGE_BYTES];
    void *buffer = mem_borrow(bytes);
    tsm_instance inst = {.exec = {.op = e->op,
                                  .inputs = ir_input_count(e->node),
                                  .outputs = ir_output_count(e->node),
                                  .fuel = e->work,
                                  .is_limited = true,
                                  .message = message,
                                  .message_bytes = sizeof message}};
    tsm_heap_init(&inst.exec.heap, buffer, bytes);
    tsm_status status = call_kernel(&inst, e);
    mem_return(buffer);
    return status;
}

static tsm_status run(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs, size_t most,
                      int64_t most_work) {
    const tsm_operator *op = n->schema ? tsm_operator_find(n->schema->full_name) : NULL;
    if (!op || op->kind != TSM_OP_FUNCTIONAL || ir_input_count(n) > MAX_INPUTS || ir_output_count(n) > MAX_OUTPUTS)
        return TSM_UNSUPPORTED;
    return run_in_growing_buffer(FIRST_BUFFER, most, evaluate, &(evaluation){op, n, inputs, outputs, most_work});
}

bool evaluate_operator_within(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs, size_t most,
                              int64_t most_work) {
    return run(n, inputs, outputs, most, most_work) == TSM_OK;
}

bool evaluate_operator(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs) {
    const tsm_status status = run(n, inputs, outputs, LIMIT_BYTES(LIMIT_EVALUATION), LIMIT_EVALUATION_WORK);
    if (status == TSM_OUT_OF_MEMORY || status == TSM_OUT_OF_FUEL)
        limit_fail(status == TSM_OUT_OF_FUEL ? OVER_EVALUATION_WORK : OVER_EVALUATION);
    return status == TSM_OK;
}

/* A tensor without elements; `room` takes its sizes and strides. */
static bool make_stand_in(const question_input *q, tsm_dim (*room)[TSM_MAX_DIMS], tsm_tensor *t) {
    if (q->dims > TSM_MAX_DIMS)
        return false;
    for (int d = 0; d < q->dims; d++) {
        room[0][d] = (tsm_dim)q->sizes[d];
        room[1][d] = q->strides ? (tsm_dim)q->strides[d] : 0;
    }
    *t = (tsm_tensor){.dtype = (uint8_t)q->dtype, .dims = (uint8_t)q->dims, .sizes = room[0], .strides = room[1]};
    return true;
}

bool evaluate_question(const ir_node *n, const question_input *inputs, bool *answer) {
    const tsm_operator *op = tsm_operator_find(n->schema->full_name);
    tsm_tensor tensors[MAX_INPUTS];
    tsm_dim room[MAX_INPUTS][2][TSM_MAX_DIMS];
    tsm_value values[MAX_INPUTS], out = tsm_none();
    const tsm_value *in[MAX_INPUTS];
    tsm_instance inst = {.exec = {.op = op, .inputs = ir_input_count(n), .outputs = 1}};
    if (!op || ir_input_count(n) > MAX_INPUTS)
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        const ir_constant *c = inputs[i].constant;
        in[i] = &values[i];
        values[i] = tsm_of_tensor(&tensors[i]);
        if (c && (c->kind == CONST_TENSOR || value_from_constant(&inst, c, ELEMENTS_OUTSIDE, &values[i]) != TSM_OK))
            return false;
        if (!c && !make_stand_in(&inputs[i], room[i], &tensors[i]))
            return false;
    }
    if (op->kernel(&inst.exec, in, &out) != TSM_OK || out.tag != TSM_TAG_BOOL)
        return false;
    *answer = out.as.b;
    return true;
}
