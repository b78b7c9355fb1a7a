/* The steps behind a branch are moved into a block of their own, and copied from there into both branches. */
#include "exporter/passes/optimize/sink_scores.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

enum { MOST_STEPS = 8 };

typedef struct {
    ir_node *nodes[MOST_STEPS]; /* from the last one back */
    size_t count;
    ir_node *branch;
} steps;

static bool is_named(const ir_node *n, const char *const *names) {
    for (; n->schema && *names; names++)
        if (!strcmp(n->schema->name, *names))
            return true;
    return false;
}

static bool is_product(const ir_node *n) {
    static const char *const names[] = {"aten::baddbmm", "aten::bmm", "aten::matmul", NULL};
    return is_named(n, names);
}

static bool makes_scores(const ir_node *n) {
    static const char *const names[] = {"aten::div",         "aten::mul",   "aten::add",  "aten::sub",     "aten::to",
                                        "aten::masked_fill", "aten::where", "aten::view", "aten::reshape", NULL};
    return is_product(n) || is_named(n, names);
}

/* Whether nothing that the operator reads is written to anywhere. */
static bool reads_unwritten(const ir_node *n, const ir_value *but, mutation *m) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (ir_in(n, i) != but && ir_in(n, i)->type->kind == TYPE_TENSOR && mutation_is_written(m, ir_in(n, i)))
            return false;
    return true;
}

static bool is_simple(const ir_block *b, mutation *m) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (!node_is_quiet(n) || (n->schema && operator_has_effects(n)))
            return false;
        if (!reads_unwritten(n, NULL, m))
            return false;
    }
    return makes_scores(ir_in(b->result, 0)->node);
}

static bool stands_inside(const ir_node *n, const ir_block *b) {
    const ir_block *at = n->block;
    while (at && at != b)
        at = at->owner ? at->owner->block : NULL;
    return at != NULL;
}

/* The chain from `last` back to a branch. */
static bool find_steps(steps *s, ir_node *last, mutation *m) {
    static const char *const names[] = {"aten::softmax", "aten::to",  "aten::type_as",     "aten::div",
                                        "aten::mul",     "aten::add", "aten::masked_fill", "aten::view",
                                        "aten::reshape", NULL};
    bool has_softmax = false;
    s->nodes[s->count++] = last;
    ir_value *v = ir_in(last, 0);
    for (; v->node->kind != IR_IF; v = ir_in(v->node, 0)) {
        if (!is_named(v->node, names) || ir_use_count(v) != 1 || v->node->block != last->block ||
            s->count == MOST_STEPS)
            return false;
        has_softmax |= !strcmp(v->node->schema->name, "aten::softmax");
        s->nodes[s->count++] = v->node;
    }
    s->branch = v->node;
    for (size_t i = 0; i < s->count; i++)
        if (!reads_unwritten(s->nodes[i], ir_in(s->nodes[i], 0), m))
            return false;
    return has_softmax && ir_use_count(v) == 1 && s->branch->block == last->block && ir_output_count(s->branch) == 1;
}

/* Whether the branch may run where the last step stands. */
static bool may_move_down(const steps *s) {
    for (const ir_node *n = s->branch->next; n != s->nodes[0]; n = n->next)
        if (!node_is_quiet(n))
            return false;
    return true;
}

/* Appends the steps, which stand in `from` with its parameter for the scores, to a branch. */
static void copy_into(ir_block *b, const ir_block *from) {
    ir_value_map map = NULL;
    hmput(map, from->param->outputs[0], ir_in(b->result, 0));
    ir_copy_block_nodes(from, b->result, &map);
    ir_node_set_input(b->result, 0, hmget(map, ir_in(from->result, 0)));
}

/* ---- What both branches begin with ---- */

/* Whether the node that makes v, before the branch, may run in it instead. */
static bool may_go_inside(const ir_value *v, const ir_node *branch, mutation *m) {
    if (!makes_scores(v->node) || v->node->block != branch->block || !reads_unwritten(v->node, NULL, m))
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!stands_inside(v->uses[i].user, branch->blocks[0]) && !stands_inside(v->uses[i].user, branch->blocks[1]))
            return false;
    for (const ir_node *n = v->node->next; n != branch; n = n->next)
        if (!node_is_quiet(n))
            return false;
    return true;
}

/* Puts a copy of v's node first into the block, for the uses there. */
static void copy_producer(ir_value *v, ir_block *b) {
    ir_node *copy = ir_node_new(b->graph, v->node->kind, 1);
    copy->schema = v->node->schema;
    copy->range = v->node->range;
    copy->scope = v->node->scope;
    for (uint32_t i = 0; i < ir_input_count(v->node); i++)
        ir_node_add_input(copy, ir_in(v->node, i));
    ir_out(copy, 0)->name = v->name;
    ir_insert_before(ir_first(b), copy);
    for (size_t i = 0; i < arrlenu(v->uses);)
        if (stands_inside(v->uses[i].user, b))
            ir_node_set_input(v->uses[i].user, v->uses[i].index, ir_out(copy, 0)); /* takes the use away */
        else
            i++;
}

/* Scores that one branch takes as they are, back to the product that makes them. */
static void sink_producers(ir_value *v, ir_node *branch, mutation *m) {
    for (int i = 0; i < MOST_STEPS && may_go_inside(v, branch, m); i++) {
        ir_node *n = v->node;
        ir_value *before = ir_in(n, 0);
        for (size_t k = 0; k < 2; k++)
            copy_producer(v, branch->blocks[k]);
        ir_destroy(n);
        if (is_product(ir_first(branch->blocks[0])))
            return;
        v = before;
    }
}

ir_node *sink_scores(ir_node *last, mutation *m) {
    steps s = {.count = 0};
    static const char *const products[] = {"aten::bmm", "aten::matmul", NULL};
    if (!is_named(last, products) || !find_steps(&s, last, m) || !is_simple(s.branch->blocks[0], m) ||
        !is_simple(s.branch->blocks[1], m) || !may_move_down(&s))
        return NULL;
    ir_node *holder = ir_node_new(last->graph, IR_IF, 0);
    ir_block *together = ir_node_add_block(holder);
    ir_value *scores = ir_block_add_param(together, NULL, type_basic(TYPE_TENSOR)), *made = ir_out(s.branch, 0);
    ir_value *const given[] = {ir_in(s.branch->blocks[0]->result, 0), ir_in(s.branch->blocks[1]->result, 0)};
    ir_move_before(last, s.branch);
    ir_node_set_input(s.nodes[s.count - 1], 0, scores);
    ir_replace_uses(ir_out(last, 0), made);
    for (size_t i = s.count; i-- > 0;) {
        ir_unlink(s.nodes[i]);
        ir_append(together, s.nodes[i]);
    }
    ir_block_add_result(together, ir_out(last, 0));
    made->name = ir_out(last, 0)->name;
    for (size_t i = 0; i < 2; i++)
        copy_into(s.branch->blocks[i], together);
    ir_node_remove_input(together->result, 0);
    for (size_t i = 0; i < s.count; i++)
        ir_destroy(s.nodes[i]);
    for (size_t i = 0; i < 2; i++)
        if (!ir_is_inside(given[i], s.branch->blocks[i]))
            sink_producers(given[i], s.branch, m);
    return s.branch;
}
