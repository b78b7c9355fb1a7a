/* Ends of lives, found block by block from the uses of each value. */
#include "exporter/codegen/liveness.h"

/* Position of a node in its block's list. */
typedef struct {
    const ir_node *key;
    uint32_t value;
} * node_positions;

typedef struct {
    liveness result;
    node_positions positions;
} computation;

static void number_block(computation *c, const ir_block *b) {
    stack_check();
    uint32_t position = 0;
    for (const ir_node *n = ir_first(b);; n = n->next) {
        hmput(c->positions, n, position);
        position++;
        if (n == b->result)
            return;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            number_block(c, n->blocks[i]);
    }
}

/* The node of block `b` that `n` is or stands inside of; NULL when n is outside of b. */
static const ir_node *ancestor_in(const ir_node *n, const ir_block *b) {
    while (n && n->block != b)
        n = n->block->owner;
    return n;
}

static void record_at(computation *c, const ir_node *n, ir_value *v) {
    ir_value **list = hmget(c->result.at, n);
    arrput(list, v);
    hmput(c->result.at, n, list);
}

static void record_after(computation *c, const ir_node *n, ir_value *v) {
    ir_value **list = hmget(c->result.after, n);
    arrput(list, v);
    hmput(c->result.after, n, list);
}

static void record_at_start(computation *c, const ir_block *b, ir_value *v) {
    ir_value **list = hmget(c->result.at_start, b);
    arrput(list, v);
    hmput(c->result.at_start, b, list);
}

static bool is_input(const ir_node *n, const ir_value *v) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (n->inputs[i] == v)
            return true;
    return false;
}

/* Ends v's life inside block b, where it is alive at the start (or defined). Returns false when b never uses it. */
static bool end_life_in(computation *c, const ir_block *b, ir_value *v) {
    stack_check();
    const ir_node *last = NULL;
    uint32_t last_position = 0;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_node *n = ancestor_in(v->uses[i].user, b);
        if (!n)
            continue;
        uint32_t position = hmget(c->positions, n);
        if (!last || position > last_position) {
            last = n;
            last_position = position;
        }
    }
    if (!last)
        return false;
    bool nested = false;
    for (size_t i = 0; i < arrlenu(v->uses) && !nested; i++)
        nested = v->uses[i].user != last && ancestor_in(v->uses[i].user, b) == last;
    if (!nested)
        record_at(c, last, v);
    else if (last->kind == IR_IF && !is_input(last, v)) {
        for (size_t i = 0; i < arrlenu(last->blocks); i++)
            if (!end_life_in(c, last->blocks[i], v))
                record_at_start(c, last->blocks[i], v);
    } else
        record_after(c, last, v);
    return true;
}

static void end_lives(computation *c, const ir_block *b) {
    stack_check();
    for (uint32_t i = 0; i < ir_output_count(b->param); i++)
        if (!end_life_in(c, b, b->param->outputs[i]))
            record_at_start(c, b, b->param->outputs[i]);
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            if (!end_life_in(c, b, n->outputs[i]))
                record_after(c, n, n->outputs[i]);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            end_lives(c, n->blocks[i]);
    }
}

liveness liveness_compute(const ir_graph *g) {
    computation c = {0};
    number_block(&c, g->block);
    end_lives(&c, g->block);
    hmfree(c.positions);
    return c.result;
}

ir_value **liveness_at(const liveness *l, const ir_node *n) {
    liveness_node_map *map = l->at;
    return hmget(map, n);
}

ir_value **liveness_after(const liveness *l, const ir_node *n) {
    liveness_node_map *map = l->after;
    return hmget(map, n);
}

ir_value **liveness_at_start(const liveness *l, const ir_block *b) {
    liveness_block_map *map = l->at_start;
    return hmget(map, b);
}

bool liveness_dies_at(const liveness *l, const ir_node *n, const ir_value *v) {
    ir_value **list = liveness_at(l, n);
    for (size_t i = 0; i < arrlenu(list); i++)
        if (list[i] == v)
            return true;
    return false;
}
