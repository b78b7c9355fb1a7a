/* Which weights are packed: which uses of tensors may run together, and the size of paddings. */
#include "exporter/passes/optimize/weight_layers.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/kernels/simd/pack.h"

typedef struct {
    const weight_scope *scope;
    weight_layer *layers;
    struct {
        const ir_node *key;
        size_t value;
    } * layer_of_node;
    tensor_uses uses;  /* all */
    tensor_uses plain; /* those that the layers chosen now leave */
} choice;

int64_t weight_runs(const pt_tensor *w, int64_t groups) {
    const bool is_depthwise = groups == w->sizes[0] && w->sizes[1] == 1;
    return groups && !is_depthwise ? groups : 1;
}

/* ---- What runs in one call ---- */

static bool is_entry(const choice *c, const function *f) {
    for (size_t i = 0; i < arrlenu(c->scope->entries); i++)
        if (c->scope->entries[i] == f)
            return true;
    return false;
}

static bool is_in_loop(const ir_block *b) {
    for (; b->owner; b = b->owner->block)
        if (b->owner->kind == IR_LOOP)
            return true;
    return false;
}

/* The node that stands in block b and contains n, or is n; NULL: n stands elsewhere. */
static const ir_node *ancestor_in(const ir_block *b, const ir_node *n) {
    while (n && n->block != b)
        n = n->block->owner;
    return n;
}

static int branch_of(const ir_node *condition, const ir_node *n) {
    return ancestor_in(condition->blocks[0], n) ? 0 : ancestor_in(condition->blocks[1], n) ? 1 : -1;
}

/* What a bool is in calls that have run `ran`: 0, 1, or -1 when that is not known. A function that returns early notes
 * so in a bool, which the rest of it asks. */
static int known_bool(const ir_value *v, const ir_node *ran) {
    stack_check();
    bool value;
    if (ir_constant_bool(v, &value))
        return value;
    const ir_node *n = v->node;
    if (n->kind != IR_IF)
        return -1;
    int branch = branch_of(n, ran);
    if (branch < 0) {
        const int condition = known_bool(ir_in(n, 0), ran);
        if (condition < 0)
            return -1;
        branch = condition ? 0 : 1;
    }
    return known_bool(ir_in(n->blocks[branch]->result, v->offset), ran);
}

/* Whether calls that have run `first` do not come to `second`, which stands behind it in block b or deeper. */
static bool is_passed_by(const ir_node *second, const ir_node *first, const ir_block *b) {
    for (const ir_node *n = second; n->block != b; n = n->block->owner) {
        const ir_node *condition = n->block->owner;
        if (condition->kind != IR_IF)
            continue;
        const int value = known_bool(ir_in(condition, 0), first);
        if (value >= 0 && branch_of(condition, second) != (value ? 0 : 1))
            return true;
    }
    return false;
}

/* Whether one call may run both: not where they are in the two branches of one condition outside of loops, or the
 * first one returns. Functions that are still called where calls were inlined may call each other. */
static bool may_run_together(const choice *c, const weight_layer *l, const tensor_use *u) {
    if (l->owner != u->owner)
        return !is_entry(c, l->owner) || !is_entry(c, u->owner);
    const ir_block *b = l->node->block;
    while (!ancestor_in(b, u->user))
        b = b->owner->block;
    const ir_node *of_layer = ancestor_in(b, l->node), *of_use = ancestor_in(b, u->user);
    if (is_in_loop(b))
        return true;
    if (of_layer == of_use)
        return of_use->kind != IR_IF;
    return !(ir_is_before(of_layer, of_use) ? is_passed_by(u->user, l->node, b) : is_passed_by(l->node, u->user, b));
}

/* ---- The choice ---- */

/* Elements [first, last] of the storage. */
static void find_extent(const pt_tensor *t, int64_t *first, int64_t *last) {
    *first = *last = t->offset;
    for (int d = 0; d < t->ndim; d++)
        *last += (t->sizes[d] - 1) * t->strides[d];
}

static bool overlap(const pt_tensor *a, const pt_tensor *b) {
    int64_t first_a, last_a, first_b, last_b;
    find_extent(a, &first_a, &last_a);
    find_extent(b, &first_b, &last_b);
    return a->dtype != b->dtype || (first_a <= last_b && first_b <= last_a);
}

/* Whether the use is that of a layer that takes the packed weight. */
static bool is_packed_use(const choice *c, const tensor_use *u) {
    choice *table = (choice *)c;
    ptrdiff_t at = u->user ? hmgeti(table->layer_of_node, u->user) : -1;
    if (at < 0)
        return false;
    const weight_layer *l = &c->layers[c->layer_of_node[at].value];
    for (size_t i = 0; l->weight_input == u->index && i < arrlenu(l->weights); i++)
        if (tensor_is_same(l->weights[i], u->tensor))
            return l->is_packed;
    return false;
}

static void find_plain_uses(choice *c) {
    hmfree(c->plain);
    for (size_t i = 0; i < hmlenu(c->uses); i++)
        for (size_t k = 0; k < arrlenu(c->uses[i].value); k++)
            if (!is_packed_use(c, &c->uses[i].value[k]))
                tensor_uses_put(&c->plain, c->uses[i].value[k]);
}

static bool have_one_order(const weight_layer *a, const weight_layer *b) {
    return a->groups == b->groups && !memcmp(&a->order, &b->order, sizeof a->order);
}

/* Whether something else than layers of this form reads the weight of a transposed convolution. */
static bool has_other_readers(choice *c, const weight_layer *l, const pt_tensor *w) {
    const tensor_use *uses = hmget(c->uses, w->storage);
    for (size_t i = 0; i < arrlenu(uses); i++) {
        const ptrdiff_t at = uses[i].user ? hmgeti(c->layer_of_node, uses[i].user) : -1;
        if (overlap(uses[i].tensor, w) &&
            (at < 0 || !have_one_order(l, &c->layers[c->layer_of_node[at].value]) || !is_packed_use(c, &uses[i])))
            return true;
    }
    return false;
}

static bool must_stay_plain(choice *c, const weight_layer *l, const pt_tensor *w) {
    if (l->order.is_transposed)
        return has_other_readers(c, l, w);
    const tensor_use *uses = hmget(c->plain, w->storage);
    for (size_t i = 0; i < arrlenu(uses); i++) {
        const tensor_use *u = &uses[i];
        if (overlap(u->tensor, w) && (!u->user || !tensor_is_same(u->tensor, w) || may_run_together(c, l, u)))
            return true;
    }
    return false;
}

static bool can_be_packed(choice *c, const weight_layer *l) {
    for (size_t i = 0; i < arrlenu(l->weights); i++)
        if (must_stay_plain(c, l, l->weights[i]))
            return false;
    return true;
}

/* ---- Paddings ---- */

typedef struct {
    size_t layer;
    uint64_t padding, bytes;
} padded_layer;

static int compare_padding(const void *a, const void *b) {
    const padded_layer *x = a, *y = b;
    if (x->padding != y->padding)
        return x->padding < y->padding ? -1 : 1;
    return x->layer < y->layer ? -1 : x->layer > y->layer;
}

static uint64_t packed_elements(const pt_tensor *w, const weight_layer *l) {
    const size_t runs = (size_t)(l->order.is_transposed ? l->groups : weight_runs(w, l->groups)),
                 outputs = (size_t)weight_outputs(w, &l->order, l->groups);
    return runs * tsm_pack_floats(outputs / runs, (size_t)pt_tensor_numel(w) / outputs);
}

typedef struct {
    const pt_tensor *key;
    bool value;
} * tensor_set;

/* Weights that other layers have as well count once. */
static padded_layer measure_padding(const weight_layer *l, size_t index, tensor_set *seen) {
    padded_layer p = {index, 0, 0};
    for (size_t i = 0; i < arrlenu(l->weights); i++) {
        if (hmgeti(*seen, l->weights[i]) >= 0)
            continue;
        hmput(*seen, l->weights[i], true);
        const pt_tensor *w = l->weights[i];
        const uint64_t elements = (uint64_t)pt_tensor_numel(w);
        p.bytes += elements * pt_dtype_size(w->dtype);
        p.padding += (packed_elements(w, l) - elements) * pt_dtype_size(w->dtype);
    }
    return p;
}

/* Of equal weights one is stored (codegen/merge_storages). */
static bool is_equal(const pt_tensor *a, const pt_tensor *b) {
    if (tensor_is_same(a, b))
        return true;
    return a->dtype == b->dtype && a->ndim == b->ndim && pt_tensor_is_contiguous(a) && pt_tensor_is_contiguous(b) &&
           !memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) &&
           !memcmp(pt_tensor_data(a), pt_tensor_data(b), pt_tensor_bytes(a));
}

static bool have_equal_weights(const weight_layer *a, const weight_layer *b) {
    if (!have_one_order(a, b) || arrlenu(a->weights) != arrlenu(b->weights))
        return false;
    for (size_t i = 0; i < arrlenu(a->weights); i++)
        if (!is_equal(a->weights[i], b->weights[i]))
            return false;
    return true;
}

static size_t hash_of_weights(const weight_layer *l) {
    enum { MOST_BYTES = 4096 };
    size_t hash = (size_t)l->groups;
    for (size_t i = 0; i < arrlenu(l->weights); i++) {
        const pt_tensor *t = l->weights[i];
        hash = stbds_hash_bytes((void *)t->sizes, (size_t)t->ndim * sizeof *t->sizes, hash);
        if (!pt_tensor_is_contiguous(t))
            continue;
        const size_t bytes = pt_tensor_bytes(t);
        hash = stbds_hash_bytes((void *)pt_tensor_data(t), bytes < MOST_BYTES ? bytes : MOST_BYTES, hash);
    }
    return hash;
}

/* For each layer the first one with the same weights. Methods that contain the same code have weights that were folded
 * for each of them: if one took them packed and another one plain, the file would hold both. */
static size_t *first_layers(const weight_layer *layers) {
    struct {
        size_t key, value;
    } *known = NULL;
    size_t *first = NULL;
    for (size_t i = 0; i < arrlenu(layers); i++) {
        const size_t hash = hash_of_weights(&layers[i]);
        const ptrdiff_t at = hmgeti(known, hash);
        const bool is_known = at >= 0 && have_equal_weights(&layers[known[at].value], &layers[i]);
        if (at < 0)
            hmput(known, hash, i);
        arrput(first, is_known ? known[at].value : i);
    }
    return first;
}

/* Panels are filled up with zeros. Layers that need least of them are packed first, as long as the zeros stay few
 * beside the weights; where weights become narrow, also those that are no larger with them than as floats. */
static void choose_by_padding(weight_layer *layers, bool are_narrow) {
    enum { PART = 50, ALWAYS = 16 << 10 };
    padded_layer *sorted = NULL;
    tensor_set seen = NULL;
    const size_t *first = first_layers(layers);
    uint64_t bytes = 0, padding = 0;
    for (size_t i = 0; i < arrlenu(layers); i++) {
        if (first[i] != i)
            continue;
        padded_layer p = measure_padding(&layers[i], i, &seen);
        bytes += p.bytes;
        arrput(sorted, p);
    }
    if (sorted)
        qsort(sorted, arrlenu(sorted), sizeof *sorted, compare_padding);
    for (size_t i = 0; i < arrlenu(sorted); i++) {
        padding += sorted[i].padding;
        layers[sorted[i].layer].is_packed =
            padding <= bytes / PART + ALWAYS || (are_narrow && sorted[i].padding <= sorted[i].bytes);
    }
    for (size_t i = 0; i < arrlenu(layers); i++)
        layers[i].is_packed = layers[first[i]].is_packed;
}

void choose_layers(weight_layer *layers, const weight_scope *scope) {
    choice c = {.scope = scope, .layers = layers, .uses = tensor_uses_find(scope)};
    choose_by_padding(layers, scope->are_narrow);
    for (size_t i = 0; i < arrlenu(layers); i++)
        hmput(c.layer_of_node, layers[i].node, i);
    /* A layer that is not packed needs its weights plain, which may rule out others. */
    for (bool changed = true; changed;) {
        changed = false;
        find_plain_uses(&c);
        for (size_t i = 0; i < arrlenu(layers); i++)
            if (layers[i].is_packed && !can_be_packed(&c, &layers[i])) {
                layers[i].is_packed = false;
                changed = true;
            }
    }
}
