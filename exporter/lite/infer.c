/* Type inference for lifted graphs: operators, objects and containers, and loop variables until they are stable. */
#include "exporter/lite/infer.h"

#include <string.h>

#include "exporter/base/diag.h"

enum { MAX_TYPE_TEXT = 1 << 16, MAX_ROUNDS = 200, MAX_STEPS = 1000 };

typedef struct {
    bool changed; /* the type of some attribute, or of a value that a loop carries, became wider */
} inference;

/* The narrowest type of which both are subtypes; NULL stands for a type that is not known yet. */
static const type *join(const type *a, const type *b) {
    return !a ? b : !b || a == b ? a : type_unify(a, b, true);
}

static void widen(inference *v, const type **known, const type *more) {
    const type *t = join(*known, more);
    v->changed |= t != *known;
    *known = t;
}

/* ---- Operators ---- */

/* Type variables and what they stand for, stb_ds arrays. */
typedef struct {
    const char **names;
    const type **types;
} binding;

static const type *bound(const binding *b, const type *t) {
    return type_substitute(t, b->names, b->types, (uint32_t)arrlenu(b->names));
}

/* The part of the type `actual` to which a refinement must have narrowed it, since `formal` is wanted. */
static const type *narrowed(const type *actual, const type *formal) {
    if (formal->kind == TYPE_VAR || formal->kind == TYPE_OPTIONAL || actual->kind == formal->kind)
        return actual;
    const type *t = type_without_none(actual);
    if (t->kind == TYPE_UNION)
        for (uint32_t i = 0; i < t->count; i++)
            if (t->items[i]->kind == formal->kind)
                return t->items[i];
    return t;
}

static void bind(binding *b, const type *formal, const type *actual) {
    stack_check();
    if (!actual)
        return;
    if (formal->kind == TYPE_OPTIONAL) {
        if (actual->kind != TYPE_NONE)
            bind(b, formal->items[0], type_without_none(actual));
        return;
    }
    if (formal->kind == TYPE_VAR) {
        for (size_t i = 0; i < arrlenu(b->names); i++)
            if (b->names[i] == formal->name)
                return;
        arrput(b->names, formal->name);
        arrput(b->types, actual);
        return;
    }
    actual = narrowed(actual, formal);
    for (uint32_t i = 0; i < formal->count && !formal->name; i++) {
        if (actual->kind == formal->kind && actual->count == formal->count)
            bind(b, formal->items[i], actual->items[i]);
        else if (actual->kind == TYPE_ANY)
            bind(b, formal->items[i], actual);
    }
}

static binding bind_inputs(const ir_node *n) {
    binding b = {0};
    const op_schema *s = n->schema;
    for (uint32_t i = 0; i < ir_input_count(n) && i < s->argument_count; i++)
        bind(&b, s->arguments[i].type, ir_in(n, i)->type);
    return b;
}

static void type_operator(const ir_node *n) {
    binding b = bind_inputs(n);
    for (uint32_t i = 0; i < ir_output_count(n) && i < n->schema->return_count; i++)
        n->outputs[i]->type = bound(&b, n->schema->returns[i].type);
}

/* dict[key]: the overload is named after the key. */
static void choose_dict_access(ir_node *n) {
    const type *t = ir_in(n, 0)->type;
    if (!t)
        return;
    t = narrowed(t, type_dict(type_basic(TYPE_STR), type_basic(TYPE_ANY)));
    n->schema = t->kind == TYPE_DICT ? schema_find(mem_printf("aten::__getitem__.Dict_%s", t->items[0]->text)) : NULL;
    if (!n->schema)
        source_fail(n->range, "The instruction looks into a %s, which is no dict", type_annotation(t));
    type_operator(n);
}

/* ---- Objects ---- */

static class_attribute *attribute_of(const ir_node *n) {
    const type *t = type_without_none(ir_in(n, 0)->type);
    class_def *c = t->kind == TYPE_CLASS ? t->definition : NULL;
    /* Objects with __setstate__ do not list their attributes, so names are made for them. */
    while (c && class_find_method(c, "__setstate__") && (int64_t)arrlenu(c->attributes) <= n->begin) {
        class_attribute a = {.name = intern(mem_printf("slot%zu", arrlenu(c->attributes)))};
        arrput(c->attributes, a);
    }
    if (!c || n->begin >= (int64_t)arrlenu(c->attributes))
        source_fail(n->range, "A %s has no attribute number %lld", type_annotation(t), (long long)n->begin);
    return &c->attributes[n->begin];
}

static void type_get_attribute(ir_node *n) {
    if (!ir_in(n, 0)->type)
        return;
    const class_attribute *a = attribute_of(n);
    n->attribute = a->name;
    n->outputs[0]->type = a->type;
}

static void type_set_attribute(inference *v, ir_node *n) {
    if (!ir_in(n, 0)->type)
        return;
    class_attribute *a = attribute_of(n);
    n->attribute = a->name;
    widen(v, &a->type, ir_in(n, 1)->type);
}

/* Resolves a call by name: the object's class is known, so the call becomes that of one method. */
static void type_method_call(ir_node *n) {
    const type *t = ir_in(n, 0)->type;
    if (!t)
        return;
    const class_def *c = type_without_none(t)->definition;
    n->callee = class_find_method(c, n->attribute);
    if (!n->callee)
        source_fail(n->range, "A %s has no method %s", type_annotation(t), n->attribute);
    if (ir_input_count(n) != n->callee->schema->argument_count)
        source_fail(n->range, "%s is called with %u arguments", n->callee->name, ir_input_count(n));
    n->kind = IR_CALL_METHOD;
    n->outputs[0]->type = n->callee->schema->returns[0].type;
}

/* ---- Tuples, lists ---- */

static void type_tuple_construct(const ir_node *n) {
    const type *t = ir_out(n, 0)->type, **items = NULL;
    if (t && t->name)
        return;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        if (!ir_in(n, i)->type)
            return;
        arrput(items, ir_in(n, i)->type);
    }
    ir_out(n, 0)->type = type_tuple(items, ir_input_count(n));
    if (strlen(ir_out(n, 0)->type->text) > MAX_TYPE_TEXT)
        source_fail(n->range, "The tuple's type is longer than %d characters", MAX_TYPE_TEXT);
}

/* The tuple that input 0 is; NULL while that is not known. */
static const type *tuple_of(const ir_node *n) {
    const type *t = ir_in(n, 0)->type;
    if (!t)
        return NULL;
    t = narrowed(t, type_tuple(NULL, 0));
    if (t->kind != TYPE_TUPLE)
        source_fail(n->range, "The instruction takes a %s apart, which is no tuple", type_annotation(t));
    return t;
}

static void type_tuple_unpack(const ir_node *n) {
    const type *t = tuple_of(n);
    if (t && t->count != ir_output_count(n))
        source_fail(n->range, "A tuple of %u items is taken apart into %u", t->count, ir_output_count(n));
    for (uint32_t i = 0; t && i < t->count; i++)
        n->outputs[i]->type = t->items[i];
}

static void type_tuple_index(const ir_node *n) {
    const type *t = tuple_of(n), *all = NULL;
    if (!t)
        return;
    int64_t index;
    if (ir_constant_int(ir_in(n, 1), &index)) {
        index += index < 0 ? t->count : 0;
        if (index < 0 || index >= t->count)
            source_fail(n->range, "A tuple of %u items has no item %lld", t->count, (long long)index);
        all = t->items[index];
    } else
        for (uint32_t i = 0; i < t->count; i++)
            all = join(all, t->items[i]);
    n->outputs[0]->type = all;
}

static void type_tuple_slice(const ir_node *n) {
    const type *t = tuple_of(n);
    if (!t)
        return;
    if (n->end > t->count)
        source_fail(n->range, "A tuple of %u items has no slice up to %lld", t->count, (long long)n->end);
    n->outputs[0]->type = type_tuple(t->items + n->begin, (uint32_t)(n->end - n->begin));
}

/* The list that input 0 is; NULL while that is not known. */
static const type *list_of(const ir_node *n) {
    const type *any = type_list(type_basic(TYPE_ANY)), *t = ir_in(n, 0)->type;
    if (!t)
        return NULL;
    t = narrowed(t, any);
    if (t->kind != TYPE_LIST && t->kind != TYPE_ANY)
        source_fail(n->range, "The instruction takes a %s apart, which is no list", type_annotation(t));
    return t->kind == TYPE_LIST ? t : any;
}

static void type_list_unpack(const ir_node *n) {
    const type *t = list_of(n);
    for (uint32_t i = 0; t && i < ir_output_count(n); i++)
        n->outputs[i]->type = t->items[0];
}

/* ---- Refinement ---- */

/* The type to which a condition refines v when it is true (`holds`) or false; NULL: it does not refine v. Conditions
 * may use one another many times, so the search gives up after *steps steps. */
static const type *tested_type(const ir_value *condition, bool holds, const ir_value *v, int *steps) {
    stack_check();
    const ir_node *n = condition->node;
    if (--*steps < 0)
        return NULL;
    if (n->kind == IR_ISINSTANCE && ir_in(n, 0) == v && holds)
        return type_union(n->types, (uint32_t)arrlenu(n->types));
    if (n->schema && n->kind == IR_NOT)
        return tested_type(ir_in(n, 0), !holds, v, steps);
    bool short_circuit;
    /* `and`, `or`: a branch that gives the opposite constant was not taken, so the other one was. */
    for (int k = 0; n->kind == IR_IF && k < 2; k++)
        if (ir_constant_bool(ir_in(n->blocks[k]->result, condition->offset), &short_circuit) &&
            short_circuit != holds) {
            const type *t = tested_type(ir_in(n, 0), k == 1, v, steps);
            return t ? t : tested_type(ir_in(n->blocks[1 - k]->result, condition->offset), holds, v, steps);
        }
    return NULL;
}

/* Bytecode keeps a refinement as a cast, but not its type. It follows from the innermost test around the cast that
 * refines the value; without one the value is not None. A cast of None is on a path that is never taken. */
static const type *refined_type(const ir_node *cast) {
    const type *t = ir_in(cast, 0)->type;
    if (!t || t->kind == TYPE_NONE)
        return NULL;
    int steps = MAX_STEPS;
    for (const ir_block *b = cast->block; b->owner; b = b->owner->block)
        if (b->owner->kind == IR_IF) {
            const type *tested = tested_type(ir_in(b->owner, 0), b == b->owner->blocks[0], ir_in(cast, 0), &steps);
            if (tested)
                return tested;
        }
    return type_without_none(t);
}

/* ---- Control flow ---- */

static void type_block(inference *v, ir_block *b);

static void type_if(inference *v, const ir_node *n) {
    type_block(v, n->blocks[0]);
    type_block(v, n->blocks[1]);
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        n->outputs[i]->type = join(ir_in(n->blocks[0]->result, i)->type, ir_in(n->blocks[1]->result, i)->type);
}

static void type_loop(inference *v, const ir_node *n) {
    ir_block *body = n->blocks[0];
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        widen(v, &body->param->outputs[i + 1]->type, ir_in(n, i + 2)->type);
    type_block(v, body);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        ir_value *carried = body->param->outputs[i + 1];
        widen(v, &carried->type, ir_in(body->result, i + 1)->type);
        n->outputs[i]->type = carried->type;
    }
}

static void type_node(inference *v, ir_node *n) {
    stack_check();
    switch (n->kind) {
    case IR_CONSTANT:
    case IR_LIST_CONSTRUCT:
    case IR_DICT_CONSTRUCT:
    case IR_CREATE_OBJECT:
    case IR_ISINSTANCE:
    case IR_TOLIST:
    case IR_UNINITIALIZED:
    case IR_CALL_FUNCTION:
        return; /* known, or of any type that is wanted */
    case IR_IF:
        type_if(v, n);
        return;
    case IR_LOOP:
        type_loop(v, n);
        return;
    case IR_UNCHECKED_CAST:
        n->outputs[0]->type = refined_type(n);
        return;
    case IR_TUPLE_CONSTRUCT:
        type_tuple_construct(n);
        return;
    case IR_TUPLE_UNPACK:
        type_tuple_unpack(n);
        return;
    case IR_TUPLE_INDEX:
        type_tuple_index(n);
        return;
    case IR_TUPLE_SLICE:
        type_tuple_slice(n);
        return;
    case IR_LIST_UNPACK:
        type_list_unpack(n);
        return;
    case IR_GET_ATTR:
        type_get_attribute(n);
        return;
    case IR_SET_ATTR:
        type_set_attribute(v, n);
        return;
    case IR_INTERFACE_CALL:
    case IR_CALL_METHOD:
        type_method_call(n);
        return;
    case IR_GETITEM:
        if (!n->schema) {
            choose_dict_access(n);
            return;
        }
        break;
    default:
        break;
    }
    if (n->schema)
        type_operator(n);
}

static void type_block(inference *v, ir_block *b) {
    for (ir_node *n = ir_first(b); n != b->result; n = n->next)
        type_node(v, n);
}

/* ---- Casts ---- */

/* An uninitialized value of the wanted type, for an input that is never computed. */
static void insert_placeholder(ir_node *user, uint32_t i, const type *wanted) {
    ir_node *n = ir_node_new(user->graph, IR_UNINITIALIZED, 1);
    n->range = user->range;
    n->outputs[0]->type = wanted;
    ir_insert_before(user, n);
    ir_node_set_input(user, i, n->outputs[0]);
}

/* Casts an input to the wanted type. A value without a type is on a path that is never taken. */
static void want(ir_node *user, uint32_t i, const type *wanted) {
    ir_value *v = ir_in(user, i);
    if (!wanted || (v->type && type_is_subtype(v->type, wanted, NULL)))
        return;
    if (!v->type) {
        insert_placeholder(user, i, wanted);
        return;
    }
    bool may_be = type_is_subtype(wanted, v->type, NULL) || v->type->kind == TYPE_UNION;
    if (!may_be)
        source_fail(user->range, "A %s stands where a %s is wanted", type_annotation(v->type), type_annotation(wanted));
    ir_node *cast = ir_node_new(user->graph, IR_UNCHECKED_CAST, 1);
    cast->range = user->range;
    cast->outputs[0]->type = wanted;
    ir_node_add_input(cast, v);
    ir_insert_before(user, cast);
    ir_node_set_input(user, i, cast->outputs[0]);
}

static void want_arguments(ir_node *n, const op_schema *s) {
    for (uint32_t i = 0; i < ir_input_count(n) && i < s->argument_count; i++)
        want(n, i, s->arguments[i].type);
}

static void want_operands(ir_node *n) {
    binding b = bind_inputs(n);
    for (uint32_t i = 0; i < ir_input_count(n) && i < n->schema->argument_count; i++) {
        const type *formal = n->schema->arguments[i].type;
        if (!bound(&b, formal)) /* variables that no input binds may be anything */
            bind(&b, formal, type_basic(TYPE_ANY));
        want(n, i, bound(&b, formal));
    }
}

static void cast_block(const function *f, ir_block *b);

static void cast_if(const function *f, ir_node *n) {
    want(n, 0, type_basic(TYPE_BOOL));
    for (size_t k = 0; k < 2; k++) {
        cast_block(f, n->blocks[k]);
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            want(n->blocks[k]->result, i, n->outputs[i]->type);
    }
}

static void cast_loop(const function *f, ir_node *n) {
    ir_block *body = n->blocks[0];
    want(n, 0, type_basic(TYPE_INT));
    want(n, 1, type_basic(TYPE_BOOL));
    cast_block(f, body);
    want(body->result, 0, type_basic(TYPE_BOOL));
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        want(n, i + 2, n->outputs[i]->type);
        want(body->result, i + 1, n->outputs[i]->type);
    }
}

static void cast_items(ir_node *n) {
    const type *t = ir_out(n, 0)->type;
    for (uint32_t i = 0; t && i < ir_input_count(n); i++)
        if (t->kind == TYPE_LIST)
            want(n, i, t->items[0]);
        else if (t->kind == TYPE_DICT)
            want(n, i, t->items[i % 2]);
        else if (i < t->count)
            want(n, i, t->items[i]);
}

static void cast_attribute(ir_node *n) {
    want(n, 0, type_without_none(ir_in(n, 0)->type));
    if (n->kind == IR_SET_ATTR)
        want(n, 1, attribute_of(n)->type);
}

static void cast_node(const function *f, ir_node *n) {
    switch (n->kind) {
    case IR_IF:
        cast_if(f, n);
        return;
    case IR_LOOP:
        cast_loop(f, n);
        return;
    case IR_LIST_CONSTRUCT:
    case IR_DICT_CONSTRUCT:
    case IR_TUPLE_CONSTRUCT:
        cast_items(n);
        return;
    case IR_TUPLE_UNPACK:
    case IR_TUPLE_SLICE:
    case IR_TUPLE_INDEX:
        want(n, 0, tuple_of(n));
        return;
    case IR_LIST_UNPACK:
        want(n, 0, list_of(n));
        return;
    case IR_RAISE_EXCEPTION:
        want(n, 0, type_basic(TYPE_STR));
        want(n, 1, type_optional(type_basic(TYPE_STR)));
        return;
    case IR_GET_ATTR:
    case IR_SET_ATTR:
        cast_attribute(n);
        return;
    case IR_CALL_METHOD:
    case IR_CALL_FUNCTION:
        want_arguments(n, n->callee->schema);
        return;
    default:
        if (n->schema)
            want_operands(n);
    }
}

/* Whether n uses a value that is never computed, and is therefore itself on a path that is never taken. */
static bool is_never_run(const ir_node *n) {
    if (arrlenu(n->blocks))
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!ir_in(n, i)->type && ir_in(n, i)->node->kind != IR_UNINITIALIZED)
            return true;
    return false;
}

/* Replaces a node by uninitialized values for its results, whose types are not known. */
static void remove_never_run(ir_node *n) {
    while (ir_input_count(n))
        ir_node_remove_input(n, ir_input_count(n) - 1);
    if (!ir_output_count(n)) {
        ir_destroy(n);
        return;
    }
    n->kind = IR_UNINITIALIZED;
    n->schema = NULL;
    n->callee = NULL;
}

static void cast_block(const function *f, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        if (is_never_run(n))
            remove_never_run(n);
        else
            cast_node(f, n);
    }
}

static void cast_function(function *f) {
    ir_block *b = f->graph->block;
    cast_block(f, b);
    want(b->result, 0, f->schema->returns[0].type);
}

static void settle_outputs(ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (!n->outputs[i]->type)
            n->outputs[i]->type = type_basic(TYPE_NONE);
}

/* Values that still have no type are never computed or never used; they get the type None. */
static void settle_types(ir_block *b) {
    stack_check();
    settle_outputs(b->param);
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        settle_outputs(n);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            settle_types(n->blocks[i]);
    }
}

void infer_types(program *p, function *const *functions) {
    inference v = {true};
    for (int round = 0; v.changed; round++) {
        if (round == MAX_ROUNDS)
            diag_fail("types grow without end in %s or a function beside it", functions[0]->name);
        v.changed = false;
        for (size_t i = 0; i < arrlenu(functions); i++)
            type_block(&v, functions[i]->graph->block);
    }
    class_def **classes = program_classes(p);
    for (size_t i = 0; i < arrlenu(classes); i++)
        for (size_t k = 0; k < arrlenu(classes[i]->attributes); k++)
            if (!classes[i]->attributes[k].type)
                classes[i]->attributes[k].type = type_basic(TYPE_NONE);
    for (size_t i = 0; i < arrlenu(functions); i++) {
        cast_function(functions[i]);
        settle_types(functions[i]->graph->block);
    }
}
