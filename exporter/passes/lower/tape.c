/* The tape of branches and loops. Blocks that compute gradients are written as if they saw the values of the block that
 * they reverse; here those values are handed over. Inner blocks come first, so a tape may lie on a tape. */
#include "exporter/passes/lower/tape.h"

#include "exporter/base/limits.h"
#include "exporter/passes/lower/stand_in.h"
#include "exporter/schema/schema.h"

/* ---- What is used ---- */

typedef struct {
    const ir_block *forward;
    struct {
        ir_value *key;
        bool value;
    } * seen;
    ir_value **values; /* stb_ds array, in the order of uses */
} wanted_values;

static void find_wanted(wanted_values *w, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b);; n = n->next) {
        for (uint32_t i = 0; i < ir_input_count(n); i++) {
            ir_value *v = ir_in(n, i);
            if (!ir_is_inside(v, w->forward) || hmgeti(w->seen, v) >= 0)
                continue;
            hmput(w->seen, v, true);
            arrput(w->values, v);
        }
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_wanted(w, n->blocks[i]);
        if (n == b->result)
            return;
    }
}

/* What has to be kept: stand-ins where they suffice. */
static wanted_values all_wanted(program *p, const ir_block *forward, ir_block *reverse) {
    wanted_values w = {forward, NULL, NULL};
    find_wanted(&w, reverse);
    for (size_t i = 0; i < arrlenu(w.values); i++)
        stand_in_for(p, w.values[i], reverse);
    wanted_values again = {forward, NULL, NULL};
    find_wanted(&again, reverse);
    return again;
}

/* All uses of `from` in a block become uses of `to`. */
static void replace_inside(const ir_block *b, ir_value *from, ir_value *to) {
    for (size_t i = arrlenu(from->uses); i-- > 0;) {
        ir_node *user = from->uses[i].user;
        for (const ir_block *at = user->block; at; at = at->owner ? at->owner->block : NULL)
            if (at == b) {
                ir_node_set_input(user, from->uses[i].index, to);
                break;
            }
    }
}

/* ---- Building ---- */

static ir_node *node_before(ir_node *at, ir_kind kind, const ir_node *like) {
    ir_node *n = ir_node_new(at->graph, kind, 1);
    n->range = like->range;
    n->scope = like->scope;
    ir_insert_before(at, n);
    return n;
}

static ir_node *call_before(ir_node *at, const char *name, const ir_node *like, ir_value *a, ir_value *b) {
    call_argument arguments[] = {{NULL, a, like->range}, {NULL, b, like->range}};
    ir_node *n = schema_call(name, at, like->range, arguments, 2);
    n->scope = like->scope;
    return n;
}

static bool is_none_too(const type *t) {
    return t->kind == TYPE_OPTIONAL || t->kind == TYPE_NONE || t->kind == TYPE_ANY;
}

/* Constants need no tape. */
static bool copy_constant(ir_block *reverse, ir_value *v) {
    if (v->node->kind != IR_CONSTANT)
        return false;
    ir_node *copy = ir_constant_node(v->node->graph, (ir_constant *)(uintptr_t)ir_constant_of(v));
    copy->range = v->node->range;
    copy->scope = v->node->scope;
    ir_out(copy, 0)->type = v->type;
    ir_insert_before(ir_first(reverse), copy);
    replace_inside(reverse, v, ir_out(copy, 0));
    return true;
}

/* ---- Branches ---- */

static void keep_result(ir_node *branches, int k, ir_block *reverse, ir_value *v) {
    const type *t = is_none_too(v->type) ? v->type : type_optional(v->type);
    ir_value *kept = ir_node_add_output(branches, t);
    ir_block_add_result(branches->blocks[k], v);
    ir_block *other = branches->blocks[1 - k];
    ir_block_add_result(other, ir_insert_constant(other->result, const_none()));
    if (t != v->type) {
        ir_node *cast = node_before(ir_first(reverse), IR_UNCHECKED_CAST, branches);
        ir_out(cast, 0)->type = v->type;
        replace_inside(reverse, v, ir_out(cast, 0));
        ir_node_add_input(cast, kept);
        return;
    }
    replace_inside(reverse, v, kept);
}

void tape_keep_branch(program *p, ir_node *branches, int k, ir_block *reverse) {
    wanted_values w = all_wanted(p, branches->blocks[k], reverse);
    for (size_t i = 0; i < arrlenu(w.values); i++)
        if (!copy_constant(reverse, w.values[i]))
            keep_result(branches, k, reverse, w.values[i]);
}

/* ---- Loops ---- */

static void keep_items(ir_node *loop, ir_block *reverse, ir_value *v) {
    ir_node *list = node_before(loop, IR_LIST_CONSTRUCT, loop);
    ir_out(list, 0)->type = type_list(v->type);
    call_before(loop->blocks[0]->result, "aten::append", loop, ir_out(list, 0), v);
    ir_node *first = ir_first(reverse);
    ir_value *last = ir_insert_constant(first, const_int(-1));
    ir_node *pop = call_before(first, "aten::pop", loop, ir_out(list, 0), last);
    replace_inside(reverse, v, ir_out(pop, 0));
}

void tape_keep_turns(program *p, ir_node *loop, ir_block *reverse) {
    wanted_values w = all_wanted(p, loop->blocks[0], reverse);
    for (size_t i = 0; i < arrlenu(w.values); i++)
        if (!copy_constant(reverse, w.values[i]))
            keep_items(loop, reverse, w.values[i]);
}

static bool is_true(const ir_value *v) {
    bool b;
    return ir_constant_bool(v, &b) && b;
}

ir_value *tape_turns(ir_node *loop) {
    ir_block *body = loop->blocks[0];
    if (is_true(ir_in(loop, 1)) && is_true(ir_in(body->result, 0)))
        return ir_in(loop, 0);
    const type *number = type_basic(TYPE_INT);
    ir_node_add_input(loop, ir_insert_constant(loop, const_int(0)));
    ir_value *count = ir_block_add_param(body, NULL, number);
    ir_value *one = ir_insert_constant(body->result, const_int(1));
    ir_block_add_result(body, ir_out(call_before(body->result, "aten::add", loop, count, one), 0));
    return ir_node_add_output(loop, number);
}
