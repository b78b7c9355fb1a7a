/* Assignments of numbers to parts of tensors, matched from aten::copy_. */
#include "exporter/passes/optimize/fuse_set_item.h"

#include "exporter/passes/analysis/own_select.h"
#include "exporter/schema/operator_node.h"

static bool is_false(const ir_value *v) {
    bool b;
    return ir_constant_bool(v, &b) && !b;
}

/* %v's own dtype or device. */
static bool asks_for(const ir_value *answer, const char *question, const ir_value *v) {
    return ir_is_operator(answer->node, question) && ir_in(answer->node, 0) == v;
}

/* The aten::tensor of a number that n, an aten::copy_ into %v, stores; NULL when it is another one. */
static ir_node *stored_number(const ir_node *n) {
    if (!ir_is_operator(n, "aten::copy_") || !is_false(ir_in(n, 2)) || ir_use_count(ir_out(n, 0)))
        return NULL;
    ir_node *made = ir_in(n, 1)->node;
    bool of_number = ir_is_operator(made, "aten::tensor.float") || ir_is_operator(made, "aten::tensor.int") ||
                     ir_is_operator(made, "aten::tensor.bool");
    if (!of_number || ir_use_count(ir_out(made, 0)) != 1 || !asks_for(ir_in(made, 1), "prim::dtype", ir_in(n, 0)) ||
        !asks_for(ir_in(made, 2), "prim::device", ir_in(n, 0)) || !is_false(ir_in(made, 3)))
        return NULL;
    return made;
}

static void store_directly(ir_node *n, ir_node *made) {
    ir_value *inputs[] = {ir_in(n, 0), ir_in(made, 0)};
    ir_node *questions[] = {ir_in(made, 1)->node, ir_in(made, 2)->node};
    n = operator_replace(n, "tsm::set_number_", inputs, 2);
    ir_destroy(made);
    for (int i = 0; i < 2; i++)
        if (!ir_use_count(ir_out(questions[i], 0)))
            ir_destroy(questions[i]);
    ir_node *select = own_select(n);
    if (!select)
        return;
    ir_value *item[] = {ir_in(select, 0), ir_in(select, 1), ir_in(select, 2), ir_in(n, 1)};
    operator_replace(n, "tsm::set_item_", item, 4);
    ir_destroy(select);
}

static void visit_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(n->blocks[i]);
        ir_node *made = stored_number(n);
        if (made)
            store_directly(n, made);
    }
}

void fuse_set_item(ir_graph *g) {
    visit_block(g->block);
}
