/* Operators on constants that give numbers, texts and lists of those. */
#include "exporter/passes/analysis/constant_result.h"

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/schema/schema.h"

enum { INPUTS = 8, MOST_ELEMENTS = 64 };

bool constant_is_plain(const ir_constant *c) {
    return c && (c->kind == CONST_INT || c->kind == CONST_FLOAT || c->kind == CONST_BOOL || c->kind == CONST_STR);
}

const ir_constant *unwritten_list(const ir_value *v, mutation *m) {
    const ir_constant *c = ir_constant_of(v);
    return c && c->kind == CONST_LIST && !mutation_is_written(m, v) ? c : NULL;
}

static bool has_plain_items(const ir_constant *list) {
    for (uint32_t i = 0; i < list->list.count; i++)
        if (!constant_is_plain(list->list.items[i]))
            return false;
    return true;
}

static bool is_small(const struct pt_tensor *t) {
    return t->layout == PT_STRIDED && t->qscheme == PT_NOT_QUANTIZED && pt_tensor_numel(t) <= MOST_ELEMENTS;
}

static bool can_be_input(const ir_constant *c) {
    if (!c)
        return false;
    if (c->kind == CONST_LIST)
        return has_plain_items(c);
    return constant_is_plain(c) || c->kind == CONST_NONE || c->kind == CONST_DEVICE ||
           (c->kind == CONST_TENSOR && is_small(c->tensor));
}

/* The constant that v is in every run. NULL: it is none. */
static const ir_constant *input_constant(const ir_value *v, mutation *m) {
    const ir_constant *c = ir_constant_of(v);
    const bool may_change = c && (c->kind == CONST_LIST || c->kind == CONST_TENSOR);
    return may_change && mutation_is_written(m, v) ? NULL : c;
}

static bool is_plain_type(const type *t) {
    return t->kind == TYPE_INT || t->kind == TYPE_FLOAT || t->kind == TYPE_BOOL || t->kind == TYPE_STR;
}

static bool is_plain_list(const type *t) {
    return t->kind == TYPE_LIST && is_plain_type(type_element(t));
}

static bool has_plain_result(const ir_node *n, mutation *m) {
    if (ir_output_count(n) != 1)
        return false;
    const ir_value *v = ir_out(n, 0);
    if (v->type->kind == TYPE_LIST)
        return is_plain_list(v->type) && !mutation_is_written(m, v);
    return is_plain_type(v->type) || v->type->kind == TYPE_DEVICE;
}

static bool makes_plain_list(const ir_node *n) {
    if (ir_output_count(n) != 1 || !is_plain_list(ir_out(n, 0)->type))
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (type_can_alias(ir_in(n, i)->type) && operator_hands_on(n, i, 0))
            return false;
    return true;
}

static bool can_be_run(const ir_node *n) {
    return n->schema && schema_is_implemented(n->schema) && !operator_has_effects(n) &&
           !schema_is_nondeterministic(n->schema) && ir_input_count(n) > 0 && ir_input_count(n) <= INPUTS &&
           (!n->schema->variable_arguments || n->kind == IR_FORMAT);
}

/* `known`: constants that the inputs are; NULL: the graph says. */
static ir_constant *run_on_constants(const ir_node *n, const ir_constant *const *known, mutation *m) {
    const ir_constant *inputs[INPUTS];
    ir_constant *result;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        inputs[i] = known ? known[i] : input_constant(ir_in(n, i), m);
        if (!can_be_input(inputs[i]))
            return NULL;
    }
    return evaluate_operator_within(n, inputs, &result, (size_t)LIMIT_FOLDING << 10, LIMIT_FOLDING_WORK) ? result
                                                                                                         : NULL;
}

ir_constant *constant_result(const ir_node *n, mutation *m) {
    return can_be_run(n) && has_plain_result(n, m) ? run_on_constants(n, NULL, m) : NULL;
}

ir_constant *constant_result_of(const ir_node *n, const ir_constant *const *inputs, mutation *m) {
    return can_be_run(n) && has_plain_result(n, m) ? run_on_constants(n, inputs, m) : NULL;
}

ir_constant *constant_items(const ir_node *n, mutation *m) {
    return can_be_run(n) && makes_plain_list(n) ? run_on_constants(n, NULL, m) : NULL;
}
