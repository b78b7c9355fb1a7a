/* Hooks of the module that is called from outside: a function that calls them around the method. */
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

typedef struct {
    ir_graph *graph;
    ir_value *self, **arguments; /* stb_ds array */
} hooked_call;

/* What PyTorch checks when a hook is scripted holds for archives only if nobody changed them. */
static void check_inputs(const function *f, ir_value *const *inputs, uint32_t count) {
    bool fits = f->schema->argument_count == count + 1;
    for (uint32_t i = 0; i < count && fits; i++)
        fits = type_is_subtype(inputs[i]->type, f->schema->arguments[i + 1].type, NULL);
    if (!fits)
        diag_fail("%s does not take the arguments with which it is called as a hook, or behind one", f->name);
}

static ir_value *call_method(const hooked_call *h, function *f, ir_value *const *inputs, uint32_t count) {
    ir_node *n = ir_node_new(h->graph, IR_CALL_METHOD, 1);
    function_graph(f); /* compiles f, which determines its return type */
    check_inputs(f, inputs, count);
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

function *hooked_forward(program *p, class_def *c, function *forward) {
    function **before = listed_methods(c, "__forward_pre_hooks__"), **after = listed_methods(c, "__forward_hooks__");
    if (!arrlenu(before) && !arrlenu(after))
        return forward;
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
    for (size_t i = 0; i < arrlenu(before); i++) {
        ir_value *tuple = argument_tuple(&h);
        replace_arguments(&h, call_method(&h, before[i], &tuple, 1));
    }
    ir_value *result = call_method(&h, forward, h.arguments, (uint32_t)arrlenu(h.arguments));
    for (size_t i = 0; i < arrlenu(after); i++) {
        ir_value *inputs[] = {argument_tuple(&h), result}, *returned = call_method(&h, after[i], inputs, 2);
        result = returned->type->kind == TYPE_NONE ? result : returned;
    }
    ir_block_add_result(h.graph->block, result);
    function *f = program_new_function(p, mem_printf("%s.with_hooks", forward->name), h.graph, forward->schema);
    f->base_name = forward->base_name;
    f->without_hooks = forward;
    f->owner = c;
    return f;
}
