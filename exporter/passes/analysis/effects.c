/* What operators do with their inputs, from schemas and traits. */
#include "exporter/passes/analysis/effects.h"

#include "exporter/base/limits.h"
#include "exporter/schema/schema.h"

/* ---- Types ---- */

bool type_can_alias(const type *t) {
    stack_check();
    if (type_is_immutable(t))
        return false;
    switch (t->kind) {
    case TYPE_FUNCTION:
        return false;
    case TYPE_OPTIONAL:
    case TYPE_TUPLE:
    case TYPE_UNION:
    case TYPE_FUTURE:
        for (uint32_t i = 0; i < t->count; i++)
            if (type_can_alias(t->items[i]))
                return true;
        return t->kind == TYPE_FUTURE;
    default:
        return true;
    }
}

/* Whether something that can be changed may be inside of values of the type. */
static bool type_contains_aliasing(const type *t) {
    for (uint32_t i = 0; i < t->count; i++)
        if (type_can_alias(t->items[i]))
            return true;
    return t->kind == TYPE_ANY || t->kind == TYPE_CLASS || t->kind == TYPE_INTERFACE;
}

/* ---- Operators ---- */

/* NULL: there are more inputs than the schema names. */
static const schema_argument *argument_of(const ir_node *n, uint32_t input) {
    return input < n->schema->argument_count ? &n->schema->arguments[input] : NULL;
}

/* Running statistics, unless the operator is known not to train. */
static bool updates_statistics(const ir_node *n, uint32_t input) {
    bool training;
    return (input == 3 || input == 4) && schema_has_trait(n->schema, TRAIT_RUNNING_STATS) &&
           !(ir_constant_bool(ir_in(n, 5), &training) && !training);
}

/* Who draws from a generator changes it. */
static bool draws_from(const ir_node *n, uint32_t input) {
    return type_without_none(ir_in(n, input)->type)->kind == TYPE_GENERATOR;
}

bool operator_writes(const ir_node *n, uint32_t input) {
    const schema_argument *a = argument_of(n, input);
    return (a && a->is_write) || draws_from(n, input) || updates_statistics(n, input) ||
           (input == 1 && schema_has_trait(n->schema, TRAIT_WRITES_NOISE));
}

bool operator_writes_any(const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (operator_writes(n, i))
            return true;
    return false;
}

bool operator_stores(const ir_node *n, uint32_t input) {
    const schema_argument *a = argument_of(n, input);
    return (a && a->contained_wildcard) || (input == 1 && schema_has_trait(n->schema, TRAIT_STORES_ITEMS));
}

/* A list of numbers has nothing that a tensor may be. */
static bool may_be_result(const type *input, const type *output) {
    input = type_without_none(input);
    return input->kind != TYPE_LIST || type_can_alias(type_element(input)) || output->kind != TYPE_TENSOR;
}

/* x.type_as(y) is x, or a copy. */
static bool lends_its_type(const ir_node *n, uint32_t input) {
    return input == 1 && ir_is_operator(n, "aten::type_as");
}

bool operator_hands_on(const ir_node *n, uint32_t input, uint32_t output) {
    const schema_argument *a = argument_of(n, input);
    const schema_argument *r = output < n->schema->return_count ? &n->schema->returns[output] : NULL;
    bool is_wildcard = r && r->alias_set >> 63;
    if (is_wildcard || (a && r && a->alias_set & r->alias_set) ||
        (schema_has_trait(n->schema, TRAIT_RETURNS_INPUT) && !lends_its_type(n, input) &&
         may_be_result(ir_in(n, input)->type, ir_out(n, output)->type)))
        return true;
    return type_contains_aliasing(ir_in(n, input)->type) && type_contains_aliasing(ir_out(n, output)->type);
}

bool operator_has_effects(const ir_node *n) {
    return schema_has_side_effects(n->schema) || operator_writes_any(n);
}

/* ---- Uses ---- */

bool node_makes_with_flag(const ir_node *n) {
    bool on;
    for (uint32_t i = 0; n->schema && i < n->schema->argument_count; i++)
        if (!strcmp(n->schema->arguments[i].name, "requires_grad") && !(ir_constant_bool(ir_in(n, i), &on) && !on))
            return true;
    return false;
}

bool is_new_tensor_of_operator(const ir_value *v) {
    const ir_node *n = v->node;
    if (!n->schema || v->type->kind != TYPE_TENSOR || v->offset >= n->schema->return_count)
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (type_can_alias(ir_in(n, i)->type) && operator_hands_on(n, i, v->offset))
            return false;
    return true;
}

bool use_only_reads(const ir_use *u) {
    const ir_node *n = u->user;
    if (!n->schema || u->index >= n->schema->argument_count || operator_writes(n, u->index) ||
        operator_stores(n, u->index))
        return false;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (type_can_alias(ir_out(n, i)->type) && operator_hands_on(n, u->index, i))
            return false;
    return true;
}

bool use_leaves_list(const ir_use *u) {
    const ir_node *n = u->user;
    if (n->kind == IR_LIST_UNPACK || n == n->graph->block->result)
        return true;
    if (!n->schema || u->index >= n->schema->argument_count || operator_writes(n, u->index) ||
        operator_stores(n, u->index))
        return false;
    for (uint32_t i = 0; i < n->schema->return_count; i++) {
        const schema_argument *a = &n->schema->arguments[u->index], *r = &n->schema->returns[i];
        const bool is_list = r->type->kind == TYPE_LIST;
        /* What is read from somewhere may be the default for what is not there. */
        const bool may_be_list =
            r->alias_set >> 63 && type_is_subtype(ir_in(n, u->index)->type, ir_out(n, i)->type, NULL);
        if (a->alias_set & r->alias_set || may_be_list || (is_list && schema_has_trait(n->schema, TRAIT_RETURNS_INPUT)))
            return false;
    }
    return true;
}

bool node_is_quiet(const ir_node *n) {
    switch (n->kind) {
    case IR_CONSTANT:
    case IR_LIST_CONSTRUCT:
    case IR_TUPLE_CONSTRUCT:
    case IR_TUPLE_UNPACK:
    case IR_UNCHECKED_CAST:
        return true;
    default:
        return n->schema && arrlenu(n->blocks) == 0 && n->kind != IR_WARN;
    }
}
