/* Special forms: calls that are not operators, because they take types, names or iterables. */
#include "exporter/emit/emit_display.h"
#include "exporter/emit/emit_module.h"
#include "exporter/emit/emit_remote.h"

#include <string.h>

#include "exporter/program/type_parser.h"
#include "exporter/schema/operator_node.h"

static const ast_node *input_of(const ast_node *n, uint32_t i) {
    return n->apply.inputs.items[i];
}

/* ---- Types ---- */

/* annotate(T, value) */
static sugared emit_annotate(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    expect_inputs(n, "annotate", 2);
    const type *t = type_of_expression(e->program, input_of(n, 0));
    ir_value *v = emit_convert(e, emit_value(e, input_of(n, 1), t), t, n->range);
    if (!type_is_subtype(v->type, t, NULL))
        source_fail(source_range_join(input_of(n, 0)->range, input_of(n, 1)->range),
                    "expected an expression of type %s but found %s", type_annotation(t), ir_value_annotation(v));
    if (v->node->kind == IR_LIST_CONSTRUCT)
        v->node->type_operand = t;
    sugared s = sugar_value(v);
    s.type = t;
    return sugar_value(v->type == t || v->type->kind != TYPE_NONE ? v : env_view(e, &s, n->range));
}

static sugared emit_unchecked_cast(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    expect_inputs(n, "unchecked_cast", 2);
    const type *t = type_of_expression(e->program, input_of(n, 0));
    ir_value *v = emit_value(e, input_of(n, 1), NULL);
    return sugar_value(ir_out(emit_node_with(e, IR_UNCHECKED_CAST, n->range, t, &v, 1), 0));
}

static sugared emit_uninitialized(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    expect_inputs(n, "uninitialized", 1);
    return sugar_value(
        ir_out(emit_node(e, IR_UNINITIALIZED, n->range, type_of_expression(e->program, input_of(n, 0))), 0));
}

static sugared emit_test(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return sugar_value(emit_condition(e, n).value);
}

static sugared emit_is_tensor(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    expect_inputs(n, "is_tensor", 1);
    bool is_tensor = emit_value(e, input_of(n, 0), NULL)->type->kind == TYPE_TENSOR;
    return sugar_value(emit_constant(e, const_bool(is_tensor), n->range));
}

static sugared emit_is_scripting(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return sugar_value(emit_constant(e, const_bool(true), n->range));
}

static sugared emit_is_tracing(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return sugar_value(emit_constant(e, const_bool(false), n->range));
}

/* ---- Attributes, output ---- */

static sugared emit_getattr(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    uint32_t count = n->apply.inputs.count;
    if (count != 2 && count != 3)
        source_fail(n->range, "getattr expected to have number of arguments between 2 and 3 but found %u", count);
    if (n->apply.attributes.count)
        source_fail(n->range, "getattr takes no keyword arguments");
    if (input_of(n, 1)->kind != AST_STRING)
        source_fail(n->range, "getattr's second argument must be a string literal");
    sugared object = emit_sugared(e, input_of(n, 0), NULL);
    const char *name = intern(input_of(n, 1)->string.bytes);
    bool is_object = object.kind == SUGAR_VALUE && object.value->type->kind == TYPE_CLASS;
    if (count == 3 && is_object && !sugar_has(e, &object, name))
        return emit_sugared(e, input_of(n, 2), NULL);
    return sugar_select(e, &object, name, n->range);
}

static sugared emit_print(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    if (n->apply.attributes.count)
        source_fail(n->apply.callee->range, "print doesn't accept any keyword arguments");
    argument_list a = emit_arguments(e, n, NULL);
    ir_node *print = ir_node_new(e->graph, IR_PRINT, 0);
    print->range = n->apply.callee->range;
    for (uint32_t i = 0; i < a.count; i++)
        ir_node_add_input(print, a.items[i].value);
    ir_insert_before(e->at, print);
    return sugar_named(SUGAR_TYPE, "None");
}

/* ---- fork ---- */

/* fork(f, arguments...) starts f; the code of an archive forks a nested def, whose free variables are the arguments.
 * awaitable is the same: what PyTorch computes when it is asked for is computed where it is made. */
static sugared emit_fork(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    if (!n->apply.inputs.count)
        source_fail(n->range, "Expected at least one argument to fork()");
    sugared target = emit_sugared(e, input_of(n, 0), NULL);
    function *body = NULL;
    ir_value **inputs = NULL;
    if (target.kind == SUGAR_CLOSURE)
        body = emit_closure(e, target.closure, &inputs);
    else {
        if (target.kind == SUGAR_FUNCTION)
            body = target.function;
        else if (target.kind == SUGAR_METHOD && target.value->type->kind == TYPE_CLASS)
            body = class_find_method(target.value->type->definition, target.name);
        else if (target.kind == SUGAR_VALUE && target.value->type->kind == TYPE_CLASS)
            body = class_find_method(target.value->type->definition, "forward");
        if (!body)
            source_fail(n->range, "fork of anything but a function or method is not supported");
        function_return_type(body);
        ast_node call = *n;
        call.apply.inputs.items++;
        call.apply.inputs.count--;
        argument_list a = emit_arguments(e, &call, target.kind == SUGAR_FUNCTION ? NULL : target.value);
        strbuf why = {0};
        schema_match *match = schema_try(body->schema, e->at, n->range, NULL, a.items, a.count, true, &why);
        if (!match)
            source_fail(n->range, "\n%s:\n%s", schema_text(body->schema), strbuf_text(&why));
        inputs = match->inputs;
    }
    return sugar_value(emit_future(e, body, inputs, n->range));
}

/* ---- checkpoint ---- */

/* checkpoint(f, arguments...) is f(arguments...) between marks. Random numbers are kept, so both settings are without
 * consequence. */
static sugared emit_checkpoint(emitter *e, const ast_node *n, const type *hint) {
    static const char *const settings[] = {"use_reentrant", "preserve_rng_state"};
    if (!n->apply.inputs.count)
        source_fail(n->range, "checkpoint() missing 1 required positional argument: 'function'");
    ast_node call = *n;
    ast_node **attributes = NULL;
    call.apply.callee = n->apply.inputs.items[0];
    call.apply.inputs.items++;
    call.apply.inputs.count--;
    for (uint32_t i = 0; i < n->apply.attributes.count; i++) {
        ast_node *a = n->apply.attributes.items[i];
        if (strcmp(a->attribute.name, settings[0]) && strcmp(a->attribute.name, settings[1]))
            arrput(attributes, a);
    }
    call.apply.attributes = (ast_list){attributes, (uint32_t)arrlenu(attributes)};
    operator_insert_node(e->at, "tsm::checkpoint_begins", NULL, 0);
    const sugared result = emit_apply(e, &call, hint);
    ir_value *v = sugar_to_value(e, &result, n->range);
    operator_insert_node(e->at, "tsm::checkpoint_ends", NULL, 0);
    return sugar_value(v);
}

/* ---- Iterables ---- */

static sugared emit_range(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    uint32_t count = n->apply.inputs.count;
    if (!count || count > 3)
        source_fail(n->range, "range expected %s arguments, got %u", count ? "at most 3" : "at least 1", count);
    sugared s = sugar_named(SUGAR_RANGE, NULL);
    s.counts = count == 1;
    for (uint32_t i = 0; i < count; i++) {
        ir_value *v = emit_value(e, input_of(n, i), NULL);
        if (v->type->kind != TYPE_INT)
            source_fail(n->range, "all inputs of range must be ints, found %s in argument %u", type_annotation(v->type),
                        i);
        arrput(s.items, sugar_value(v));
    }
    if (count == 2)
        arrput(s.items, sugar_value(emit_int(e, 1, n->range)));
    return s;
}

static sugared emit_zip(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    if (!n->apply.inputs.count)
        source_fail(n->range, "zip expected at least 1 arguments, got 0");
    sugared s = sugar_named(SUGAR_ZIP, NULL);
    for (uint32_t i = 0; i < n->apply.inputs.count; i++) {
        sugared part = emit_sugared(e, input_of(n, i), NULL);
        arrput(s.items, emit_iterable(e, &part, input_of(n, i)->range));
    }
    iterable_static_length(&s, n->range); /* raises when a tuple is zipped with something of unknown length */
    return s;
}

static sugared emit_enumerate(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    uint32_t count = n->apply.inputs.count, named = n->apply.attributes.count;
    if (!count || count + named > 2)
        source_fail(n->range, "enumerate expected at %s arguments, got %u", count ? "most 2" : "least 1",
                    count ? count + named : 0);
    const char *keyword = named ? n->apply.attributes.items[0]->attribute.name : "start";
    if (strcmp(keyword, "start"))
        source_fail(n->range, "enumerate expected kwarg name 'start', got '%s'", keyword);
    const ast_node *start = count == 2 ? input_of(n, 1) : named ? n->apply.attributes.items[0]->attribute.value : NULL;
    sugared s = sugar_named(SUGAR_ZIP, NULL), counter = sugar_named(SUGAR_RANGE, NULL);
    sugared part = emit_sugared(e, input_of(n, 0), NULL);
    arrput(counter.items, sugar_value(start ? emit_value(e, start, NULL) : emit_int(e, 0, n->range)));
    arrput(s.items, counter);
    arrput(s.items, emit_iterable(e, &part, input_of(n, 0)->range));
    return s;
}

static sugared emit_tuple_of(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    sugared s = sugar_named(SUGAR_TUPLE, NULL);
    if (!n->apply.inputs.count)
        return s;
    expect_inputs(n, "tuple", 1);
    sugared source = emit_sugared(e, input_of(n, 0), NULL);
    if (source.kind != SUGAR_RANGE && source.kind != SUGAR_ZIP) {
        s.items = sugar_unpack(e, &source, UINT32_MAX, n->range);
        return s;
    }
    int64_t length = iterable_static_length(&source, n->range);
    if (length < 0)
        source_fail(n->range, "cannot statically infer the expected size of a list in this context");
    for (int64_t i = 0; i < length; i++)
        arrput(s.items, iterable_static_item(e, &source, (uint32_t)i, n->range));
    return s;
}

/* ---- Conversions by call ---- */

/* int(x), len(x), ...: the magic method of an object, x itself when it already has the type, else the operator. */
static sugared apply_builtin(emitter *e, const ast_node *n, const argument_list *a, const char *name,
                             const char *method, const type *made) {
    ir_value *v = a->count == 1 && !a->items[0].name ? a->items[0].value : NULL;
    if (v && sugar_has_magic(v, method, n->apply.callee->range))
        return sugar_value(emit_method(e, v, intern(method), n->apply.callee->range, NULL, 0));
    if (v && made && type_is_subtype(v->type, made, NULL))
        return sugar_value(v);
    if (v && made && made->kind == TYPE_BOOL)
        return sugar_value(emit_bool(e, v, n->apply.callee->range));
    if (v && !made && v->type->kind == TYPE_TUPLE)
        return sugar_value(emit_int(e, v->type->count, n->apply.callee->range));
    return emit_operator_call(e, emit_builtin_operator(name), a, n->apply.callee->range);
}

static sugared emit_builtin(emitter *e, const ast_node *n, const char *name, const char *method, const type *made) {
    const argument_list a = emit_arguments(e, n, NULL);
    return apply_builtin(e, n, &a, name, method, made);
}

static sugared emit_int_of(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_builtin(e, n, "int", "__int__", type_basic(TYPE_INT));
}

static sugared emit_float_of(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_builtin(e, n, "float", "__float__", type_basic(TYPE_FLOAT));
}

static sugared emit_bool_of(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_builtin(e, n, "bool", "__bool__", type_basic(TYPE_BOOL));
}

static sugared emit_str_of(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_builtin(e, n, "str", "__str__", type_basic(TYPE_STR));
}

/* hex(x), oct(x), round(x): the magic method of an object, else the operator. */
static sugared emit_number_text(emitter *e, const ast_node *n, const char *name, const char *method) {
    argument_list a = emit_arguments(e, n, NULL);
    if (a.count && !a.items[0].name && sugar_has_magic(a.items[0].value, method, n->apply.callee->range))
        return sugar_value(emit_method(e, a.items[0].value, intern(method), n->apply.callee->range, NULL, 0));
    return emit_operator_call(e, emit_builtin_operator(name), &a, n->apply.callee->range);
}

static sugared emit_hex(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_number_text(e, n, "hex", "__hex__");
}

static sugared emit_oct(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_number_text(e, n, "oct", "__oct__");
}

static sugared emit_round(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_number_text(e, n, "round", "__round__");
}

static sugared emit_complex_of(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_builtin(e, n, "complex", "__complex__", type_basic(TYPE_COMPLEX));
}

static sugared emit_len(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    bool is_plain = n->apply.inputs.count == 1 && !n->apply.attributes.count && input_of(n, 0)->kind != AST_STARRED;
    if (!is_plain)
        return emit_builtin(e, n, "len", "__len__", NULL);
    sugared s = emit_sugared(e, input_of(n, 0), NULL);
    if (module_is_container(&s))
        return sugar_value(emit_int(e, (int64_t)arrlen(module_items(e, s.value, "keys", n->range).items), n->range));
    call_argument only = {NULL, sugar_to_value(e, &s, input_of(n, 0)->range), input_of(n, 0)->range};
    const argument_list a = {&only, 1};
    return apply_builtin(e, n, &a, "len", "__len__", NULL);
}

/* ---- torch.FloatTensor(...) ---- */

/* The dtype whose tensors a class of torch makes; -1 for other names. */
static int64_t legacy_dtype(const char *name) {
    static const struct {
        const char *name;
        int64_t dtype;
    } classes[] = {{"ByteTensor", 0}, {"CharTensor", 1},  {"ShortTensor", 2},  {"IntTensor", 3},  {"LongTensor", 4},
                   {"HalfTensor", 5}, {"FloatTensor", 6}, {"DoubleTensor", 7}, {"BoolTensor", 11}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(classes[i].name, name))
            return classes[i].dtype;
    return -1;
}

bool emit_is_legacy_constructor(const char *name) {
    return legacy_dtype(name) >= 0;
}

#define LEGACY_SCHEMAS                                                                                                 \
    "Legacy Tensor Constructor only supports two schemas in TorchScript: \n'new(IntArrayRef size, *, Device? "         \
    "device=None)',\n'new(PyObject* data, *, Device? device=None)\n'"

/* Integer arguments are the sizes of the tensor; another single argument is its data. */
static sugared emit_legacy_constructor(emitter *e, const ast_node *n, int64_t dtype) {
    const ast_list *named = &n->apply.attributes;
    ast_node call = *n;
    call.apply.attributes.count = 0;
    argument_list a = emit_arguments(e, &call, NULL);
    if (named->count == 1 && strcmp(named->items[0]->attribute.name, "device"))
        source_fail(n->range, LEGACY_SCHEMAS "Got kwarg %s", named->items[0]->attribute.name);
    if (named->count > 1)
        source_fail(n->range, LEGACY_SCHEMAS "Got multiple kwargs\n");
    bool are_sizes = a.count > 0;
    ir_value **sizes = NULL;
    for (uint32_t i = 0; i < a.count; i++) {
        are_sizes &= a.items[i].value->type->kind == TYPE_INT;
        arrput(sizes, a.items[i].value);
    }
    if (a.count > 1 && !are_sizes)
        source_fail(n->range, LEGACY_SCHEMAS "Got multiple positional arguments that were not all integers");
    bool is_list = are_sizes || !a.count;
    const type *ints = type_list(type_basic(TYPE_INT));
    ir_value *data =
        is_list ? ir_out(emit_node_with(e, IR_LIST_CONSTRUCT, n->range, ints, sizes, a.count), 0) : sizes[0];
    call_argument arguments[] = {{NULL, data, n->range}, {"dtype", emit_int(e, dtype, n->range), n->range}};
    const char *op = are_sizes ? "aten::empty" : "aten::tensor";
    return emit_operator_call(e, op, &(argument_list){arguments, 2}, n->range);
}

/* ---- Dispatch ---- */

static sugared emit_slice_of(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_slice_object(e, n);
}

static const struct {
    const char *name;
    sugared (*emit)(emitter *e, const ast_node *n, const type *hint);
} forms[] = {
    {"slice", emit_slice_of},
    {"annotate", emit_annotate},
    {"unchecked_cast", emit_unchecked_cast},
    {"uninitialized", emit_uninitialized},
    {"isinstance", emit_test},
    {"hasattr", emit_test},
    {"is_tensor", emit_is_tensor},
    {"is_scripting", emit_is_scripting},
    {"is_tracing", emit_is_tracing},
    {"getattr", emit_getattr},
    {"print", emit_print},
    {"fork", emit_fork},
    {"checkpoint", emit_checkpoint},
    {"rpc_sync", emit_rpc_sync},
    {"rpc_async", emit_rpc_async},
    {"rpc_remote", emit_rpc_remote},
    {"awaitable", emit_fork},
    {"range", emit_range},
    {"zip", emit_zip},
    {"enumerate", emit_enumerate},
    {"tuple", emit_tuple_of},
    {"list", emit_list_of},
    {"dict", emit_dict_of},
    {"int", emit_int_of},
    {"float", emit_float_of},
    {"bool", emit_bool_of},
    {"str", emit_str_of},
    {"complex", emit_complex_of},
    {"hex", emit_hex},
    {"oct", emit_oct},
    {"round", emit_round},
    {"len", emit_len},
};

sugared emit_special(emitter *e, const ast_node *n, const char *name, const type *hint) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].name, name))
            return forms[i].emit(e, n, hint);
    if (emit_is_legacy_constructor(name))
        return emit_legacy_constructor(e, n, legacy_dtype(name));
    source_fail(n->range, "%s cannot be called", name);
}
