/* Nodes that give the same whenever they run. */
#include "exporter/passes/analysis/pure_node.h"

#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

static bool only_reads(const ir_use *u) {
    return u->user->kind == IR_LIST_UNPACK || u->user->kind == IR_IF || use_only_reads(u);
}

static bool is_only_read(const ir_value *v, mutation *m) {
    if (mutation_is_written(m, v))
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!only_reads(&v->uses[i]))
            return false;
    return true;
}

/* Whether n may read something else of v at another time. */
static bool may_read_anew(const ir_node *n, const ir_value *v, mutation *m) {
    if (v->type->kind == TYPE_TENSOR && schema_has_trait(n->schema, TRAIT_READS_FORM))
        return mutation_is_resized(m, v);
    return !type_is_immutable(v->type) && mutation_is_written(m, v);
}

bool node_is_pure(const ir_node *n, mutation *m) {
    if (!n->schema || arrlenu(n->blocks) || operator_has_effects(n) || schema_is_nondeterministic(n->schema))
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (may_read_anew(n, ir_in(n, i), m))
            return false;
    return true;
}

/* Whether the operator always gives a view of its first input: such operators have a variant that copies. */
static bool makes_view(const ir_node *n) {
    if (!n->schema || ir_output_count(n) != 1 || !ir_input_count(n) || !operator_hands_on(n, 0, 0))
        return false;
    const op_schema *s = n->schema;
    return schema_find(s->overload[0] ? mem_printf("%s_copy.%s", s->name, s->overload)
                                      : mem_printf("%s_copy", s->name));
}

/* Two views of the same memory are one where nothing is written to them, and nobody keeps them or asks which it is. */
static bool view_may_merge(const ir_value *v, mutation *m) {
    if (mutation_is_written(m, v))
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_use *u = &v->uses[i];
        const bool is_asked = u->user->kind == IR_IS || u->user->kind == IR_IS_NOT;
        if (!only_reads(u) && (!u->user->schema || is_asked || operator_stores(u->user, u->index)))
            return false;
    }
    return true;
}

bool node_results_may_merge(const ir_node *n, mutation *m) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (!type_is_immutable(n->outputs[i]->type) && !is_only_read(n->outputs[i], m) &&
            !(makes_view(n) && view_may_merge(n->outputs[i], m)))
            return false;
    return ir_output_count(n) > 0;
}
