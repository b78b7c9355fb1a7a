/* Alias classes by union-find: a key for each value, constant and attribute; writes mark the class. */
#include "exporter/passes/analysis/mutation.h"

#include <string.h>

#include "exporter/archive/archive.h"
#include "exporter/base/diag.h"
#include "exporter/passes/analysis/call_graph.h"
#include "exporter/passes/analysis/effects.h"

typedef struct {
    uint32_t parent;
    bool written;    /* elements, sizes or items */
    bool marked;     /* its requires_grad changes, and nothing else */
    bool resized;    /* its sizes are changed in place */
    bool persistent; /* outlives a call: constants and attributes */
} alias_class;

/* What has a class: a value, a constant, or an attribute of a class (by its slot). */
typedef struct {
    const void *thing;
    uint64_t slot; /* attributes: position + 1 */
} alias_key;

struct mutation {
    program *program;
    alias_class *classes; /* stb_ds array */
    struct {
        alias_key key;
        uint32_t value;
    } * numbers;
    struct {
        alias_key key;
        int value;
    } * stored;
    ir_constant **constants; /* all seen */
    uint64_t version;        /* of the program's graphs when they were analysed */
};

static alias_key make_key(const void *thing, uint64_t slot) {
    alias_key k;
    memset(&k, 0, sizeof k);
    k.thing = thing;
    k.slot = slot;
    return k;
}

static uint32_t number_of(mutation *m, alias_key k) {
    ptrdiff_t at = hmgeti(m->numbers, k);
    if (at >= 0)
        return m->numbers[at].value;
    alias_class c = {.parent = (uint32_t)arrlenu(m->classes)};
    arrput(m->classes, c);
    hmput(m->numbers, k, c.parent);
    return c.parent;
}

static uint32_t root_of(mutation *m, uint32_t n) {
    while (m->classes[n].parent != n) {
        m->classes[n].parent = m->classes[m->classes[n].parent].parent;
        n = m->classes[n].parent;
    }
    return n;
}

/* Of two roots; the class keeps the first. */
static void join_roots(mutation *m, uint32_t ra, uint32_t rb) {
    if (ra == rb)
        return;
    m->classes[rb].parent = ra;
    m->classes[ra].written |= m->classes[rb].written;
    m->classes[ra].marked |= m->classes[rb].marked;
    m->classes[ra].resized |= m->classes[rb].resized;
    m->classes[ra].persistent |= m->classes[rb].persistent;
}

static void join(mutation *m, alias_key a, alias_key b) {
    const uint32_t na = number_of(m, a), nb = number_of(m, b);
    join_roots(m, root_of(m, na), root_of(m, nb));
}

static alias_class *class_of(mutation *m, alias_key k) {
    uint32_t root = root_of(m, number_of(m, k)); /* may move the array */
    return &m->classes[root];
}

static alias_key key_of(const ir_value *v) {
    return make_key(v, 0);
}

static void join_values(mutation *m, const ir_value *a, const ir_value *b) {
    if (type_can_alias(a->type) && type_can_alias(b->type))
        join(m, key_of(a), key_of(b));
}

/* ---- Constants ---- */

static void add_constant(mutation *m, ir_constant *c) {
    stack_check();
    alias_key k = make_key(c, 0);
    if (hmgeti(m->numbers, k) >= 0)
        return;
    class_of(m, k)->persistent = true;
    arrput(m->constants, c);
    if (c->kind == CONST_TENSOR && c->tensor->storage)
        join(m, k, make_key(c->tensor->storage, 0));
    if (c->kind == CONST_OBJECT)
        for (uint32_t i = 0; i < c->list.count; i++) {
            add_constant(m, c->list.items[i]);
            if (type_can_alias(c->type->definition->attributes[i].type))
                join(m, make_key(c->type->definition, i + 1), make_key(c->list.items[i], 0));
        }
    else if (c->kind == CONST_LIST || c->kind == CONST_TUPLE || c->kind == CONST_DICT)
        for (uint32_t i = 0; i < c->list.count; i++) {
            add_constant(m, c->list.items[i]);
            if (type_can_alias(c->list.items[i]->type))
                join(m, k, make_key(c->list.items[i], 0));
        }
}

/* ---- Nodes ---- */

static bool changes_sizes(const op_schema *s) {
    size_t length = strlen(s->overload);
    bool is_out = length >= 3 && !strcmp(s->overload + length - 3, "out"); /* out= gets the result's sizes */
    return is_out || schema_has_trait(s, TRAIT_RESIZES);
}

static void write_to(mutation *m, const ir_value *v, const op_schema *s) {
    alias_class *c = class_of(m, key_of(v));
    if (schema_has_trait(s, TRAIT_WRITES_NO_ELEMENTS))
        c->marked = true;
    else
        c->written = true;
    c->resized |= changes_sizes(s);
}

static void analyse_operator(mutation *m, const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        const ir_value *in = ir_in(n, i);
        if (!type_can_alias(in->type))
            continue;
        if (operator_writes(n, i))
            write_to(m, in, n->schema);
        if (operator_stores(n, i))
            join_values(m, in, ir_in(n, 0));
        for (uint32_t o = 0; o < ir_output_count(n); o++)
            if (operator_hands_on(n, i, o))
                join_values(m, ir_out(n, o), in);
    }
}

static void analyse_call(mutation *m, const ir_node *n, function *f) {
    const ir_block *b = function_graph(f)->block;
    uint32_t parameters = ir_output_count(b->param);
    uint32_t first = ir_input_count(n) > parameters ? ir_input_count(n) - parameters : 0;
    for (uint32_t i = 0; i < parameters && first + i < ir_input_count(n); i++)
        join_values(m, ir_in(n, first + i), b->param->outputs[i]);
    if (ir_output_count(n))
        join_values(m, ir_out(n, 0), ir_in(b->result, 0));
}

static void analyse_attribute(mutation *m, const ir_node *n) {
    const class_def *c = ir_in(n, 0)->type->definition;
    int slot = class_find_attribute(c, n->attribute);
    const ir_value *v = n->kind == IR_GET_ATTR ? ir_out(n, 0) : ir_in(n, 1);
    alias_key location = make_key(c, (uint64_t)slot + 1);
    if (n->kind == IR_SET_ATTR)
        hmput(m->stored, location, 1);
    if (type_can_alias(v->type)) {
        class_of(m, location)->persistent = true;
        join(m, key_of(v), location);
    }
}

static void analyse_block(mutation *m, const ir_block *b);

/* Gives every output that may be an alias a number: one without was made after the analysis (known_class). */
static void number_outputs(mutation *m, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (type_can_alias(ir_out(n, i)->type))
            number_of(m, key_of(ir_out(n, i)));
}

static void analyse_node(mutation *m, const ir_node *n) {
    stack_check();
    number_outputs(m, n);
    for (size_t i = 0; i < arrlenu(n->blocks); i++)
        analyse_block(m, n->blocks[i]);
    switch (n->kind) {
    case IR_CONSTANT:
        if (n->constant && type_can_alias(ir_out(n, 0)->type)) {
            add_constant(m, n->constant);
            join(m, key_of(ir_out(n, 0)), make_key(n->constant, 0));
        }
        return;
    case IR_IF:
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            for (int k = 0; k < 2; k++)
                join_values(m, ir_out(n, i), ir_in(n->blocks[k]->result, i));
        return;
    case IR_LOOP:
        for (uint32_t i = 0; i < ir_output_count(n); i++) {
            join_values(m, ir_out(n, i), ir_in(n, i + 2));
            join_values(m, ir_out(n, i), n->blocks[0]->param->outputs[i + 1]);
            join_values(m, ir_out(n, i), ir_in(n->blocks[0]->result, i + 1));
        }
        return;
    case IR_GET_ATTR:
    case IR_SET_ATTR:
        analyse_attribute(m, n);
        return;
    case IR_ENTER:
        analyse_call(m, n, class_find_method(ir_in(n, 0)->type->definition, "__enter__"));
        return;
    case IR_EXIT:
        analyse_call(m, n, class_find_method(ir_in(n, 0)->type->definition, "__exit__"));
        return;
    case IR_INTERFACE_CALL: {
        function **targets = call_graph_interface_targets(m->program, n);
        for (size_t i = 0; i < arrlenu(targets); i++)
            analyse_call(m, n, targets[i]);
        return;
    }
    case IR_CALL_FUNCTION:
    case IR_CALL_METHOD:
        analyse_call(m, n, n->callee);
        return;
    case IR_FORK: {
        const ir_block *body = function_graph(n->callee)->block;
        for (uint32_t i = 0; i < ir_input_count(n); i++)
            join_values(m, ir_in(n, i), body->param->outputs[i]);
        if (type_can_alias(ir_in(body->result, 0)->type))
            join(m, key_of(ir_out(n, 0)), key_of(ir_in(body->result, 0)));
        return;
    }
    case IR_CREATE_OBJECT:
    case IR_UNINITIALIZED:
    case IR_ISINSTANCE:
    case IR_TOLIST:
        return;
    default:
        break;
    }
    if (n->schema) {
        analyse_operator(m, n);
        return;
    }
    /* Everything else hands its inputs on: construction and taking apart of containers, casts, waiting. */
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        for (uint32_t o = 0; o < ir_output_count(n); o++)
            join_values(m, ir_in(n, i), ir_out(n, o));
}

static void analyse_block(mutation *m, const ir_block *b) {
    number_outputs(m, b->param);
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        analyse_node(m, n);
}

/* ---- What callers hold ----
 *
 * A caller may give one object for several arguments of a call, and give back later what it gave or got before. So the
 * arguments of one call may share memory with each other, and arguments with all that outlives a call and that a caller
 * has seen. */

typedef struct {
    uint32_t number;
    const type *type;
    const function *argument_of; /* NULL: a result */
} held_value;

static bool holds_anything(const type *t) {
    return t->kind == TYPE_ANY || t->kind == TYPE_CLASS || t->kind == TYPE_INTERFACE;
}

/* Whether something of the one type may be, or be inside of, something of the other. */
static bool types_overlap(const type *a, const type *b) {
    stack_check();
    if (!type_can_alias(a) || !type_can_alias(b))
        return false;
    if (a == b || holds_anything(a) || holds_anything(b))
        return true;
    for (uint32_t i = 0; i < a->count; i++)
        if (types_overlap(a->items[i], b))
            return true;
    for (uint32_t i = 0; i < b->count; i++)
        if (types_overlap(a, b->items[i]))
            return true;
    return false;
}

static void hold(mutation *m, held_value **held, const ir_value *v, const function *argument_of) {
    if (!type_can_alias(v->type))
        return;
    held_value h = {number_of(m, key_of(v)), v->type, argument_of};
    arrput(*held, h);
}

static held_value *find_held(mutation *m, function *const *entries) {
    held_value *held = NULL;
    for (size_t i = 0; i < arrlenu(entries); i++) {
        const ir_block *b = function_graph(entries[i])->block;
        for (uint32_t k = entries[i]->owner ? 1 : 0; k < ir_output_count(b->param); k++)
            hold(m, &held, ir_out(b->param, k), entries[i]);
        for (uint32_t k = 0; k < ir_input_count(b->result); k++)
            hold(m, &held, ir_in(b->result, k), NULL);
    }
    return held;
}

/* A default is one object for all calls, from outside and from inside. */
static void join_defaults(mutation *m, function *f) {
    const ir_block *b = function_graph(f)->block;
    for (uint32_t i = 0; i < ir_output_count(b->param); i++) {
        ir_constant *c = f->schema->arguments[i].default_value;
        if (!c || !type_can_alias(c->type))
            continue;
        add_constant(m, c);
        join(m, key_of(ir_out(b->param, i)), make_key(c, 0));
    }
}

/* Of an argument and what is in another class. */
static bool may_share(const mutation *m, const held_value *argument, const held_value *other, uint32_t other_root) {
    return (argument->argument_of == other->argument_of || m->classes[other_root].persistent) &&
           types_overlap(argument->type, other->type);
}

static void join_held(mutation *m, function *const *entries) {
    for (size_t i = 0; i < arrlenu(entries); i++)
        join_defaults(m, entries[i]);
    held_value *held = find_held(m, entries);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < arrlenu(held); i++) {
            if (!held[i].argument_of)
                continue;
            const uint32_t root = root_of(m, held[i].number);
            for (size_t k = 0; k < arrlenu(held); k++) {
                const uint32_t other = root_of(m, held[k].number);
                if (other == root || !may_share(m, &held[i], &held[k], other))
                    continue;
                join_roots(m, root, other);
                changed = true;
            }
        }
    }
    arrfree(held);
}

mutation *mutation_analyse(program *p, function *const *entries, function *const *functions, ir_constant *module) {
    mutation *m = MEM_NEW(mutation);
    m->program = p;
    m->version = program_graphs_version(p);
    if (module)
        add_constant(m, module);
    for (size_t i = 0; i < arrlenu(functions); i++)
        analyse_block(m, function_graph(functions[i])->block);
    join_held(m, entries);
    return m;
}

/* NULL: v was not analysed. */
static const alias_class *known_class(mutation *m, const ir_value *v) {
    if (m->version != program_graphs_version(m->program))
        diag_internal("what is written to was found out before graphs changed");
    ptrdiff_t at = hmgeti(m->numbers, key_of(v));
    return at < 0 ? NULL : &m->classes[root_of(m, m->numbers[at].value)];
}

bool mutation_is_written(mutation *m, const ir_value *v) {
    const alias_class *c = known_class(m, v);
    return type_can_alias(v->type) && (!c || c->written || c->marked);
}

void mutation_replace(mutation *m, const ir_value *v, const ir_value *replacement) {
    const ptrdiff_t at = hmgeti(m->numbers, key_of(v));
    if (at < 0)
        return;
    const uint32_t number = m->numbers[at].value;
    hmput(m->numbers, key_of(replacement), number);
}

bool mutation_changes_elements(mutation *m, const ir_value *v) {
    const alias_class *c = known_class(m, v);
    return type_can_alias(v->type) && (!c || c->written);
}

bool mutation_is_resized(mutation *m, const ir_value *v) {
    const alias_class *c = known_class(m, v);
    return type_can_alias(v->type) && (!c || c->resized);
}

bool mutation_is_stored(const mutation *m, const class_def *c, const char *attribute) {
    mutation *table = (mutation *)m;
    return hmgeti(table->stored, make_key(c, (uint64_t)class_find_attribute(c, attribute) + 1)) >= 0;
}

void mutation_mark_constants(mutation *m) {
    for (size_t i = 0; i < arrlenu(m->constants); i++) {
        ir_constant *c = m->constants[i];
        const alias_class *k = &m->classes[root_of(m, number_of(m, make_key(c, 0)))];
        c->is_mutated = k->written || k->marked; /* libtsmobile refuses both on tensors that stay in the file */
        for (size_t a = 0; c->kind == CONST_OBJECT && !c->is_mutated && a < arrlenu(c->type->definition->attributes);
             a++)
            c->is_mutated = mutation_is_stored(m, c->type->definition, c->type->definition->attributes[a].name);
    }
}
