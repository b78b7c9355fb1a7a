/* Arguments of the nodes of an exported program, by their kinds. */
#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/export/codes.h"
#include "exporter/export/translate.h"
#include "exporter/schema/schema.h"

/* ---- Values by name ---- */

ir_value *value_named(translation *t, json name) {
    const char *text = json_string(name);
    ir_value *v = shget(t->values, text);
    if (!v)
        json_fail(name, "the value '%s' is used before it is computed", text);
    return v;
}

void value_define(translation *t, json name, ir_value *v) {
    const char *text = intern(json_string(name));
    if (shgeti(t->values, text) >= 0)
        json_fail(name, "the value '%s' is computed twice", text);
    shput(t->values, text, v);
}

const char *argument_kind(json argument, json *value) {
    if (json_count(json_object(argument)) != 1)
        json_fail(argument, "an argument has not one kind");
    json key = json_first(argument);
    *value = json_value(key);
    return json_string(key);
}

json argument_name(json argument) {
    json value, none = {NULL, 0};
    argument_kind(argument, &value);
    if (!json_is_object(value))
        return none;
    json name = json_find(value, "name");
    return name.text ? name : json_find(value, "as_name");
}

/* ---- Nodes ---- */

ir_value *insert_constant(translation *t, ir_constant *c) {
    ir_value *v = ir_insert_constant(t->at, c);
    v->node->range = t->place.range;
    v->node->scope = t->place.scope;
    return v;
}

ir_value *insert_single(translation *t, ir_kind kind, const type *made, ir_value *const *inputs) {
    ir_node *n = ir_node_new(t->at->graph, kind, 1);
    for (size_t i = 0; i < arrlenu(inputs); i++)
        ir_node_add_input(n, inputs[i]);
    ir_out(n, 0)->type = made;
    n->range = t->place.range;
    n->scope = t->place.scope;
    ir_insert_before(t->at, n);
    return ir_out(n, 0);
}

ir_value *insert_call(translation *t, const char *name, ir_value *const *arguments, uint32_t count) {
    call_argument *given = MEM_ARRAY(call_argument, count);
    for (uint32_t i = 0; i < count; i++)
        given[i] = (call_argument){.value = arguments[i], .range = t->place.range};
    ir_node *n = schema_call(name, t->at, t->place.range, given, count);
    n->scope = t->place.scope;
    return ir_output_count(n) ? ir_out(n, 0) : NULL;
}

ir_value *convert_number(translation *t, ir_value *v, type_kind wanted) {
    if (v->type->kind == wanted)
        return v;
    const char *name = wanted == TYPE_INT ? "aten::Int" : wanted == TYPE_FLOAT ? "aten::Float" : "aten::Bool";
    return insert_call(t, name, &v, 1);
}

/* ---- Numbers ---- */

/* Python takes an int where a float is wanted, and writes it as an int. */
static ir_constant *number_constant(json v, bool is_float) {
    return is_float ? const_float(json_number(v)) : const_int(json_integer(v));
}

static bool wants(const type *wanted, type_kind kind) {
    return wanted && type_without_none(wanted)->kind == kind;
}

static const type *element_of(const type *wanted) {
    return wants(wanted, TYPE_LIST) ? type_without_none(wanted)->items[0] : NULL;
}

static ir_constant *complex_constant(json v) {
    return const_complex(json_number(json_need(v, "real")), json_number(json_need(v, "imag")));
}

/* ---- Scalars ---- */

static ir_constant *int_constant(json v, const type *wanted) {
    return number_constant(v, wants(wanted, TYPE_FLOAT));
}

static ir_constant *float_constant(json v, const type *wanted) {
    (void)wanted;
    return const_float(json_number(v));
}

static ir_constant *bool_constant(json v, const type *wanted) {
    (void)wanted;
    return const_bool(json_bool(v));
}

static ir_constant *string_constant(json v, const type *wanted) {
    const char *text = json_string(v);
    return wants(wanted, TYPE_DEVICE) ? const_device(text, strlen(text)) : const_str(text, strlen(text));
}

static ir_constant *none_constant(json v, const type *wanted) {
    (void)v;
    (void)wanted;
    return const_none();
}

static ir_constant *dtype_constant(json v, const type *wanted) {
    (void)wanted;
    return const_int(code_dtype(v));
}

static ir_constant *layout_constant(json v, const type *wanted) {
    (void)wanted;
    return const_int(code_layout(v));
}

static ir_constant *memory_format_constant(json v, const type *wanted) {
    (void)wanted;
    return const_int(code_memory_format(v));
}

static ir_constant *device_constant(json v, const type *wanted) {
    (void)wanted;
    const char *text = code_device(v);
    return const_device(text, strlen(text));
}

static ir_constant *complex_value(json v, const type *wanted) {
    (void)wanted;
    return complex_constant(v);
}

/* Kinds of arguments that are constants, and of lists of them. */
static const struct {
    const char *kind, *list;
    ir_constant *(*make)(json v, const type *wanted);
    type_kind element;
} constants[] = {
    {"as_none", "", none_constant, TYPE_NONE},
    {"as_int", "as_ints", int_constant, TYPE_INT},
    {"as_float", "as_floats", float_constant, TYPE_FLOAT},
    {"as_bool", "as_bools", bool_constant, TYPE_BOOL},
    {"as_string", "as_strings", string_constant, TYPE_STR},
    {"as_scalar_type", "", dtype_constant, TYPE_INT},
    {"as_layout", "", layout_constant, TYPE_INT},
    {"as_memory_format", "", memory_format_constant, TYPE_INT},
    {"as_device", "", device_constant, TYPE_DEVICE},
    {"as_complex", "", complex_value, TYPE_COMPLEX},
};

/* ---- Lists ---- */

/* Items that do not fit would be taken for what they are not. */
static ir_value *insert_list(translation *t, json list, const type *element, ir_value *const *items) {
    for (size_t i = 0; i < arrlenu(items); i++)
        if (!type_is_subtype(items[i]->type, element, NULL))
            json_fail(list, "a list of %s holds a value of type %s", type_annotation(element),
                      type_annotation(items[i]->type));
    return insert_single(t, IR_LIST_CONSTRUCT, type_list(element), items);
}

static ir_value *list_of_constants(translation *t, json list, size_t row, const type *wanted) {
    const type *element = element_of(wanted);
    ir_value **items = NULL;
    JSON_EACH(v, json_array(list))
    arrput(items, insert_constant(t, constants[row].make(v, element)));
    if ((items || !element) && !wants(element, TYPE_NUMBER)) /* a list of numbers of any kind keeps its type */
        element = items ? items[0]->type : type_basic(constants[row].element);
    return insert_list(t, list, element, items);
}

/* An item of a list of tensors, of optional tensors, or of numbers that are computed. */
static ir_value *list_item(translation *t, json v, const type *element) {
    json name = json_find(v, "name"), inner;
    if (name.text)
        return value_named(t, name);
    const char *kind = argument_kind(v, &inner);
    if (strcmp(kind, "as_name"))
        return argument_value(t, v, element);
    ir_value *named = value_named(t, inner);
    return type_is_real(element) ? convert_number(t, named, element->kind) : named;
}

static ir_value *list_of_values(translation *t, json list, const type *element) {
    ir_value **items = NULL;
    JSON_EACH(v, json_array(list))
    arrput(items, list_item(t, v, element));
    return insert_list(t, list, element, items);
}

/* `as_int_lists` and `as_nested_tensors`: lists of lists. */
static ir_value *list_of_lists(translation *t, json list, bool is_int) {
    const type *element = type_list(type_basic(is_int ? TYPE_INT : TYPE_TENSOR));
    ir_value **items = NULL;
    JSON_EACH(v, json_array(list))
    arrput(items, is_int ? list_of_constants(t, v, 1, element) : list_of_values(t, v, element->items[0]));
    return insert_single(t, IR_LIST_CONSTRUCT, type_list(element), items);
}

/* ---- Arguments ---- */

/* {"as_sym_int": {"as_name": "n"}} or {"as_sym_int": {"as_int": 3}} */
static ir_value *computed_number(translation *t, json value, type_kind number, const type *wanted) {
    json inner;
    const char *kind = argument_kind(value, &inner);
    if (strcmp(kind, "as_name"))
        return argument_value(t, value, wanted);
    return convert_number(t, value_named(t, inner), number);
}

static ir_value *value_of_kind(translation *t, json argument, const char *kind, json value, const type *wanted) {
    static const struct {
        const char *kind, *list;
        type_kind number;
    } computed[] = {
        {"as_sym_int", "as_sym_ints", TYPE_INT},
        {"as_sym_float", "as_sym_floats", TYPE_FLOAT},
        {"as_sym_bool", "as_sym_bools", TYPE_BOOL},
    };
    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++) {
        if (!strcmp(kind, computed[i].kind))
            return computed_number(t, value, computed[i].number, wanted);
        if (!strcmp(kind, computed[i].list))
            return list_of_values(t, value, type_basic(computed[i].number));
    }
    if (!strcmp(kind, "as_tensor"))
        return value_named(t, json_need(value, "name"));
    if (!strcmp(kind, "as_optional_tensor"))
        return list_item(t, value, type_basic(TYPE_TENSOR));
    const type *element = element_of(wanted), *tensor = type_basic(TYPE_TENSOR);
    if (!strcmp(kind, "as_tensors"))
        return list_of_values(t, value, element ? element : tensor);
    if (!strcmp(kind, "as_optional_tensors"))
        return list_of_values(t, value, type_optional(tensor));
    if (!strcmp(kind, "as_int_lists") || !strcmp(kind, "as_nested_tensors"))
        return list_of_lists(t, value, !strcmp(kind, "as_int_lists"));
    if (!strcmp(kind, "as_custom_obj"))
        return value_named(t, json_need(value, "name"));
    json_fail(argument, "an argument of kind '%s' is not supported here", kind);
}

ir_value *argument_value(translation *t, json argument, const type *wanted) {
    json value;
    stack_check();
    const char *kind = argument_kind(argument, &value);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (!strcmp(kind, constants[i].kind))
            return insert_constant(t, constants[i].make(value, wanted));
        if (!strcmp(kind, constants[i].list))
            return list_of_constants(t, value, i, wanted);
    }
    return value_of_kind(t, argument, kind, value, wanted);
}
