/* Inputs and outputs of the graph, in the order of their specs; arguments and results as trees. */
#include "exporter/export/signature.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/export/guards.h"
#include "exporter/export/pytree.h"

/* ---- The parts of the file ---- */

static json specs_of(const export_file *f, const char *which) {
    json signature = json_need(json_need(f->program, "graph_module"), "signature");
    return json_array(json_need(signature, which));
}

/* How forward itself is called: the entry of the module call graph whose name is empty. */
static json call_signature(const export_file *f) {
    json entries = json_array(json_need(json_need(f->program, "graph_module"), "module_call_graph"));
    JSON_EACH(entry, entries) {
        if (json_is(json_need(entry, "fqn"), ""))
            return json_need(entry, "signature");
    }
    json_fail(entries, "the program's own signature is missing");
}

/* ---- Tensors of the module ---- */

/* The value of one of the program's tensors in its graph. */
static ir_value *read_tensor(const export_file *f, module_tree *m, const translation *t, json name) {
    return module_tree_read(m, mem_printf("%s%s", f->prefix, json_string(name)), t->at);
}

/* Kinds of inputs that are tensors or objects of the module; the member that holds the name; where the tensor is. */
static const struct {
    const char *kind, *name;
    attribute_role role;
} tensor_inputs[] = {
    {"parameter", "parameter_name", ATTRIBUTE_PARAMETER},
    {"buffer", "buffer_name", ATTRIBUTE_BUFFER},
    {"tensor_constant", "tensor_constant_name", ATTRIBUTE_CONSTANT},
    {"custom_obj", "custom_obj_name", ATTRIBUTE_CONSTANT},
};

/* The row of a kind; -1 when it is no tensor of the module. */
static int tensor_input(const char *kind) {
    for (size_t i = 0; i < sizeof tensor_inputs / sizeof *tensor_inputs; i++)
        if (!strcmp(tensor_inputs[i].kind, kind))
            return (int)i;
    return -1;
}

void signature_add_tensors(export_file *f, module_tree *m) {
    JSON_EACH(spec, specs_of(f, "input_specs")) {
        json value;
        int row = tensor_input(argument_kind(spec, &value));
        if (row < 0)
            continue;
        json named = json_need(value, tensor_inputs[row].name);
        const char *name = json_string(named);
        pkl_value *tensor = shget(f->weights, name);
        if (!tensor)
            tensor = shget(f->constants, name);
        if (!tensor)
            json_fail(named, "the file has no tensor '%s'", name);
        module_tree_add(m, mem_printf("%s%s", f->prefix, name), tensor, tensor_inputs[row].role);
    }
}

/* ---- Arguments ---- */

/* The leaf of an argument: a value of the graph, or a constant with which the program was exported. */
static const type *leaf_type(const char *kind, json value) {
    json inner;
    const char *inner_kind =
        argument_kind(!strcmp(kind, "user_input") ? json_need(value, "arg") : json_need(value, "value"), &inner);
    static const struct {
        const char *kind;
        type_kind type;
    } types[] = {
        {"as_tensor", TYPE_TENSOR}, {"as_sym_int", TYPE_INT},     {"as_int", TYPE_INT},
        {"as_float", TYPE_FLOAT},   {"as_sym_float", TYPE_FLOAT}, {"as_bool", TYPE_BOOL},
        {"as_sym_bool", TYPE_BOOL}, {"as_string", TYPE_STR},      {"as_none", TYPE_NONE},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].kind, inner_kind))
            return type_basic(types[i].type);
    if (!strcmp(inner_kind, "as_custom_obj"))
        json_fail(value, "an argument is an object of class %s; objects of C++ classes are not supported",
                  json_string(json_need(inner, "class_fqn")));
    json_fail(value, "an argument of kind '%s' is not supported", inner_kind);
}

/* Fails for inputs that are neither tensors nor arguments. */
static bool is_argument(json spec, const char *kind) {
    bool is_one = !strcmp(kind, "user_input") || !strcmp(kind, "constant_input");
    if (!is_one && strcmp(kind, "token") && tensor_input(kind) < 0)
        json_fail(spec, "an input of kind '%s' is not supported", kind);
    return is_one;
}

static void add_argument(translation *t, op_schema *schema, const char *name, const type *made) {
    schema_argument a = {.name = intern(name), .type = made};
    ir_graph_add_input(t->at->graph, a.name, made);
    arrput(schema->arguments, a);
    schema->argument_count = (uint32_t)arrlenu(schema->arguments);
}

/* The name of the i-th argument: the author's when the file has it. */
static const char *argument_label(json names, uint32_t i) {
    if (json_is_array(names)) {
        uint32_t at = 0;
        JSON_EACH(name, names) {
            if (at++ == i)
                return json_string(name);
        }
    }
    return mem_printf("arg%u", i);
}

/* How forward is called: a tuple of arguments and a dict of keyword arguments. */
static const pytree *read_call(json call, size_t leaves) {
    const pytree *all = pytree_read(json_need(call, "in_spec"));
    if (arrlenu(all->children) != 2 || all->children[0]->kind != PYTREE_TUPLE || all->children[1]->kind != PYTREE_DICT)
        json_fail(call, "the arguments are not a tuple and a dict");
    if (pytree_leaves(all) != leaves)
        json_fail(call, "the arguments have %zu parts; the graph takes %zu", pytree_leaves(all), leaves);
    return all;
}

/* Adds an argument for each tree of arguments and of keyword arguments. */
static pytree_leaf_list add_arguments(export_file *f, translation *t, op_schema *schema, const type **leaf_types) {
    json call = call_signature(f), names = json_find(call, "forward_arg_names");
    const pytree *all = read_call(call, arrlenu(leaf_types));
    const type *const *next = leaf_types, *const *taken = leaf_types;
    pytree_leaf_list leaves = {0};
    uint32_t count = 0;
    for (size_t part = 0; part < 2; part++)
        for (size_t i = 0; i < arrlenu(all->children[part]->children); i++, count++) {
            const pytree *tree = all->children[part]->children[i];
            const char *label = part ? all->children[1]->keys[i] : argument_label(names, count);
            add_argument(t, schema, label, pytree_type(tree, &next));
            const ir_block *body = t->at->graph->block;
            pytree_take_apart(tree, body->param->outputs[ir_output_count(body->param) - 1], t, &taken, &leaves,
                              part ? mem_printf("'%s'", label) : mem_printf("*args[%zu]", i));
        }
    return leaves;
}

/* Guards one part of the arguments, and names it as the graph does. */
static void define_leaf(translation *t, guards *g, const char *kind, json value, ir_value *v, const char *path) {
    json argument = json_need(value, !strcmp(kind, "user_input") ? "arg" : "value");
    json name = argument_name(argument);
    if (name.text)
        value_define(t, name, v);
    if (name.text && v->type->kind == TYPE_TENSOR)
        guards_check_tensor(g, name, v, path);
    else if (!name.text)
        guards_check_constant(g, argument, v, path);
}

void signature_inputs(export_file *f, module_tree *m, translation *t, op_schema *schema) {
    json specs = specs_of(f, "input_specs");
    const type **leaf_types = NULL;
    JSON_EACH(spec, specs) {
        json value;
        const char *kind = argument_kind(spec, &value);
        if (is_argument(spec, kind))
            arrput(leaf_types, leaf_type(kind, value));
    }
    const pytree_leaf_list leaves = add_arguments(f, t, schema, leaf_types);
    json graph = json_need(json_need(f->program, "graph_module"), "graph");
    guards *g = guards_new(t, json_need(f->program, "range_constraints"), json_need(graph, "tensor_values"));
    size_t next = 0;
    JSON_EACH(spec, specs) {
        json value;
        const char *kind = argument_kind(spec, &value);
        int row = tensor_input(kind);
        if (row >= 0)
            value_define(t, json_need(json_need(value, "arg"), "name"),
                         read_tensor(f, m, t, json_need(value, tensor_inputs[row].name)));
        else if (is_argument(spec, kind)) {
            define_leaf(t, g, kind, value, leaves.values[next], leaves.paths[next]);
            next++;
        }
    }
    f->has_static_shapes = guards_are_static(g);
    f->largest_sizes = guards_largest_sizes(g, &f->corners);
}

/* ---- Results ---- */

static void insert_copy(translation *t, ir_value *to, ir_value *from) {
    ir_value *arguments[] = {to, from};
    insert_call(t, "aten::copy_", arguments, 2);
}

/* Stores the new value of a buffer, a parameter or an argument; returns whether the output is one. */
static bool store_change(const export_file *f, module_tree *m, translation *t, const char *kind, json value) {
    static const struct {
        const char *kind, *name;
    } changes[] = {{"buffer_mutation", "buffer_name"},
                   {"parameter_mutation", "parameter_name"},
                   {"user_input_mutation", "user_input_name"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (strcmp(changes[i].kind, kind))
            continue;
        json name = json_need(value, changes[i].name);
        ir_value *made = value_named(t, json_need(json_need(value, "arg"), "name"));
        insert_copy(t, i == 2 ? value_named(t, name) : read_tensor(f, m, t, name), made);
        return true;
    }
    return false;
}

static void add_result(translation *t, op_schema *schema, const pytree *tree, ir_value *const *leaves) {
    ir_value *const *next = leaves;
    ir_value *made = pytree_build(tree, &next, t->at);
    schema_argument result = {.name = "", .type = made->type};
    arrput(schema->returns, result);
    schema->return_count = 1;
    ir_block_add_result(t->at->graph->block, made);
}

void signature_outputs(export_file *f, module_tree *m, translation *t, op_schema *schema) {
    ir_value **leaves = NULL;
    JSON_EACH(spec, specs_of(f, "output_specs")) {
        json value;
        const char *kind = argument_kind(spec, &value);
        if (!strcmp(kind, "user_output"))
            arrput(leaves, argument_value(t, json_need(value, "arg"), NULL));
        else if (!strcmp(kind, "loss_output"))
            arrput(leaves, value_named(t, json_need(json_need(value, "arg"), "name")));
        else if (!store_change(f, m, t, kind, value) && strcmp(kind, "token"))
            json_fail(spec, "an output of kind '%s' is not supported", kind);
    }
    json call = call_signature(f);
    const pytree *tree = pytree_read(json_need(call, "out_spec"));
    if (pytree_leaves(tree) != arrlenu(leaves))
        json_fail(call, "the result has %zu parts; the graph returns %zu", pytree_leaves(tree), arrlenu(leaves));
    add_result(t, schema, tree, leaves);
}
