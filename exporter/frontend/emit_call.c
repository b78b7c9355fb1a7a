/* Calls: special forms, operators, functions, methods, constructors. */
#include "exporter/frontend/emit.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/frontend/type_parser.h"

/* ---- Arguments ---- */

typedef struct {
    call_argument *items;
    uint32_t count;
} argument_list;

static argument_list emit_arguments(emitter *e, const ast_node *n, ir_value *self) {
    argument_list a = {MEM_ARRAY(call_argument, n->apply.inputs.count + n->apply.attributes.count + 1), 0};
    if (self) {
        a.items[a.count].value = self;
        a.items[a.count++].range = n->range;
    }
    for (uint32_t i = 0; i < n->apply.inputs.count; i++) {
        const ast_node *input = n->apply.inputs.items[i];
        if (input->kind == AST_STARRED)
            source_fail(input->range, "starred arguments are not supported here");
        a.items[a.count].value = emit_value(e, input, NULL);
        a.items[a.count++].range = input->range;
    }
    for (uint32_t i = 0; i < n->apply.attributes.count; i++) {
        const ast_node *attribute = n->apply.attributes.items[i];
        a.items[a.count].name = attribute->attribute.name;
        a.items[a.count].value = emit_value(e, attribute->attribute.value, NULL);
        a.items[a.count++].range = attribute->range;
    }
    return a;
}

static void expect_inputs(const ast_node *n, const char *name, uint32_t count) {
    if (n->apply.inputs.count != count)
        source_fail(n->range, "%s expected %u arguments but found %u", name, count, n->apply.inputs.count);
}

/* ---- Special forms ---- */

/* A value as the stated type: Tensors become numbers where those are wanted. */
static ir_value *as_type(emitter *e, ir_value *v, const type *t, source_range range) {
    if (type_is_subtype(v->type, t, NULL))
        return v;
    const char *op = v->type->kind != TYPE_TENSOR ? NULL
                     : t->kind == TYPE_INT        ? "aten::IntImplicit"
                     : t->kind == TYPE_FLOAT      ? "aten::FloatImplicit"
                     : t->kind == TYPE_COMPLEX    ? "aten::ComplexImplicit"
                     : t->kind == TYPE_NUMBER     ? "aten::ScalarImplicit"
                                                  : NULL;
    int64_t number;
    if (op)
        return ir_out(emit_operator(e, op, range, &v, 1), 0);
    if (t->kind == TYPE_FLOAT && ir_constant_int(v, &number))
        return emit_constant(e, const_float((double)number), range);
    source_fail(range, "expected an expression of type %s but found %s", type_annotation(t), type_annotation(v->type));
}

static ir_value *emit_annotate(emitter *e, const ast_node *n) {
    expect_inputs(n, "annotate", 2);
    const type *t = type_of_expression(e->program, n->apply.inputs.items[0]);
    return as_type(e, emit_value(e, n->apply.inputs.items[1], t), t, n->range);
}

static ir_value *emit_cast(emitter *e, const ast_node *n, const type *t) {
    expect_inputs(n, "unchecked_cast", 2);
    ir_value *v = emit_value(e, n->apply.inputs.items[1], NULL);
    ir_node *cast = emit_node(e, IR_UNCHECKED_CAST, n->range, t);
    ir_node_add_input(cast, v);
    return ir_out(cast, 0);
}

static void add_types(emitter *e, const ast_node *t, ir_node *n) {
    if (t->kind == AST_TUPLE) {
        for (uint32_t i = 0; i < t->sequence.count; i++)
            add_types(e, t->sequence.items[i], n);
        return;
    }
    arrput(n->types, type_of_expression(e->program, t));
}

static ir_value *emit_isinstance(emitter *e, const ast_node *n) {
    expect_inputs(n, "isinstance", 2);
    ir_value *v = emit_value(e, n->apply.inputs.items[0], NULL);
    ir_node *test = emit_node(e, IR_ISINSTANCE, n->range, type_basic(TYPE_BOOL));
    ir_node_add_input(test, v);
    add_types(e, n->apply.inputs.items[1], test);
    return ir_out(test, 0);
}

/* getattr(x, "name"): an attribute whose name is no identifier. */
static sugared emit_getattr(emitter *e, const ast_node *n) {
    if (n->apply.inputs.count < 2 || n->apply.inputs.items[1]->kind != AST_STRING)
        source_fail(n->range, "getattr's second argument must be a string literal");
    ast_node *select = ast_new(AST_SELECT, n->range);
    select->select.value = n->apply.inputs.items[0];
    select->select.name = intern(n->apply.inputs.items[1]->string.bytes);
    return emit_sugared(e, select, NULL);
}

static sugared emit_print(emitter *e, const ast_node *n) {
    argument_list a = emit_arguments(e, n, NULL);
    ir_node *print = ir_node_new(e->graph, IR_PRINT, 0);
    print->range = n->range;
    for (uint32_t i = 0; i < a.count; i++)
        ir_node_add_input(print, a.items[i].value);
    ir_insert_before(e->at, print);
    return sugar_value(emit_constant(e, const_none(), n->range));
}

/* ---- fork ---- */

typedef struct {
    char *key;
    const sugared *value;
} *captures;

static void capture_names(const emitter *e, const ast_list *list, captures *found);

/* Finds the variables of the surroundings that the code names; walks every part of the tree. */
static void capture_in(const emitter *e, const ast_node *n, captures *found) {
    if (!n)
        return;
    switch (n->kind) {
    case AST_VAR: {
        const sugared *s = env_find(e, n->name);
        if (s && shgeti(*found, n->name) < 0)
            shput(*found, (char *)n->name, s);
        return;
    }
    case AST_TUPLE:
    case AST_LIST:
    case AST_DELETE:
        capture_names(e, &n->sequence, found);
        return;
    case AST_DICT:
        capture_names(e, &n->dict.keys, found);
        capture_names(e, &n->dict.values, found);
        return;
    case AST_SELECT:
        capture_in(e, n->select.value, found);
        return;
    case AST_SUBSCRIPT:
        capture_in(e, n->subscript.value, found);
        capture_names(e, &n->subscript.indices, found);
        return;
    case AST_SLICE:
        capture_in(e, n->slice.start, found);
        capture_in(e, n->slice.stop, found);
        capture_in(e, n->slice.step, found);
        return;
    case AST_APPLY:
        capture_in(e, n->apply.callee, found);
        capture_names(e, &n->apply.inputs, found);
        for (uint32_t i = 0; i < n->apply.attributes.count; i++)
            capture_in(e, n->apply.attributes.items[i]->attribute.value, found);
        return;
    case AST_ASSIGN:
        capture_names(e, &n->assign.targets, found);
        capture_in(e, n->assign.value, found);
        return;
    case AST_AUG_ASSIGN:
        capture_in(e, n->aug_assign.target, found);
        capture_in(e, n->aug_assign.value, found);
        return;
    case AST_STARRED:
    case AST_NEG:
    case AST_NOT:
    case AST_INVERT:
    case AST_EXPR_STMT:
    case AST_RETURN:
    case AST_RAISE:
        capture_in(e, n->operand, found);
        return;
    case AST_TERNARY:
        capture_in(e, n->ternary.condition, found);
        capture_in(e, n->ternary.if_true, found);
        capture_in(e, n->ternary.if_false, found);
        return;
    case AST_IF:
        capture_in(e, n->branch.condition, found);
        capture_names(e, &n->branch.if_true, found);
        capture_names(e, &n->branch.if_false, found);
        return;
    case AST_WHILE:
        capture_in(e, n->loop.condition, found);
        capture_names(e, &n->loop.body, found);
        return;
    case AST_FOR:
        capture_in(e, n->loop.iterable, found);
        capture_names(e, &n->loop.body, found);
        return;
    case AST_WITH:
        for (uint32_t i = 0; i < n->with.items.count; i++)
            capture_in(e, n->with.items.items[i]->with_item.value, found);
        capture_names(e, &n->with.body, found);
        return;
    case AST_DEF:
        capture_names(e, &n->def->body, found);
        return;
    default:
        if (n->kind >= AST_ADD && n->kind <= AST_OR) {
            capture_in(e, n->binary.left, found);
            capture_in(e, n->binary.right, found);
        }
    }
}

static void capture_names(const emitter *e, const ast_list *list, captures *found) {
    for (uint32_t i = 0; i < list->count; i++)
        capture_in(e, list->items[i], found);
}

/* The last statement's value decides the type of a forked body, which states none. */
static function *emit_closure(emitter *e, const ast_def *def, captures found) {
    emitter inner = {0};
    inner.program = e->program;
    inner.function = e->function;
    inner.graph = ir_graph_new(mem_printf("%s.%s", e->function->name, def->name));
    inner.at = inner.graph->block->result;
    inner.return_type = type_basic(TYPE_ANY);
    environment env = {0};
    inner.env = &env;
    schema_argument *arguments = NULL, *returns = NULL;
    for (size_t i = 0; i < shlenu(found); i++) {
        if (found[i].value->kind != SUGAR_VALUE) {
            env_set(&inner, found[i].key, *found[i].value);
            continue;
        }
        schema_argument a = {0};
        a.name = found[i].key;
        a.type = found[i].value->value->type;
        arrput(arguments, a);
        env_set(&inner, found[i].key, sugar_value(ir_graph_add_input(inner.graph, found[i].key, a.type)));
    }
    emit_statements(&inner, &def->body);
    if (!inner.returned)
        ir_block_add_result(inner.graph->block, emit_constant(&inner, const_none(), def->name_range));
    op_schema *s = MEM_NEW(op_schema);
    schema_argument result = {0};
    result.name = "";
    result.type = ir_in(inner.graph->block->result, 0)->type;
    arrput(returns, result);
    s->name = s->full_name = inner.graph->name;
    s->overload = "";
    s->arguments = arguments;
    s->argument_count = (uint32_t)arrlenu(arguments);
    s->returns = returns;
    s->return_count = 1;
    return program_new_function(e->program, inner.graph->name, inner.graph, s);
}

static ir_value *emit_fork(emitter *e, const ast_node *n) {
    sugared target = n->apply.inputs.count ? emit_sugared(e, n->apply.inputs.items[0], NULL) : (sugared){0};
    function *body = NULL;
    ir_value **inputs = NULL;
    if (target.kind == SUGAR_CLOSURE) {
        captures found = NULL;
        capture_names(e, &target.closure->body, &found);
        body = emit_closure(e, target.closure, found);
        for (size_t i = 0; i < shlenu(found); i++)
            if (found[i].value->kind == SUGAR_VALUE)
                arrput(inputs, found[i].value->value);
    } else
        source_fail(n->range, "fork of anything but a nested function is not supported");
    ir_node *fork = emit_node(e, IR_FORK, n->range, type_future(body->schema->returns[0].type));
    fork->callee = body;
    for (size_t i = 0; i < arrlenu(inputs); i++)
        ir_node_add_input(fork, inputs[i]);
    return ir_out(fork, 0);
}

static sugared emit_special(emitter *e, const ast_node *n, const char *name) {
    const ast_list *inputs = &n->apply.inputs;
    if (!strcmp(name, "getattr"))
        return emit_getattr(e, n);
    if (!strcmp(name, "print"))
        return emit_print(e, n);
    if (!strcmp(name, "annotate"))
        return sugar_value(emit_annotate(e, n));
    if (!strcmp(name, "isinstance"))
        return sugar_value(emit_isinstance(e, n));
    if (!strcmp(name, "fork"))
        return sugar_value(emit_fork(e, n));
    if (!inputs->count)
        source_fail(n->range, "%s expects a type", name);
    const type *t = type_of_expression(e->program, inputs->items[0]);
    if (!strcmp(name, "unchecked_cast"))
        return sugar_value(emit_cast(e, n, t));
    return sugar_value(ir_out(emit_node(e, IR_UNINITIALIZED, n->range, t), 0));
}

/* ---- Operators ---- */

/* x.tolist() with the type that the surroundings want: dimensions and element kind as constants. */
static ir_value *emit_tolist(emitter *e, const ast_node *n, ir_value *tensor, const type *hint) {
    if (!hint)
        source_fail(n->range, "Expected type hint for result of tolist()");
    int64_t dims = 0, element;
    const type *t = hint;
    for (; t->kind == TYPE_LIST; t = type_element(t))
        dims++;
    element = t->kind == TYPE_INT ? 0 : t->kind == TYPE_FLOAT ? 1 : t->kind == TYPE_BOOL ? 2 : t->kind == TYPE_COMPLEX ? 3 : -1;
    if (element < 0)
        source_fail(n->range, "%s is not one of the supported element types for tolist: int, float, complex, bool",
                    type_annotation(t));
    ir_value *d = emit_constant(e, const_int(dims), n->range), *k = emit_constant(e, const_int(element), n->range);
    ir_node *list = emit_node(e, IR_TOLIST, n->range, hint);
    list->type_operand = hint;
    ir_node_add_input(list, tensor);
    ir_node_add_input(list, d);
    ir_node_add_input(list, k);
    return ir_out(list, 0);
}

static sugared results_of(emitter *e, ir_node *n) {
    if (!ir_output_count(n))
        return sugar_value(emit_constant(e, const_none(), n->range));
    if (ir_output_count(n) == 1)
        return sugar_value(ir_out(n, 0));
    sugared s = {0};
    s.kind = SUGAR_TUPLE;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        arrput(s.items, sugar_value(ir_out(n, i)));
    return s;
}

/* Operators whose meaning changed: an archive older than `version` means something else by them. */
static void refuse_old_meaning(const emitter *e, const ast_node *n, const char *name) {
    static const struct {
        const char *name;
        int version;
    } changed[] = {{"aten::div", 4}, {"aten::div_", 4}, {"aten::full", 5}, {"aten::linspace", 8}, {"aten::logspace", 9}};
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        if (!strcmp(name, changed[i].name) && e->program->version < changed[i].version)
            source_fail(n->range, "the archive has version %d, in which %s meant something else; this is not supported",
                        e->program->version, name);
}

static sugared emit_raise_operator(emitter *e, const argument_list *a, source_range range) {
    ir_node *n = ir_node_new(e->graph, IR_RAISE_EXCEPTION, 0);
    n->range = range;
    ir_node_add_input(n, a->items[0].value);
    ir_node_add_input(n, a->count > 1 ? a->items[1].value : emit_constant(e, const_none(), range));
    ir_insert_before(e->at, n);
    return sugar_value(emit_constant(e, const_none(), range));
}

static sugared emit_operator_call(emitter *e, const ast_node *n, const sugared *callee, const type *hint) {
    if (!strcmp(callee->name, "aten::tolist"))
        return sugar_value(emit_tolist(e, n, callee->value, hint));
    argument_list a = emit_arguments(e, n, callee->value);
    if (!strcmp(callee->name, "prim::RaiseException") && a.count)
        return emit_raise_operator(e, &a, n->range);
    if (!strcmp(callee->name, "aten::wait") && a.count == 1 && a.items[0].value->type->kind == TYPE_FUTURE) {
        ir_node *wait = emit_node(e, IR_WAIT, n->range, a.items[0].value->type->items[0]);
        ir_node_add_input(wait, a.items[0].value);
        return sugar_value(ir_out(wait, 0));
    }
    refuse_old_meaning(e, n, callee->name);
    return results_of(e, schema_call(callee->name, e->at, n->range, a.items, a.count));
}

/* ---- Functions, methods, classes ---- */

static ir_node *call_with_schema(emitter *e, const ast_node *n, ir_kind kind, const op_schema *s, const argument_list *a) {
    strbuf why = {0};
    schema_match *match = schema_try(s, e->at, n->range, NULL, a->items, a->count, true, &why);
    if (!match)
        source_fail(n->range, "\n%s:\n%s", schema_text(s), strbuf_text(&why));
    ir_node *call = emit_node(e, kind, n->range, match->returns[0]);
    for (size_t i = 0; i < arrlenu(match->inputs); i++)
        ir_node_add_input(call, match->inputs[i]);
    return call;
}

static sugared emit_function_call(emitter *e, const ast_node *n, function *f) {
    argument_list a = emit_arguments(e, n, NULL);
    ir_node *call = call_with_schema(e, n, IR_CALL_FUNCTION, f->schema, &a);
    call->callee = f;
    return sugar_value(ir_out(call, 0));
}

static sugared emit_method_call(emitter *e, const ast_node *n, ir_value *self, const char *name) {
    bool is_interface = self->type->kind == TYPE_INTERFACE;
    function *f = class_find_method(self->type->definition, name);
    argument_list a = emit_arguments(e, n, self);
    op_schema schema = *f->schema;
    ir_node *call;
    if (is_interface) {
        schema_argument *arguments = NULL; /* self is of the interface's type */
        for (uint32_t i = 0; i < schema.argument_count; i++)
            arrput(arguments, schema.arguments[i]);
        arguments[0].type = self->type;
        schema.arguments = arguments;
    }
    call = call_with_schema(e, n, is_interface ? IR_INTERFACE_CALL : IR_CALL_METHOD, &schema, &a);
    call->attribute = name;
    call->callee = is_interface ? NULL : f;
    return sugar_value(ir_out(call, 0));
}

static sugared emit_construct(emitter *e, const ast_node *n, class_def *c) {
    if (c->kind == TYPE_TUPLE) {
        argument_list a = emit_arguments(e, n, NULL);
        if (a.count != c->type->count)
            source_fail(n->range, "%s expects %u values but found %u", c->name, c->type->count, a.count);
        ir_node *tuple = emit_node(e, IR_TUPLE_CONSTRUCT, n->range, c->type);
        for (uint32_t i = 0; i < a.count; i++)
            ir_node_add_input(tuple, as_type(e, a.items[i].value, c->type->items[i], n->range));
        /* Conversions stand before the tuple. */
        ir_move_before(e->at, tuple);
        return sugar_value(ir_out(tuple, 0));
    }
    if (c->kind == TYPE_ENUM)
        source_fail(n->range, "Enum values are not constructed: %s", c->name);
    source_fail(n->range, "Cannot instantiate class '%s' in a script function", c->name);
}

sugared emit_apply(emitter *e, const ast_node *n, const type *hint) {
    sugared callee = emit_sugared(e, n->apply.callee, NULL);
    switch (callee.kind) {
    case SUGAR_SPECIAL:
        return emit_special(e, n, callee.name);
    case SUGAR_OPERATOR:
        return emit_operator_call(e, n, &callee, hint);
    case SUGAR_FUNCTION:
        return emit_function_call(e, n, callee.function);
    case SUGAR_METHOD:
        return emit_method_call(e, n, callee.value, callee.name);
    case SUGAR_CLASS:
        return emit_construct(e, n, callee.class_def);
    case SUGAR_NEW:
        return sugar_value(ir_out(emit_node(e, IR_CREATE_OBJECT, n->range, callee.class_def->type), 0));
    case SUGAR_PATH:
        source_fail(n->range, "undefined value %s", callee.name);
    default:
        source_fail(n->range, "'%s' object is not callable",
                    callee.kind == SUGAR_VALUE ? type_annotation(callee.value->type) : callee.name ? callee.name : "this");
    }
}
