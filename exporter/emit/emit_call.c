/* Calls: operators, functions, methods, constructors. */
#include "exporter/emit/emit.h"

#include <string.h>

#include "exporter/emit/emit_module.h"
#include "exporter/emit/upgraders.h"
#include "exporter/program/builtins.h"
#include "exporter/program/hooks.h"

/* ---- Arguments ---- */

void expect_inputs(const ast_node *n, const char *name, uint32_t count) {
    bool fits = n->apply.inputs.count == count;
    if (fits && !n->apply.attributes.count)
        return;
    if (n->apply.callee->kind != AST_VAR) /* PyTorch fails when it looks for the name to report */
        source_fail(n->apply.callee->range, "unknown:0: expecting kind 'variable' but found '.'");
    if (!fits)
        source_fail(n->range, "%s expected exactly %u arguments but found %u", name, count, n->apply.inputs.count);
    source_fail(n->range, "%s takes no keyword arguments", name);
}

argument_list emit_arguments(emitter *e, const ast_node *n, ir_value *self) {
    call_argument *items = NULL;
    if (self) {
        call_argument a = {NULL, self, n->range};
        arrput(items, a);
    }
    for (uint32_t i = 0; i < n->apply.inputs.count; i++) {
        const ast_node *input = n->apply.inputs.items[i];
        if (input->kind != AST_STARRED) {
            call_argument a = {NULL, emit_value(e, input, NULL), input->range};
            arrput(items, a);
            continue;
        }
        sugared s = emit_sugared(e, input->operand, NULL);
        sugared *parts = sugar_unpack(e, &s, UINT32_MAX, input->range);
        for (size_t k = 0; k < arrlenu(parts); k++) {
            call_argument a = {NULL, sugar_to_value(e, &parts[k], input->range), input->range};
            arrput(items, a);
        }
    }
    for (uint32_t i = 0; i < n->apply.attributes.count; i++) {
        const ast_node *attribute = n->apply.attributes.items[i];
        call_argument a = {attribute->attribute.name, emit_value(e, attribute->attribute.value, NULL),
                           attribute->range};
        arrput(items, a);
    }
    return (argument_list){items, (uint32_t)arrlenu(items)};
}

/* ---- Operators ---- */

/* A builtin function is small, and is put in place of its call. Returns the node of its result. */
static ir_node *inline_function(emitter *e, function *f, const schema_match *match, source_range range) {
    const ir_graph *g = function_graph(f);
    ir_value_map map = NULL;
    for (size_t i = 0; i < arrlenu(match->inputs); i++)
        hmput(map, g->block->param->outputs[i], match->inputs[i]);
    ir_node *before = e->at->previous;
    ir_copy_nodes(g->block, e->at, &map);
    for (ir_node *n = before->next; n != e->at; n = n->next)
        n->range = range;
    return hmget(map, g->block->result->inputs[0])->node;
}

ir_node *emit_schema_call(emitter *e, const char *name, source_range range, const call_argument *arguments,
                          uint32_t count) {
    function **functions = builtin_functions_of(e->program, name);
    if (!functions)
        return schema_call(name, e->at, range, arguments, count);
    uint32_t overloads;
    const op_schema *const *list = schema_overloads(name, &overloads);
    const op_schema **candidates = NULL;
    for (uint32_t i = 0; i < overloads; i++)
        arrput(candidates, list[i]);
    for (size_t i = 0; i < arrlenu(functions); i++)
        arrput(candidates, functions[i]->schema);
    schema_match *match;
    uint32_t chosen = schema_choose(candidates, (uint32_t)arrlenu(candidates), e->at, range, arguments, count, &match);
    if (chosen < overloads)
        return schema_insert(candidates[chosen], match, e->at, range);
    return inline_function(e, functions[chosen - overloads], match, range);
}

static sugared none(emitter *e, source_range range) {
    return sugar_value(emit_constant(e, const_none(), range));
}

/* One result, or a tuple of any other number: what gives nothing is an empty one, and not None. */
static sugared results_of(const emitter *e, ir_node *n) {
    if (ir_output_count(n) == 1)
        return sugar_value(ir_out(n, 0));
    sugared s = sugar_named(SUGAR_TUPLE, NULL);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        arrput(s.items, sugar_value(ir_out(n, i)));
        if (e->is_python && n->schema && *n->schema->returns[i].name)
            arrput(s.fields, n->schema->returns[i].name);
    }
    return s;
}

static sugared emit_raise_operator(emitter *e, const argument_list *a, source_range range) {
    ir_node *n = ir_node_new(e->graph, IR_RAISE_EXCEPTION, 0);
    n->range = range;
    ir_node_add_input(n, a->items[0].value);
    ir_node_add_input(n, a->count > 1 ? a->items[1].value : emit_constant(e, const_none(), range));
    ir_insert_before(e->at, n);
    return none(e, range);
}

/* ---- torch.tensor ---- */

/* Emits code that raises an exception: with texts[0] when `condition` is true, else with texts[1]. */
static void emit_raise_either(emitter *e, ir_value *condition, const char *texts[2], source_range range) {
    ir_node *branch = ir_node_new(e->graph, IR_IF, 0), *outer = e->at;
    branch->range = range;
    ir_node_add_input(branch, condition);
    ir_insert_before(outer, branch);
    for (int i = 0; i < 2; i++) {
        e->at = ir_node_add_block(branch)->result;
        call_argument text = {.value = emit_constant(e, const_str(texts[i], strlen(texts[i])), range)};
        emit_raise_operator(e, &(argument_list){&text, 1}, range);
    }
    e->at = outer;
}

/* torch.tensor(list): the dtype comes from the list's static type, so that empty lists have one as well. PyTorch checks
 * the type when the program runs, so a wrong type becomes code that raises an exception, not a compile error. */
static void check_list_for_tensor(emitter *e, ir_node *n, source_range range) {
    enum { LONG = 4, BOOL = 11 };
    const type *list = ir_in(n, 0)->type, *item = list;
    while (item->kind == TYPE_LIST)
        item = type_element(item);
    bool is_integral = item->kind == TYPE_INT || item->kind == TYPE_BOOL;
    if (is_integral && ir_in(n, 1)->type->kind == TYPE_NONE) {
        ir_node *at = e->at;
        e->at = n;
        ir_node_set_input(n, 1, emit_int(e, item->kind == TYPE_INT ? LONG : BOOL, range));
        e->at = at;
    }
    if (is_integral || item->kind == TYPE_FLOAT)
        return;
    bool is_number = type_is_subtype(item, type_basic(TYPE_NUMBER), NULL);
    const char *text =
        is_number ? mem_printf("Add new condition, expected Float, Complex, Int, or Bool but got%s", item->text)
                  : mem_printf("Input must be of ints, floats, or bools, got %s", type_annotation(item));
    const char *texts[] = {
        mem_printf("%s\nEmpty lists default to List[Tensor]. Add a variable annotation to the assignment "
                   "to create an empty list of another type (torch.jit.annotate(List[T, []]) where T "
                   "is the type of elements in the list for Python 2)",
                   text),
        text};
    ir_node *at = e->at;
    e->at = n;
    ir_value *is_empty = item->kind == TYPE_TENSOR && type_element(list) == item
                             ? emit_operator2(e, "aten::eq", range, emit_operator1(e, "aten::len", range, ir_in(n, 0)),
                                              emit_int(e, 0, range))
                             : emit_constant(e, const_bool(false), range);
    emit_raise_either(e, is_empty, texts, range);
    e->at = at;
}

/* A future that has its result. */
static sugared emit_nowait(emitter *e, ir_value *result, source_range range) {
    ir_value **inputs = NULL;
    arrput(inputs, result);
    return sugar_value(emit_future(e, emit_identity(e, result->type), inputs, range));
}

sugared emit_operator_call(emitter *e, const char *name, const argument_list *a, source_range range) {
    const type *first = a->count ? a->items[0].value->type : NULL;
    if (!strcmp(name, "prim::RaiseException") && a->count)
        return emit_raise_operator(e, a, range);
    bool waits = !strcmp(name, "aten::wait") || !strcmp(name, "prim::awaitable_wait");
    if (waits && first && first->kind == TYPE_FUTURE)
        return sugar_value(ir_out(emit_node_with(e, IR_WAIT, range, first->items[0], &a->items[0].value, 1), 0));
    if (!strcmp(name, "prim::awaitable_nowait") && a->count == 1)
        return emit_nowait(e, a->items[0].value, range);
    function *upgrader = upgrader_of(e, name, a, range);
    if (upgrader)
        return emit_function_call(e, upgrader, a, range);
    ir_node *n = emit_schema_call(e, name, range, a->items, a->count);
    if (n->schema &&
        (!strcmp(n->schema->full_name, "aten::tensor") || !strcmp(n->schema->full_name, "aten::as_tensor.list")))
        check_list_for_tensor(e, n, range);
    return results_of(e, n);
}

/* x.tolist(): the wanted type says how many dimensions there are and of what the items are. */
static ir_value *emit_tolist(emitter *e, const ast_node *n, ir_value *tensor, const type *hint) {
    static const struct {
        type_kind kind;
        int64_t code;
    } elements[] = {{TYPE_INT, 0}, {TYPE_FLOAT, 1}, {TYPE_BOOL, 2}, {TYPE_COMPLEX, 3}};
    if (!hint)
        source_fail(n->range, "Expected type hint for result of tolist()");
    int64_t dims = 0;
    const type *t = hint;
    for (; t->kind == TYPE_LIST; t = type_element(t))
        dims++;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].kind == t->kind) {
            ir_value *inputs[] = {tensor, emit_int(e, dims, n->range), emit_int(e, elements[i].code, n->range)};
            ir_node *list = emit_node_with(e, IR_TOLIST, n->range, hint, inputs, 3);
            list->type_operand = hint;
            return ir_out(list, 0);
        }
    source_fail(n->range, "%s is not one of the supported element types for tolist: int, float, complex, bool",
                type_annotation(t));
}

/* ---- Functions and methods ---- */

const char *emit_short_schema(const op_schema *s) {
    op_schema named = *s;
    const char *dot = strrchr(s->full_name, '.');
    named.full_name = dot ? dot + 1 : s->full_name;
    named.text = NULL;
    return schema_text(&named);
}

static ir_node *call_with_schema(emitter *e, ir_kind kind, const op_schema *s, const argument_list *a,
                                 source_range range) {
    strbuf why = {0};
    schema_match *match = schema_try(s, e->at, range, NULL, a->items, a->count, true, &why);
    if (!match)
        source_fail(range, "\n%s:\n%s", emit_short_schema(s), strbuf_text(&why));
    return emit_node_with(e, kind, range, match->returns[0], match->inputs, (uint32_t)arrlenu(match->inputs));
}

/* Compiles the callee now, so that errors in it and recursion are reported at the call. */
static void compile_callee(emitter *e, function *f, source_range range) {
    bool init_is_open = f->owner && class_find_method(f->owner, "__init__") &&
                        class_find_method(f->owner, "__init__")->state == FUNCTION_EMITTING;
    if (init_is_open && f->schema->returns[0].type)
        return; /* the attributes are not known yet */
    if (f->state == FUNCTION_EMITTING)
        source_fail(range, "%s '%s' is called recursively. Recursive calls are not supported",
                    f->owner ? "method" : "function", f->base_name);
    source_call_at(range);
    if (e->is_python)
        function_graph(f);
}

/* PyTorch's boolean dispatch: a constant argument selects one of two functions. Raises an error when that argument is
 * not constant. */
static void require_constant(const op_schema *s, const argument_list *a, source_range range) {
    for (uint32_t i = 0; i < s->argument_count; i++) {
        bool known;
        if (!s->arguments[i].literal)
            continue;
        if (i < a->count && !a->items[i].name && !ir_constant_bool(a->items[i].value, &known))
            source_fail(range, "Argument for boolean dispatch at position %u was not constant", i);
        for (uint32_t k = 0; k < a->count; k++)
            if (a->items[k].name && !strcmp(a->items[k].name, s->arguments[i].name) &&
                !ir_constant_bool(a->items[k].value, &known))
                source_fail(range, "Keyword argument '%s' for boolean dispatch at position was not constant",
                            a->items[k].name);
    }
}

/* The overload of that number; `owner` is the class of a method, NULL for functions. */
static function *overload_of(emitter *e, class_def *owner, const function *first, size_t number) {
    const char *name = mem_printf("%s__%zu", owner ? first->base_name : first->name, number);
    return owner ? class_find_method(owner, name) : program_find_function(e->program, name);
}

/* Overloads of functions, and of methods of the compiler's own code: NAME, NAME__2, NAME__3, ... */
static function *choose_overload(emitter *e, class_def *owner, function *f, const argument_list *a,
                                 source_range range) {
    function **overloads = NULL;
    const op_schema **candidates = NULL;
    for (function *next = f; next && (f->is_builtin || (f->syntax && f->syntax->is_overload));) {
        arrput(overloads, next);
        arrput(candidates, next->schema);
        next = overload_of(e, owner, f, arrlenu(overloads) + 1);
    }
    if (arrlenu(overloads) < 2)
        return f;
    if (arrlenu(overloads) == 2)
        require_constant(f->schema, a, range);
    schema_match *match;
    return overloads[schema_choose(candidates, (uint32_t)arrlenu(candidates), e->at, range, a->items, a->count,
                                   &match)];
}

/* A call of a function that is marked as unused or ignored: raises an exception when it is run. */
static sugared emit_dropped_call(emitter *e, const function *f, const argument_list *a, source_range range) {
    static const char text[] = "This Python function is annotated to be ignored and cannot be run";
    const type *t = f->schema->returns[0].type;
    call_argument message = {.value = emit_constant(e, const_str(text, sizeof text - 1), range)};
    ir_destroy(call_with_schema(e, IR_CALL_FUNCTION, f->schema, a, range));
    emit_raise_operator(e, &(argument_list){&message, 1}, range);
    return sugar_value(ir_out(emit_node(e, IR_UNINITIALIZED, range, t), 0));
}

sugared emit_function_call(emitter *e, function *f, const argument_list *a, source_range range) {
    f = choose_overload(e, NULL, f, a, range);
    if (f->is_dropped)
        return emit_dropped_call(e, f, a, range);
    compile_callee(e, f, range);
    ir_node *call = call_with_schema(e, IR_CALL_FUNCTION, f->schema, a, range);
    call->callee = f;
    return sugar_value(ir_out(call, 0));
}

/* The schema of an interface's method, with the interface as the type of self instead of a particular class. */
static op_schema *schema_for_interface(const function *f, const type *interface) {
    op_schema *s = MEM_NEW(op_schema);
    *s = *f->schema;
    s->text = NULL;
    s->arguments = MEM_ARRAY(schema_argument, s->argument_count + 1);
    for (uint32_t i = 0; i < s->argument_count; i++)
        s->arguments[i] = f->schema->arguments[i];
    s->arguments[0].type = interface;
    return s;
}

static sugared call_method(emitter *e, const argument_list *a, const char *name, source_range range) {
    const type *t = a->items[0].value->type;
    function *f = class_find_method(t->definition, name);
    if (!f)
        source_fail(range, "'%s' object has no attribute or method '%s'.", type_annotation(t), name);
    bool is_interface = t->kind == TYPE_INTERFACE;
    if (f->is_dropped)
        return emit_dropped_call(e, f, a, range);
    if (!is_interface) {
        f = choose_overload(e, t->definition, f, a, range);
        compile_callee(e, f, range);
    }
    const op_schema *schema = is_interface ? schema_for_interface(f, t) : f->schema;
    ir_node *call = call_with_schema(e, is_interface ? IR_INTERFACE_CALL : IR_CALL_METHOD, schema, a, range);
    call->attribute = is_interface ? intern(name) : f->base_name;
    call->callee = is_interface ? NULL : f;
    return sugar_value(ir_out(call, 0));
}

ir_value *emit_method(emitter *e, ir_value *self, const char *name, source_range range, ir_value *const *arguments,
                      uint32_t count) {
    argument_list a = {MEM_ARRAY(call_argument, count + 1), count + 1};
    a.items[0] = (call_argument){NULL, self, range};
    for (uint32_t i = 0; i < count; i++)
        a.items[i + 1] = (call_argument){NULL, arguments[i], range};
    return call_method(e, &a, name, range).value;
}

/* ---- Constructors ---- */

static ir_value *construct_named_tuple(emitter *e, class_def *c, const argument_list *a, source_range range) {
    op_schema s = {.name = c->name, .full_name = c->name, .overload = ""};
    schema_argument *fields = NULL;
    for (uint32_t i = 0; i < c->type->count; i++) {
        const class_constant *otherwise = class_find_constant(c, c->type->field_names[i]);
        schema_argument field = {.name = c->type->field_names[i], .type = c->type->items[i]};
        field.default_value = otherwise ? otherwise->value : NULL;
        arrput(fields, field);
    }
    s.arguments = fields;
    s.argument_count = c->type->count;
    strbuf why = {0};
    schema_match *match = schema_try(&s, e->at, range, NULL, a->items, a->count, true, &why);
    if (!match)
        source_fail(range, "\n%s:\n%s", emit_short_schema(&s), strbuf_text(&why));
    return ir_out(
        emit_node_with(e, IR_TUPLE_CONSTRUCT, range, c->type, match->inputs, (uint32_t)arrlenu(match->inputs)), 0);
}

static ir_value *construct_object(emitter *e, class_def *c, const ast_node *n) {
    if (c->kind == TYPE_ENUM)
        source_fail(n->apply.callee->range, "cannot call a EnumClass");
    if (c->kind != TYPE_CLASS || c->is_module)
        source_fail(n->apply.callee->range, "Cannot instantiate class '%s' in a script function",
                    strrchr(c->name, '.') + 1);
    ir_value *object = ir_out(emit_node(e, IR_CREATE_OBJECT, n->apply.callee->range, c->type), 0);
    argument_list a = emit_arguments(e, n, object);
    if (class_find_method(c, "__init__"))
        call_method(e, &a, "__init__", n->apply.callee->range);
    else if (a.count > 1 || e->is_python)
        source_fail(n->apply.callee->range, "Class %s does not have an __init__ function defined",
                    strrchr(c->name, '.') + 1);
    return object;
}

static ir_value *emit_construct(emitter *e, class_def *c, const ast_node *n) {
    if (c->kind != TYPE_TUPLE)
        return construct_object(e, c, n);
    argument_list a = emit_arguments(e, n, NULL);
    return construct_named_tuple(e, c, &a, n->apply.callee->range);
}

/* ---- Dispatch ---- */

/* Calls a module that has hooks. They get as a tuple what stands in the call by position, so that all must. */
static sugared call_hooked(emitter *e, const argument_list *a, source_range range) {
    class_def *c = a->items[0].value->type->definition;
    function *forward = class_find_method(c, "forward"), *hook = first_hook(c);
    compile_callee(e, forward, range);
    function *hooked = hooked_forward(c, forward);
    const type **types = NULL;
    for (uint32_t i = 1; i < a->count && !a->items[i].name; i++)
        arrput(types, a->items[i].value->type);
    const type *given = type_tuple(types, (uint32_t)arrlenu(types));
    const schema_argument *input = &hook->schema->arguments[1];
    if (!type_is_subtype(given, input->type, NULL))
        source_fail(range, "\n%s:\nExpected a value of type '%s' for argument '%s' but instead found type '%s'.\n",
                    emit_short_schema(hook->schema), type_annotation(input->type), input->name, type_annotation(given));
    ir_node *call = call_with_schema(e, IR_CALL_METHOD, hooked->schema, a, range);
    call->attribute = hooked->base_name;
    call->callee = hooked;
    return sugar_value(ir_out(call, 0));
}

static sugared call_object(emitter *e, const ast_node *n, const sugared *callee) {
    ir_value *v = sugar_to_value(e, callee, n->apply.callee->range);
    bool is_object = (v->type->kind == TYPE_CLASS || v->type->kind == TYPE_INTERFACE) && v->type->definition;
    const char *name = !is_object                                           ? NULL
                       : class_find_method(v->type->definition, "__call__") ? "__call__"
                       : v->type->definition->is_module && class_find_method(v->type->definition, "forward") ? "forward"
                                                                                                             : NULL;
    if (!name && is_object && !v->type->definition->is_module)
        sugar_has_magic(v, "__call__", n->apply.callee->range);
    if (!name)
        source_fail(n->apply.callee->range, "cannot call a value of type '%s'", type_annotation(v->type));
    argument_list a = emit_arguments(e, n, v);
    const bool has_hooks = v->type->definition->module && first_hook(v->type->definition);
    return has_hooks ? call_hooked(e, &a, n->apply.callee->range) : call_method(e, &a, name, n->apply.callee->range);
}

/* PyTorch compiles a call of a Python function as one that takes Tensors and returns a Tensor, but cannot save it. The
 * error is therefore raised only after the rest of the function was compiled. */
static sugared emit_python_call(emitter *e, const char *name, const ast_node *n) {
    argument_list a = emit_arguments(e, n, NULL);
    op_schema s = {.name = name, .full_name = name, .overload = ""};
    schema_argument *arguments = NULL, result = {.name = "0", .type = type_basic(TYPE_TENSOR)};
    for (uint32_t i = 0; i < a.count; i++) {
        schema_argument argument = {.name = mem_printf("%u", i), .type = type_basic(TYPE_TENSOR)};
        arrput(arguments, argument);
    }
    s.arguments = arguments;
    s.argument_count = a.count;
    s.returns = &result;
    s.return_count = 1;
    ir_node *call = call_with_schema(e, IR_CALL_FUNCTION, &s, &a, n->apply.callee->range);
    if (!e->python_call)
        e->python_call = source_error_text(
            n->apply.callee->range,
            mem_printf("Could not export Python function call '%s'. Remove calls to Python functions before export. "
                       "Did you forget to add @script or @script_method annotation? If this is a nn.ModuleList, add "
                       "it to __constants__",
                       name));
    return sugar_value(ir_out(call, 0));
}

/* x.float() */
static sugared emit_cast(emitter *e, const ast_node *n, const sugared *callee) {
    source_range range = n->apply.callee->range;
    if (n->apply.inputs.count || n->apply.attributes.count)
        source_fail(range, "%s() takes no arguments", callee->name);
    sugared dtype = emit_package_member(e, "torch", callee->name, range);
    call_argument arguments[] = {{NULL, callee->value, range}, {"dtype", dtype.value, range}};
    return sugar_value(ir_out(emit_schema_call(e, "aten::to", range, arguments, 2), 0));
}

/* Moves the object of a method call from the first position to that of the operator's `self`. */
static void place_self(const char *op, argument_list *a) {
    uint32_t count;
    const op_schema *const *overloads = schema_overloads(op, &count);
    int position = -1;
    for (uint32_t i = 0; i < count && position < 0; i++)
        position = schema_self_position(overloads[i]);
    if (position < 1)
        return;
    call_argument self = a->items[0];
    if (a->count < 2 || a->items[1].name) {
        a->items[0].name = "self";
        return;
    }
    a->items[0] = a->items[1];
    a->items[1] = self;
}

sugared emit_apply(emitter *e, const ast_node *n, const type *hint) {
    sugared callee = emit_sugared(e, n->apply.callee, NULL);
    argument_list a;
    source_range range = n->apply.callee->range; /* PyTorch reports calls at the callee */
    switch (callee.kind) {
    case SUGAR_SPECIAL:
        return emit_special(e, n, callee.name, hint);
    case SUGAR_OPERATOR:
        if (callee.value && !strcmp(callee.name, "aten::tolist"))
            return sugar_value(emit_tolist(e, n, callee.value, hint));
        a = emit_arguments(e, n, callee.value);
        if (callee.value)
            place_self(callee.name, &a);
        return emit_operator_call(e, callee.name, &a, range);
    case SUGAR_FUNCTION:
        a = emit_arguments(e, n, NULL);
        return emit_function_call(e, callee.function, &a, range);
    case SUGAR_METHOD:
        a = emit_arguments(e, n, callee.value);
        return call_method(e, &a, callee.name, range);
    case SUGAR_CAST:
        return emit_cast(e, n, &callee);
    case SUGAR_CLASS:
        return sugar_value(emit_construct(e, callee.class_def, n));
    case SUGAR_PYTHON_CALL:
        return emit_python_call(e, callee.name, n);
    case SUGAR_EXCEPTION:
        return emit_exception(e, callee.name, n);
    case SUGAR_TYPE: /* torch.Size([2, 3]) is an operator, other types of torch are none */
        a = emit_arguments(e, n, NULL);
        if (!strncmp(callee.name, "torch.", 6))
            return emit_operator_call(e, intern(mem_printf("aten::%s", callee.name + 6)), &a, range);
        return call_object(e, n, &callee);
    case SUGAR_CHILDREN:
        return module_items(e, callee.value, callee.name, range);
    case SUGAR_NEW:
        return sugar_value(ir_out(emit_node(e, IR_CREATE_OBJECT, range, callee.class_def->type), 0));
    default:
        return call_object(e, n, &callee);
    }
}
