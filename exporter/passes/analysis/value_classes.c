/* Union-find over values. */
#include "exporter/passes/analysis/value_classes.h"

#include "exporter/base/limits.h"

struct value_classes {
    bool (*takes_part)(const ir_value *);
    struct {
        const ir_value *key;
        const ir_value *value;
    } * parents;
};

value_classes *value_classes_new(bool (*takes_part)(const ir_value *)) {
    value_classes *c = MEM_NEW(value_classes);
    c->takes_part = takes_part;
    return c;
}

const ir_value *value_class(value_classes *c, const ir_value *v) {
    for (ptrdiff_t at; (at = hmgeti(c->parents, v)) >= 0 && c->parents[at].value != v;)
        v = c->parents[at].value;
    return v;
}

void value_classes_join(value_classes *c, const ir_value *a, const ir_value *b) {
    if (!c->takes_part(a) || !c->takes_part(b))
        return;
    const ir_value *from = value_class(c, a), *to = value_class(c, b);
    if (from != to)
        hmput(c->parents, from, to);
    if (a != from)
        hmput(c->parents, a, to); /* a shorter way the next time */
}

void value_classes_join_all(value_classes *c, const ir_node *n) {
    const ir_value *first = NULL;
    for (uint32_t i = 0; i < ir_input_count(n) + ir_output_count(n); i++) {
        const ir_value *v = i < ir_input_count(n) ? ir_in(n, i) : ir_out(n, i - ir_input_count(n));
        if (!c->takes_part(v))
            continue;
        if (first)
            value_classes_join(c, v, first);
        first = v;
    }
}

static void join_branches(value_classes *c, const ir_node *n) {
    for (size_t k = 0; k < arrlenu(n->blocks); k++)
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            value_classes_join(c, ir_in(n->blocks[k]->result, i), ir_out(n, i));
}

void value_classes_join_blocks(value_classes *c, const ir_node *n) {
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    if (n->kind == IR_IF)
        join_branches(c, n);
    if (n->kind != IR_LOOP)
        return;
    const ir_block *body = n->blocks[0];
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        value_classes_join(c, ir_in(n, i + BEFORE_VARIABLES), ir_out(body->param, i + 1));
        value_classes_join(c, ir_in(body->result, i + 1), ir_out(body->param, i + 1));
        value_classes_join(c, ir_out(n, i), ir_out(body->param, i + 1));
    }
}
