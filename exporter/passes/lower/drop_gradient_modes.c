/* Takes objects of the classes no_grad and enable_grad out, with what enters and leaves them. */
#include "exporter/passes/lower/drop_gradient_modes.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/program/program.h"

static bool asks(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (ir_is_operator(n, "aten::is_grad_enabled"))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (asks(n->blocks[i]))
                return true;
    }
    return false;
}

static bool is_of_mode(function *f) {
    const ir_node *params = function_graph(f)->block->param;
    return ir_output_count(params) && flow_is_mode(ir_out(params, 0));
}

static bool only_sets_mode(const ir_node *n) {
    return (n->kind == IR_ENTER || n->kind == IR_EXIT || n->kind == IR_SET_ATTR) &&
           (!ir_output_count(n) || !ir_use_count(ir_out(n, 0)));
}

static void drop_object(ir_node *create) {
    const ir_value *object = ir_out(create, 0);
    for (size_t i = 0; i < arrlenu(object->uses); i++)
        if (object->uses[i].index || !only_sets_mode(object->uses[i].user))
            return;
    while (ir_use_count(object))
        ir_destroy(object->uses[0].user);
    ir_destroy(create);
}

static void drop_in(ir_block *b) {
    stack_check();
    for (ir_node *n = b->result->previous, *before; n != b->param; n = before) {
        before = n->previous; /* what uses an object stands behind it */
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            drop_in(n->blocks[i]);
        if (n->kind == IR_CREATE_OBJECT && flow_is_mode(ir_out(n, 0)))
            drop_object(n);
    }
}

void drop_gradient_modes(function *const *functions) {
    for (size_t i = 0; i < arrlenu(functions); i++)
        if (!is_of_mode(functions[i]) && asks(function_graph(functions[i])->block))
            return;
    for (size_t i = 0; i < arrlenu(functions); i++)
        drop_in(function_graph(functions[i])->block);
}
