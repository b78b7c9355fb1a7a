/* Questions about nested tensors in programs that have none. */
#include "exporter/passes/optimize/answer_nested.h"

#include "exporter/base/limits.h"
#include "exporter/schema/operator_node.h"

static bool makes_nested(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (n->schema && ir_is_operator(n, "aten::_nested_tensor_from_mask"))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (makes_nested(n->blocks[i]))
                return true;
    }
    return false;
}

static void replace_by(ir_node *n, ir_value *v) {
    ir_replace_uses(ir_out(n, 0), v);
    ir_destroy(n);
}

static void answer(ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            answer(n->blocks[i]);
        if (n->schema && ir_is_operator(n, "tsm::nested_mask"))
            replace_by(n, ir_insert_constant(n, const_none()));
        else if (n->schema && ir_is_operator(n, "tsm::nested_like"))
            replace_by(n, ir_in(n, 0));
    }
}

void answer_nested(function *const *functions) {
    for (size_t i = 0; i < arrlenu(functions); i++)
        if (makes_nested(function_graph(functions[i])->block))
            return;
    for (size_t i = 0; i < arrlenu(functions); i++)
        answer(function_graph(functions[i])->block);
}
