/* Training mode: setting `training` of modules to False, and the warning about operators that still train. */
#include "exporter/passes/training_mode.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/passes/analysis/guarded_branch.h"

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

static void warn_block(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = is_guarded_branch(n); i < arrlenu(n->blocks); i++)
            warn_block(n->blocks[i]);
        if (trains(n))
            diag_warn("%s runs in training mode; --eval exports the module as after module.eval()", n->schema->name);
    }
}

void training_warn(function *const *functions) {
    for (size_t i = 0; i < arrlenu(functions); i++)
        warn_block(function_graph(functions[i])->block);
}
