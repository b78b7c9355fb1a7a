/* Nodes of an exported program: operators of the operator list, by their full names. */
#include <string.h>

#include "exporter/export/autocast.h"
#include "exporter/export/checks.h"
#include "exporter/export/translate.h"
#include "exporter/program/builtins.h"
#include "exporter/schema/schema.h"

/* ---- Names ---- */

/* "torch.ops.aten.add.Tensor" -> "aten::add.Tensor"; the overload "default" has no name. NULL: it is no operator. */
static const char *operator_name(const char *target) {
    static const char prefix[] = "torch.ops.", unnamed[] = ".default";
    if (strncmp(target, prefix, strlen(prefix)))
        return NULL;
    const char *space = target + strlen(prefix), *dot = strchr(space, '.');
    if (!dot)
        return NULL;
    size_t length = strlen(dot + 1), tail = strlen(unnamed);
    if (length > tail && !strcmp(dot + 1 + length - tail, unnamed))
        length -= tail;
    return mem_printf("%.*s::%.*s", (int)(dot - space), space, (int)length, dot + 1);
}

/* Exported programs take no gradients, and detach_, which torch.export writes behind torch.tensor(...), changes no
 * element: as detach it leaves constants constant. */
static const op_schema *find_operator(const translation *t, const char *target) {
    const char *name = operator_name(target);
    if (name && !strcmp(name, "aten::detach_"))
        name = "aten::detach";
    const op_schema *s = name ? schema_find(name) : NULL;
    if (!s)
        source_fail(t->place.range, "Operator %s is not supported", name ? name : target);
    return s;
}

/* ---- Results ---- */

/* The type of a result that is a number. */
static bool number_kind(const char *kind, type_kind *number) {
    *number = !strcmp(kind, "as_sym_int") ? TYPE_INT : !strcmp(kind, "as_sym_float") ? TYPE_FLOAT : TYPE_BOOL;
    return *number != TYPE_BOOL || !strcmp(kind, "as_sym_bool");
}

/* Names the items of a list. */
static void define_items(translation *t, json items, ir_value *list) {
    ir_node *n = ir_node_new(t->at->graph, IR_LIST_UNPACK, json_count(json_array(items)));
    ir_node_add_input(n, list);
    n->range = t->place.range;
    n->scope = t->place.scope;
    ir_insert_before(t->at, n);
    uint32_t i = 0;
    JSON_EACH(item, items) {
        ir_out(n, i)->type = list->type->items[0];
        value_define(t, json_need(item, "name"), ir_out(n, i++));
    }
}

static void define_output(translation *t, json output, ir_value *v) {
    json value;
    type_kind number;
    const char *kind = argument_kind(output, &value);
    if (!strcmp(kind, "as_none"))
        return;
    if (!strcmp(kind, "as_tensors")) {
        if (v->type->kind != TYPE_LIST)
            json_fail(output, "the result is a %s, not a list", type_annotation(v->type));
        define_items(t, value, v);
        return;
    }
    json name = argument_name(output);
    if (!name.text)
        json_fail(output, "a result of kind '%s' is not supported", kind);
    value_define(t, name, number_kind(kind, &number) ? convert_number(t, v, number) : v);
}

void define_outputs(translation *t, json outputs, ir_value *const *values, size_t count) {
    if (json_count(json_array(outputs)) != count)
        json_fail(outputs, "the node has %u results; there are %zu", json_count(outputs), count);
    size_t i = 0;
    JSON_EACH(output, outputs)
    define_output(t, output, values[i++]);
}

/* ---- Assertions ---- */

/* The argument of that name; no value when it has its default. */
static json argument_of(json node, const char *name) {
    JSON_EACH(input, json_array(json_need(node, "inputs"))) {
        if (json_is(json_need(input, "name"), name))
            return json_need(input, "arg");
    }
    return (json){NULL, 0};
}

/* Checks of numbers become branches, from which later passes learn. False: the node is no such check. */
static bool translate_assertion(translation *t, const char *target, json node) {
    if (strcmp(target, "torch.ops.aten._assert_scalar.default"))
        return false;
    json condition = argument_of(node, "self"), text = argument_of(node, "assert_msg"), message;
    if (!condition.text || !text.text || strcmp(argument_kind(text, &message), "as_string"))
        json_fail(node, "an assertion lacks its condition or its text");
    check_insert(t, argument_value(t, condition, NULL), json_string(message), NULL, 0);
    return true;
}

/* ---- Operators ---- */

static const schema_argument *argument_named(const op_schema *s, const char *name) {
    for (uint32_t i = 0; i < s->argument_count; i++)
        if (!strcmp(s->arguments[i].name, name))
            return &s->arguments[i];
    return NULL;
}

/* An operator's node as the file has it. */
typedef struct {
    const op_schema *schema;
    json inputs;
    call_argument *arguments; /* stb_ds array, by name */
} call;

static const type *wanted_type(const call *c, size_t i) {
    const schema_argument *a = argument_named(c->schema, c->arguments[i].name);
    return a ? a->type : NULL;
}

static void read_arguments(translation *t, call *c) {
    JSON_EACH(input, json_array(c->inputs)) {
        const char *name = intern(json_string(json_need(input, "name")));
        if (!*name)
            continue; /* the operator that a higher-order one runs */
        const schema_argument *a = argument_named(c->schema, name);
        call_argument given = {name, argument_value(t, json_need(input, "arg"), a ? a->type : NULL), t->place.range};
        arrput(c->arguments, given);
    }
}

/* Python's bool is a number, also where an operator wants a tensor; TorchScript's is none. */
static void admit_bools(translation *t, call *c) {
    for (size_t i = 0; i < arrlenu(c->arguments); i++) {
        const type *wanted = wanted_type(c, i);
        call_argument *a = &c->arguments[i];
        const type_kind kind = wanted ? type_without_none(wanted)->kind : TYPE_BOOL;
        if ((kind != TYPE_NUMBER && kind != TYPE_TENSOR) || a->value->type->kind != TYPE_BOOL)
            continue;
        ir_value **inputs = NULL;
        arrput(inputs, a->value);
        a->value = insert_single(t, IR_UNCHECKED_CAST, type_basic(TYPE_NUMBER), inputs);
    }
}

static bool is_number(const ir_value *v) {
    const type_kind k = v->type->kind;
    return k == TYPE_INT || k == TYPE_FLOAT || k == TYPE_BOOL || k == TYPE_NUMBER || k == TYPE_COMPLEX;
}

/* Whether a number stands where the operator wants a tensor, as in x + 1, which PyTorch exports as add.Tensor. */
static bool has_wrapped_number(const call *c) {
    for (size_t i = 0; i < arrlenu(c->arguments); i++) {
        const type *wanted = wanted_type(c, i);
        if (wanted && type_without_none(wanted)->kind == TYPE_TENSOR && is_number(c->arguments[i].value))
            return true;
    }
    return false;
}

static schema_match *try_call(translation *t, const call *c, const op_schema *s, bool conversions, strbuf *why) {
    return schema_try(s, t->at, t->place.range, NULL, c->arguments, (uint32_t)arrlenu(c->arguments), conversions, why);
}

/* Another overload that takes numbers as they are: add.Scalar. */
static schema_match *match_overload(translation *t, call *c) {
    uint32_t count;
    const op_schema *const *all = schema_overloads(c->schema->name, &count);
    for (uint32_t i = 0; i < count; i++) {
        schema_match *match = try_call(t, c, all[i], false, NULL);
        if (!match)
            continue;
        c->schema = all[i];
        return match;
    }
    return NULL;
}

/* Numbers as tensors without dimensions. Their dtype is the first tensor's where its kind of numbers holds them, so
 * that they decide the result's dtype no more than a number does. */
static void wrap_numbers(translation *t, call *c) {
    ir_value *like = NULL;
    for (size_t i = 0; i < arrlenu(c->arguments) && !like; i++)
        like = c->arguments[i].value->type->kind == TYPE_TENSOR ? c->arguments[i].value : NULL;
    for (size_t i = 0; i < arrlenu(c->arguments); i++) {
        const type *wanted = wanted_type(c, i);
        ir_value *v = c->arguments[i].value;
        if (!wanted || type_without_none(wanted)->kind != TYPE_TENSOR || !is_number(v))
            continue;
        ir_value *call_inputs[] = {like, v};
        ir_value *dtype = like ? insert_call(t, "aten::result_type", call_inputs, 2) : insert_constant(t, const_none());
        call_argument made[] = {{.value = v}, {.name = "dtype", .value = dtype}};
        c->arguments[i].value = ir_out(schema_call("aten::scalar_tensor", t->at, t->place.range, made, 2), 0);
    }
}

static schema_match *match_call(translation *t, call *c) {
    schema_match *match = has_wrapped_number(c) ? match_overload(t, c) : NULL;
    if (match)
        return match;
    wrap_numbers(t, c);
    match = try_call(t, c, c->schema, true, NULL);
    if (match)
        return match;
    strbuf why = {0};
    try_call(t, c, c->schema, true, &why);
    source_fail(t->place.range, "%s: %s", schema_text(c->schema), strbuf_text(&why));
}

static ir_node *insert_matched(translation *t, call *c) {
    admit_bools(t, c);
    autocast_arguments(t, c->schema->name, c->arguments);
    const schema_match *match = match_call(t, c);
    ir_node *n = schema_insert(c->schema, match, t->at, t->place.range);
    n->scope = t->place.scope;
    return n;
}

/* A copy of the argument if the operator writes to it. */
static void copy_written(translation *t, const call *c, size_t i, ir_value ***copies) {
    call_argument *a = &c->arguments[i];
    const schema_argument *wanted = argument_named(c->schema, a->name);
    if (!wanted || !wanted->is_write)
        return;
    if (a->value->type->kind != TYPE_TENSOR)
        source_fail(t->place.range, "%s writes to a %s; that is not supported here", c->schema->full_name,
                    type_annotation(a->value->type));
    a->value = insert_call(t, "aten::clone", &a->value, 1);
    arrput(*copies, a->value);
}

ir_node *insert_target_on_copies(translation *t, const char *target, json inputs, ir_value ***copies) {
    call c = {.schema = find_operator(t, target), .inputs = inputs};
    read_arguments(t, &c);
    for (size_t i = 0; i < arrlenu(c.arguments); i++)
        copy_written(t, &c, i, copies);
    return insert_matched(t, &c);
}

ir_node *insert_target(translation *t, const char *target, ir_value *const *arguments) {
    call c = {.schema = find_operator(t, target)};
    for (size_t i = 0; i < arrlenu(arguments); i++) {
        if (i >= c.schema->argument_count)
            source_fail(t->place.range, "%s has too many arguments", target);
        call_argument a = {c.schema->arguments[i].name, arguments[i], t->place.range};
        arrput(c.arguments, a);
    }
    return insert_matched(t, &c);
}

/* An operator without results, made of others: a call of its library function, which is not removed as dead. PyTorch
 * removes an assertion of a tensor's dtype from TorchScript and runs that of an exported program. */
static void call_for_effects(translation *t, ir_node *n) {
    function *f = schema_is_implemented(n->schema) ? NULL : builtin_decomposition(t->program, n->schema->full_name);
    if (!f)
        return;
    function_graph(f);
    ir_node *made = ir_node_new(n->graph, IR_CALL_FUNCTION, 1);
    made->range = n->range;
    made->scope = n->scope;
    made->callee = f;
    made->outputs[0]->type = f->schema->returns[0].type;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        ir_node_add_input(made, ir_in(n, i));
    ir_insert_before(n, made);
    ir_destroy(n);
}

/* Whether the operator divides its tensor along a size that the file does not know. */
static bool divides_unknown_size(const translation *t, json node) {
    json self = argument_of(node, "self"), dim = argument_of(node, "dim"), value;
    json name = self.text ? argument_name(self) : self;
    json meta = name.text && t->metas.text ? json_find(t->metas, json_string(name)) : (json){NULL, 0};
    if (json_is_null(meta))
        return false;
    json sizes = json_array(json_need(meta, "sizes"));
    int64_t at = dim.text && !strcmp(argument_kind(dim, &value), "as_int") ? json_integer(value) : 0;
    at += at < 0 ? json_count(sizes) : 0;
    JSON_EACH(size, sizes) {
        if (!at--)
            return strcmp(argument_kind(size, &value), "as_int") != 0;
    }
    return false;
}

/* The file names the parts that the example had. Of others there may be more, which nobody wants. */
static ir_value *named_parts(translation *t, json node, ir_value *v) {
    json outputs = json_array(json_need(node, "outputs")), parts;
    if (v->type->kind != TYPE_LIST || json_count(outputs) != 1 ||
        strcmp(argument_kind(json_first(outputs), &parts), "as_tensors") || !divides_unknown_size(t, node))
        return v;
    ir_value *arguments[] = {v, insert_constant(t, const_int(0)), insert_constant(t, const_int(json_count(parts)))};
    return insert_call(t, "aten::slice", arguments, 3);
}

static void translate_operator(translation *t, const char *target, json node) {
    call c = {.schema = find_operator(t, target), .inputs = json_need(node, "inputs")};
    read_arguments(t, &c);
    ir_node *n = insert_matched(t, &c);
    ir_value *parts = ir_output_count(n) == 1 ? named_parts(t, node, ir_out(n, 0)) : NULL;
    define_outputs(t, json_need(node, "outputs"), parts ? &parts : n->outputs, ir_output_count(n));
    if (!ir_output_count(n))
        call_for_effects(t, n);
}

void translate_nodes(translation *t, json graph) {
    t->metas = json_find(graph, "tensor_values");
    JSON_EACH(node, json_array(json_need(graph, "nodes"))) {
        t->place = location_of(t->locations, json_find(node, "metadata"));
        const char *target = json_string(json_need(node, "target"));
        if (!translate_symbolic(t, target, node) && !translate_higher_order(t, target, node) &&
            !translate_assertion(t, target, node))
            translate_operator(t, target, node);
    }
}
