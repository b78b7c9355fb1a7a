/* Questions about constants that nothing writes to, answered. */
#include "exporter/passes/optimize/answer_questions.h"

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/constant_result.h"
#include "exporter/passes/analysis/shapes.h"

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

static void answer_in_block(ir_block *b, mutation *m) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            answer_in_block(n->blocks[i], m);
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
