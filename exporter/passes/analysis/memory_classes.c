/* Places of memory that values of a graph may be, and contain. */
#include "exporter/passes/analysis/memory_classes.h"

#include <stdlib.h>

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

/* Numbers of places in ascending order: an stb_ds array. */
typedef uint32_t *place_set;

struct memory_classes {
    memory_names names;
    struct {
        const ir_value *key;
        place_set value;
    } * values, *reached; /* reached: with what is in them, when nothing changes any more */
    struct {
        const ir_node *key;
        place_set value; /* of one place */
    } * made;            /* by a node, all outputs together */
    place_set *contents; /* of each place */
    struct {
        const char *key; /* by interned name */
        place_set value;
    } * stored;      /* attributes that the graph stores to */
    uint32_t *marks; /* of each place: the last walk that met it */
    uint32_t walk;
    bool changed;
};

static bool can_share(const ir_value *v) {
    return type_can_alias(v->type);
}

static bool is_tensor(const ir_value *v) {
    return type_without_none(v->type)->kind == TYPE_TENSOR;
}

/* ---- Sets ---- */

/* Gives the places that are in a or b. */
static place_set joined(place_set a, place_set b) {
    place_set both = NULL;
    for (size_t i = 0, k = 0; i < arrlenu(a) || k < arrlenu(b);) {
        const bool is_from_a = k == arrlenu(b) || (i < arrlenu(a) && a[i] <= b[k]);
        k += k < arrlenu(b) && (!is_from_a || a[i] == b[k]);
        arrput(both, is_from_a ? a[i] : b[k - 1]);
        i += is_from_a;
    }
    return both;
}

static bool has_all(place_set a, place_set b) {
    size_t i = 0;
    for (size_t k = 0; k < arrlenu(b); k++, i++) {
        while (i < arrlenu(a) && a[i] < b[k])
            i++;
        if (i == arrlenu(a) || a[i] != b[k])
            return false;
    }
    return true;
}

static bool meet(place_set a, place_set b) {
    for (size_t i = 0, k = 0; i < arrlenu(a) && k < arrlenu(b);) {
        if (a[i] == b[k])
            return true;
        if (a[i] < b[k])
            i++;
        else
            k++;
    }
    return false;
}

/* Adds to *set; where it grows, others may have to. */
static void add(memory_classes *m, place_set *set, place_set more) {
    if (has_all(*set, more))
        return;
    place_set both = joined(*set, more);
    arrfree(*set);
    *set = both;
    m->changed = true;
}

static place_set places_of(memory_classes *m, const ir_value *v) {
    return hmget(m->values, v);
}

static void add_to_value(memory_classes *m, const ir_value *v, place_set more) {
    if (!can_share(v) || !arrlenu(more))
        return;
    place_set set = places_of(m, v);
    add(m, &set, more);
    hmput(m->values, v, set);
}

/* The place of what the node makes. */
static place_set made_by(memory_classes *m, const ir_node *n) {
    place_set place = hmget(m->made, n);
    if (place)
        return place;
    arrput(place, (uint32_t)arrlenu(m->contents));
    arrput(m->contents, NULL);
    hmput(m->made, n, place);
    return place;
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether the place was not marked since the walk began; marks it. */
static bool is_new(memory_classes *m, uint32_t place) {
    const bool is = m->marks[place] != m->walk;
    m->marks[place] = m->walk;
    return is;
}

/* These places, what is in them, and in that: each is looked at once. May be the set itself. */
static place_set with_contents(memory_classes *m, place_set set) {
    size_t containers = 0;
    for (size_t i = 0; i < arrlenu(set); i++)
        containers += m->contents[set[i]] != NULL;
    if (!containers)
        return set;
    while (arrlenu(m->marks) < arrlenu(m->contents))
        arrput(m->marks, 0);
    m->walk++;
    place_set all = joined(set, NULL);
    for (size_t i = 0; i < arrlenu(all); i++)
        is_new(m, all[i]);
    for (size_t i = 0; i < arrlenu(all); i++) {
        const uint32_t *in = m->contents[all[i]];
        for (size_t k = 0; k < arrlenu(in); k++)
            if (is_new(m, in[k]))
                arrput(all, in[k]);
    }
    if (arrlenu(all) > arrlenu(set))
        qsort(all, arrlenu(all), sizeof *all, by_number);
    return all;
}

/* ---- Nodes ---- */

static void name(memory_classes *m, const ir_value *from, const ir_value *to) {
    if (can_share(from))
        add_to_value(m, to, places_of(m, from));
}

/* What was in `from`, or is it, may be `to`. */
static void take(memory_classes *m, const ir_value *from, const ir_value *to) {
    if (can_share(from) && can_share(to))
        add_to_value(m, to, with_contents(m, places_of(m, from)));
}

static void put(memory_classes *m, place_set into, place_set what) {
    for (size_t i = 0; i < arrlenu(into); i++)
        add(m, &m->contents[into[i]], what);
}

static void store(memory_classes *m, const ir_value *what, const ir_value *into) {
    if (can_share(what) && can_share(into))
        put(m, places_of(m, into), places_of(m, what));
}

static void make(memory_classes *m, const ir_node *n, uint32_t k) {
    if (can_share(ir_out(n, k)))
        add_to_value(m, ir_out(n, k), made_by(m, n));
}

/* Output k may be a view of the input, be taken from it, or contain it. */
static void hand_on(memory_classes *m, const ir_node *n, uint32_t i, uint32_t k) {
    const ir_value *from = ir_in(n, i), *to = ir_out(n, k);
    const uint64_t wildcard = UINT64_C(1) << 63;
    const schema_argument *a = &n->schema->arguments[i];
    const uint64_t result = k < n->schema->return_count ? n->schema->returns[k].alias_set : 0;
    if (is_tensor(from) && is_tensor(to)) {
        name(m, from, to);
        return;
    }
    if (is_tensor(to) || result & wildcard) { /* an item, which may be a container itself */
        take(m, from, to);
        return;
    }
    if (a->alias_set & result && !is_tensor(from))
        name(m, from, to);
    make(m, n, k);
    put(m, made_by(m, n), with_contents(m, places_of(m, from)));
}

/* Operators that may return an input return the first tensor or list: type_as(self, other) never gives `other`. */
static void visit_operator(memory_classes *m, const ir_node *n) {
    const bool is_request = ir_is_operator(n, "aten::grad"); /* gives tensors of its own in a list */
    const bool gives_names =
        !is_request && !(m->names == RECORDED_NAMES && schema_has_trait(n->schema, TRAIT_NO_GRADIENT));
    const bool returns_first = schema_has_trait(n->schema, TRAIT_RETURNS_INPUT);
    for (uint32_t k = 0; k < ir_output_count(n); k++) {
        bool is_first = true, is_name = false;
        for (uint32_t i = 0; gives_names && i < n->schema->argument_count; i++) {
            if (!type_can_alias(ir_in(n, i)->type))
                continue;
            if (can_share(ir_out(n, k)) && operator_hands_on(n, i, k) && (is_first || !returns_first)) {
                hand_on(m, n, i, k);
                is_name = true;
            }
            is_first = false;
        }
        if (!is_name)
            make(m, n, k);
    }
    for (uint32_t i = 1; i < n->schema->argument_count; i++)
        if (operator_stores(n, i))
            store(m, ir_in(n, i), ir_in(n, 0));
}

static void visit_variables(memory_classes *m, const ir_node *n) {
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    const ir_block *body = n->blocks[0];
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        const ir_value *variable = ir_out(body->param, i + 1);
        name(m, ir_in(n, i + BEFORE_VARIABLES), variable);
        name(m, ir_in(body->result, i + 1), variable);
        name(m, variable, ir_out(n, i));
    }
}

static void visit_branches(memory_classes *m, const ir_node *n) {
    for (size_t k = 0; k < arrlenu(n->blocks); k++)
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            name(m, ir_in(n->blocks[k]->result, i), ir_out(n, i));
}

static void visit_attribute(memory_classes *m, const ir_node *n) {
    const bool stores = n->kind == IR_SET_ATTR;
    const ptrdiff_t at = hmgeti(m->stored, n->attribute);
    if (!stores)
        make(m, n, 0);
    if (at < 0)
        return;
    if (can_share(stores ? ir_in(n, 1) : ir_out(n, 0)))
        add(m, &m->stored[at].value, places_of(m, stores ? ir_in(n, 1) : ir_out(n, 0)));
    if (!stores)
        add_to_value(m, ir_out(n, 0), m->stored[at].value);
}

static void visit_item(memory_classes *m, const ir_node *n, uint32_t k, int64_t index) {
    const ir_node *display = ir_in(n, 0)->node;
    if (display->kind == IR_TUPLE_CONSTRUCT && index >= 0 && index < ir_input_count(display))
        name(m, ir_in(display, (uint32_t)index), ir_out(n, k));
    else
        take(m, ir_in(n, 0), ir_out(n, k));
}

/* What the compiler does not know: all may be in all. */
static void visit_unknown(memory_classes *m, const ir_node *n) {
    for (uint32_t k = 0; k < ir_output_count(n); k++)
        make(m, n, k);
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        if (!can_share(ir_in(n, i)))
            continue;
        put(m, made_by(m, n), with_contents(m, places_of(m, ir_in(n, i))));
        put(m, places_of(m, ir_in(n, i)), made_by(m, n));
    }
}

static void visit_node(memory_classes *m, const ir_node *n) {
    int64_t index = 0;
    switch (n->kind) {
    case IR_IF:
        visit_branches(m, n);
        break;
    case IR_LOOP:
        visit_variables(m, n);
        break;
    case IR_GET_ATTR:
    case IR_SET_ATTR:
        visit_attribute(m, n);
        break;
    case IR_UNCHECKED_CAST:
    case IR_UNWRAP_OPTIONAL:
        name(m, ir_in(n, 0), ir_out(n, 0));
        break;
    case IR_LIST_CONSTRUCT:
    case IR_TUPLE_CONSTRUCT:
    case IR_DICT_CONSTRUCT:
        make(m, n, 0);
        for (uint32_t i = 0; i < ir_input_count(n); i++)
            store(m, ir_in(n, i), ir_out(n, 0));
        break;
    case IR_TUPLE_INDEX:
        visit_item(m, n, 0, ir_constant_int(ir_in(n, 1), &index) ? index : -1);
        break;
    case IR_TUPLE_UNPACK:
    case IR_LIST_UNPACK:
        for (uint32_t k = 0; k < ir_output_count(n); k++)
            visit_item(m, n, k, k);
        break;
    default:
        if (n->schema)
            visit_operator(m, n);
        else
            visit_unknown(m, n);
    }
}

static void visit_block(memory_classes *m, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(m, n->blocks[i]);
        visit_node(m, n);
    }
}

static void find_stored(memory_classes *m, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_stored(m, n->blocks[i]);
        if (n->kind == IR_SET_ATTR)
            hmput(m->stored, n->attribute, NULL);
    }
}

/* Arguments count as different. */
static void add_arguments(memory_classes *m, const ir_node *param) {
    for (uint32_t k = 0; k < ir_output_count(param); k++) {
        place_set place = NULL;
        arrput(place, (uint32_t)arrlenu(m->contents));
        arrput(m->contents, NULL);
        add_to_value(m, ir_out(param, k), place);
    }
}

memory_classes *memory_classes_new(const ir_graph *g, memory_names names) {
    memory_classes *m = MEM_NEW(memory_classes);
    m->names = names;
    find_stored(m, g->block);
    add_arguments(m, g->block->param);
    do {
        m->changed = false;
        visit_block(m, g->block);
    } while (m->changed);
    return m;
}

/* ---- Questions ---- */

static place_set reached(memory_classes *m, const ir_value *v) {
    place_set set = hmget(m->reached, v);
    if (set)
        return set;
    set = with_contents(m, places_of(m, v));
    hmput(m->reached, v, set);
    return set;
}

const ir_value **memory_classes_holders(memory_classes *m, const ir_value *v) {
    const ir_value **holders = NULL;
    place_set places = places_of(m, v);
    for (ptrdiff_t i = 0; i < hmlen(m->values); i++)
        if (m->values[i].key != v && meet(reached(m, m->values[i].key), places))
            arrput(holders, m->values[i].key);
    return holders;
}

bool memory_classes_share(memory_classes *m, const ir_value *a, const ir_value *b) {
    return a == b || meet(reached(m, a), reached(m, b));
}

bool memory_classes_outlives(memory_classes *m, const ir_value *v, const ir_node *loop) {
    const ir_block *body = loop->blocks[0];
    for (ptrdiff_t i = 0; i < hmlen(m->values); i++) {
        const ir_value *other = m->values[i].key;
        if ((!ir_is_inside(other, body) || other->node == body->param) && memory_classes_share(m, other, v))
            return true;
    }
    return v->node == body->param || !ir_is_inside(v, body);
}
