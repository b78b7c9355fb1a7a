/* Training mode: setting `training` of modules to False, and the warning about operators that still train. */
#include "exporter/passes/training_mode.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/passes/analysis/guarded_branch.h"
#include "exporter/passes/pipeline.h"

/* ---- eval() ---- */

typedef struct {
    const ir_constant *key;
    bool value;
} visited_constant;

static void turn_off(ir_constant *c, visited_constant **visited) {
    stack_check();
    bool has_items =
        c->kind == CONST_OBJECT || c->kind == CONST_LIST || c->kind == CONST_TUPLE || c->kind == CONST_DICT;
    if (!has_items || hmgeti(*visited, c) >= 0)
        return;
    hmput(*visited, c, true);
    const class_def *d = c->kind == CONST_OBJECT ? c->type->definition : NULL;
    int slot = d && d->is_module ? class_find_attribute(d, "training") : -1;
    if (slot >= 0 && c->list.items[slot]->kind == CONST_BOOL)
        c->list.items[slot] = const_bool(false);
    for (uint32_t i = 0; i < c->list.count; i++)
        turn_off(c->list.items[i], visited);
}

void training_turn_off(ir_constant *module) {
    visited_constant *visited = NULL;
    if (module)
        turn_off(module, &visited);
}

/* ---- The warning ---- */

/* The argument of one of two names; NULL: there is none. */
static const ir_value *argument_named(const ir_node *n, const char *name, const char *or_name) {
    for (uint32_t i = 0; i < n->schema->argument_count && i < ir_input_count(n); i++)
        if (!strcmp(n->schema->arguments[i].name, name) || !strcmp(n->schema->arguments[i].name, or_name))
            return ir_in(n, i);
    return NULL;
}

static bool is_zero(const ir_value *v) {
    const ir_constant *c = v ? ir_constant_of(v) : NULL;
    return c && c->kind == CONST_FLOAT && c->real == 0;
}

/* Whether n may train: it is not known to be off, nor its probability, if it has one, to be 0. */
static bool trains(const ir_node *n) {
    if (!schema_has_trait(n->schema, TRAIT_TRAINS))
        return false;
    bool flag;
    const ir_value *v = argument_named(n, "train", "training");
    bool is_off = v && ir_constant_bool(v, &flag) && !flag;
    return v && !is_off && !is_zero(argument_named(n, "p", "dropout"));
}

/* Layers with packed weights, or narrow ones, are called as those that they were made of. */
static const char *name_of(const ir_node *n) {
    const char *name = n->schema->name;
    if (strncmp(name, "tsm::", 5))
        return name;
    name += 5;
    return mem_printf("aten::%s", strncmp(name, "narrow_", 7) ? name : name + 7);
}

/* Adds the names of operators that may train. */
static void collect_trained(const ir_block *b, const char ***names) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = is_guarded_branch(n); i < arrlenu(n->blocks); i++)
            collect_trained(n->blocks[i], names);
        if (trains(n))
            arrput(*names, name_of(n));
    }
}

static const char **all_trained(function *const *functions) {
    const char **names = NULL;
    for (size_t i = 0; i < arrlenu(functions); i++)
        collect_trained(function_graph(functions[i])->block, &names);
    return names;
}

/* Makes calls of methods of calls through interfaces, where the object is known, and calls of forks, whose results are
 * lost. */
static void open_calls(ir_graph *g) {
    ir_node **calls = NULL, **forks = NULL;
    ir_collect_nodes(g->block, IR_INTERFACE_CALL, &calls);
    ir_collect_nodes(g->block, IR_FORK, &forks);
    for (size_t i = 0; i < arrlenu(calls); i++) {
        const ir_constant *object = ir_constant_of(ir_in(calls[i], 0));
        if (!object || object->kind != CONST_OBJECT)
            continue;
        calls[i]->kind = IR_CALL_METHOD;
        calls[i]->callee = class_find_method(object->type->definition, calls[i]->attribute);
    }
    for (size_t i = 0; i < arrlenu(forks); i++) {
        ir_node *future = ir_node_new(g, IR_UNINITIALIZED, 1);
        ir_out(future, 0)->type = ir_out(forks[i], 0)->type;
        ir_insert_before(forks[i], future);
        ir_replace_uses(ir_out(forks[i], 0), ir_out(future, 0));
        function_insert_call(forks[i], forks[i]->callee, forks[i]->inputs, arrlenu(forks[i]->inputs));
        ir_destroy(forks[i]);
    }
}

/* The functions with branches decided by what is known of the module, whatever the level of optimization was. */
static function **decide_branches(program *p, function *const *entries) {
    static const pipeline_options options = {.level = 1};
    pipeline_run_pass("inline_calls", p, entries, options);
    return pipeline_run_pass("simplify", p, entries, options);
}

void training_warn(program *p, function *const *entries, function *const *functions) {
    if (!arrlenu(all_trained(functions)))
        return;
    functions = decide_branches(p, entries);
    for (size_t i = 0; i < arrlenu(functions); i++)
        open_calls(function_graph(functions[i]));
    const char **names = all_trained(decide_branches(p, entries));
    for (size_t i = 0; i < arrlenu(names); i++)
        diag_warn("%s runs in training mode; --eval exports the module as after module.eval()", names[i]);
}
