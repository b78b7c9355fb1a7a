/* aten::format right before the raise that is its only user. */
#include "exporter/passes/optimize/form_messages.h"

#include "exporter/schema/operator_node.h"
#include "exporter/schema/schema.h"

/* Whether nothing happens from n up to `end`, a node of the same block. */
static bool is_next(const ir_node *n, const ir_node *end) {
    for (n = n->next; n->kind == IR_CONSTANT; n = n->next)
        continue;
    return n == end;
}

static void form_message(ir_node *raise) {
    ir_node *text = ir_in(raise, 0)->node;
    if (!ir_is_operator(text, "aten::format") || ir_use_count(ir_out(text, 0)) != 1 || !is_next(text, raise))
        return;
    ir_value **inputs = NULL;
    arrput(inputs, ir_in(raise, 1));
    for (uint32_t i = 0; i < ir_input_count(text); i++)
        arrput(inputs, ir_in(text, i));
    operator_insert_node(raise, "tsm::form_message", inputs, (uint32_t)arrlenu(inputs));
    ir_node_set_input(raise, 0, ir_insert_constant(raise, const_none()));
    ir_destroy(text);
}

static void visit_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(n->blocks[i]);
        if (n->kind == IR_RAISE_EXCEPTION)
            form_message(n);
    }
}

void form_messages(ir_graph *g) {
    visit_block(g->block);
}
