/* The attributes that functions read, and the others set to None. */
#include "exporter/passes/optimize/prune_attributes.h"

typedef struct {
    const class_def *owner;
    const char *attribute; /* interned */
} attribute_key;

typedef struct {
    struct {
        attribute_key key;
        bool value;
    } * read, *stored;
    struct {
        const ir_constant *key;
        bool value;
    } * visited;
} pruner;

static void collect(pruner *p, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            collect(p, n->blocks[i]);
        if (n->kind != IR_GET_ATTR && n->kind != IR_SET_ATTR)
            continue;
        const class_def *c = ir_in(n, 0)->type->definition;
        const attribute_key key = {c, c->attributes[class_find_attribute(c, n->attribute)].name};
        if (n->kind == IR_GET_ATTR)
            hmput(p->read, key, true);
        else
            hmput(p->stored, key, true);
    }
}

/* Whether nobody reads attribute i of a module's class, whose type the file need not say where nobody stores to it. */
static bool is_unread(pruner *p, const class_def *d, uint32_t i) {
    const attribute_key key = {d, d->attributes[i].name};
    if (!d->is_module || hmgeti(p->read, key) >= 0)
        return false;
    d->attributes[i].is_unused = hmgeti(p->stored, key) < 0;
    return true;
}

static void prune(pruner *p, ir_constant *c) {
    stack_check();
    bool has_items =
        c->kind == CONST_OBJECT || c->kind == CONST_LIST || c->kind == CONST_TUPLE || c->kind == CONST_DICT;
    if (!has_items || hmgeti(p->visited, c) >= 0)
        return;
    hmput(p->visited, c, true);
    for (uint32_t i = 0; i < c->list.count; i++) {
        const class_def *d = c->kind == CONST_OBJECT ? c->type->definition : NULL;
        if (d && is_unread(p, d, i))
            c->list.items[i] = const_none();
        else
            prune(p, c->list.items[i]);
    }
}

/* Freezing makes constants of modules that stay objects since something is stored to them. */
static void prune_constants(pruner *p, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            prune_constants(p, n->blocks[i]);
        if (n->kind == IR_CONSTANT && n->constant)
            prune(p, n->constant);
    }
}

void prune_attributes(ir_constant *module, function *const *functions) {
    pruner p = {NULL, NULL, NULL};
    for (size_t i = 0; i < arrlenu(functions); i++)
        collect(&p, function_graph(functions[i])->block);
    if (module)
        prune(&p, module);
    for (size_t i = 0; i < arrlenu(functions); i++)
        prune_constants(&p, function_graph(functions[i])->block);
}
