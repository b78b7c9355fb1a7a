#include "exporter/passes/straighten.h"

#include <string.h>

#include "exporter/frontend/schema.h"

/* ---- Copies ---- */

static bool is_inside(const ir_value *v, const ir_block *b) {
    for (const ir_block *at = v->node->block; at; at = at->owner ? at->owner->block : NULL)
        if (at == b)
            return true;
    return false;
}

static void map_outer_values(const ir_block *outermost, const ir_block *b, ir_value_map *map) {
    for (const ir_node *n = ir_first(b);; n = n->next) {
        for (uint32_t i = 0; i < ir_input_count(n); i++)
            if (!is_inside(ir_in(n, i), outermost))
                hmput(*map, ir_in(n, i), ir_in(n, i));
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            map_outer_values(outermost, n->blocks[i], map);
        if (n == b->result)
            return;
    }
}

void copy_block_nodes(const ir_block *from, ir_node *at, ir_value_map *map) {
    map_outer_values(from, from, map);
    ir_copy_nodes(from, at, map);
}

/* ---- Loops ---- */

enum { MOST_NODES = 5000, BEFORE_VARIABLES = 2 /* of a loop: count and condition */ };

static size_t count_nodes(const ir_block *b) {
    size_t count = 0;
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        count++;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            count += count_nodes(n->blocks[i]);
    }
    return count;
}

/* How often the loop turns, when that is known and not too much. */
static bool known_turns(const ir_node *loop, int64_t *turns) {
    const ir_block *body = loop->blocks[0];
    bool starts, goes_on;
    if (!ir_constant_int(ir_in(loop, 0), turns) || !ir_constant_bool(ir_in(loop, 1), &starts) ||
        !ir_constant_bool(ir_in(body->result, 0), &goes_on) || !starts || !goes_on)
        return false;
    int64_t nodes = (int64_t)count_nodes(body) + 1;
    if (*turns < 0)
        *turns = 0;
    return *turns <= MOST_NODES / nodes;
}

static void unroll(ir_node *loop, int64_t turns) {
    const ir_block *body = loop->blocks[0];
    uint32_t count = ir_output_count(loop);
    ir_value **variables = MEM_ARRAY(ir_value *, count + 1);
    for (uint32_t k = 0; k < count; k++)
        variables[k] = ir_in(loop, k + BEFORE_VARIABLES);
    for (int64_t i = 0; i < turns; i++) {
        ir_value_map map = NULL;
        hmput(map, ir_out(body->param, 0), ir_insert_constant(loop, const_int(i)));
        for (uint32_t k = 0; k < count; k++)
            hmput(map, ir_out(body->param, k + 1), variables[k]);
        copy_block_nodes(body, loop, &map);
        for (uint32_t k = 0; k < count; k++)
            variables[k] = hmget(map, ir_in(body->result, k + 1));
        hmfree(map);
    }
    for (uint32_t k = 0; k < count; k++)
        ir_replace_uses(ir_out(loop, k), variables[k]);
    ir_destroy(loop);
}

static void unroll_block(ir_block *b, bool (*keep)(const ir_node *loop)) {
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            unroll_block(n->blocks[i], keep);
        int64_t turns;
        if (n->kind == IR_LOOP && !keep(n) && known_turns(n, &turns))
            unroll(n, turns);
    }
}

void unroll_loops(ir_graph *g, bool (*keep)(const ir_node *loop)) {
    unroll_block(g->block, keep);
}

/* ---- Lists ---- */

static bool is_append(const ir_use *u) {
    return u->user->schema && !strcmp(u->user->schema->full_name, "aten::append.t") && u->index == 0;
}

/* The last append to a display, when all of them are done before anybody else sees the list; NULL: they are not, or
 * there is none. */
static ir_node *last_append(const ir_node *display) {
    const ir_value *list = ir_out(display, 0);
    ir_node *last = NULL;
    for (size_t i = 0; i < arrlenu(list->uses); i++) {
        ir_node *n = list->uses[i].user;
        if (!is_append(&list->uses[i]))
            continue;
        if (n->block != display->block || (ir_output_count(n) && ir_use_count(ir_out(n, 0))))
            return NULL;
        if (!last || ir_is_before(last, n))
            last = n;
    }
    for (size_t i = 0; last && i < arrlenu(list->uses); i++)
        if (!is_append(&list->uses[i]) && !ir_is_before(last, list->uses[i].user))
            return NULL;
    return last;
}

/* The display takes the place of its last append. */
static void put_together(ir_node *display, ir_node *last) {
    for (ir_node *n = display->next, *next;; n = next) {
        next = n->next;
        bool appends =
            n->schema && !strcmp(n->schema->full_name, "aten::append.t") && ir_in(n, 0) == ir_out(display, 0);
        if (appends)
            ir_node_add_input(display, ir_in(n, 1));
        if (n == last) {
            ir_move_before(next, display);
            ir_destroy(n);
            return;
        }
        if (appends)
            ir_destroy(n);
    }
}

static void collect_block(ir_block *b) {
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            collect_block(n->blocks[i]);
        ir_node *last = n->kind == IR_LIST_CONSTRUCT ? last_append(n) : NULL;
        if (!last)
            continue;
        const ir_node *before = n->previous;
        put_together(n, last);
        next = before->next; /* appends are gone, and perhaps the node that came next */
    }
}

void collect_appends(ir_graph *g) {
    collect_block(g->block);
}
