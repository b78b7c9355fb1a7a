/* Loops: `for`, `while`, `break`, `continue`, comprehensions. */
#include <string.h>

#include "exporter/emit/emit_module.h"

/* ---- Names that statements assign ---- */

static void add_name(const char *name, name_entry **names) {
    name_entry entry = {name, {0}};
    hmputs(*names, entry);
}

static void add_targets(const ast_node *target, name_entry **names) {
    stack_check();
    if (target->kind == AST_VAR)
        add_name(target->name, names);
    else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
        for (uint32_t i = 0; i < target->sequence.count; i++)
            add_targets(target->sequence.items[i], names);
    else if (target->kind == AST_STARRED)
        add_targets(target->operand, names);
}

static void add_assigned(const ast_list *statements, name_entry **names) {
    stack_check();
    for (uint32_t i = 0; i < statements->count; i++) {
        const ast_node *n = statements->items[i];
        switch (n->kind) {
        case AST_ASSIGN:
            for (uint32_t k = 0; k < n->assign.targets.count; k++)
                add_targets(n->assign.targets.items[k], names);
            break;
        case AST_AUG_ASSIGN:
            add_targets(n->aug_assign.target, names);
            break;
        case AST_IF:
            add_assigned(&n->branch.if_true, names);
            add_assigned(&n->branch.if_false, names);
            break;
        case AST_FOR:
            add_targets(n->loop.target, names);
            add_assigned(&n->loop.body, names);
            break;
        case AST_WHILE:
            add_assigned(&n->loop.body, names);
            break;
        case AST_WITH:
            for (uint32_t k = 0; k < n->with.items.count; k++)
                if (n->with.items.items[k]->with_item.target)
                    add_targets(n->with.items.items[k]->with_item.target, names);
            add_assigned(&n->with.body, names);
            break;
        default:
            break;
        }
    }
}

/* The assigned names that are variables before the loop, sorted: the loop carries them from iteration to iteration. */
static const char **carried_names(emitter *e, const name_entry *assigned) {
    const char **names = NULL;
    for (ptrdiff_t i = 0; assigned && i < hmlen(assigned); i++) {
        const sugared *s = env_find(e, assigned[i].key);
        if (!s || s->kind != SUGAR_VALUE)
            continue;
        size_t at = arrlenu(names);
        arrput(names, assigned[i].key);
        for (; at > 0 && strcmp(names[at], names[at - 1]) < 0; at--) {
            const char *swapped = names[at];
            names[at] = names[at - 1];
            names[at - 1] = swapped;
        }
    }
    return names;
}

/* ---- prim::Loop ---- */

static ir_value *next_condition(emitter *e, const ast_node *condition, source_range range) {
    return condition ? emit_condition(e, condition).value : emit_constant(e, const_bool(true), range);
}

/* A variable that is deleted here passes on what it was, and is gone after the loop. */
static void add_carried(emitter *e, ir_node *n, loop_context *context, source_range range) {
    for (size_t i = 0; i < arrlenu(context->carried); i++) {
        const sugared *s = env_find(e, context->carried[i]);
        const bool is_deleted = s->kind == SUGAR_UNDEFINED;
        if (is_deleted)
            arrput(context->deleted, context->carried[i]);
        ir_value *last = s->value ? s->value : context->start->outputs[i + 1];
        ir_node_add_input(n, is_deleted ? last : env_view(e, s, range));
    }
}

static void bind_deleted(emitter *e, const loop_context *context) {
    for (size_t i = 0; i < arrlenu(context->deleted); i++)
        env_bind(e, context->deleted[i], sugar_named(SUGAR_UNDEFINED, NULL));
}

/* Whether the body never changes carried variable i: its end and all its exits pass on the block's parameter. */
static bool is_unchanged(const ir_node *loop, const loop_context *context, uint32_t i) {
    const ir_block *body = loop->blocks[0];
    const ir_value *param = body->param->outputs[i + 1];
    if (body->result->inputs[i + 1] != param)
        return false;
    for (size_t k = 0; k < arrlenu(context->exits); k++) {
        const ir_node *exit = context->exits[k];
        if (ir_in(exit, i + (exit->kind == IR_CONTINUE_STMT)) != param)
            return false;
    }
    return true;
}

static void stop_carrying(ir_node *loop, const loop_context *context, uint32_t i) {
    ir_block *body = loop->blocks[0];
    ir_node_remove_input(body->result, i + 1);
    for (size_t k = 0; k < arrlenu(context->exits); k++)
        ir_node_remove_input(context->exits[k], i + (context->exits[k]->kind == IR_CONTINUE_STMT));
    ir_replace_uses(body->param->outputs[i + 1], ir_in(loop, i + 2));
    ir_block_remove_param(body, i + 1);
    ir_node_remove_input(loop, i + 2);
}

/* After the loop the carried variables are its outputs. */
static void add_loop_outputs(emitter *e, ir_node *loop, loop_context *context) {
    uint32_t at = 0;
    for (size_t i = 0; i < arrlenu(context->carried); i++) {
        const char *name = context->carried[i];
        if (is_unchanged(loop, context, at)) {
            stop_carrying(loop, context, at);
            continue;
        }
        const type *t = loop->blocks[0]->param->outputs[at + 1]->type;
        sugared after = sugar_value(ir_node_add_output(loop, t));
        after.value->name = loop->blocks[0]->param->outputs[at + 1]->name;
        after.value->is_inferred = loop->blocks[0]->param->outputs[at + 1]->is_inferred;
        env_bind(e, name, after);
        at++;
    }
}

/* Emits a prim::Loop of at most `count` iterations (NULL: no limit) while `condition` holds (NULL: always). Each
 * iteration first assigns the item of `iterable` at its index to `target` (NULL: none). */
static void emit_prim_loop(emitter *e, ir_value *count, const ast_node *condition, const ast_node *target,
                           const sugared *iterable, const name_entry *assigned, emit_body_fn *emit_body, void *data,
                           source_range range) {
    loop_context context = {.outer = e->loop, .condition = condition, .carried = carried_names(e, assigned)};
    ir_node *loop = ir_node_new(e->graph, IR_LOOP, 0);
    loop->range = range;
    ir_node_add_input(loop, count ? count : emit_int(e, INT64_MAX, range));
    ir_node_add_input(loop, next_condition(e, condition, range));
    add_carried(e, loop, &context, range);
    ir_insert_before(e->at, loop);
    ir_block *body = ir_node_add_block(loop);
    ir_value *index = ir_block_add_param(body, NULL, type_basic(TYPE_INT));
    context.start = body->param;

    ir_node *outer = e->at;
    e->at = body->result;
    e->loop = &context;
    environment *params = env_push(e);
    for (size_t i = 0; i < arrlenu(context.carried); i++) {
        const sugared *before = env_find_from(e, params->outer, context.carried[i]);
        const char *name = before->value->name ? before->value->name : context.carried[i];
        ir_value *inside = ir_block_add_param(body, name, before->type);
        inside->is_inferred = before->value->is_inferred;
        env_bind(e, context.carried[i], sugar_value(inside));
    }
    env_push(e);
    if (target)
        emit_assign_target(e, target, iterable_item(e, iterable, index, range), NULL, range, range);
    emit_body(e, data);
    ir_block_add_result(body, emit_block_exits(body) ? emit_constant(e, const_bool(true), range)
                                                     : next_condition(e, condition, range));
    add_carried(e, body->result, &context, range);
    env_pop(e);
    env_pop(e);
    e->loop = context.outer;
    e->at = outer;
    add_loop_outputs(e, loop, &context);
    bind_deleted(e, &context);
}

/* Unrolls the loop: emits the body once for each item. */
static void emit_unrolled(emitter *e, const ast_node *target, const sugared *iterable, int64_t length,
                          emit_body_fn *emit_body, void *data, source_range range) {
    loop_context context = {.outer = e->loop, .is_unrolled = true};
    e->loop = &context;
    for (int64_t i = 0; i < length && !emit_block_exits(e->at->block); i++) {
        emit_assign_target(e, target, iterable_static_item(e, iterable, (uint32_t)i, range), NULL, range, range);
        emit_body(e, data);
    }
    e->loop = context.outer;
}

void emit_for_each(emitter *e, const ast_node *target, const sugared *iterable, const name_entry *assigned,
                   emit_body_fn *body, void *data, source_range range) {
    int64_t length = iterable_static_length(iterable, range);
    if (length >= 0)
        emit_unrolled(e, target, iterable, length, body, data, range);
    else
        emit_prim_loop(e, iterable_length(e, iterable, range), NULL, target, iterable, assigned, body, data, range);
}

/* ---- Statements ---- */

static void emit_statements_of(emitter *e, void *data) {
    const ast_node *n = data;
    emit_statements(e, &n->loop.body);
}

void emit_for(emitter *e, const ast_node *n) {
    sugared s = emit_sugared(e, n->loop.iterable, NULL);
    sugared iterable = emit_iterable(e, &s, n->range);
    module_unroll(e, n, &iterable);
    name_entry *assigned = NULL;
    add_assigned(&n->loop.body, &assigned);
    add_targets(n->loop.target, &assigned);
    emit_for_each(e, n->loop.target, &iterable, assigned, emit_statements_of, (void *)n, n->range);
}

void emit_while(emitter *e, const ast_node *n) {
    name_entry *assigned = NULL;
    add_assigned(&n->loop.body, &assigned);
    emit_prim_loop(e, NULL, n->loop.condition, NULL, NULL, assigned, emit_statements_of, (void *)n, n->range);
}

void emit_break(emitter *e, const ast_node *n) {
    bool is_break = n->kind == AST_BREAK;
    if (!e->loop)
        source_fail(n->range, "SyntaxError: '%s'%s", is_break ? "break" : "continue",
                    is_break ? " outside loop" : " not properly in loop");
    if (e->loop->is_unrolled)
        source_fail(
            n->range,
            "Because we emit iteration over modulelists or tuples as unrolled loops, we do not support break or "
            "continue inside the body of these loops");
    ir_node *exit = ir_node_new(e->graph, is_break ? IR_BREAK_STMT : IR_CONTINUE_STMT, 0);
    exit->range = n->range;
    if (!is_break)
        ir_node_add_input(exit, next_condition(e, e->loop->condition, n->range));
    add_carried(e, exit, e->loop, n->range);
    ir_insert_before(e->at, exit);
    arrput(e->loop->exits, exit);
}
