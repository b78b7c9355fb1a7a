/* Questions about constants that nothing writes to, answered. */
#include "exporter/passes/optimize/answer_questions.h"

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/constant_result.h"
#include "exporter/passes/analysis/shape.h"
#include "exporter/passes/analysis/tensor_constant.h"

static ir_constant *answer(const ir_node *n, mutation *m) {
    const ir_constant *c = n->schema && ir_input_count(n) ? ir_constant_of(ir_in(n, 0)) : NULL;
    if (!c || c->kind != CONST_TENSOR || mutation_is_written(m, ir_in(n, 0)))
        return NULL;
    if (ir_is_operator(n, "prim::requires_grad"))
        return const_bool(c->tensor->requires_grad);
    const shape *s = shape_of_constant(c);
    ir_constant *found = s ? shape_answer(n, s) : NULL;
    return found && found->kind == CONST_LIST && mutation_is_written(m, ir_out(n, 0)) ? NULL : found;
}

/* tsm::check_dtypes asks tensors for their element types alone. No operator refuses float32: a check of nothing else
 * goes, and in others a weight, which may be stored packed too, is an empty tensor. */
static bool ask_no_weights(ir_node *n, mutation *m) {
    enum { FIRST_TENSOR = 2 };
    const pt_tensor *t;
    const int64_t nothing = 0;
    bool is_answered = true;
    float *none;
    if (!n->schema || !ir_is_operator(n, "tsm::check_dtypes"))
        return false;
    for (uint32_t i = FIRST_TENSOR; i < ir_input_count(n); i++) {
        ir_value *v = ir_in(n, i);
        if (v->type->kind == TYPE_NONE)
            continue;
        if (mutation_is_written(m, v) || !tensor_constant_has_floats(ir_constant_of(v), -1, &t)) {
            is_answered = false;
            continue;
        }
        ir_value *empty = ir_insert_constant(n, tensor_constant_new_floats(1, &nothing, &none));
        empty->type = v->type;
        ir_node_set_input(n, i, empty);
    }
    if (is_answered)
        ir_destroy(n);
    return is_answered;
}

static void answer_in_block(ir_block *b, mutation *m) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            answer_in_block(n->blocks[i], m);
        if (ask_no_weights(n, m))
            continue;
        ir_constant *c = answer(n, m);
        if (!c)
            c = constant_result(n, m);
        if (!c)
            continue;
        ir_value *v = ir_insert_constant(n, c);
        v->type = ir_out(n, 0)->type;
        ir_replace_uses(ir_out(n, 0), v);
        ir_destroy(n);
    }
}

void answer_questions(ir_graph *g, mutation *m) {
    answer_in_block(g->block, m);
}
