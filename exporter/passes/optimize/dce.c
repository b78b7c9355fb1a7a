/* Dead code: unused nodes without effects from the end of each block on, then unused results and loop variables. */
#include "exporter/passes/optimize/dce.h"

#include "exporter/passes/analysis/effects.h"

static bool block_has_effects(const ir_block *b);

static bool has_effects(const ir_node *n) {
    stack_check();
    switch (n->kind) {
    case IR_SET_ATTR:
    case IR_RAISE_EXCEPTION:
    case IR_PRINT:
    case IR_WARN:
    case IR_ENTER:
    case IR_EXIT:
    case IR_CALL_FUNCTION:
    case IR_CALL_METHOD:
    case IR_INTERFACE_CALL:
    case IR_FORK:
    case IR_WAIT:
    case IR_LIST_UNPACK: /* raises when the lengths differ */
    case IR_UNWRAP_OPTIONAL:
        return true;
    case IR_LOOP: {
        /* A while loop may never end; that is an effect too. */
        int64_t trip;
        bool forever = ir_constant_int(ir_in(n, 0), &trip) && trip == INT64_MAX;
        return forever || block_has_effects(n->blocks[0]);
    }
    case IR_IF:
        return block_has_effects(n->blocks[0]) || block_has_effects(n->blocks[1]);
    default:
        return n->schema && operator_has_effects(n);
    }
}

static bool block_has_effects(const ir_block *b) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        if (has_effects(n))
            return true;
    return false;
}

static bool is_used(const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (ir_use_count(n->outputs[i]))
            return true;
    return false;
}

static void drop_unused_branch_results(ir_node *n) {
    for (uint32_t i = ir_output_count(n); i-- > 0;)
        if (!ir_use_count(n->outputs[i])) {
            ir_node_remove_input(n->blocks[0]->result, i);
            ir_node_remove_input(n->blocks[1]->result, i);
            ir_node_remove_output(n, i);
        }
}

/* A loop variable is dead when nobody wants it after the loop and the body only hands it on. */
static void drop_unused_loop_variables(ir_node *n) {
    ir_block *body = n->blocks[0];
    for (uint32_t i = ir_output_count(n); i-- > 0;) {
        ir_value *param = body->param->outputs[i + 1];
        bool only_handed_on = true;
        for (size_t u = 0; u < arrlenu(param->uses); u++)
            only_handed_on &= param->uses[u].user == body->result && param->uses[u].index == i + 1;
        if (ir_use_count(n->outputs[i]) || !only_handed_on)
            continue;
        ir_node_remove_input(body->result, i + 1);
        ir_block_remove_param(body, i + 1);
        ir_node_remove_input(n, i + 2);
        ir_node_remove_output(n, i);
    }
}

static void sweep(ir_block *b) {
    stack_check();
    for (ir_node *n = b->result->previous, *previous; n != b->param; n = previous) {
        previous = n->previous;
        if (!is_used(n) && !has_effects(n)) {
            ir_destroy(n);
            continue;
        }
        if (n->kind == IR_IF)
            drop_unused_branch_results(n);
        else if (n->kind == IR_LOOP)
            drop_unused_loop_variables(n);
        for (size_t i = arrlenu(n->blocks); i-- > 0;)
            sweep(n->blocks[i]);
    }
}

void dce(ir_graph *g) {
    /* Dropping a loop variable may free what fed it, before the loop or in it: a second sweep takes that. */
    sweep(g->block);
    sweep(g->block);
}
