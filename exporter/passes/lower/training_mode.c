#include "exporter/passes/lower/training_mode.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/passes/specialize/guard_entry.h"

/* ---- eval() ---- */

typedef struct {
    const ir_constant *key;
    bool value;
} visited_constant;

static void turn_off(ir_constant *c, visited_constant **visited) {
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

/* Operators with an argument that says whether they train, and their argument of a probability (NULL: none) that makes
 * no difference when it is 0. */
static const struct {
    const char *name, *flag, *probability;
} trained[] = {
    {"aten::dropout", "train", "p"},
    {"aten::dropout_", "train", "p"},
    {"aten::feature_dropout", "train", "p"},
    {"aten::feature_dropout_", "train", "p"},
    {"aten::alpha_dropout", "train", "p"},
    {"aten::alpha_dropout_", "train", "p"},
    {"aten::feature_alpha_dropout", "train", "p"},
    {"aten::feature_alpha_dropout_", "train", "p"},
    {"aten::batch_norm", "training", NULL},
    {"aten::native_batch_norm", "training", NULL},
    {"aten::rrelu", "training", NULL},
    {"aten::rrelu_", "training", NULL},
    {"aten::native_dropout", "train", "p"},
    {"aten::rrelu_with_noise", "training", NULL},
    {"aten::lstm", "train", "dropout"},
    {"aten::gru", "train", "dropout"},
    {"aten::rnn_tanh", "train", "dropout"},
    {"aten::rnn_relu", "train", "dropout"},
};

static const ir_value *argument_named(const ir_node *n, const char *name) {
    for (uint32_t i = 0; name && i < n->schema->argument_count && i < ir_input_count(n); i++)
        if (!strcmp(n->schema->arguments[i].name, name))
            return ir_in(n, i);
    return NULL;
}

static bool is_zero(const ir_value *v) {
    const ir_constant *c = v ? ir_constant_of(v) : NULL;
    return c && c->kind == CONST_FLOAT && c->real == 0;
}

static bool trains(const ir_node *n) {
    for (size_t i = 0; n->schema && i < sizeof trained / sizeof *trained; i++) {
        if (strcmp(trained[i].name, n->schema->name))
            continue;
        bool flag;
        const ir_value *v = argument_named(n, trained[i].flag);
        bool is_off = v && ir_constant_bool(v, &flag) && !flag;
        return v && !is_off && !is_zero(argument_named(n, trained[i].probability));
    }
    return false;
}

static void warn_block(const ir_block *b) {
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
