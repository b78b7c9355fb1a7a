/* Ends of lives, found block by block from the uses of each value. */
#include "exporter/codegen/liveness.h"

/* Position of a node in its block's list. */
typedef struct {
    const ir_node *key;
    uint32_t value;
} * node_positions;

/* The last node of a block that uses the value `of`, or in which a node uses it (`is_nested`). */
typedef struct {
    const ir_value *of;
    const ir_node *node;
    uint32_t position;
    bool is_nested;
} last_use;

typedef struct {
    const ir_block *key;
    last_use value;
} * last_uses;

typedef struct {
    liveness result;
    node_positions positions;
    last_uses last; /* of the value whose life is being ended */
} computation;

static void number_block(computation *c, const ir_block *b) {
    stack_check();
    uint32_t position = 0;
    hmput(c->last, b, (last_use){0});
    for (const ir_node *n = ir_first(b);; n = n->next) {
        hmput(c->positions, n, position);
        position++;
        if (n == b->result)
            return;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            number_block(c, n->blocks[i]);
    }
}

/* Notes that v, which is defined in block `outer`, is used by n, in n's block and in those around it. Where another use
 * in a block is known, so are those in the blocks around it: each block is looked at once. */
static void note_use(computation *c, const ir_value *v, const ir_node *n, const ir_block *outer) {
    for (bool is_nested = false, is_known = false; !is_known; n = n->block->owner, is_nested = true) {
        last_use *last = &hmgetp(c->last, n->block)->value;
        const uint32_t position = hmget(c->positions, n);
        is_known = last->of == v;
        if (!is_known || position > last->position)
            *last = (last_use){v, n, position, is_nested};
        else if (position == last->position)
            last->is_nested |= is_nested;
        if (n->block == outer)
            return;
    }
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
    const last_use last = hmget(c->last, b);
    if (last.of != v)
        return false;
    if (!last.is_nested)
        record_at(c, last.node, v);
    else if (last.node->kind == IR_IF && !is_input(last.node, v)) {
        for (size_t i = 0; i < arrlenu(last.node->blocks); i++)
            if (!end_life_in(c, last.node->blocks[i], v))
                record_at_start(c, last.node->blocks[i], v);
    } else
        record_after(c, last.node, v);
    return true;
}

/* Ends the life of v, which is defined in b; false when nothing uses it. */
static bool end_life(computation *c, const ir_block *b, ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        note_use(c, v, v->uses[i].user, b);
    return end_life_in(c, b, v);
}

static void end_lives(computation *c, const ir_block *b) {
    stack_check();
    for (uint32_t i = 0; i < ir_output_count(b->param); i++)
        if (!end_life(c, b, b->param->outputs[i]))
            record_at_start(c, b, b->param->outputs[i]);
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            if (!end_life(c, b, n->outputs[i]))
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
    hmfree(c.last);
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
