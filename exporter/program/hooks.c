/* Hooks of modules: a function that calls them around the method. */
#include "exporter/program/hooks.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/program/program_internal.h"

/* The methods that a class variable lists: __forward_hooks__ = ["first", "second", ]. */
static function **listed_methods(const class_def *c, const char *variable) {
    function **methods = NULL;
    for (uint32_t i = 0; c->syntax && i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind != AST_ASSIGN || n->assign.targets.items[0]->kind != AST_VAR || !n->assign.value ||
            strcmp(n->assign.targets.items[0]->name, variable) != 0 || n->assign.value->kind != AST_LIST)
            continue;
        for (uint32_t k = 0; k < n->assign.value->sequence.count; k++) {
            const ast_node *name = n->assign.value->sequence.items[k];
            function *f = name->kind == AST_STRING ? class_find_method(c, intern(name->string.bytes)) : NULL;
            if (!f)
                diag_fail("%s of %s names a method that is not there", variable, c->name);
            arrput(methods, f);
        }
    }
    return methods;
}

static function **hooks_of(class_def *c, bool before) {
    if (c->lazy_methods)
        return c->lazy_methods->hooks(c, before);
    return listed_methods(c, before ? "__forward_pre_hooks__" : "__forward_hooks__");
}

function *first_hook(class_def *c) {
    function **before = hooks_of(c, true), **after = hooks_of(c, false);
    return arrlenu(before) ? before[0] : arrlenu(after) ? after[0] : NULL;
}

/* ---- What hooks may take and return ---- */

typedef struct {
    const function *hook, *forward;
    const type *output; /* what comes out before the hook is called; NULL: it is called before forward */
} hook_check;

/* Tuple[Tensor, int] */
static const char *inputs_text(const function *forward) {
    strbuf text = {0};
    for (uint32_t i = 1; i < forward->schema->argument_count; i++)
        strbuf_printf(&text, "%s%s", i > 1 ? ", " : "", type_annotation(forward->schema->arguments[i].type));
    return mem_printf("Tuple[%s]", text.length ? text.text : "()");
}

/* Ends with what the author may do about it, in PyTorch's words. */
_Noreturn static void refuse_hook(const hook_check *h, const char *why) {
    const char *name = h->hook->base_name, *module = strrchr(h->forward->owner->name, '.') + 1;
    const char *inputs = inputs_text(h->forward);
    const source_range range = h->hook->syntax->name_range;
    if (h->output)
        source_fail(
            range,
            "Hook '%s' on module '%s' %s\nThis error occurred while scripting the forward hook '%s' on module %s. "
            "If you did not want to script this hook remove it from the original NN module before scripting. This "
            "hook was expected to have the following signature: %s(self, input: %s, output: %s). The type of the "
            "output arg is the returned type from either the forward method or the previous hook if it exists. "
            "Note that hooks can return anything, but if the hook is on a submodule the outer module is expecting "
            "the same return type as the submodule's forward.",
            name, module, why, name, module, name, inputs, type_annotation(h->output));
    const char *returned =
        h->forward->schema->argument_count == 2
            ? mem_printf("'None', '%s', or '%s'", type_annotation(h->forward->schema->arguments[1].type), inputs)
            : mem_printf("'None' or '%s'", inputs);
    source_fail(
        range,
        "Pre-hook '%s' on module '%s' %s\nThis error occurred while scripting the forward pre-hook '%s' on module "
        "'%s'. If you did not want to script this pre-hook remove it from the original NN module before scripting. "
        "Pre-hooks for module '%s' are expected to have the following signature: %s(self, input: %s) with a return "
        "type of either %s.",
        name, module, why, name, module, module, name, inputs, returned);
}

/* Whether a tuple holds exactly what forward takes, and as many. */
static bool has_input_types(const type *tuple, const function *forward) {
    for (uint32_t i = 0; i < tuple->count; i++)
        if (tuple->items[i] != forward->schema->arguments[i + 1].type)
            return false;
    return true;
}

static bool has_input_count(const type *tuple, const function *forward) {
    return tuple->count + 1 == forward->schema->argument_count;
}

static void check_returned(const hook_check *h) {
    const type *t = h->hook->schema->returns[0].type;
    const op_schema *forward = h->forward->schema;
    const char *wrong = mem_printf("returned the wrong type of: '%s'.", type_annotation(t));
    if (t->kind == TYPE_NONE)
        return;
    if (forward->argument_count == 2 && forward->arguments[1].type == t) {
        if (t->kind == TYPE_TUPLE)
            refuse_hook(h,
                        mem_printf("%s When forward has a single tuple input argument, the return needs to be 'None' "
                                   "or a nested tuple containing forward's input tuple argument as in: 'Tuple[%s]'.",
                                   wrong, type_annotation(t)));
        return;
    }
    if (t->kind != TYPE_TUPLE)
        refuse_hook(h, wrong);
    if (!has_input_count(t, h->forward))
        refuse_hook(h, mem_printf("%s The returned tuple contains the wrong number of contained types.", wrong));
    if (!has_input_types(t, h->forward))
        refuse_hook(h, mem_printf("%s The returned tuple contains the wrong inner types.", wrong));
}

static void check_hook(const hook_check *h) {
    const op_schema *s = h->hook->schema;
    const uint32_t wanted = h->output ? 3 : 2;
    if (s->argument_count != wanted)
        refuse_hook(h, mem_printf("was expected to only have exactly %u inputs but it had %u inputs.", wanted,
                                  s->argument_count));
    const type *input = s->arguments[1].type;
    if (input->kind != TYPE_TUPLE)
        refuse_hook(h, mem_printf("expected the input argument to be typed as a Tuple but found type: '%s' instead.",
                                  type_annotation(input)));
    if (!has_input_count(input, h->forward))
        refuse_hook(h, mem_printf("has the wrong number of contained types for the input argument's Tuple. Received "
                                  "type: '%s'.",
                                  type_annotation(input)));
    if (!has_input_types(input, h->forward))
        refuse_hook(h, mem_printf("has the wrong inner types for the input tuple argument. Received type: '%s'.",
                                  type_annotation(input)));
    if (!h->output)
        check_returned(h);
    else if (s->arguments[2].type != h->output)
        refuse_hook(h, mem_printf("has the wrong type for the output argument. Received type: '%s'. Expected type: "
                                  "'%s'.",
                                  type_annotation(s->arguments[2].type), type_annotation(h->output)));
}

/* ---- The call ---- */

typedef struct {
    ir_graph *graph;
    ir_value *self, **arguments; /* stb_ds array */
} hooked_call;

static ir_value *call_method(const hooked_call *h, function *f, ir_value *const *inputs, uint32_t count) {
    ir_node *n = ir_node_new(h->graph, IR_CALL_METHOD, 1);
    n->callee = f;
    n->attribute = f->base_name;
    n->outputs[0]->type = f->schema->returns[0].type;
    ir_node_add_input(n, h->self);
    for (uint32_t i = 0; i < count; i++)
        ir_node_add_input(n, inputs[i]);
    ir_append(h->graph->block, n);
    return n->outputs[0];
}

static ir_value *argument_tuple(const hooked_call *h) {
    const type **types = NULL;
    ir_node *n = ir_node_new(h->graph, IR_TUPLE_CONSTRUCT, 1);
    for (size_t i = 0; i < arrlenu(h->arguments); i++) {
        arrput(types, h->arguments[i]->type);
        ir_node_add_input(n, h->arguments[i]);
    }
    n->outputs[0]->type = type_tuple(types, (uint32_t)arrlenu(types));
    ir_append(h->graph->block, n);
    return n->outputs[0];
}

/* The value that a pre-hook returned replaces the arguments: by the items of a tuple, or by a single value. */
static void replace_arguments(hooked_call *h, ir_value *returned) {
    const type *t = returned->type;
    if (t->kind == TYPE_NONE)
        return;
    h->arguments = NULL;
    if (t->kind != TYPE_TUPLE) {
        arrput(h->arguments, returned);
        return;
    }
    ir_node *n = ir_node_new(h->graph, IR_TUPLE_UNPACK, t->count);
    ir_node_add_input(n, returned);
    for (uint32_t i = 0; i < t->count; i++) {
        n->outputs[i]->type = t->items[i];
        arrput(h->arguments, n->outputs[i]);
    }
    ir_append(h->graph->block, n);
}

/* `output` as in hook_check. */
static ir_value *call_hook(const hooked_call *h, function *hook, const function *forward, ir_value *output) {
    function_graph(hook); /* compiles it, which determines its return type */
    check_hook(&(hook_check){hook, forward, output ? output->type : NULL});
    ir_value *inputs[] = {argument_tuple(h), output};
    return call_method(h, hook, inputs, output ? 2 : 1);
}

/* The schema of forward, with what is returned behind the hooks. */
static op_schema *hooked_schema(const op_schema *forward, const type *returned) {
    op_schema *s = MEM_NEW(op_schema);
    schema_argument *result = MEM_NEW(schema_argument);
    *s = *forward;
    *result = forward->returns[0];
    result->type = returned;
    s->returns = result;
    s->text = NULL;
    return s;
}

static function *make_hooked(class_def *c, function *forward) {
    function **before = hooks_of(c, true), **after = hooks_of(c, false);
    function_graph(forward);
    hooked_call h = {.graph = ir_graph_new(forward->name)};
    for (uint32_t i = 0; i < forward->schema->argument_count; i++) {
        const schema_argument *a = &forward->schema->arguments[i];
        ir_value *v = ir_graph_add_input(h.graph, a->name, a->type);
        if (i)
            arrput(h.arguments, v);
        else
            h.self = v;
    }
    for (size_t i = 0; i < arrlenu(before); i++)
        replace_arguments(&h, call_hook(&h, before[i], forward, NULL));
    ir_value *result = call_method(&h, forward, h.arguments, (uint32_t)arrlenu(h.arguments));
    for (size_t i = 0; i < arrlenu(after); i++) {
        ir_value *returned = call_hook(&h, after[i], forward, result);
        result = returned->type->kind == TYPE_NONE ? result : returned;
    }
    ir_block_add_result(h.graph->block, result);
    function *f = program_new_function(forward->program, mem_printf("%s.with_hooks", forward->name), h.graph,
                                       hooked_schema(forward->schema, result->type));
    f->base_name = forward->base_name;
    f->without_hooks = forward;
    f->owner = c;
    return f;
}

function *hooked_forward(class_def *c, function *forward) {
    if (!first_hook(c))
        return forward;
    if (!c->hooked_forward)
        c->hooked_forward = make_hooked(c, forward);
    return c->hooked_forward;
}
