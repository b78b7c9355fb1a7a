/* Results of ifs and variables of loops that are one value on all ways. */
#include "exporter/passes/optimize/branch_results.h"

#include "exporter/passes/analysis/guarded_branch.h"
#include "exporter/schema/schema.h"

/* ---- Which value ---- */

/* A constant before `at` that is equal to both; NULL: they differ, or are no constants that may be shared. */
static ir_value *equal_constant(ir_node *at, const ir_value *a, const ir_value *b) {
    const ir_constant *first = ir_constant_of(a), *second = ir_constant_of(b);
    if (!first || !second || a->type != b->type || !type_is_immutable(a->type) || !const_equal(first, second))
        return NULL;
    ir_value *v = ir_insert_constant(at, (ir_constant *)(uintptr_t)first);
    v->type = a->type;
    return v;
}

/* v where it stands before `at`, or a copy of the constant; NULL: it is made in a block of `at`. */
static ir_value *value_before(ir_node *at, ir_value *v) {
    if (ir_is_constant(v))
        return equal_constant(at, v, v);
    return v->node->kind != IR_UNINITIALIZED && ir_is_before(v->node, at) ? v : NULL;
}

static ir_value *not_of(ir_node *at, ir_value *v) {
    ir_node *n = ir_node_new(at->graph, IR_NOT, 1);
    n->schema = schema_find("aten::__not__");
    n->range = at->range;
    n->scope = at->scope;
    ir_node_add_input(n, v);
    ir_out(n, 0)->type = v->type;
    ir_insert_before(at, n);
    return ir_out(n, 0);
}

static ir_value *result_of_if(ir_node *n, uint32_t i) {
    ir_value *a = ir_in(n->blocks[0]->result, i), *b = ir_in(n->blocks[1]->result, i), *same;
    const type *t = ir_out(n, i)->type;
    bool first, second;
    if (a == b)
        return a;
    if (a->node->kind == IR_UNINITIALIZED || b->node->kind == IR_UNINITIALIZED) {
        ir_value *other = a->node->kind == IR_UNINITIALIZED ? b : a;
        return other->type == t ? value_before(n, other) : NULL;
    }
    if (a->type != t)
        return NULL;
    if ((same = equal_constant(n, a, b)))
        return same;
    if (!ir_constant_bool(a, &first) || !ir_constant_bool(b, &second))
        return NULL;
    return first ? ir_in(n, 0) : not_of(n, ir_in(n, 0));
}

static ir_value *variable_of_loop(ir_node *n, uint32_t i) {
    const ir_block *body = n->blocks[0];
    ir_value *start = ir_in(n, i + 2), *given = ir_in(body->result, i + 1);
    if (start->type != body->param->outputs[i + 1]->type || start->type != ir_out(n, i)->type)
        return NULL;
    return given == body->param->outputs[i + 1] || given == start ? start : equal_constant(n, start, given);
}

/* ---- Its place ---- */

/* While a program is specialized, the general code beside the guard is not in its place. */
static void settle_if(ir_node *n, uint32_t i) {
    ir_value *v = ir_use_count(ir_out(n, i)) && !is_guarded_branch(n) ? result_of_if(n, i) : NULL;
    if (v && v->type == ir_out(n, i)->type)
        ir_replace_uses(ir_out(n, i), v);
}

/* Nobody wants it after the loop, and the body hands it on and does nothing else with it. */
static bool is_settled(const ir_node *n, uint32_t i) {
    const ir_block *body = n->blocks[0];
    const ir_value *param = body->param->outputs[i + 1];
    return !ir_use_count(ir_out(n, i)) && ir_use_count(param) == 1 && ir_in(body->result, i + 1) == param;
}

static void settle_variable(ir_node *n, uint32_t i) {
    ir_block *body = n->blocks[0];
    ir_value *param = body->param->outputs[i + 1], *v = is_settled(n, i) ? NULL : variable_of_loop(n, i);
    if (!v)
        return;
    ir_replace_uses(ir_out(n, i), v);
    ir_replace_uses(param, v);
    ir_node_set_input(body->result, i + 1, param);
}

void settle_results(ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (n->kind == IR_IF)
            settle_if(n, i);
        else
            settle_variable(n, i);
}
