/* Leaves whose flag changes. */
#include "exporter/passes/lower/leaf_flags.h"

static bool is_recorded_result(const gradient_flow *f, const ir_value *v) {
    for (uint32_t i = 0; i < ir_input_count(v->node); i++)
        if (flow_depends(f, ir_in(v->node, i)))
            return true;
    return false;
}

/* Adds the calls of requires_grad_() by any name of v; an stb_ds array. */
static void add_changes(const ir_node ***changes, const ir_value *v) {
    stack_check();
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_node *n = v->uses[i].user;
        if (!n->schema || !ir_is_operator(n, "aten::requires_grad_") || v->uses[i].index != 0)
            continue;
        arrput(*changes, n);
        add_changes(changes, ir_out(n, 0));
    }
}

/* The change that stands before n on every path, next to it. NULL: none does. */
static const ir_node *last_before(const ir_node *const *changes, const ir_node *n) {
    const ir_node *last = NULL;
    for (size_t i = 0; i < arrlenu(changes); i++)
        if (ir_is_before(changes[i], n) && (!last || ir_is_before(last, changes[i])))
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

static bool gives(const ir_node *change, bool flag) {
    bool given;
    return ir_constant_bool(ir_in(change, 1), &given) && given == flag;
}

gradient_mode leaf_flag_at(const gradient_flow *f, const ir_node *n, const ir_value *v) {
    const ir_node **changes = NULL;
    v = flow_origin(v);
    if (is_recorded_result(f, v))
        return GRADIENTS_ON;
    add_changes(&changes, v);
    const ir_node *last = last_before(changes, n);
    const bool is_on = !last || gives(last, true);
    bool is_known = is_on || gives(last, false);
    for (size_t i = 0; i < arrlenu(changes) && is_known; i++)
        is_known = changes[i] == last || gives(changes[i], is_on) || !may_hold(changes[i], last, n);
    return is_known ? is_on ? GRADIENTS_ON : GRADIENTS_OFF : GRADIENTS_UNKNOWN;
}
