/* Questions for ranks, moved to the value before layers that keep the rank. */
#include "exporter/passes/optimize/hoist_rank.h"

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/effects.h"

typedef struct {
    mutation *mutation;
    struct {
        const ir_value *key;
        ir_value *value;
    } * places; /* where the rank of a value is asked instead; values that are not there are asked themselves */
} ranks;

static ir_value *place_of(ranks *r, ir_value *v) {
    const ptrdiff_t at = hmgeti(r->places, v);
    return at < 0 ? v : r->places[at].value;
}

/* The one tensor of which all tensors that n is given have their rank, those in displays that nothing writes to among
 * them; NULL: there is none. */
static ir_value *common_place(ranks *r, const ir_node *n) {
    stack_check();
    ir_value *place = NULL;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        ir_value *v = ir_in(n, i), *of_input = NULL;
        if (v->node->kind == IR_LIST_CONSTRUCT && !mutation_is_written(r->mutation, v))
            of_input = common_place(r, v->node);
        else if (v->type->kind == TYPE_TENSOR)
            of_input = place_of(r, v);
        if (of_input ? place && of_input != place : type_can_alias(v->type))
            return NULL;
        place = of_input ? of_input : place;
    }
    return place;
}

/* Whether n gives its first input's rank to its results. */
static bool keeps_rank(const ranks *r, const ir_node *n) {
    if (!schema_has_trait(n->schema, TRAIT_RANK_OF_ROWS))
        return schema_has_trait(n->schema, TRAIT_SAME_RANK);
    const ir_constant *c = ir_constant_of(ir_in(n, 1));
    return c && c->kind == CONST_TENSOR && c->tensor->ndim == 2 && !mutation_is_resized(r->mutation, ir_in(n, 1));
}

/* The same for a result of n; NULL: its rank is its own. An aten::dim of the value between two operators would be a
 * second use, which prevents their fusion: what is only a step before is not the place. */
static ir_value *place_of_result(ranks *r, const ir_node *n) {
    if (n->kind == IR_LIST_UNPACK || n->kind == IR_GETITEM) {
        const ir_node *cut = ir_in(n, 0)->node;
        const bool has_rank =
            schema_has_trait(cut->schema, TRAIT_SAME_RANK) && !mutation_is_written(r->mutation, ir_in(n, 0));
        return has_rank ? place_of(r, ir_in(cut, 0)) : NULL;
    }
    if (schema_has_trait(n->schema, TRAIT_COMMON_RANK))
        return common_place(r, n);
    if (!keeps_rank(r, n))
        return NULL;
    ir_value *place = place_of(r, ir_in(n, 0));
    return place == ir_in(n, 0) && schema_has_trait(n->schema, TRAIT_FUSES) ? NULL : place;
}

static void visit_block(ranks *r, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(r, n->blocks[i]);
        if (ir_is_operator(n, "aten::dim"))
            ir_node_set_input(n, 0, place_of(r, ir_in(n, 0)));
        ir_value *place = place_of_result(r, n);
        if (!place || mutation_is_resized(r->mutation, place))
            continue;
        /* Of an operator the first result has the rank. */
        for (uint32_t i = 0; i < ir_output_count(n) && (i == 0 || n->kind == IR_LIST_UNPACK); i++)
            if (ir_out(n, i)->type->kind == TYPE_TENSOR && !mutation_is_resized(r->mutation, ir_out(n, i)))
                hmput(r->places, ir_out(n, i), place);
    }
}

void hoist_rank(ir_graph *g, mutation *m) {
    ranks r = {m, NULL};
    visit_block(&r, g->block);
}
