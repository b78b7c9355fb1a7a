/* Reverse mode of branches and loops: branches of the same condition, loops that run as often. */
#include "exporter/base/limits.h"
#include "exporter/passes/lower/checkpoint.h"
#include "exporter/passes/lower/reverse_parts.h"
#include "exporter/passes/lower/tape.h"
#include "exporter/program/builtins.h"

/* ---- What inner blocks use of outer ones ---- */

static void add_outer(outer_tensor **all, const ir_value *v, int64_t index, const ir_block *block) {
    if (ir_is_inside(v, block))
        return;
    for (size_t i = 0; i < arrlenu(*all); i++)
        if ((*all)[i].value == v && (*all)[i].index == index)
            return;
    outer_tensor t = {(ir_value *)(uintptr_t)v, index};
    arrput(*all, t);
}

/* Adds those that have gradients in `inner`, which reverses `block`. */
static void find_outer(outer_tensor **all, const derivation *inner, const ir_block *block) {
    for (ptrdiff_t i = 0; i < hmlen(inner->gradients); i++)
        add_outer(all, inner->gradients[i].key, NO_ITEM, block);
    for (ptrdiff_t i = 0; i < hmlen(inner->items); i++)
        for (size_t k = 0; k < arrlenu(inner->items[i].value); k++)
            add_outer(all, inner->items[i].key, inner->items[i].value[k].index, block);
}

static ir_value *outer_gradient(derivation *d, outer_tensor t) {
    if (t.index == NO_ITEM)
        return reverse_gradient_of(d, t.value);
    item_gradient *items = reverse_items_of(d, t.value);
    for (size_t i = 0; i < arrlenu(items); i++)
        if (items[i].index == t.index)
            return items[i].gradient;
    return NULL;
}

static ir_value *gradient_or_zeros(derivation *d, outer_tensor t) {
    ir_value *g = outer_gradient(d, t);
    return g ? g : reverse_insert_zeros(d, t);
}

/* Adds to the gradient of t. */
static void accumulate_outer(derivation *d, outer_tensor t, ir_value *gradient) {
    if (t.index == NO_ITEM)
        reverse_accumulate(d, t.value, gradient);
    else
        reverse_accumulate_item(d, t.value, t.index, gradient);
}

static derivation derivation_within(const derivation *d, const ir_block *block) {
    return (derivation){.program = d->program,
                        .flow = d->flow,
                        .request = d->request,
                        .at = block->result,
                        .outer = d,
                        .numbers = d->numbers,
                        .uses = d->uses,
                        .again = d->again,
                        .keeps_graph = d->keeps_graph};
}

/* ---- Branches ---- */

static bool raises(const ir_block *b) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        if (n->kind == IR_RAISE_EXCEPTION)
            return true;
    return false;
}

/* Reverses a branch into `to`; returns the gradients of what lies outside. */
static derivation reverse_branch(derivation *d, const ir_node *n, const ir_block *branch, const ir_block *to) {
    derivation inner = derivation_within(d, to);
    if (raises(branch)) /* a run that takes this branch never reaches the request */
        return inner;
    checkpoint_enter_block(&inner, branch);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        ir_value *result = ir_in(branch->result, i);
        item_gradient *items = reverse_items_of(d, ir_out(n, i));
        if (reverse_gradient_of(d, ir_out(n, i)))
            reverse_accumulate(&inner, result, reverse_gradient_of(d, ir_out(n, i)));
        for (size_t k = 0; k < arrlenu(items); k++)
            reverse_accumulate_item(&inner, result, items[k].index, items[k].gradient);
    }
    reverse_block(&inner, branch->result->previous);
    checkpoint_leave_block(&inner, branch);
    return inner;
}

/* Of what a block gives for t. */
static gradient_presence presence_in(derivation *d, outer_tensor t) {
    const ir_value *g = outer_gradient(d, t);
    return g ? reverse_presence_of(d, g) : (gradient_presence){ir_insert_constant(d->at, const_bool(false)), false};
}

/* Of what the reversed branches give for t. A run that raises does not come there. */
static gradient_presence presence_of_branches(derivation *d, const ir_node *n, ir_node *branches, derivation *inner,
                                              outer_tensor t) {
    gradient_presence each[2] = {reverse_always, reverse_always};
    bool is_nowhere[2] = {false, false};
    for (int k = 0; k < 2; k++)
        if (!raises(n->blocks[k])) {
            is_nowhere[k] = !outer_gradient(&inner[k], t);
            each[k] = presence_in(&inner[k], t);
        }
    if (!each[0].is_there && !each[1].is_there)
        return reverse_always;
    if (!each[0].is_there && is_nowhere[1])
        return (gradient_presence){ir_in(n, 0), false};
    if (!each[1].is_there && is_nowhere[0])
        return (gradient_presence){reverse_insert_helper(d, "opposite", (ir_value *[]){ir_in(n, 0)}, 1), false};
    for (int k = 0; k < 2; k++)
        ir_block_add_result(branches->blocks[k],
                            each[k].is_there ? each[k].is_there : ir_insert_constant(inner[k].at, const_bool(true)));
    return (gradient_presence){ir_node_add_output(branches, type_basic(TYPE_BOOL)),
                               each[0].is_carried || each[1].is_carried};
}

void reverse_if(derivation *d, ir_node *n) {
    ir_node *branches = ir_node_new(n->graph, IR_IF, 0);
    branches->range = d->request->range;
    branches->scope = d->request->scope;
    ir_node_add_input(branches, ir_in(n, 0));
    ir_insert_before(d->at, branches);
    derivation inner[2];
    outer_tensor *outer = NULL;
    ir_value **gradients = NULL;
    for (int k = 0; k < 2; k++) {
        inner[k] = reverse_branch(d, n, n->blocks[k], ir_node_add_block(branches));
        find_outer(&outer, &inner[k], n->blocks[k]);
    }
    for (size_t i = 0; i < arrlenu(outer); i++) {
        const gradient_presence presence = presence_of_branches(d, n, branches, inner, outer[i]);
        for (int k = 0; k < 2; k++)
            ir_block_add_result(branches->blocks[k], gradient_or_zeros(&inner[k], outer[i]));
        ir_value *gradient = ir_node_add_output(branches, type_basic(TYPE_TENSOR));
        reverse_set_presence(d, gradient, presence);
        arrput(gradients, gradient);
    }
    for (size_t i = 0; i < arrlenu(outer); i++)
        accumulate_outer(d, outer[i], gradients[i]);
    for (int k = 0; k < 2; k++)
        tape_keep_branch(d->program, n, k, branches->blocks[k]);
}

/* ---- Loops ----
 *
 * A loop is reversed by a loop that runs as often and carries the gradients of the variables, and those of what lies
 * outside. */

enum { BEFORE_VARIABLES = 2 }; /* inputs of a prim::Loop: count and condition */

/* The variables of the loop that may have gradients. */
static uint32_t *dependent_variables(const derivation *d, const ir_node *n) {
    uint32_t *which = NULL;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        if (!flow_depends(d->flow, ir_out(n, i)) || numbered_holds(d->numbers, ir_out(n, i)))
            continue;
        if (type_without_none(ir_out(n, i)->type)->kind != TYPE_TENSOR)
            reverse_refuse(n, "a variable that it changes is no tensor");
        arrput(which, i);
    }
    return which;
}

static ir_node *insert_reverse_loop(derivation *d, ir_value *turns) {
    ir_node *loop = ir_node_new(d->at->graph, IR_LOOP, 0);
    loop->range = d->request->range;
    loop->scope = d->request->scope;
    ir_node_add_input(loop, turns);
    ir_node_add_input(loop, ir_insert_constant(d->at, const_bool(true)));
    ir_insert_before(d->at, loop);
    ir_block *body = ir_node_add_block(loop);
    ir_block_add_param(body, NULL, type_basic(TYPE_INT));
    ir_block_add_result(body, ir_insert_constant(body->result, const_bool(true)));
    return loop;
}

/* A gradient that the loop carries: its value in the body. */
static ir_value *carry(ir_node *loop, ir_value *first) {
    ir_node_add_input(loop, first);
    ir_node_add_output(loop, first->type);
    return ir_block_add_param(loop->blocks[0], NULL, first->type);
}

/* Stands in the body for whether a gradient that the loop carries is there, until it is known what it becomes. */
static ir_value *insert_marker(ir_node *loop) {
    ir_node *marker = ir_node_new(loop->graph, IR_UNINITIALIZED, 1);
    marker->range = loop->range;
    marker->scope = loop->scope;
    ir_out(marker, 0)->type = type_basic(TYPE_BOOL);
    ir_insert_before(ir_first(loop->blocks[0]), marker);
    return ir_out(marker, 0);
}

/* A gradient in the body that the loop carries. first: before the first turn. */
static ir_value *carry_gradient(derivation *inner, ir_value *first, gradient_presence presence, outer_tensor target) {
    carried_gradient c = {target, presence, insert_marker(inner->loop), reverse_always, NULL};
    ir_value *in_body = carry(inner->loop, first);
    reverse_set_presence(inner, in_body, (gradient_presence){c.marker, true});
    arrput(inner->carried, c);
    return in_body;
}

static gradient_presence nowhere(ir_node *at) {
    return (gradient_presence){ir_insert_constant(at, const_bool(false)), false};
}

/* The sum for v, which lies outside of the loop: zeros before the first turn. */
ir_value *reverse_carry_outer(derivation *d, const ir_value *v) {
    outer_tensor outside = {(ir_value *)(uintptr_t)v, NO_ITEM};
    derivation before = *d;
    before.at = d->loop;
    ir_value *sum = carry_gradient(d, reverse_insert_zeros(&before, outside), nowhere(d->loop), outside);
    reverse_set_sum(d, v, sum);
    return sum;
}

/* What the carried gradient `which` is after a turn. */
static void add_turn(derivation *inner, uint32_t which, ir_value *gradient, gradient_presence presence) {
    ir_block_add_result(inner->loop->blocks[0], gradient);
    inner->carried[which].after_turn = presence;
}

/* The same for items of lists and tuples that lie outside. */
static void carry_items(derivation *d, derivation *inner) {
    outer_tensor *outer = NULL;
    find_outer(&outer, inner, inner->body);
    derivation before = *d;
    before.at = inner->loop;
    for (size_t i = 0; i < arrlenu(outer); i++) {
        if (outer[i].index == NO_ITEM)
            continue;
        ir_value *sum = carry_gradient(inner, reverse_insert_zeros(&before, outer[i]), nowhere(inner->loop), outer[i]);
        ir_value *more = reverse_insert_sum(inner, sum, outer_gradient(inner, outer[i]));
        add_turn(inner, (uint32_t)arrlenu(inner->carried) - 1, more, reverse_presence_of(inner, more));
    }
}

/* Gradients that are there in all turns, if they are before the first one. */
typedef struct {
    program *program;
    struct {
        const ir_value *key;
        bool value;
    } * known; /* of bools: whether they are always true */
} lasting;

static bool is_lasting(lasting *l, const ir_value *v) {
    bool constant;
    stack_check();
    if (!v || (ir_constant_bool(v, &constant) && constant))
        return true;
    if (hmgeti(l->known, v) >= 0)
        return hmget(l->known, v);
    const ir_node *n = v->node;
    bool is = false;
    if (n->kind == IR_CALL_FUNCTION && n->callee == builtin_derivative(l->program, "either", NULL))
        is = is_lasting(l, ir_in(n, 0)) || is_lasting(l, ir_in(n, 1));
    else if (n->kind == IR_IF)
        is = is_lasting(l, ir_in(n->blocks[0]->result, v->offset)) &&
             is_lasting(l, ir_in(n->blocks[1]->result, v->offset));
    hmput(l->known, v, is);
    return is;
}

/* All at once: one that is there only as long as another one is. */
static lasting find_lasting(derivation *inner) {
    bool *holds = MEM_ARRAY(bool, arrlenu(inner->carried) + 1);
    for (size_t i = 0; i < arrlenu(inner->carried); i++)
        holds[i] = !inner->carried[i].before.is_there;
    for (;;) {
        lasting l = {inner->program, NULL};
        bool changed = false;
        for (size_t i = 0; i < arrlenu(inner->carried); i++)
            hmput(l.known, inner->carried[i].marker, holds[i]);
        for (size_t i = 0; i < arrlenu(inner->carried); i++)
            if (holds[i] && !is_lasting(&l, inner->carried[i].after_turn.is_there)) {
                holds[i] = false;
                changed = true;
            }
        if (!changed)
            return l;
    }
}

static bool is_in_loop(const derivation *d) {
    for (; d; d = d->outer)
        if (d->loop)
            return true;
    return false;
}

static ir_value *bool_of(gradient_presence presence, ir_node *at) {
    return presence.is_there ? presence.is_there : ir_insert_constant(at, const_bool(true));
}

/* The loop carries whether its gradients are there, of those where the number of turns does not say it. */
static void carry_presences(derivation *inner, lasting *l) {
    carried_gradient **carried = NULL;
    for (size_t i = 0; i < arrlenu(inner->carried); i++)
        if (!is_lasting(l, inner->carried[i].after_turn.is_there)) {
            ir_block_add_result(inner->loop->blocks[0], inner->carried[i].after_turn.is_there);
            arrput(carried, &inner->carried[i]);
        }
    for (size_t i = 0; i < arrlenu(inner->carried); i++) {
        carried_gradient *c = &inner->carried[i];
        if (!is_lasting(l, c->after_turn.is_there) || !c->before.is_there || !ir_use_count(c->marker))
            continue;
        ir_block_add_result(inner->loop->blocks[0], ir_insert_constant(inner->at, const_bool(true)));
        arrput(carried, c);
    }
    for (size_t i = 0; i < arrlenu(carried); i++) {
        ir_replace_uses(carried[i]->marker, carry(inner->loop, bool_of(carried[i]->before, inner->loop)));
        carried[i]->after_loop = ir_out(inner->loop, ir_output_count(inner->loop) - 1);
    }
}

/* Whether c is there after the loop. */
static gradient_presence presence_after(derivation *d, const derivation *inner, lasting *l, const carried_gradient *c) {
    const gradient_presence before = c->before, after = c->after_turn;
    if (!is_lasting(l, after.is_there))
        return (gradient_presence){c->after_loop, before.is_carried || (after.is_carried && is_in_loop(d))};
    if (!before.is_there)
        return reverse_always;
    ir_value *turns = ir_in(inner->loop, 0);
    const gradient_presence any = {reverse_insert_helper(d, "has_turn", &turns, 1), false};
    return ir_constant_of(before.is_there) ? any : reverse_either_presence(d, before, any);
}

/* What the loop carries is after the last turn that of what it carries it for. */
static void finish_carried(derivation *d, derivation *inner) {
    const uint32_t count = (uint32_t)arrlenu(inner->carried);
    lasting l = find_lasting(inner);
    carry_presences(inner, &l);
    for (uint32_t i = 0; i < count; i++) {
        ir_node *marker = inner->carried[i].marker->node;
        ir_replace_uses(ir_out(marker, 0), ir_insert_constant(marker, const_bool(true)));
        ir_destroy(marker);
        reverse_set_presence(d, ir_out(inner->loop, i), presence_after(d, inner, &l, &inner->carried[i]));
        accumulate_outer(d, inner->carried[i].target, ir_out(inner->loop, i));
    }
}

void reverse_loop(derivation *d, ir_node *n) {
    const ir_block *body = n->blocks[0];
    uint32_t *variables = dependent_variables(d, n);
    uint32_t count = (uint32_t)arrlenu(variables);
    ir_node *loop = insert_reverse_loop(d, tape_turns(n));
    derivation before = *d, inner = derivation_within(d, loop->blocks[0]);
    before.at = loop;
    inner.loop = loop;
    inner.body = body;
    ir_value **carried = NULL; /* all of them before any sum, which may carry one for the outside behind them */
    for (uint32_t i = 0; i < count; i++) {
        outer_tensor result = {ir_out(n, variables[i]), NO_ITEM};
        outer_tensor variable = {ir_in(n, variables[i] + BEFORE_VARIABLES), NO_ITEM};
        const gradient_presence presence = presence_in(&before, result);
        arrput(carried, carry_gradient(&inner, gradient_or_zeros(&before, result), presence, variable));
    }
    for (uint32_t i = 0; i < count; i++)
        reverse_accumulate(&inner, ir_in(body->result, variables[i] + 1), carried[i]);
    checkpoint_enter_block(&inner, body);
    reverse_block(&inner, body->result->previous);
    checkpoint_leave_block(&inner, body);
    for (uint32_t i = 0; i < count; i++) {
        outer_tensor variable = {ir_out(body->param, variables[i] + 1), NO_ITEM};
        const gradient_presence presence = presence_in(&inner, variable);
        add_turn(&inner, i, gradient_or_zeros(&inner, variable), presence);
    }
    for (uint32_t i = count; i < arrlenu(inner.carried); i++) {
        ir_value *sum = reverse_gradient_of(&inner, inner.carried[i].target.value);
        add_turn(&inner, i, sum, reverse_presence_of(&inner, sum));
    }
    carry_items(d, &inner);
    finish_carried(d, &inner);
    tape_keep_turns(d->program, n, loop->blocks[0]);
}
