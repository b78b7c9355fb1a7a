/* Constants for registers: one node for the uses in a loop, before the outermost loop around them. */
#include "exporter/codegen/hoist_constants.h"

#include <string.h>

#include "exporter/codegen/select.h"

/* The mark is kept in `begin` of the constant's node, which means nothing for constants. */
enum { IN_REGISTER = 1 };

bool hoist_is_in_register(const ir_node *n) {
    return n->begin == IN_REGISTER;
}

/* The outermost loop that n stands in, or n itself. */
static ir_node *placement_for(ir_node *n) {
    ir_node *at = n;
    for (ir_block *b = n->block; b->owner; b = b->owner->block)
        if (b->owner->kind == IR_LOOP)
            at = b->owner;
    return at;
}

typedef struct {
    struct {
        ir_node *place;
        const ir_node *constant;
    } key;
    ir_value *value;
} placed_constant;

static void place_uses(ir_node *n, uint32_t target, placed_constant **placed) {
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        ir_value *v = ir_in(n, i);
        if (!ir_is_constant(v) || hoist_is_in_register(v->node) || !select_wants_register(n, target, i))
            continue;
        placed_constant p;
        memset(&p, 0, sizeof p);
        p.key.place = placement_for(n);
        p.key.constant = v->node;
        ptrdiff_t at = hmgeti(*placed, p.key);
        if (at < 0) {
            ir_constant *c = v->node->constant ? v->node->constant : const_none();
            p.value = ir_insert_constant(p.key.place, c);
            p.value->type = v->type;
            p.value->node->begin = IN_REGISTER;
            hmputs(*placed, p);
        } else
            p.value = (*placed)[at].value;
        ir_node_set_input(n, i, p.value);
    }
}

static void place_in_block(ir_block *b, uint32_t target, placed_constant **placed) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        place_uses(n, target, placed);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            place_in_block(n->blocks[i], target, placed);
    }
}

void hoist_constants(ir_graph *g, uint32_t target) {
    placed_constant *placed = NULL;
    place_in_block(g->block, target, &placed);
    hmfree(placed);
}
