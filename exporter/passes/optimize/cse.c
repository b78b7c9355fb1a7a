/* Common subexpressions by a hash table of nodes, scoped by block. */
#include "exporter/passes/optimize/cse.h"

#include <string.h>

#include "exporter/passes/analysis/pure_node.h"

typedef struct {
    mutation *mutation;
    struct {
        uint64_t key;
        ir_node *value;
    } * known; /* by hash; nodes that dominate the place of the walk */
} cse_state;

/* ---- Which nodes ---- */

static bool is_poolable(const cse_state *s, const ir_node *n) {
    if (n->kind != IR_CONSTANT)
        return false;
    const type *t = ir_out(n, 0)->type;
    return type_is_immutable(t) || (t->kind == TYPE_TENSOR && !mutation_is_written(s->mutation, ir_out(n, 0)));
}

/* ---- Equality ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
    return (hash ^ word) * UINT64_C(0x100000001b3);
}

static uint64_t hash_constant(const ir_constant *c) {
    if (!c)
        return 1;
    uint64_t hash = mix((uint64_t)c->kind + 2, (uint64_t)(uintptr_t)c->type);
    if (c->kind == CONST_STR || c->kind == CONST_DEVICE)
        for (size_t i = 0; i < c->string.length; i++)
            hash = mix(hash, (unsigned char)c->string.bytes[i]);
    else if (c->kind == CONST_TENSOR)
        hash = mix(hash, (uint64_t)(uintptr_t)c->tensor);
    else if (c->kind == CONST_FLOAT || c->kind == CONST_INT) {
        uint64_t bits;
        memcpy(&bits, c->kind == CONST_INT ? (const void *)&c->integer : (const void *)&c->real, sizeof bits);
        hash = mix(hash, bits);
    } else if (c->kind == CONST_BOOL)
        hash = mix(hash, c->boolean);
    return hash;
}

static uint64_t hash_node(const ir_node *n) {
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), n->kind);
    if (n->kind == IR_CONSTANT)
        return mix(hash_constant(n->constant), (uint64_t)(uintptr_t)ir_out(n, 0)->type);
    hash = mix(hash, (uint64_t)(uintptr_t)n->schema);
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        hash = mix(hash, (uint64_t)(uintptr_t)n->inputs[i]);
    return hash;
}

static bool are_equal(const ir_node *a, const ir_node *b) {
    if (a->kind != b->kind || a->schema != b->schema || a->attribute != b->attribute ||
        ir_input_count(a) != ir_input_count(b) || ir_output_count(a) != ir_output_count(b))
        return false;
    for (uint32_t i = 0; i < ir_input_count(a); i++)
        if (a->inputs[i] != b->inputs[i])
            return false;
    for (uint32_t i = 0; i < ir_output_count(a); i++)
        if (a->outputs[i]->type != b->outputs[i]->type)
            return false;
    if (a->kind != IR_CONSTANT)
        return true;
    return a->constant == b->constant || (a->constant && b->constant && const_equal(a->constant, b->constant));
}

/* ---- The walk ---- */

static void merge(ir_node *n, ir_node *earlier) {
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        if (!earlier->outputs[i]->name)
            earlier->outputs[i]->name = n->outputs[i]->name;
        ir_replace_uses(n->outputs[i], earlier->outputs[i]);
    }
    ir_destroy(n);
}

static void visit_block(cse_state *s, ir_block *b) {
    stack_check();
    uint64_t *added = NULL;
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(s, n->blocks[i]);
        if (!is_poolable(s, n) && !(node_is_pure(n, s->mutation) && node_results_may_merge(n, s->mutation)))
            continue;
        uint64_t hash = hash_node(n);
        ptrdiff_t at = hmgeti(s->known, hash);
        if (at < 0) {
            hmput(s->known, hash, n);
            arrput(added, hash);
        } else if (are_equal(s->known[at].value, n)) {
            merge(n, s->known[at].value);
        }
    }
    for (size_t i = 0; i < arrlenu(added); i++)
        (void)hmdel(s->known, added[i]);
}

void cse(ir_graph *g, mutation *m) {
    cse_state s = {m, NULL};
    visit_block(&s, g->block);
}
