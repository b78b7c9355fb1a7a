/* Matching calls to schemas: which overload is meant, and what its inputs are. */
#include <string.h>

#include "exporter/frontend/schema.h"

/* What a try has bound and inserted so far. */
typedef struct {
    ir_node *at;
    source_range range;
    const char **variable_names; /* stb_ds arrays: type variables and what they stand for */
    const type **variable_types;
    ir_node **inserted; /* stb_ds array, taken back when the schema does not fit */
    bool conversions;
    strbuf *why;
} matching;

/* ---- Inserting ---- */

static ir_value *insert_node(matching *m, ir_kind kind, const type *t, ir_value **inputs) {
    ir_node *n = ir_node_new(m->at->graph, kind, 1);
    n->outputs[0]->type = t;
    n->range = m->range;
    for (size_t i = 0; i < arrlenu(inputs); i++)
        ir_node_add_input(n, inputs[i]);
    ir_insert_before(m->at, n);
    arrput(m->inserted, n);
    return n->outputs[0];
}

static ir_value *insert_constant(matching *m, ir_constant *c, const type *t) {
    ir_value *v = ir_insert_constant(m->at, c);
    v->node->range = m->range;
    if (c->kind == CONST_NONE)
        v->type = t->kind == TYPE_NONE ? t : type_basic(TYPE_NONE);
    arrput(m->inserted, v->node);
    return v;
}

static void take_back(matching *m) {
    while (arrlenu(m->inserted))
        ir_destroy(arrpop(m->inserted));
}

/* ---- Types ---- */

/* Finds what the variables of `formal` stand for when an `actual` is given; false when the shapes differ. */
static bool bind_variables(matching *m, const type *formal, const type *actual) {
    if (formal->kind == TYPE_VAR) {
        for (size_t i = 0; i < arrlenu(m->variable_names); i++)
            if (m->variable_names[i] == formal->name) {
                const type *both = type_unify(m->variable_types[i], actual, false);
                if (!both)
                    return false;
                m->variable_types[i] = both;
                return true;
            }
        arrput(m->variable_names, formal->name);
        arrput(m->variable_types, actual);
        return true;
    }
    if (formal->kind == TYPE_OPTIONAL) {
        if (actual->kind == TYPE_NONE)
            return true;
        return bind_variables(m, formal->items[0], actual->kind == TYPE_OPTIONAL ? actual->items[0] : actual);
    }
    if (!formal->count)
        return true;
    if (formal->kind != actual->kind || formal->count != actual->count)
        return false;
    for (uint32_t i = 0; i < formal->count; i++)
        if (!bind_variables(m, formal->items[i], actual->items[i]))
            return false;
    return true;
}

static bool has_variables(const type *t) {
    if (t->kind == TYPE_VAR)
        return true;
    for (uint32_t i = 0; i < t->count && !t->name; i++)
        if (has_variables(t->items[i]))
            return true;
    return false;
}

static const type *resolve(matching *m, const type *t) {
    return type_substitute(t, m->variable_names, m->variable_types, (uint32_t)arrlenu(m->variable_names));
}

/* ---- Conversions ---- */

/* A tuple given where a list is wanted. */
static ir_value *tuple_to_list(matching *m, ir_value *v, const type *list) {
    const type *element = type_element(list);
    for (uint32_t i = 0; i < v->type->count; i++)
        if (!type_is_subtype(v->type->items[i], element, NULL))
            return v;
    ir_node *unpack = ir_node_new(m->at->graph, IR_TUPLE_UNPACK, v->type->count);
    unpack->range = m->range;
    ir_node_add_input(unpack, v);
    ir_insert_before(m->at, unpack);
    arrput(m->inserted, unpack);
    for (uint32_t i = 0; i < v->type->count; i++)
        unpack->outputs[i]->type = v->type->items[i];
    return insert_node(m, IR_LIST_CONSTRUCT, list, unpack->outputs);
}

/* A Tensor given where a number is wanted. */
static ir_value *implicit_number(matching *m, ir_value *v, const type *wanted) {
    const char *name = wanted->kind == TYPE_INT       ? "aten::IntImplicit"
                       : wanted->kind == TYPE_FLOAT   ? "aten::FloatImplicit"
                       : wanted->kind == TYPE_COMPLEX ? "aten::ComplexImplicit"
                       : wanted->kind == TYPE_NUMBER  ? "aten::ScalarImplicit"
                                                      : NULL;
    if (!name)
        return v;
    ir_value **inputs = NULL;
    arrput(inputs, v);
    ir_value *number = insert_node(m, ir_kind_of(name), wanted, inputs);
    number->node->schema = schema_find(name);
    return number;
}

/* Archives print floats of ten and more digits without a point: an int constant where a float is wanted is that float. */
static ir_value *repair_float(matching *m, ir_value *v) {
    int64_t number;
    return ir_constant_int(v, &number) && (number >= 10000000000 || number <= -10000000000)
               ? insert_constant(m, const_float((double)number), type_basic(TYPE_FLOAT))
               : v;
}

static ir_value *convert(matching *m, ir_value *v, const type *wanted) {
    const type *plain = type_without_none(wanted);
    if (v->type->kind == TYPE_TUPLE && plain->kind == TYPE_LIST && !has_variables(plain))
        v = tuple_to_list(m, v, plain);
    if (plain->kind == TYPE_FLOAT && v->type->kind == TYPE_INT)
        v = repair_float(m, v);
    if (!m->conversions || type_is_subtype(v->type, wanted, NULL))
        return v;
    if (v->type->kind == TYPE_TENSOR)
        return implicit_number(m, v, plain);
    if (v->type->kind == TYPE_STR && plain->kind == TYPE_DEVICE) {
        ir_value **inputs = NULL;
        arrput(inputs, v);
        ir_value *device = insert_node(m, ir_kind_of("aten::device"), plain, inputs);
        device->node->schema = schema_find("aten::device");
        return device;
    }
    return v;
}

/* A single value given for `int[2]`: the list of it twice. */
static ir_value *broadcast(matching *m, const schema_argument *a, ir_value *v) {
    const type *list = type_without_none(a->type);
    if (!a->list_size || list->kind != TYPE_LIST || v->type->kind == TYPE_LIST || v->type->kind == TYPE_NONE)
        return NULL;
    const type *element = type_element(list);
    if (m->conversions && v->type->kind == TYPE_TENSOR)
        v = implicit_number(m, v, element);
    if (!type_is_subtype(v->type, element, NULL))
        return NULL;
    ir_value **items = NULL;
    for (int32_t i = 0; i < a->list_size; i++)
        arrput(items, v);
    return insert_node(m, IR_LIST_CONSTRUCT, list, items);
}

/* The input for one argument; NULL when the value does not fit. */
static ir_value *match_value(matching *m, const op_schema *s, const schema_argument *a, ir_value *v) {
    ir_value *list = broadcast(m, a, v);
    if (list)
        return list;
    v = convert(m, v, a->type);
    const type *wanted = a->type;
    if (has_variables(wanted)) {
        if (!bind_variables(m, wanted, v->type)) {
            strbuf_printf(m->why, "Could not match type %s to %s in argument '%s'.\n", type_annotation(v->type),
                          type_annotation(wanted), a->name);
            return NULL;
        }
        wanted = resolve(m, wanted);
        if (!wanted)
            return v; /* None for an Optional[t] whose t nothing else tells */
    }
    strbuf detail = {0};
    if (type_is_subtype(v->type, wanted, &detail))
        return v;
    strbuf_printf(m->why, "%s%sExpected a value of type '%s' for argument '%s' but instead found type '%s'.\n",
                  s->full_name, "() ", type_annotation(wanted), a->name, type_annotation(v->type));
    if (detail.length)
        strbuf_add(m->why, detail.text);
    return NULL;
}

/* ---- Arguments ---- */

static const call_argument *find_keyword(const call_argument *arguments, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].name && !strcmp(arguments[i].name, name))
            return &arguments[i];
    return NULL;
}

/* `x.view(2, 3)`: the positional rest is the list of the last positional argument. */
static bool takes_rest_as_list(const op_schema *s, uint32_t i, const call_argument *next, uint32_t rest) {
    const schema_argument *a = &s->arguments[i];
    bool is_last = i + 1 == s->argument_count || s->arguments[i + 1].keyword_only;
    return is_last && a->type->kind == TYPE_LIST && !has_variables(a->type) && !a->list_size && rest &&
           (rest > 1 || next->value->type->kind != TYPE_LIST) && next->value->type->kind != TYPE_TUPLE &&
           type_element(a->type)->kind != TYPE_TENSOR;
}

static ir_value *rest_as_list(matching *m, const op_schema *s, const schema_argument *a, const call_argument *rest, uint32_t count) {
    ir_value **items = NULL;
    schema_argument element = *a;
    element.type = type_element(a->type);
    element.list_size = 0;
    for (uint32_t i = 0; i < count; i++) {
        ir_value *v = match_value(m, s, &element, rest[i].value);
        if (!v)
            return NULL;
        arrput(items, v);
    }
    return insert_node(m, IR_LIST_CONSTRUCT, a->type, items);
}

static schema_match *try_arguments(matching *m, const op_schema *s, const call_argument *arguments, uint32_t count) {
    uint32_t positional = 0, used = 0, keywords = 0, used_keywords = 0;
    while (positional < count && !arguments[positional].name)
        positional++;
    keywords = count - positional;
    schema_match *result = MEM_NEW(schema_match);
    for (uint32_t i = 0; i < s->argument_count; i++) {
        const schema_argument *a = &s->arguments[i];
        ir_value *v;
        const call_argument *keyword = find_keyword(arguments + positional, keywords, a->name);
        if (!a->keyword_only && used < positional && takes_rest_as_list(s, i, arguments + used, positional - used)) {
            v = rest_as_list(m, s, a, arguments + used, positional - used);
            used = positional;
        } else if (!a->keyword_only && used < positional) {
            if (keyword) {
                strbuf_printf(m->why, "Argument %s specified twice.\n", a->name);
                return NULL;
            }
            v = match_value(m, s, a, arguments[used++].value);
        } else if (keyword) {
            v = match_value(m, s, a, keyword->value);
            used_keywords++;
        } else if (a->default_value) {
            ir_constant *c = a->default_value;
            if (a->list_size && c->kind == CONST_INT) /* "int[2] stride=1" */
                v = broadcast(m, a, insert_constant(m, c, type_basic(TYPE_INT)));
            else
                v = insert_constant(m, c, a->type);
        } else {
            strbuf_printf(m->why, "Argument %s not provided.\n", a->name);
            return NULL;
        }
        if (!v)
            return NULL;
        arrput(result->inputs, v);
    }
    if (s->variable_arguments)
        while (used < positional)
            arrput(result->inputs, arguments[used++].value);
    if (used < positional) {
        strbuf_printf(m->why, "Expected at most %u arguments but found %u positional arguments.\n", s->argument_count, positional);
        return NULL;
    }
    if (used_keywords < keywords) {
        for (uint32_t k = positional; k < count; k++) {
            bool known = false;
            for (uint32_t i = 0; i < s->argument_count && !known; i++)
                known = !strcmp(s->arguments[i].name, arguments[k].name);
            if (!known) {
                strbuf_printf(m->why, "Keyword argument %s unknown.\n", arguments[k].name);
                return NULL;
            }
        }
    }
    for (uint32_t i = 0; i < s->return_count; i++) {
        const type *t = resolve(m, s->returns[i].type);
        arrput(result->returns, t ? t : type_basic(TYPE_NONE));
    }
    return result;
}

schema_match *schema_try(const op_schema *s, ir_node *at, source_range range, const ir_value *self, const call_argument *arguments,
                         uint32_t count, bool implicit_conversions, strbuf *why) {
    matching m = {at, range, NULL, NULL, NULL, implicit_conversions, why};
    const call_argument *all = arguments;
    if (self) {
        call_argument *with_self = MEM_ARRAY(call_argument, count + 1);
        with_self[0].value = (ir_value *)self;
        for (uint32_t i = 0; i < count; i++)
            with_self[i + 1] = arguments[i];
        all = with_self;
        count++;
    }
    schema_match *result = try_arguments(&m, s, all, count);
    if (!result)
        take_back(&m);
    return result;
}

static ir_node *insert_call(const op_schema *s, const schema_match *match, ir_node *at, source_range range) {
    ir_node *n = ir_node_new(at->graph, s->kind, (uint32_t)arrlenu(match->returns));
    n->schema = s;
    n->range = range;
    for (size_t i = 0; i < arrlenu(match->inputs); i++)
        ir_node_add_input(n, match->inputs[i]);
    for (size_t i = 0; i < arrlenu(match->returns); i++)
        n->outputs[i]->type = match->returns[i];
    ir_insert_before(at, n);
    return n;
}

ir_node *schema_call(const char *name, ir_node *at, source_range range, const call_argument *arguments, uint32_t count) {
    uint32_t candidates;
    const op_schema *const *list = schema_overloads(name, &candidates);
    if (!candidates)
        source_fail(range, "Unknown builtin op: %s.\nCould not find any similar ops to %s. This op may not exist or may not be "
                           "currently supported in TorchScript.\n", name, name);
    strbuf why = {0};
    for (int conversions = 0; conversions < 2; conversions++)
        for (uint32_t i = 0; i < candidates; i++) {
            strbuf reason = {0};
            schema_match *match = schema_try(list[i], at, range, NULL, arguments, count, conversions, &reason);
            if (match)
                return insert_call(list[i], match, at, range);
            if (conversions)
                strbuf_printf(&why, "  \n  %s:\n  %s  ", schema_text(list[i]), strbuf_text(&reason));
        }
    if (candidates == 1)
        source_fail(range, "\n%s", strbuf_text(&why));
    source_fail(range, "Arguments for call are not valid.\nThe following variants are available:\n%s\nThe original call is",
                strbuf_text(&why));
}
