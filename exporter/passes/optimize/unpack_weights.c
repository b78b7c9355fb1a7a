/* Packed weights taken apart by views and copies, outside of loops and inside of the branches that need them. */
#include "exporter/passes/optimize/unpack_weights.h"

#include "exporter/schema/operator_node.h"
#include "runtime/kernels/simd/pack.h"

typedef struct {
    const pt_storage *key;
    const packed_weight **value; /* stb_ds array */
} * weights_by_storage;

/* Where a constant is needed, and what it is there. */
typedef struct {
    ir_node *at;
    ir_value *value; /* NULL: not made */
} unpack_place;

static const packed_weight *find_packed(weights_by_storage known, const ir_constant *c) {
    if (c->kind != CONST_TENSOR || !c->tensor->storage)
        return NULL;
    const packed_weight **all = hmget(known, c->tensor->storage);
    for (size_t i = 0; i < arrlenu(all); i++)
        if (tensor_is_same(all[i]->weight, c->tensor))
            return all[i];
    return NULL;
}

static bool contains_packed(weights_by_storage known, const ir_constant *c) {
    for (uint32_t i = 0; c->kind == CONST_LIST && i < c->list.count; i++)
        if (find_packed(known, c->list.items[i]))
            return true;
    return find_packed(known, c) != NULL;
}

/* ---- Code ---- */

static ir_value *insert_operator(ir_node *at, const char *name, ir_value *self, ir_constant *const *arguments,
                                 int count) {
    ir_node *n = operator_node(at, schema_find(name), &self, 1);
    for (int i = 0; i < count; i++)
        ir_node_add_input(n, ir_insert_constant(at, arguments[i]));
    ir_insert_before(at, n);
    return ir_out(n, 0);
}

static ir_value *insert_with_list(ir_node *at, const char *name, ir_value *self, const int64_t *items, int count) {
    ir_constant *list = const_int_list(items, count);
    return insert_operator(at, name, self, &list, 1);
}

/* [runs * panels, taps..., depth, 16] to [outputs, depth, taps...]. */
static ir_value *insert_unpacking(ir_node *at, const packed_weight *p) {
    const pt_tensor *w = p->weight;
    const int64_t runs = weight_runs(w, p->groups), of_run = w->sizes[0] / runs, depth = w->sizes[1],
                  panels = (int64_t)tsm_pack_panels((size_t)of_run), taps = pt_tensor_numel(w) / w->sizes[0] / depth;
    const int64_t in_panels[] = {runs, panels, taps, depth, TSM_PANEL}, by_outputs[] = {0, 1, 4, 3, 2},
                  rows[] = {runs, panels * TSM_PANEL, depth * taps};
    ir_value *v = ir_insert_constant(at, p->packed);
    v = insert_with_list(at, "aten::reshape", v, in_panels, 5);
    v = insert_with_list(at, "aten::permute", v, by_outputs, 5);
    v = insert_with_list(at, "aten::reshape", v, rows, 3);
    if (panels * TSM_PANEL != of_run)
        v = insert_operator(at, "aten::narrow", v, (ir_constant *[]){const_int(1), const_int(0), const_int(of_run)}, 3);
    return insert_with_list(at, "aten::reshape", v, w->sizes, w->ndim);
}

static ir_value *insert_list(ir_node *at, weights_by_storage known, const ir_constant *c, const type *list_type) {
    ir_node *list = ir_node_new(at->graph, IR_LIST_CONSTRUCT, 1);
    list->range = at->range;
    list->scope = at->scope;
    list->outputs[0]->type = list_type;
    for (uint32_t i = 0; i < c->list.count; i++) {
        const packed_weight *p = find_packed(known, c->list.items[i]);
        ir_node_add_input(list, p ? insert_unpacking(at, p) : ir_insert_constant(at, c->list.items[i]));
    }
    ir_insert_before(at, list);
    return ir_out(list, 0);
}

/* ---- Places ---- */

/* The user, or the outermost loop around it that the constant stands before. */
static ir_node *outside_of_loops(ir_node *user, const ir_block *constant_block) {
    ir_node *at = user;
    for (const ir_block *b = user->block; b != constant_block; b = b->owner->block)
        if (b->owner->kind == IR_LOOP)
            at = b->owner;
    return at;
}

/* One place for the uses in a block, before the first of them. */
static unpack_place *add_place(unpack_place *places, ir_node *at) {
    for (size_t i = 0; i < arrlenu(places); i++)
        if (places[i].at->block == at->block) {
            if (ir_is_before(at, places[i].at))
                places[i].at = at;
            return places;
        }
    unpack_place p = {at, NULL};
    arrput(places, p);
    return places;
}

static ir_value *value_at(const unpack_place *places, const ir_node *at) {
    for (size_t i = 0; i < arrlenu(places); i++)
        if (places[i].at->block == at->block)
            return places[i].value;
    return NULL;
}

static void replace_constant(ir_node *n, weights_by_storage known) {
    const ir_constant *c = n->constant;
    ir_value *v = ir_out(n, 0);
    unpack_place *places = NULL;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        places = add_place(places, outside_of_loops(v->uses[i].user, n->block));
    for (size_t i = 0; i < arrlenu(places); i++)
        places[i].value = c->kind == CONST_LIST ? insert_list(places[i].at, known, c, v->type)
                                                : insert_unpacking(places[i].at, find_packed(known, c));
    while (ir_use_count(v)) {
        const ir_use u = v->uses[0];
        ir_node_set_input(u.user, u.index, value_at(places, outside_of_loops(u.user, n->block)));
    }
}

static void replace_in_block(ir_block *b, weights_by_storage known) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            replace_in_block(n->blocks[i], known);
        if (n->kind == IR_CONSTANT && n->constant && ir_use_count(ir_out(n, 0)) && contains_packed(known, n->constant))
            replace_constant(n, known);
    }
}

void unpack_weights(ir_graph *g, const packed_weight *weights) {
    weights_by_storage known = NULL;
    for (size_t i = 0; i < arrlenu(weights); i++) {
        const packed_weight **all = hmget(known, weights[i].weight->storage);
        arrput(all, &weights[i]);
        hmput(known, weights[i].weight->storage, all);
    }
    replace_in_block(g->block, known);
    hmfree(known);
}
