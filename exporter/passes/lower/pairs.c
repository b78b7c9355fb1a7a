/* Tuples of a tensor and a number. */
#include "exporter/passes/lower/pairs.h"

#include "exporter/base/limits.h"

const type *pair_type(const type *t) {
    stack_check();
    const type **items = NULL;
    switch (t->kind) {
    case TYPE_TENSOR:
        return type_tuple((const type *[]){t, type_basic(TYPE_INT)}, 2);
    case TYPE_OPTIONAL:
        return type_optional(pair_type(t->items[0]));
    case TYPE_LIST:
        return type_list(pair_type(t->items[0]));
    case TYPE_DICT:
        return type_dict(t->items[0], pair_type(t->items[1]));
    case TYPE_TUPLE:
        for (uint32_t i = 0; i < t->count; i++)
            arrput(items, pair_type(t->items[i]));
        return type_tuple(items, t->count);
    default:
        return t;
    }
}

ir_value *pair_insert(ir_node *at, ir_value *tensor, ir_value *number) {
    ir_node *pair = ir_node_new(at->graph, IR_TUPLE_CONSTRUCT, 1);
    pair->range = at->range;
    pair->scope = at->scope;
    ir_out(pair, 0)->type = pair_type(tensor->type);
    ir_node_add_input(pair, tensor);
    ir_node_add_input(pair, number);
    ir_insert_before(at, pair);
    return ir_out(pair, 0);
}

ir_node *pair_insert_unpack(ir_node *at, ir_value *pair) {
    ir_node *n = ir_node_new(at->graph, IR_TUPLE_UNPACK, 0);
    n->range = at->range;
    n->scope = at->scope;
    ir_node_add_input(n, pair);
    for (uint32_t i = 0; i < pair->type->count; i++)
        ir_node_add_output(n, pair->type->items[i]);
    ir_insert_before(at, n);
    return n;
}

void pair_replace_uses(ir_value *from, ir_value *to, const ir_node *except) {
    for (size_t i = arrlenu(from->uses); i-- > 0;) {
        const ir_use u = from->uses[i];
        if (u.user != except)
            ir_node_set_input(u.user, u.index, to);
    }
}
