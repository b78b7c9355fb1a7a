/* Looks at each use of a list. */
#include "exporter/passes/analysis/grown_lists.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"

bool node_appends(const ir_node *n) {
    return n->schema && ir_is_operator(n, "aten::append.t") && !ir_use_count(ir_out(n, 0));
}

bool node_changes_list(const ir_node *n) {
    if (!n->schema || (ir_output_count(n) && ir_use_count(ir_out(n, 0))))
        return false;
    return node_appends(n) || (n->kind == IR_SET_ITEM && ir_in(n, 0)->type->kind == TYPE_LIST) ||
           ir_is_operator(n, "aten::reverse.t");
}

void lists_changed_in(const ir_block *b, const ir_value ***lists) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (node_changes_list(n))
            arrput(*lists, ir_in(n, 0));
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            lists_changed_in(n->blocks[i], lists);
    }
}

int64_t loop_turns(const ir_node *loop) {
    int64_t most;
    bool begins, goes_on;
    if (!ir_constant_int(ir_in(loop, 0), &most) || !ir_constant_bool(ir_in(loop, 1), &begins) ||
        !ir_constant_bool(ir_in(loop->blocks[0]->result, 0), &goes_on))
        return -1;
    if (most <= 0 || !begins)
        return 0;
    return goes_on ? most : 1;
}

/* The node of block b that n is, or lies in; NULL: none. */
static const ir_node *node_in(const ir_block *b, const ir_node *n) {
    while (n && n->block != b)
        n = n->block->owner;
    return n;
}

static bool is_writer(const ir_use *u) {
    return u->index == 0 && node_appends(u->user);
}

/* Whether an append runs once for each turn of a counted loop in block b, or once for each run of b. */
static bool writes_in_time(const ir_block *b, const ir_node *append) {
    const ir_node *n = node_in(b, append);
    return n == append || (n && n->kind == IR_LOOP && append->block == n->blocks[0] && loop_turns(n) >= 0);
}

/* Whether what a block gives at place i is what the graph gives, and nothing else: no code runs behind. */
static bool is_given_back(const ir_block *b, uint32_t i) {
    stack_check();
    const ir_node *owner = b->owner;
    if (!owner)
        return true;
    if (owner->kind != IR_IF)
        return false;
    const ir_value *v = ir_out(owner, i);
    for (uint32_t k = 0; k < ir_use_count(v); k++)
        if (v->uses[k].user != owner->block->result || !is_given_back(owner->block, v->uses[k].index))
            return false;
    return true;
}

/* Whether the use only looks at the list or at its items, or is the end of the graph. */
static bool only_reads(const ir_use *u) {
    const ir_node *n = u->user;
    if (n == n->block->result)
        return is_given_back(n->block, u->index);
    if (n->kind == IR_GETITEM || n->kind == IR_LEN)
        return true;
    if (!n->schema || operator_writes(n, u->index) || operator_stores(n, u->index))
        return false;
    for (uint32_t i = 0; i < ir_output_count(n); i++) /* dict.get(key, list) may give the list */
        if (operator_hands_on(n, u->index, i))
            return false;
    return true;
}

/* Whether only loops and branches stand around n in block b. */
static bool lies_in_control(const ir_block *b, const ir_node *n) {
    for (const ir_block *around = n->block; around != b; around = around->owner->block)
        if (!around->owner || (around->owner->kind != IR_LOOP && around->owner->kind != IR_IF))
            return false;
    return true;
}

/* Whether the node makes a list that has no other name yet. */
static bool makes_list(const ir_node *n) {
    if (n->kind == IR_LIST_CONSTRUCT)
        return true;
    if (!n->schema || ir_output_count(n) != 1)
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (operator_hands_on(n, i, 0))
            return false;
    return true;
}

bool list_can_be_followed(const ir_value *v) {
    const ir_node *made = v->node;
    if (!makes_list(made))
        return false;
    for (uint32_t i = 0; i < ir_use_count(v); i++) {
        const ir_use *u = &v->uses[i];
        const bool writes = u->index == 0 && node_changes_list(u->user);
        if (writes ? !lies_in_control(made->block, u->user) : !only_reads(u))
            return false;
    }
    return true;
}

bool list_is_settled(const ir_value *v) {
    const ir_node *made = v->node;
    size_t writers = 0;
    if (made->kind != IR_LIST_CONSTRUCT)
        return false;
    for (uint32_t i = 0; i < ir_use_count(v); i++) {
        const ir_use *u = &v->uses[i];
        if (!is_writer(u) ? !only_reads(u) : !writes_in_time(made->block, u->user))
            return false;
        writers += is_writer(u);
    }
    if (!writers)
        return true;
    const ir_node *last = made; /* in the block, with the last append */
    for (const ir_node *n = made->next; n != made->block->result && writers; n = n->next)
        for (uint32_t i = 0; i < ir_use_count(v); i++)
            if (is_writer(&v->uses[i]) && node_in(made->block, v->uses[i].user) == n) {
                last = n;
                writers--;
            }
    for (const ir_node *n = made->next;; n = n->next) {
        for (uint32_t i = 0; i < ir_use_count(v); i++)
            if (!is_writer(&v->uses[i]) && node_in(made->block, v->uses[i].user) == n)
                return false;
        if (n == last)
            return true;
    }
}
