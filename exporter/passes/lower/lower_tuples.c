/* Tuples that pass through ifs and loops, one block result or loop variable at a time. */
#include "exporter/passes/lower/lower_tuples.h"

/* A tuple put together with exactly the items of type t. */
static bool is_construction_of(const ir_value *v, const type *t) {
    const ir_node *n = v->node;
    if (t->kind != TYPE_TUPLE || t->name || n->kind != IR_TUPLE_CONSTRUCT || ir_input_count(n) != t->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        if (!type_is_subtype(ir_in(n, i)->type, t->items[i], NULL))
            return false;
    return true;
}

/* A TupleConstruct of type t over `items`, before `at`. */
static ir_value *construct(ir_node *at, const type *t, ir_value *const *items) {
    ir_node *n = ir_node_new(at->graph, IR_TUPLE_CONSTRUCT, 1);
    n->range = at->range;
    n->scope = at->scope;
    n->outputs[0]->type = t;
    for (uint32_t i = 0; i < t->count; i++)
        ir_node_add_input(n, items[i]);
    ir_insert_before(at, n);
    return n->outputs[0];
}

static ir_value *uninitialized(ir_block *b, const type *t) {
    ir_node *n = ir_node_new(b->graph, IR_UNINITIALIZED, 1);
    n->range = b->owner->range;
    n->scope = b->owner->scope;
    ir_out(n, 0)->type = t;
    ir_append(b, n);
    return ir_out(n, 0);
}

/* Puts the items of a tuple of type t behind the results of a block and takes the tuple away. */
static void split_result(ir_block *b, uint32_t index, const type *t) {
    const ir_node *made = ir_in(b->result, index)->node;
    for (uint32_t i = 0; i < t->count; i++)
        ir_block_add_result(b, made->kind == IR_UNINITIALIZED ? uninitialized(b, t->items[i]) : ir_in(made, i));
    ir_node_remove_input(b->result, index);
}

/* New outputs of n for the items of output `index`, which gives way to a tuple put together behind n. */
static void split_output(ir_node *n, uint32_t index) {
    const type *t = n->outputs[index]->type;
    ir_value **items = NULL;
    for (uint32_t i = 0; i < t->count; i++)
        arrput(items, ir_node_add_output(n, t->items[i]));
    ir_replace_uses(n->outputs[index], construct(n->next, t, items));
    ir_node_remove_output(n, index);
}

static bool lower_if_output(ir_node *n, uint32_t index) {
    const type *t = n->outputs[index]->type;
    int constructions = 0;
    for (int k = 0; k < 2; k++) {
        const ir_value *v = ir_in(n->blocks[k]->result, index);
        const bool is_construction = is_construction_of(v, t);
        if (!is_construction && v->node->kind != IR_UNINITIALIZED)
            return false;
        constructions += is_construction;
    }
    if (!constructions) /* this result is never read */
        return false;
    for (int k = 0; k < 2; k++)
        split_result(n->blocks[k], index, t);
    split_output(n, index);
    return true;
}

static bool lower_loop_variable(ir_node *n, uint32_t index) {
    const type *t = n->outputs[index]->type;
    ir_block *body = n->blocks[0];
    ir_value *param = body->param->outputs[index + 1], **items = NULL;
    if (param->type != t || !is_construction_of(ir_in(n, index + 2), t) ||
        !is_construction_of(ir_in(body->result, index + 1), t))
        return false;
    const ir_node *start = ir_in(n, index + 2)->node;
    for (uint32_t i = 0; i < t->count; i++) {
        ir_node_add_input(n, ir_in(start, i));
        arrput(items, ir_block_add_param(body, NULL, t->items[i]));
    }
    ir_node_remove_input(n, index + 2);
    split_result(body, index + 1, t);
    ir_replace_uses(param, construct(ir_first(body), t, items));
    ir_block_remove_param(body, index + 1);
    split_output(n, index);
    return true;
}

static void lower_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            lower_block(n->blocks[i]);
        if (n->kind != IR_IF && n->kind != IR_LOOP)
            continue;
        for (uint32_t i = 0; i < ir_output_count(n);)
            if (!(n->kind == IR_IF ? lower_if_output(n, i) : lower_loop_variable(n, i)))
                i++;
    }
}

void lower_tuples(ir_graph *g) {
    lower_block(g->block);
}
