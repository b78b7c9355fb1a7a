/* Leaves whose flag changes. */
#include "exporter/passes/lower/leaf_flags.h"

static bool gives(const ir_node *change, bool flag) {
    bool given;
    return ir_constant_bool(ir_in(change, 1), &given) && given == flag;
}

static void add_changes(const ir_node ***changes, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (n->schema && ir_is_operator(n, "aten::requires_grad_"))
            arrput(*changes, n);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            add_changes(changes, n->blocks[i]);
    }
}

const ir_node **leaf_flag_changes(const ir_graph *g) {
    const ir_node **changes = NULL;
    bool is_taken = false;
    add_changes(&changes, g->block);
    for (size_t i = 0; i < arrlenu(changes); i++)
        is_taken |= !gives(changes[i], true);
    if (!is_taken)
        arrfree(changes);
    return changes;
}

static const ir_value *changed(const ir_node *change) {
    return flow_origin(ir_in(change, 0));
}

/* Whether the value is one tensor and no other: not what a branch, a loop or a container hands on. */
static bool is_one_tensor(const ir_value *v) {
    const ir_node *n = v->node;
    return n->schema ? !flow_is_container_operator(n->schema)
                     : n->kind == IR_GET_ATTR || n == n->graph->block->param || ir_is_constant(v);
}

static bool is_recorded_result(const derivation *d, const ir_value *v) {
    const op_schema *made_by = v->node->schema;
    return made_by && !flow_is_container_operator(made_by) && flow_has_dependent_input(d->flow, v->node);
}

/* Whether the change is, or may be, one of the tensor. */
static bool may_change(const derivation *d, const ir_node *change, const ir_value *v) {
    const ir_value *other = changed(change);
    if (is_recorded_result(d, other)) /* raises */
        return false;
    return other == v ||
           (!(is_one_tensor(other) && is_one_tensor(v)) && memory_classes_share(d->uses->recorded, other, v));
}

/* The change that stands before n on every path, next to it. NULL: none does. */
static const ir_node *last_before(const ir_node *const *changes, const ir_node *n, const ir_value *v) {
    const ir_node *last = NULL;
    for (size_t i = 0; i < arrlenu(changes); i++)
        if (changed(changes[i]) == v && ir_is_before(changes[i], n) && (!last || ir_is_before(last, changes[i])))
            last = changes[i];
    return last;
}

static bool is_within(const ir_node *n, const ir_node *outer) {
    while (n && n != outer)
        n = n->block->owner;
    return n != NULL;
}

/* Whether n, or a branch or loop that it stands in, ends before `later` begins. */
static bool ends_before(const ir_node *n, const ir_node *later) {
    for (; n; n = n->block->owner)
        if (ir_is_before(n, later))
            return true;
    return false;
}

/* Whether what a change did may still hold at n: `last`, which is on every path to n, does not come in between. */
static bool may_hold(const ir_node *change, const ir_node *last, const ir_node *n) {
    if (ends_before(change, n))
        return !last || !ends_before(change, last);
    for (const ir_node *loop = n->block->owner; loop; loop = loop->block->owner)
        if (loop->kind == IR_LOOP && is_within(change, loop))
            return !last || !is_within(last, loop);
    return false;
}

gradient_mode leaf_flag_at(const derivation *d, const ir_node *n, const ir_value *v) {
    const ir_node *const *changes = d->uses->flag_changes;
    v = flow_origin(v);
    if (!changes || is_recorded_result(d, v))
        return GRADIENTS_ON;
    const ir_node *last = last_before(changes, n, v);
    const bool is_on = !last || gives(last, true);
    bool is_known = is_on || gives(last, false);
    for (size_t i = 0; i < arrlenu(changes) && is_known; i++)
        is_known = changes[i] == last || gives(changes[i], is_on) || !may_change(d, changes[i], v) ||
                   !may_hold(changes[i], last, n);
    return is_known ? is_on ? GRADIENTS_ON : GRADIENTS_OFF : GRADIENTS_UNKNOWN;
}
