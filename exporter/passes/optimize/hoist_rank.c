/* Questions for ranks, moved to the value before layers that keep the rank. */
#include "exporter/passes/optimize/hoist_rank.h"

#include "exporter/schema/schema.h"

/* An aten::dim of the value between two operators would be a second use, which prevents their fusion. */
static ir_value *earliest_of_same_rank(ir_value *v, mutation *m) {
    ir_value *best = v;
    while (schema_has_trait(v->node->schema, TRAIT_SAME_RANK) && !mutation_is_resized(m, v)) {
        bool fuses = schema_has_trait(v->node->schema, TRAIT_FUSES);
        v = ir_in(v->node, 0);
        if (!fuses && !mutation_is_resized(m, v))
            best = v;
    }
    return best;
}

static void move_in_block(ir_block *b, mutation *m) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            move_in_block(n->blocks[i], m);
        if (!ir_is_operator(n, "aten::dim"))
            continue;
        ir_node_set_input(n, 0, earliest_of_same_rank(ir_in(n, 0), m));
    }
}

void hoist_rank(ir_graph *g, mutation *m) {
    move_in_block(g->block, m);
}
