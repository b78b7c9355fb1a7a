/* Looks for tensors in constants, in lists of them, and in the module. */
#include "exporter/passes/analysis/tensor_uses.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"

typedef struct {
    mutation *mutation;
    tensor_uses uses;
    struct {
        const ir_constant *key;
        bool value;
    } * visited;
} finder;

bool tensor_is_same(const pt_tensor *a, const pt_tensor *b) {
    return a == b ||
           (a->storage == b->storage && a->offset == b->offset && a->dtype == b->dtype && a->layout == b->layout &&
            a->ndim == b->ndim && !memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) &&
            !memcmp(a->strides, b->strides, (size_t)a->ndim * sizeof *a->strides));
}

void tensor_uses_put(tensor_uses *table, tensor_use u) {
    tensor_use *uses = hmget(*table, u.tensor->storage);
    arrput(uses, u);
    hmput(*table, u.tensor->storage, uses);
}

static void add_use(finder *c, const pt_tensor *t, ir_node *user, uint32_t index, const function *owner) {
    tensor_use u = {t, user, index, owner};
    if (t->layout == PT_STRIDED)
        tensor_uses_put(&c->uses, u);
}

/* What a constant contains is needed all the time. */
static void keep_tensors(finder *c, const ir_constant *k) {
    stack_check();
    if (k->kind == CONST_TENSOR) {
        add_use(c, k->tensor, NULL, 0, NULL);
        return;
    }
    bool has_items =
        k->kind == CONST_OBJECT || k->kind == CONST_LIST || k->kind == CONST_TUPLE || k->kind == CONST_DICT;
    if (!has_items || hmgeti(c->visited, k) >= 0)
        return;
    hmput(c->visited, k, true);
    for (uint32_t i = 0; i < k->list.count; i++)
        keep_tensors(c, k->list.items[i]);
}

static void add_uses_of(finder *c, const ir_constant *k, const ir_value *v, const function *owner) {
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_use *u = &v->uses[i];
        if (u->user->kind == IR_IS || u->user->kind == IR_IS_NOT ||
            (u->user->schema && operator_writes(u->user, u->index)))
            keep_tensors(c, k);
        else if (k->kind == CONST_TENSOR)
            add_use(c, k->tensor, u->user, u->index, owner);
        else
            for (uint32_t item = 0; item < k->list.count; item++)
                if (k->list.items[item]->kind == CONST_TENSOR)
                    add_use(c, k->list.items[item]->tensor, u->user, u->index, owner);
                else
                    keep_tensors(c, k->list.items[item]);
    }
}

static void add_uses_in(finder *c, const ir_block *b, const function *owner) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            add_uses_in(c, n->blocks[i], owner);
        if (n->kind != IR_CONSTANT || !n->constant)
            continue;
        const ir_value *v = ir_out(n, 0);
        const bool is_replaceable = n->constant->kind == CONST_TENSOR || n->constant->kind == CONST_LIST;
        if (is_replaceable && !mutation_changes_elements(c->mutation, v))
            add_uses_of(c, n->constant, v, owner);
        else
            keep_tensors(c, n->constant);
    }
}

tensor_uses tensor_uses_find(const weight_scope *scope) {
    finder f = {.mutation = scope->mutation};
    if (scope->module)
        keep_tensors(&f, scope->module);
    for (size_t i = 0; i < arrlenu(scope->functions); i++)
        add_uses_in(&f, function_graph(scope->functions[i])->block, scope->functions[i]);
    return f.uses;
}
