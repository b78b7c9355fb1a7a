/* Loop-invariant code motion. */
#include "exporter/passes/optimize/hoist_invariants.h"

#include "exporter/passes/analysis/pure_node.h"
#include "exporter/schema/operator_node.h"

/* ---- Which nodes ---- */

static bool cannot_raise(const ir_node *n) {
    if (n->kind == IR_LIST_CONSTRUCT || n->kind == IR_TUPLE_CONSTRUCT)
        return true;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!type_is_real(ir_in(n, i)->type))
            return false;
    return schema_has_trait(n->schema, TRAIT_TOTAL);
}

/* Whether the node calculates the same in every turn of the loop whose body this is. */
static bool is_invariant(const ir_node *n, const ir_block *body, mutation *m) {
    bool is_made = n->kind == IR_LIST_CONSTRUCT || n->kind == IR_TUPLE_CONSTRUCT;
    if (!(is_made || node_is_pure(n, m)) || !node_results_may_merge(n, m))
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!ir_is_constant(ir_in(n, i)) && ir_is_inside(ir_in(n, i), body))
            return false;
    return true;
}

/* ---- Moving ---- */

/* Puts n before `at`, which is the loop or stands before it. */
static void move_out(ir_node *n, ir_node *at, const ir_block *body) {
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        const ir_value *v = ir_in(n, i);
        if (!ir_is_constant(v) || !ir_is_inside(v, body))
            continue;
        ir_value *copy = ir_insert_constant(at, v->node->constant ? v->node->constant : const_none());
        copy->type = v->type;
        ir_node_set_input(n, i, copy);
    }
    ir_move_before(at, n);
}

static bool is_true(const ir_value *v) {
    bool value;
    return ir_constant_bool(v, &value) && value;
}

static bool is_endless(const ir_value *turns) {
    int64_t count;
    return ir_constant_int(turns, &count) && count == INT64_MAX;
}

/* Whether the loop has a first turn, as a new value or one that is there; NULL: it takes more than one comparison. */
static ir_value *has_first_turn(ir_node *loop) {
    ir_value *turns = ir_in(loop, 0), *condition = ir_in(loop, 1);
    int64_t count;
    if (is_endless(turns))
        return condition;
    if (!is_true(condition))
        return NULL;
    if (ir_constant_int(turns, &count))
        return ir_insert_constant(loop, const_bool(count > 0));
    return operator_insert(loop, "aten::gt.int", turns, ir_insert_constant(loop, const_int(0)));
}

/* The loop moves into a branch that runs when it has a first turn; without one, its variables are what they were. */
static void put_into_branch(ir_node *loop, ir_value *condition) {
    ir_node *branch = ir_node_new(loop->graph, IR_IF, 0);
    branch->range = loop->range;
    branch->scope = loop->scope;
    ir_node_add_input(branch, condition);
    ir_block *runs = ir_node_add_block(branch), *skips = ir_node_add_block(branch);
    ir_insert_before(loop, branch);
    for (uint32_t i = 0; i < ir_output_count(loop); i++) {
        ir_value *out = ir_node_add_output(branch, ir_out(loop, i)->type);
        out->name = ir_out(loop, i)->name;
        ir_replace_uses(ir_out(loop, i), out);
        ir_block_add_result(runs, ir_out(loop, i));
        ir_block_add_result(skips, ir_in(loop, i + 2));
    }
    ir_unlink(loop);
    ir_insert_before(runs->result, loop);
}

/* ---- Loops ---- */

static void hoist_what_cannot_raise(ir_node *loop, mutation *m) {
    const ir_block *body = loop->blocks[0];
    IR_EACH(n, body)
    if (is_invariant(n, body, m) && cannot_raise(n))
        move_out(n, loop, body);
}

/* Whether what is behind n may run before it: n changes nothing and is no control flow. */
static bool may_be_passed(const ir_node *n, mutation *m) {
    return n->kind == IR_CONSTANT || n->kind == IR_LIST_CONSTRUCT || n->kind == IR_TUPLE_CONSTRUCT ||
           n->kind == IR_UNCHECKED_CAST || node_is_pure(n, m);
}

/* The invariant nodes that run in every turn before anything that can be noticed. */
static ir_node **find_first(const ir_block *body, mutation *m) {
    ir_node **found = NULL;
    for (ir_node *n = ir_first(body); n != body->result; n = n->next) {
        if (is_invariant(n, body, m))
            arrput(found, n);
        else if (!may_be_passed(n, m))
            break;
    }
    return found;
}

static bool needs_no_branch(const ir_node *loop) {
    int64_t turns;
    return is_true(ir_in(loop, 1)) && ir_constant_int(ir_in(loop, 0), &turns) && turns > 0;
}

static void hoist_from_start(ir_node *loop, mutation *m) {
    const ir_block *body = loop->blocks[0];
    ir_node **found = find_first(body, m);
    ir_value *condition = arrlenu(found) && !needs_no_branch(loop) ? has_first_turn(loop) : NULL;
    if (!arrlenu(found) || (!condition && !needs_no_branch(loop)))
        return;
    if (condition)
        put_into_branch(loop, condition);
    /* One that was moved makes others invariant. */
    for (; arrlenu(found); found = find_first(body, m))
        for (size_t i = 0; i < arrlenu(found); i++)
            move_out(found[i], loop, body);
}

static void hoist_in_block(ir_block *b, mutation *m) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            hoist_in_block(n->blocks[i], m);
        if (n->kind != IR_LOOP)
            continue;
        hoist_what_cannot_raise(n, m);
        hoist_from_start(n, m);
    }
}

void hoist_invariants(ir_graph *g, mutation *m) {
    hoist_in_block(g->block, m);
}
