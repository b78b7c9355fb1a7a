/* Classes of values of a graph that may share memory. */
#include "exporter/passes/analysis/memory_classes.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/value_classes.h"
#include "exporter/schema/schema.h"

struct memory_classes {
    memory_names names;
    value_classes *classes;
    struct {
        const char *key;
        const ir_value *value;
    } * stored; /* attributes that the graph stores to, by interned name: a value of the class */
};

static bool can_share(const ir_value *v) {
    return type_can_alias(v->type);
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
                value_classes_join(m->classes, ir_in(n, i), ir_out(n, k));
        is_first = false;
        if (i > 0 && operator_stores(n, i))
            value_classes_join(m->classes, ir_in(n, i), ir_in(n, 0));
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
        value_classes_join(m->classes, v, m->stored[at].value);
}

static void visit_block(memory_classes *m, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(m, n->blocks[i]);
        if (n->kind == IR_IF || n->kind == IR_LOOP)
            value_classes_join_blocks(m->classes, n);
        else if (n->kind == IR_GET_ATTR)
            join_attribute(m, n, ir_out(n, 0));
        else if (n->kind == IR_SET_ATTR)
            join_attribute(m, n, ir_in(n, 1));
        else if (n->schema)
            join_operator(m, n);
        else if (!is_display(n) || !is_only_read(ir_out(n, 0)))
            value_classes_join_all(m->classes, n);
    }
}

memory_classes *memory_classes_new(const ir_graph *g, memory_names names) {
    memory_classes *m = MEM_NEW(memory_classes);
    m->names = names;
    m->classes = value_classes_new(can_share);
    find_stored(m, g->block);
    visit_block(m, g->block);
    return m;
}

const ir_value **memory_classes_others(memory_classes *m, const ir_value *v) {
    const ir_value **others = value_class_members(m->classes, v);
    for (size_t i = 0; i < arrlenu(others); i++)
        if (others[i] == v)
            arrdel(others, i);
    return others;
}

bool memory_classes_share(memory_classes *m, const ir_value *a, const ir_value *b) {
    return value_class(m->classes, a) == value_class(m->classes, b);
}

bool memory_classes_outlives(memory_classes *m, const ir_value *v, const ir_node *loop) {
    const ir_block *body = loop->blocks[0];
    const ir_value **members = value_class_members(m->classes, v);
    for (size_t i = 0; i < arrlenu(members); i++)
        if (!ir_is_inside(members[i], body) || members[i]->node == body->param)
            return true;
    return false;
}
