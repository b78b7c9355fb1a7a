/* Reads of attributes that are never stored to, replaced by constants. */
#include "exporter/passes/optimize/freeze_attributes.h"

static void freeze_block(ir_block *b, const mutation *m) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            freeze_block(n->blocks[i], m);
        if (n->kind != IR_GET_ATTR)
            continue;
        const ir_constant *object = ir_constant_of(ir_in(n, 0));
        if (!object || object->kind != CONST_OBJECT || mutation_is_stored(m, object->type->definition, n->attribute))
            continue;
        int slot = class_find_attribute(object->type->definition, n->attribute);
        ir_constant *value = object->list.items[slot];
        ir_value *v = ir_insert_constant(n, value);
        v->type = value->kind == CONST_NONE ? value->type : ir_out(n, 0)->type;
        ir_replace_uses(ir_out(n, 0), v);
        ir_destroy(n);
    }
}

void freeze_attributes(ir_graph *g, const mutation *m) {
    freeze_block(g->block, m);
}

void bind_self(ir_graph *g, ir_constant *module) {
    ir_value *self = g->block->param->outputs[0];
    if (!ir_use_count(self))
        return;
    ir_node *first = ir_first(g->block);
    ir_value *v = ir_insert_constant(first, module);
    ir_replace_uses(self, v);
}
