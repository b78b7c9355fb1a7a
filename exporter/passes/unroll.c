#include "exporter/passes/unroll.h"

/* Of one loop: turns, and nodes of all turns together. */
enum { MAX_TURNS = 16, MAX_NODES = 256 };

static int64_t count_nodes(const ir_block *b) {
    int64_t count = 0;
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        count++;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            count += count_nodes(n->blocks[i]);
    }
    return count;
}

static bool is_true(const ir_value *v) {
    bool value;
    return ir_constant_bool(v, &value) && value;
}

static bool can_unroll(const ir_node *n, int64_t *turns) {
    return n->kind == IR_LOOP && ir_constant_int(ir_in(n, 0), turns) && *turns <= MAX_TURNS && is_true(ir_in(n, 1)) &&
           is_true(ir_in(n->blocks[0]->result, 0)) && *turns * count_nodes(n->blocks[0]) <= MAX_NODES;
}

/* A block's result seen from outside of it. */
static ir_value *result_of(ir_node *n, uint32_t i, ir_value_map map) {
    ir_value *v = ir_in(n->blocks[0]->result, i);
    ptrdiff_t at = hmgeti(map, v);
    return at >= 0 ? map[at].value : v;
}

static void add_outer(const ir_block *b, ir_value_map *map) {
    for (const ir_node *n = ir_first(b);; n = n->next) {
        for (uint32_t i = 0; i < ir_input_count(n); i++)
            if (hmgeti(*map, ir_in(n, i)) < 0)
                hmput(*map, ir_in(n, i), ir_in(n, i));
        if (n == b->result)
            return;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            add_outer(n->blocks[i], map);
    }
}

static void see_copies(shape_map *seen, ir_value_map map) {
    for (size_t i = 0; i < hmlenu(map); i++)
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
        add_outer(body, &map);
        ir_copy_nodes(body, n, &map);
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            carried[i] = result_of(n, i + 1, map);
        see_copies(seen, map);
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        ir_replace_uses(n->outputs[i], carried[i]);
    ir_destroy(n);
}

bool unroll_loops(ir_block *b, shape_map *seen) {
    bool changed = false;
    IR_EACH(n, b) {
        int64_t turns;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            changed |= unroll_loops(n->blocks[i], seen);
        if (can_unroll(n, &turns)) {
            unroll(n, turns, seen);
            changed = true;
        }
    }
    return changed;
}
