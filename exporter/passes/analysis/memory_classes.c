/* Classes of values that may share memory: union-find over the values of a graph. */
#include "exporter/passes/analysis/memory_classes.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

struct memory_classes {
    memory_names names;
    struct {
        const ir_value *key;
        const ir_value *value;
    } * parents;
    struct {
        const char *key;
        const ir_value *value;
    } * stored; /* attributes that the graph stores to, by interned name: a value of the class */
};

static const ir_value *representative(memory_classes *m, const ir_value *v) {
    for (ptrdiff_t at; (at = hmgeti(m->parents, v)) >= 0 && m->parents[at].value != v;)
        v = m->parents[at].value;
    return v;
}

static void join(memory_classes *m, const ir_value *a, const ir_value *b) {
    if (!type_can_alias(a->type) || !type_can_alias(b->type))
        return;
    const ir_value *from = representative(m, a), *to = representative(m, b);
    if (from != to)
        hmput(m->parents, from, to);
    if (a != from)
        hmput(m->parents, a, to); /* a shorter way the next time */
}

static void join_all(memory_classes *m, const ir_node *n) {
    const ir_value *first = NULL;
    for (uint32_t i = 0; i < ir_input_count(n) + ir_output_count(n); i++) {
        const ir_value *v = i < ir_input_count(n) ? ir_in(n, i) : ir_out(n, i - ir_input_count(n));
        if (!type_can_alias(v->type))
            continue;
        if (first)
            join(m, v, first);
        first = v;
    }
}

/* Operators that may return an input return the first tensor or list: type_as(self, other) never gives `other`. */
static void join_operator(memory_classes *m, const ir_node *n) {
    bool is_request = ir_is_operator(n, "aten::grad"); /* gives tensors of its own in a list */
    if (is_request || (m->names == RECORDED_NAMES && schema_has_trait(n->schema, TRAIT_NO_GRADIENT)))
        return;
    bool is_first = true;
    for (uint32_t i = 0; i < n->schema->argument_count; i++) {
        if (!type_can_alias(ir_in(n, i)->type))
            continue;
        for (uint32_t k = 0; k < ir_output_count(n); k++)
            if (operator_hands_on(n, i, k) && (is_first || !schema_has_trait(n->schema, TRAIT_RETURNS_INPUT)))
                join(m, ir_in(n, i), ir_out(n, k));
        is_first = false;
        if (i > 0 && operator_stores(n, i))
            join(m, ir_in(n, i), ir_in(n, 0));
    }
}

static bool is_display(const ir_node *n) {
    return n->kind == IR_LIST_CONSTRUCT || n->kind == IR_TUPLE_CONSTRUCT;
}

/* Whether nobody takes items out of a list or tuple again: operators read it, or the graph returns it. */
static bool is_only_read(const ir_value *container) {
    stack_check();
    for (size_t i = 0; i < arrlenu(container->uses); i++) {
        const ir_node *user = container->uses[i].user;
        if (user != user->graph->block->result && !use_only_reads(&container->uses[i]) &&
            !(is_display(user) && is_only_read(ir_out(user, 0))))
            return false;
    }
    return true;
}

static void find_stored(memory_classes *m, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_stored(m, n->blocks[i]);
        if (n->kind == IR_SET_ATTR)
            hmput(m->stored, n->attribute, ir_in(n, 1));
    }
}

static void join_attribute(memory_classes *m, const ir_node *n, const ir_value *v) {
    ptrdiff_t at = hmgeti(m->stored, n->attribute);
    if (at >= 0)
        join(m, v, m->stored[at].value);
}

static void visit_block(memory_classes *m, const ir_block *b);

static void visit_branches(memory_classes *m, const ir_node *n) {
    for (size_t k = 0; k < arrlenu(n->blocks); k++) {
        visit_block(m, n->blocks[k]);
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            join(m, ir_in(n->blocks[k]->result, i), ir_out(n, i));
    }
}

static void visit_loop(memory_classes *m, const ir_node *n) {
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    const ir_block *body = n->blocks[0];
    visit_block(m, body);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        join(m, ir_in(n, i + BEFORE_VARIABLES), ir_out(body->param, i + 1));
        join(m, ir_in(body->result, i + 1), ir_out(body->param, i + 1));
        join(m, ir_out(n, i), ir_out(body->param, i + 1));
    }
}

static void visit_block(memory_classes *m, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (n->kind == IR_IF)
            visit_branches(m, n);
        else if (n->kind == IR_LOOP)
            visit_loop(m, n);
        else if (n->kind == IR_GET_ATTR)
            join_attribute(m, n, ir_out(n, 0));
        else if (n->kind == IR_SET_ATTR)
            join_attribute(m, n, ir_in(n, 1));
        else if (n->schema)
            join_operator(m, n);
        else if (!is_display(n) || !is_only_read(ir_out(n, 0)))
            join_all(m, n);
    }
}

memory_classes *memory_classes_new(const ir_graph *g, memory_names names) {
    memory_classes *m = MEM_NEW(memory_classes);
    m->names = names;
    find_stored(m, g->block);
    visit_block(m, g->block);
    return m;
}

const ir_value **memory_classes_others(memory_classes *m, const ir_value *v) {
    const ir_value *class = representative(m, v), **others = NULL;
    if (class != v)
        arrput(others, class);
    for (ptrdiff_t i = 0; i < hmlen(m->parents); i++) {
        const ir_value *member = m->parents[i].key;
        if (member != v && member != class && representative(m, member) == class)
            arrput(others, member);
    }
    return others;
}

bool memory_classes_share(memory_classes *m, const ir_value *a, const ir_value *b) {
    return representative(m, a) == representative(m, b);
}

bool memory_classes_outlives(memory_classes *m, const ir_value *v, const ir_node *loop) {
    const ir_block *body = loop->blocks[0];
    const ir_value *class = representative(m, v);
    if (!ir_is_inside(class, body) || class->node == body->param)
        return true;
    for (ptrdiff_t i = 0; i < hmlen(m->parents); i++) {
        const ir_value *member = m->parents[i].key;
        bool is_lasting = !ir_is_inside(member, body) || member->node == body->param;
        if (is_lasting && representative(m, member) == class)
            return true;
    }
    return false;
}
