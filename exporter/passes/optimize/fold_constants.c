/* Constant folding by running kernels; branches, None tests, casts and dropout that constants decide. */
#include "exporter/passes/optimize/fold_constants.h"

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/program/program.h"

/* ---- Running operators ---- */

enum { FOLD_INPUTS = 8, NUMBER_STEPS = 8 };

static bool can_be_run(const ir_node *n) {
    return n->schema && schema_is_implemented(n->schema) && !operator_has_effects(n) &&
           !schema_is_nondeterministic(n->schema) && ir_output_count(n) == 1 && ir_input_count(n) > 0 &&
           ir_input_count(n) <= FOLD_INPUTS && !n->schema->variable_arguments;
}

static bool is_foldable(const ir_node *n) {
    if (!can_be_run(n))
        return false;
    switch (ir_out(n, 0)->type->kind) {
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_BOOL:
    case TYPE_STR:
    case TYPE_NUMBER:
        return true;
    default:
        return false;
    }
}

/* Whether the node makes a tensor of a number, or of other such tensors: those have no properties of their own. */
static bool makes_number_tensor(const ir_node *n) {
    if (ir_is_operator(n, "prim::NumToTensor.Scalar"))
        return true;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (ir_in(n, i)->type->kind == TYPE_TENSOR)
            return true;
    return false;
}

static ir_constant *run_operator(const ir_node *n, mutation *m, int steps);

/* A tensor without dimensions that is calculated from constants in at most so many steps, as traced programs calculate
 * sizes; NULL when v is none. */
static ir_constant *number_tensor(const ir_value *v, mutation *m, int steps) {
    if (steps == 0 || v->type->kind != TYPE_TENSOR || !can_be_run(v->node) || !makes_number_tensor(v->node))
        return NULL;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!use_only_reads(&v->uses[i]))
            return NULL;
    ir_constant *c = run_operator(v->node, m, steps - 1);
    return c && c->tensor->ndim == 0 ? c : NULL;
}

/* A constant that is the same whenever it is read: traced programs divide sizes by such tensors. */
static bool stays_as_it_is(const ir_value *v, const ir_constant *c, mutation *m) {
    if (c->kind != CONST_TENSOR)
        return type_is_immutable(c->type);
    return m && c->tensor->ndim == 0 && c->tensor->layout == PT_STRIDED && c->tensor->qscheme == PT_NOT_QUANTIZED &&
           !mutation_is_written(m, v);
}

/* The operator's result, or NULL. */
static ir_constant *run_operator(const ir_node *n, mutation *m, int steps) {
    stack_check();
    const ir_constant *inputs[FOLD_INPUTS];
    ir_constant *result;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        inputs[i] = ir_constant_of(ir_in(n, i));
        if (!inputs[i])
            inputs[i] = number_tensor(ir_in(n, i), m, steps);
        else if (!stays_as_it_is(ir_in(n, i), inputs[i], m))
            return NULL;
        if (!inputs[i])
            return NULL;
    }
    return evaluate_operator_within(n, inputs, &result, (size_t)LIMIT_FOLDING << 10, LIMIT_FOLDING_WORK) ? result
                                                                                                         : NULL;
}

/* ---- Rules ---- */

static void replace_by(ir_node *n, ir_value *v) {
    ir_replace_uses(ir_out(n, 0), v);
    ir_destroy(n);
}

static void replace_by_constant(ir_node *n, ir_constant *c) {
    replace_by(n, ir_insert_constant(n, c));
}

/* The value before a cast to another type; NULL: v is no cast. */
static ir_value *before_cast(const ir_value *v) {
    return v->node->kind == IR_UNCHECKED_CAST ? ir_in(v->node, 0) : NULL;
}

/* A cast to the type that the value has, or had before other casts. */
static bool drop_cast(ir_node *n) {
    for (ir_value *v = before_cast(ir_out(n, 0)); v; v = before_cast(v))
        if (v->type == ir_out(n, 0)->type) {
            replace_by(n, v);
            return true;
        }
    return false;
}

/* isinstance(x, T), when the type of x, or what it was before casts, says yes, or excludes every T. */
static bool decide_type(ir_node *n) {
    bool is_excluded = false;
    for (const ir_value *v = ir_in(n, 0); v; v = before_cast(v)) {
        bool excludes = true;
        for (size_t i = 0; i < arrlenu(n->types); i++) {
            if (type_is_subtype(v->type, n->types[i], NULL)) {
                replace_by_constant(n, const_bool(true));
                return true;
            }
            excludes &= type_excludes(v->type, n->types[i]);
        }
        is_excluded |= excludes;
    }
    if (is_excluded)
        replace_by_constant(n, const_bool(false));
    return is_excluded;
}

/* The type of v before or after casts that says that it is None, or is not; NULL: none says. */
static const type *telling_type(const ir_value *v) {
    for (; v; v = before_cast(v))
        if (v->type->kind == TYPE_NONE || !type_admits_none(v->type))
            return v->type;
    return NULL;
}

/* x is x; two tensors that operators make; x is None, when the type of x decides it. */
static bool decide_identity(ir_node *n) {
    const bool same_value = ir_in(n, 0) == ir_in(n, 1);
    if (same_value || (is_new_tensor_of_operator(ir_in(n, 0)) && is_new_tensor_of_operator(ir_in(n, 1)))) {
        replace_by_constant(n, const_bool(same_value == (n->kind == IR_IS)));
        return true;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const type *other = telling_type(ir_in(n, 1 - i));
        if (ir_in(n, i)->type->kind != TYPE_NONE)
            continue;
        if (!other)
            return false;
        bool same = other->kind == TYPE_NONE;
        replace_by_constant(n, const_bool(n->kind == IR_IS ? same : !same));
        return true;
    }
    return false;
}

/* A tensor that an operator makes is not nested, but for what is made of a mask and what is given lengths. */
static bool decide_nested(ir_node *n) {
    const bool asks = n->schema && ir_is_operator(n, "tsm::nested_mask");
    if (!asks && !(n->schema && ir_is_operator(n, "tsm::nested_like")))
        return false;
    const ir_value *of = ir_in(n, asks ? 0 : 1);
    if (!is_new_tensor_of_operator(of) || ir_is_operator(of->node, "aten::_nested_tensor_from_mask") ||
        ir_is_operator(of->node, "tsm::nested_like"))
        return false;
    if (asks)
        replace_by_constant(n, const_none());
    else
        replace_by(n, ir_in(n, 0));
    return true;
}

/* Nor does it require gradients, unless it is told to: results do not remember what they were computed from. */
static bool decide_gradient(ir_node *n, mutation *m) {
    if (!n->schema || !ir_is_operator(n, "prim::requires_grad"))
        return false;
    const ir_value *of = ir_in(n, 0);
    if (!m || !is_new_tensor_of_operator(of) || node_makes_with_flag(of->node) || mutation_is_written(m, of))
        return false;
    replace_by_constant(n, const_bool(false));
    return true;
}

static bool is_dropout_off(const ir_node *n) {
    bool train;
    return schema_has_trait(n->schema, TRAIT_OFF_IS_IDENTITY) && ir_constant_bool(ir_in(n, 2), &train) && !train;
}

/* Applies one rule to n; returns the node to go on with. */
static ir_node *fold_node(ir_node *n, mutation *m) {
    ir_node *next = n->next;
    bool condition;
    if (n->kind == IR_IF && ir_constant_bool(ir_in(n, 0), &condition))
        return ir_inline_branch(n, condition);
    if ((n->kind == IR_IS || n->kind == IR_IS_NOT) && decide_identity(n))
        return next;
    if (decide_nested(n) || decide_gradient(n, m))
        return next;
    if (n->kind == IR_ISINSTANCE && decide_type(n))
        return next;
    if (n->kind == IR_UNCHECKED_CAST && drop_cast(n))
        return next;
    if (n->kind == IR_UNWRAP_OPTIONAL && !type_admits_none(ir_in(n, 0)->type)) {
        replace_by(n, ir_in(n, 0));
        return next;
    }
    if (is_dropout_off(n)) {
        replace_by(n, ir_in(n, 0));
        return next;
    }
    /* Questions about the surroundings, which are the same wherever libtsmobile runs. */
    bool yes = schema_has_trait(n->schema, TRAIT_ALWAYS_TRUE);
    if (yes || schema_has_trait(n->schema, TRAIT_ALWAYS_FALSE)) {
        replace_by_constant(n, const_bool(yes));
        return next;
    }
    if (is_foldable(n)) {
        ir_constant *c = run_operator(n, m, NUMBER_STEPS);
        if (c)
            replace_by_constant(n, c);
    }
    return next;
}

static void fold_block(ir_block *b, mutation *m) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result;) {
        ir_node *next = fold_node(n, m);
        /* A node that is still there may have blocks; one that was replaced has none left. */
        if (next->previous == n && n->block == b)
            for (size_t i = 0; i < arrlenu(n->blocks); i++)
                fold_block(n->blocks[i], m);
        n = next;
    }
}

void fold_constants(ir_graph *g, mutation *m) {
    fold_block(g->block, m);
}
