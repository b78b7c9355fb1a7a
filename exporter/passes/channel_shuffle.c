#include "exporter/passes/channel_shuffle.h"

#include <string.h>

#include "exporter/frontend/schema.h"

static bool is_operator(const ir_node *n, const char *full_name) {
    return n->schema && !strcmp(n->schema->full_name, full_name);
}

static bool is_int(const ir_value *v, int64_t wanted) {
    int64_t i;
    return ir_constant_int(v, &i) && i == wanted;
}

/* v is x.size(dim), asked for alone or with all sizes. */
static bool is_size_of(const ir_value *v, const ir_value *x, uint32_t dim) {
    const ir_node *n = v->node;
    if (is_operator(n, "aten::size.int"))
        return ir_in(n, 0) == x && is_int(ir_in(n, 1), dim);
    return n->kind == IR_LIST_UNPACK && v->offset == dim && ir_output_count(n) == 4 &&
           is_operator(ir_in(n, 0)->node, "aten::size") && ir_in(ir_in(n, 0)->node, 0) == x;
}

static bool same_int(const ir_value *a, const ir_value *b) {
    int64_t i;
    return a == b || (ir_constant_int(a, &i) && is_int(b, i));
}

/* [b, groups, c // groups, h, w] of x; returns groups. */
static ir_value *split_sizes(const ir_value *list, const ir_value *x) {
    const ir_node *n = list->node;
    if (n->kind != IR_LIST_CONSTRUCT || ir_input_count(n) != 5 || ir_use_count(list) != 1)
        return NULL;
    const ir_node *quotient = ir_in(n, 2)->node;
    bool fits = is_size_of(ir_in(n, 0), x, 0) && is_size_of(ir_in(n, 3), x, 2) && is_size_of(ir_in(n, 4), x, 3) &&
                is_operator(quotient, "aten::floordiv.int") && is_size_of(ir_in(quotient, 0), x, 1) &&
                same_int(ir_in(quotient, 1), ir_in(n, 1));
    return fits ? ir_in(n, 1) : NULL;
}

/* [b, c, h, w] of x; c may be -1. */
static bool are_sizes_of(const ir_value *list, const ir_value *x) {
    const ir_node *n = list->node;
    return n->kind == IR_LIST_CONSTRUCT && ir_input_count(n) == 4 && ir_use_count(list) == 1 &&
           is_size_of(ir_in(n, 0), x, 0) && (is_int(ir_in(n, 1), -1) || is_size_of(ir_in(n, 1), x, 1)) &&
           is_size_of(ir_in(n, 2), x, 2) && is_size_of(ir_in(n, 3), x, 3);
}

static bool is_reshape(const ir_node *n) {
    return is_operator(n, "aten::view") || is_operator(n, "aten::reshape");
}

/* The node before on a chain: what made n's first input, when nobody else uses that. */
static const ir_node *sole_producer(const ir_node *n) {
    return ir_use_count(ir_in(n, 0)) == 1 ? ir_in(n, 0)->node : NULL;
}

/* `last` is the last view of a shuffle: returns the shuffled tensor. */
static ir_value *shuffled_tensor(const ir_node *last, ir_value **groups) {
    const ir_node *n = is_reshape(last) ? sole_producer(last) : NULL;
    if (n && is_operator(n, "aten::contiguous"))
        n = sole_producer(n);
    if (!n || !is_operator(n, "aten::transpose.int") || !is_int(ir_in(n, 1), 1) || !is_int(ir_in(n, 2), 2))
        return NULL;
    const ir_node *split = sole_producer(n);
    if (!split || !is_reshape(split))
        return NULL;
    ir_value *x = ir_in(split, 0);
    *groups = split_sizes(ir_in(split, 1), x);
    return *groups && are_sizes_of(ir_in(last, 1), x) ? x : NULL;
}

static void recognize_in_block(ir_block *b, mutation *m) {
    const op_schema *s = schema_find("aten::channel_shuffle");
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            recognize_in_block(n->blocks[i], m);
        ir_value *groups, *x = shuffled_tensor(n, &groups);
        if (!x || mutation_is_written(m, x))
            continue;
        ir_node *shuffle = ir_node_new(n->graph, s->kind, 1);
        shuffle->schema = s;
        shuffle->range = n->range;
        shuffle->scope = n->scope;
        ir_node_add_input(shuffle, x);
        ir_node_add_input(shuffle, groups);
        shuffle->outputs[0]->name = ir_out(n, 0)->name;
        ir_insert_before(n, shuffle);
        ir_replace_uses(ir_out(n, 0), shuffle->outputs[0]);
        ir_destroy(n);
    }
}

void recognize_channel_shuffles(ir_graph *g, mutation *m) {
    recognize_in_block(g->block, m);
}
