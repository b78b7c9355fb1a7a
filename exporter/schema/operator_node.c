/* Nodes that call an operator. */
#include "exporter/schema/operator_node.h"

ir_node *operator_node(const ir_node *like, const op_schema *s, ir_value *const *inputs, uint32_t count) {
    ir_node *n = ir_node_new(like->graph, s->kind, s->return_count);
    n->schema = s;
    n->range = like->range;
    n->scope = like->scope;
    for (uint32_t i = 0; i < s->return_count; i++)
        if (s->returns[i].type->kind != TYPE_VAR)
            ir_out(n, i)->type = s->returns[i].type;
    for (uint32_t i = 0; i < count; i++)
        ir_node_add_input(n, inputs[i]);
    return n;
}

ir_node *operator_insert_node(ir_node *at, const char *full_name, ir_value *const *inputs, uint32_t count) {
    ir_node *n = operator_node(at, schema_find(full_name), inputs, count);
    ir_insert_before(at, n);
    return n;
}

ir_node *operator_replace(ir_node *n, const char *full_name, ir_value *const *inputs, uint32_t count) {
    ir_node *made = operator_insert_node(n, full_name, inputs, count);
    if (ir_output_count(made)) {
        ir_out(made, 0)->name = ir_out(n, 0)->name;
        ir_replace_uses(ir_out(n, 0), ir_out(made, 0));
    }
    ir_destroy(n);
    return made;
}
