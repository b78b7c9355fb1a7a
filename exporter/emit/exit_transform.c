/* Turns returns, breaks, continues and `with` blocks into structured control flow. */
#include "exporter/emit/exit_transform.h"

/* How control leaves a block. */
typedef enum {
    FALLS_THROUGH, /* always at its end */
    MAY_EXIT,      /* at its end or by an exit */
    EXITS,         /* always by an exit */
    IS_DEAD,       /* never: it raises, or exits to a target farther out than the current one */
} block_status;

/* A block that EXITS or IS_DEAD has lost its results; the caller gives it new ones. */
typedef struct {
    block_status status;
    ir_value *has_exited; /* MAY_EXIT only */
    ir_value **values;    /* MAY_EXIT and EXITS: what is returned or carried, an stb_ds array */
} block_exit;

/* The target of the exits that are being transformed: the end of the function, or of a loop's body. */
typedef struct {
    bool is_loop;
    const type **types; /* of the exit's values, an stb_ds array */
} exit_target;

static block_exit transform_from(const exit_target *t, ir_block *b, ir_node *first);
static void transform_loop(ir_node *loop);

/* ---- Editing ---- */

static ir_value *append_uninitialized(ir_block *b, const type *type) {
    ir_node *n = ir_node_new(b->graph, IR_UNINITIALIZED, 1);
    n->outputs[0]->type = type;
    ir_append(b, n);
    return n->outputs[0];
}

static ir_value *append_bool(ir_block *b, bool value) {
    ir_node *n = ir_constant_node(b->graph, const_bool(value));
    ir_append(b, n);
    return n->outputs[0];
}

static void clear_results(ir_block *b) {
    for (uint32_t i = ir_input_count(b->result); i-- > 0;)
        ir_node_remove_input(b->result, i);
}

static void clear_outputs(ir_node *n) {
    for (uint32_t i = ir_output_count(n); i-- > 0;)
        ir_node_remove_output(n, i);
}

/* Removes the nodes after n from its block, and the block's results. */
static void cut_after(ir_node *n) {
    ir_block *b = n->block;
    clear_results(b);
    while (b->result->previous != n)
        ir_destroy(b->result->previous);
}

static void add_uninitialized_results(ir_block *b, ir_value *const *like, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        ir_block_add_result(b, append_uninitialized(b, like[i]->type));
}

/* Gives a block the exit's values as results; uninitialized ones when it has none. */
static void add_exit_values(const exit_target *t, ir_block *b, ir_value *const *values) {
    for (size_t i = 0; i < arrlenu(t->types); i++)
        ir_block_add_result(b, values ? values[i] : append_uninitialized(b, t->types[i]));
}

static ir_value **add_exit_outputs(const exit_target *t, ir_node *n) {
    ir_value **outputs = NULL;
    for (size_t i = 0; i < arrlenu(t->types); i++)
        arrput(outputs, ir_node_add_output(n, t->types[i]));
    return outputs;
}

/* ---- If ---- */

static bool can_fall_through(const block_exit *e) {
    return e->status == FALLS_THROUGH || e->status == MAY_EXIT;
}

/* Adds to a branch whether it has exited and with what. */
static void add_branch_state(const exit_target *t, ir_block *b, const block_exit *e) {
    ir_block_add_result(b, e->status == MAY_EXIT ? e->has_exited : append_bool(b, e->status == EXITS));
    add_exit_values(t, b, e->values);
}

static block_exit add_node_state(const exit_target *t, ir_node *n) {
    block_exit e = {MAY_EXIT, ir_node_add_output(n, type_basic(TYPE_BOOL)), NULL};
    e.values = add_exit_outputs(t, n);
    return e;
}

/* Both branches exit: what follows is dead, and the node yields the exit's values. */
static block_exit join_exits(const exit_target *t, ir_node *n, const block_exit *branches) {
    block_exit e = {EXITS, NULL, NULL};
    cut_after(n);
    clear_outputs(n);
    if (branches[0].status == IS_DEAD && branches[1].status == IS_DEAD) {
        e.status = IS_DEAD;
        return e;
    }
    for (int i = 0; i < 2; i++)
        add_exit_values(t, n->blocks[i], branches[i].values);
    e.values = add_exit_outputs(t, n);
    return e;
}

/* One branch exits with `values`, the other one falls through: moves the nodes after n into the latter. */
static block_exit move_rest(const exit_target *t, ir_node *n, int exiting, ir_value **values) {
    ir_block *outer = n->block, *leaves = n->blocks[exiting], *stays = n->blocks[!exiting];
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        ir_replace_uses(n->outputs[i], stays->result->inputs[i]);
    clear_outputs(n);
    clear_results(leaves);
    clear_results(stays);
    ir_node *first = n->next;
    while (n->next != outer->result) {
        ir_node *moved = n->next;
        ir_unlink(moved);
        ir_append(stays, moved);
    }
    for (uint32_t i = 0; i < ir_input_count(outer->result); i++)
        ir_block_add_result(stays, outer->result->inputs[i]);
    clear_results(outer);

    block_exit rest = transform_from(t, stays, first == outer->result ? stays->result : first);
    block_exit gone = {EXITS, NULL, values};
    if (!can_fall_through(&rest))
        return join_exits(t, n, exiting ? (block_exit[]){rest, gone} : (block_exit[]){gone, rest});
    uint32_t count = ir_input_count(stays->result);
    add_uninitialized_results(leaves, stays->result->inputs, count);
    for (uint32_t i = 0; i < count; i++)
        ir_block_add_result(outer, ir_node_add_output(n, stays->result->inputs[i]->type));
    add_branch_state(t, leaves, &gone);
    add_branch_state(t, stays, &rest);
    return add_node_state(t, n);
}

/* Moves the nodes after n, which may have exited, into an `if` that runs them only when it has not. */
static block_exit guard_rest(const exit_target *t, ir_node *n, block_exit e) {
    if (n->next == n->block->result)
        return e;
    ir_node *guard = ir_node_new(n->graph, IR_IF, 0);
    guard->range = n->range;
    guard->scope = n->scope;
    ir_node_add_input(guard, e.has_exited);
    ir_node_add_block(guard);
    ir_node_add_block(guard);
    ir_insert_after(n, guard);
    return move_rest(t, guard, 0, e.values);
}

/* Sets *done when what follows the node was dealt with as well. */
static block_exit transform_if(const exit_target *t, ir_node *n, bool *done) {
    block_exit e[2];
    for (int i = 0; i < 2; i++)
        e[i] = transform_from(t, n->blocks[i], ir_first(n->blocks[i]));
    *done = true;
    if (!can_fall_through(&e[0]) && !can_fall_through(&e[1]))
        return join_exits(t, n, e);
    for (int i = 0; i < 2; i++)
        if (e[i].status == EXITS && e[!i].status == FALLS_THROUGH)
            return move_rest(t, n, i, e[i].values);
    for (int i = 0; i < 2; i++)
        if (!can_fall_through(&e[i]))
            add_uninitialized_results(n->blocks[i], n->outputs, ir_output_count(n));
    if (e[0].status != MAY_EXIT && e[1].status != MAY_EXIT) {
        *done = false;
        return (block_exit){FALLS_THROUGH, NULL, NULL};
    }
    for (int i = 0; i < 2; i++)
        add_branch_state(t, n->blocks[i], &e[i]);
    return guard_rest(t, n, add_node_state(t, n));
}

/* ---- Loops ---- */

/* The loop goes on only if no exit happened. */
static void guard_condition(ir_block *body, ir_value *has_exited) {
    ir_node *n = ir_node_new(body->graph, IR_IF, 1);
    n->outputs[0]->type = type_basic(TYPE_BOOL);
    ir_node_add_input(n, has_exited);
    ir_block *exited = ir_node_add_block(n), *goes_on = ir_node_add_block(n);
    ir_block_add_result(exited, append_bool(exited, false));
    ir_block_add_result(goes_on, body->result->inputs[0]);
    ir_append(body, n);
    ir_node_set_input(body->result, 0, n->outputs[0]);
}

/* A loop whose body may return: it carries whether that happened, and what is returned. */
static block_exit carry_return(const exit_target *t, ir_node *loop, block_exit e) {
    ir_block *body = loop->blocks[0];
    if (e.status == EXITS) {
        ir_block_add_result(body, append_bool(body, false));
        add_uninitialized_results(body, loop->outputs, ir_output_count(loop));
    } else
        guard_condition(body, e.has_exited);
    add_branch_state(t, body, &e);
    ir_block_add_param(body, NULL, type_basic(TYPE_BOOL));
    ir_node_add_input(loop, ir_insert_constant(loop, const_bool(false)));
    for (size_t i = 0; i < arrlenu(t->types); i++) {
        ir_node *nothing = ir_node_new(loop->graph, IR_UNINITIALIZED, 1);
        nothing->outputs[0]->type = t->types[i];
        ir_insert_before(loop, nothing);
        ir_node_add_input(loop, nothing->outputs[0]);
        ir_block_add_param(body, NULL, t->types[i]);
    }
    return add_node_state(t, loop);
}

static void add_dead_loop_results(ir_node *loop) {
    ir_block *body = loop->blocks[0];
    ir_block_add_result(body, append_uninitialized(body, type_basic(TYPE_BOOL)));
    add_uninitialized_results(body, loop->outputs, ir_output_count(loop));
}

static block_exit transform_return_in_loop(const exit_target *t, ir_node *loop, bool *done) {
    block_exit e = transform_from(t, loop->blocks[0], ir_first(loop->blocks[0]));
    if (e.status == IS_DEAD)
        add_dead_loop_results(loop);
    *done = e.status == EXITS || e.status == MAY_EXIT;
    if (*done)
        return guard_rest(t, loop, carry_return(t, loop, e));
    return (block_exit){FALLS_THROUGH, NULL, NULL};
}

/* The end of the body is one more `continue`, so that every path through it exits. */
static void transform_loop(ir_node *loop) {
    ir_block *body = loop->blocks[0];
    ir_node *end = ir_node_new(loop->graph, IR_CONTINUE_STMT, 0);
    for (uint32_t i = 0; i < ir_input_count(body->result); i++)
        ir_node_add_input(end, body->result->inputs[i]);
    clear_results(body);
    ir_append(body, end);
    exit_target t = {true, NULL};
    arrput(t.types, type_basic(TYPE_BOOL));
    for (uint32_t i = 0; i < ir_output_count(loop); i++)
        arrput(t.types, loop->outputs[i]->type);
    block_exit e = transform_from(&t, body, ir_first(body));
    if (e.status == IS_DEAD)
        add_dead_loop_results(loop);
    else
        add_exit_values(&t, body, e.values);
}

/* ---- Blocks ---- */

static block_exit transform_with(const exit_target *t, ir_node *n, bool *done) {
    ir_block *b = n->blocks[0];
    block_exit e = transform_from(t, b, ir_first(b));
    *done = e.status != FALLS_THROUGH;
    if (!can_fall_through(&e)) {
        cut_after(n);
        clear_outputs(n);
        if (e.status == EXITS) {
            add_exit_values(t, b, e.values);
            e.values = add_exit_outputs(t, n);
        }
        return e;
    }
    if (e.status == MAY_EXIT) {
        add_branch_state(t, b, &e);
        return guard_rest(t, n, add_node_state(t, n));
    }
    return e;
}

static bool is_exit(const exit_target *t, const ir_node *n) {
    return t->is_loop ? n->kind == IR_BREAK_STMT || n->kind == IR_CONTINUE_STMT : n->kind == IR_RETURN_STMT;
}

static bool is_dead_end(const ir_node *n) {
    return n->kind == IR_RAISE_EXCEPTION || n->kind == IR_RETURN_STMT || n->kind == IR_BREAK_STMT ||
           n->kind == IR_CONTINUE_STMT;
}

static block_exit take_exit(ir_node *n) {
    block_exit e = {EXITS, NULL, NULL};
    cut_after(n);
    if (n->kind == IR_BREAK_STMT)
        arrput(e.values, ir_insert_constant(n, const_bool(false)));
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        arrput(e.values, n->inputs[i]);
    ir_destroy(n);
    return e;
}

/* Transforms a block from `first` on. */
static block_exit transform_from(const exit_target *t, ir_block *b, ir_node *first) {
    stack_check();
    if (ir_block_depth(b) > LIMIT_BLOCK_DEPTH)
        source_fail(first->range, "%s", limit_text(OVER_BLOCK_DEPTH));
    for (ir_node *n = first; n != b->result; n = n->next) {
        bool done = false;
        block_exit e = {FALLS_THROUGH, NULL, NULL};
        if (is_exit(t, n))
            return take_exit(n);
        if (is_dead_end(n)) {
            cut_after(n);
            e.status = IS_DEAD;
            return e;
        }
        if (n->kind == IR_IF)
            e = transform_if(t, n, &done);
        else if (n->kind == IR_WITH)
            e = transform_with(t, n, &done);
        else if (n->kind == IR_LOOP && !t->is_loop)
            e = transform_return_in_loop(t, n, &done);
        else if (n->kind == IR_LOOP)
            transform_loop(n);
        if (done)
            return e;
    }
    return (block_exit){FALLS_THROUGH, NULL, NULL};
}

/* The loops that are in no other loop. */
static void transform_outer_loops(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        if (n->kind == IR_LOOP)
            transform_loop(n);
        else
            for (size_t i = 0; i < arrlenu(n->blocks); i++)
                transform_outer_loops(n->blocks[i]);
    }
}

/* ---- Functions ---- */

static void join_types(const type ***types, ir_value *const *values) {
    for (size_t i = 0; i < arrlenu(values); i++)
        if (i == arrlenu(*types))
            arrput(*types, values[i]->type);
        else
            (*types)[i] = type_unify((*types)[i], values[i]->type, true);
}

static void collect_return_types(const ir_block *b, const type ***types) {
    stack_check();
    IR_EACH(n, b) {
        if (n->kind == IR_RETURN_STMT)
            join_types(types, n->inputs);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            collect_return_types(n->blocks[i], types);
    }
}

static void transform_returns(ir_block *b) {
    exit_target t = {false, NULL};
    if (ir_input_count(b->result)) {
        ir_node *end = ir_node_new(b->graph, IR_RETURN_STMT, 0);
        for (uint32_t i = 0; i < ir_input_count(b->result); i++)
            ir_node_add_input(end, b->result->inputs[i]);
        clear_results(b);
        ir_append(b, end);
    }
    collect_return_types(b, &t.types);
    block_exit e = transform_from(&t, b, ir_first(b));
    add_exit_values(&t, b, e.values);
}

/* Replaces `with` blocks by their contents between Enter and Exit. */
static void flatten_withs(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            flatten_withs(n->blocks[i]);
        if (n->kind != IR_WITH)
            continue;
        ir_block *body = n->blocks[0];
        ir_node *enter = ir_node_new(b->graph, IR_ENTER, 1), *leave = ir_node_new(b->graph, IR_EXIT, 0);
        enter->range = leave->range = n->range;
        enter->outputs[0]->type = body->param->outputs[0]->type;
        enter->outputs[0]->name = body->param->outputs[0]->name;
        ir_node_add_input(enter, n->inputs[0]);
        ir_node_add_input(leave, n->inputs[0]);
        ir_insert_before(n, enter);
        ir_replace_uses(body->param->outputs[0], enter->outputs[0]);
        IR_EACH(inner, body)
        ir_move_before(n, inner);
        ir_insert_before(n, leave);
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            ir_replace_uses(n->outputs[i], body->result->inputs[i]);
        clear_results(body);
        ir_destroy(n);
    }
}

void exit_transform(ir_graph *g) {
    transform_outer_loops(g->block);
    transform_returns(g->block);
    flatten_withs(g->block);
}
