/* Loop unrolling: a copy of the body for each iteration. */
#include "exporter/passes/lower/unroll_loops.h"

#include "exporter/passes/optimize/fold_constants.h"

static bool is_true(const ir_value *v) {
    bool value;
    return ir_constant_bool(v, &value) && value;
}

static bool can_unroll(const ir_node *n, const unroll_limits *l, int64_t *turns) {
    return n->kind == IR_LOOP && ir_constant_int(ir_in(n, 0), turns) && *turns <= l->turns && is_true(ir_in(n, 1)) &&
           is_true(ir_in(n->blocks[0]->result, 0)) && *turns * (int64_t)ir_count_nodes(n->blocks[0]) <= l->nodes &&
           !(l->skip && l->skip(n));
}

static void see_copies(shape_map *seen, ir_value_map map) {
    for (size_t i = 0; seen && i < hmlenu(map); i++)
        shape_copy(seen, map[i].key, map[i].value);
}

static void unroll(ir_node *n, int64_t turns, shape_map *seen) {
    ir_block *body = n->blocks[0];
    ir_value **carried = NULL;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        arrput(carried, ir_in(n, i + 2));
    for (int64_t turn = 0; turn < turns; turn++) {
        ir_value_map map = NULL;
        hmput(map, body->param->outputs[0], ir_insert_constant(n, const_int(turn)));
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            hmput(map, body->param->outputs[i + 1], carried[i]);
        ir_copy_block_nodes(body, n, &map);
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            carried[i] = hmget(map, ir_in(body->result, i + 1));
        see_copies(seen, map);
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        ir_replace_uses(n->outputs[i], carried[i]);
    ir_destroy(n);
}

bool unroll_loops(ir_block *b, const unroll_limits *limits, shape_map *seen) {
    stack_check();
    bool changed = false;
    IR_EACH(n, b) {
        int64_t turns;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            changed |= unroll_loops(n->blocks[i], limits, seen);
        if (can_unroll(n, limits, &turns)) {
            unroll(n, turns, seen);
            changed = true;
        }
    }
    return changed;
}

enum { MOST_DIMS = 8, MOST_LIST_NODES = 128 };

static bool carries_other_than_lists(const ir_node *loop) {
    for (uint32_t i = 0; i < ir_output_count(loop); i++) {
        const type *t = ir_out(loop, i)->type;
        if (t->kind != TYPE_LIST || type_element(t)->kind != TYPE_INT)
            return true;
    }
    return ir_output_count(loop) == 0;
}

bool unroll_list_loops(ir_graph *g) {
    static const unroll_limits limits = {MOST_DIMS, MOST_LIST_NODES, carries_other_than_lists};
    bool changed = unroll_loops(g->block, &limits, NULL);
    if (changed)
        fold_constants(g, NULL);
    return changed;
}
