/* Weights of convolutions and linear layers, packed, and the operators that read them so. */
#include "exporter/passes/optimize/pack_weights.h"

#include <math.h>
#include <string.h>

#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/schema/schema.h"
#include "runtime/kernels/simd/pack.h"

typedef struct {
    const pt_tensor *weight;
    int64_t groups; /* 0: a linear layer's */
} weight_key;

struct packed_weights {
    struct {
        weight_key key;
        ir_constant *value;
    } * map;
};

packed_weights *packed_weights_new(void) {
    return MEM_NEW(packed_weights);
}

typedef struct {
    mutation *mutation;
    packed_weights *shared;
} packer;

enum { MOST_LAYERS = 64 }; /* of one recurrent operator, directions counted */

/* ---- Packing ---- */

static ir_constant *pack_linear(const pt_tensor *w, const float *data) {
    int64_t outputs = w->sizes[0], inputs = w->sizes[1],
            sizes[] = {(int64_t)tsm_pack_panels((size_t)outputs), inputs, TSM_PANEL};
    float *to;
    ir_constant *c = tensor_constant_new_floats(3, sizes, &to);
    tsm_pack_matrix(to, data, (size_t)outputs, (size_t)inputs, (ptrdiff_t)inputs, 1);
    return c;
}

static ir_constant *pack_convolution(const pt_tensor *w, const float *data, int64_t groups) {
    int spatial = w->ndim - 2;
    size_t outputs = (size_t)w->sizes[0], depth = (size_t)w->sizes[1], taps = 1;
    bool depthwise = depth == 1 && groups == w->sizes[0];
    size_t runs = depthwise ? 1 : (size_t)groups, of_run = outputs / runs;
    int64_t sizes[6] = {(int64_t)(runs * tsm_pack_panels(of_run))};
    for (int d = 0; d < spatial; d++) {
        sizes[1 + d] = w->sizes[2 + d];
        taps *= (size_t)w->sizes[2 + d];
    }
    sizes[1 + spatial] = (int64_t)depth;
    sizes[2 + spatial] = TSM_PANEL;
    float *to;
    ir_constant *c = tensor_constant_new_floats(spatial + 3, sizes, &to);
    for (size_t i = 0; i < runs; i++)
        tsm_pack_convolution(to + i * tsm_pack_floats(of_run, depth * taps), data, i * of_run, of_run, depth, taps);
    return c;
}

static ir_constant *packed(packer *p, const pt_tensor *w, const float *data, int64_t groups) {
    weight_key key;
    memset(&key, 0, sizeof key);
    key.weight = w;
    key.groups = groups;
    ptrdiff_t at = hmgeti(p->shared->map, key);
    if (at >= 0)
        return p->shared->map[at].value;
    ir_constant *c = groups ? pack_convolution(w, data, groups) : pack_linear(w, data);
    hmput(p->shared->map, key, c);
    return c;
}

/* ---- Rewriting ---- */

static bool bias_fits(packer *p, const ir_value *bias, int64_t outputs) {
    const ir_constant *c = ir_constant_of(bias);
    const pt_tensor *t;
    if (c && c->kind == CONST_NONE)
        return true;
    return tensor_constant_floats(p->mutation, bias, 1, &t) && t->sizes[0] == outputs && pt_tensor_is_contiguous(t);
}

static ir_value *int_constant(ir_node *at, int64_t v) {
    return ir_insert_constant(at, const_int(v));
}

/* tsm::name(input, packed, bias, None, outputs, <extra inputs>, no activation) in the place of n. */
static void replace_by_packed(ir_node *n, const char *name, ir_constant *weight, ir_value *bias, int64_t outputs,
                              ir_value *const *extra, int extra_count) {
    const op_schema *s = schema_find(name);
    ir_node *made = ir_node_new(n->graph, s->kind, 1);
    made->schema = s;
    made->range = n->range;
    made->scope = n->scope;
    ir_node_add_input(made, ir_in(n, 0));
    ir_node_add_input(made, ir_insert_constant(n, weight));
    ir_node_add_input(made, bias);
    ir_node_add_input(made, ir_insert_constant(n, const_none()));
    ir_node_add_input(made, int_constant(n, outputs));
    for (int i = 0; i < extra_count; i++)
        ir_node_add_input(made, extra[i]);
    ir_node_add_input(made, int_constant(n, TSM_ACT_NONE));
    ir_node_add_input(made, ir_insert_constant(n, const_float(-INFINITY)));
    ir_node_add_input(made, ir_insert_constant(n, const_float(INFINITY)));
    ir_insert_before(n, made);
    made->outputs[0]->name = ir_out(n, 0)->name;
    ir_replace_uses(ir_out(n, 0), made->outputs[0]);
    ir_destroy(n);
}

static void rewrite_linear(packer *p, ir_node *n) {
    const pt_tensor *w;
    const float *data = tensor_constant_floats(p->mutation, ir_in(n, 1), 2, &w);
    if (data && bias_fits(p, ir_in(n, 2), w->sizes[0]))
        replace_by_packed(n, "tsm::linear", packed(p, w, data, 0), ir_in(n, 2), w->sizes[0], NULL, 0);
}

/* conv: input, weight, bias, stride, padding, dilation, groups at `groups_at`. */
static void rewrite_convolution(packer *p, ir_node *n, int spatial, uint32_t groups_at) {
    const pt_tensor *w;
    const float *data = tensor_constant_floats(p->mutation, ir_in(n, 1), spatial ? spatial + 2 : -1, &w);
    int64_t groups;
    if (!data || w->ndim < 3 || w->ndim > 5 || !ir_constant_int(ir_in(n, groups_at), &groups) || groups < 1 ||
        w->sizes[0] % groups || !bias_fits(p, ir_in(n, 2), w->sizes[0]))
        return;
    ir_value *extra[] = {ir_in(n, 3), ir_in(n, 4), ir_in(n, 5), ir_in(n, groups_at)};
    replace_by_packed(n, "tsm::convolution", packed(p, w, data, groups), ir_in(n, 2), w->sizes[0], extra, 4);
}

/* ---- Recurrent layers ---- */

/* The items of a list that nobody changes, as values that stand before `at`; an stb_ds array, NULL when they are not
 * known. */
static ir_value **known_items(packer *p, ir_node *at, ir_value *list) {
    ir_value **items = NULL;
    const ir_constant *c = ir_constant_of(list);
    if (mutation_is_written(p->mutation, list))
        return NULL;
    if (c && c->kind == CONST_LIST)
        for (uint32_t i = 0; i < c->list.count; i++)
            arrput(items, ir_insert_constant(at, c->list.items[i]));
    if (list->node->kind == IR_LIST_CONSTRUCT)
        for (uint32_t i = 0; i < ir_input_count(list->node); i++)
            arrput(items, ir_in(list->node, i));
    return items;
}

/* Packs the weights among the parameters, in place; false when some weight is not a constant, or when a layer has
 * others than two weights and (`biases`) two biases for each of its directions (LSTMs with projections do). The
 * parameters are known to be unwritten as a whole, through their list. */
static bool pack_parameters(packer *p, ir_node *at, ir_value **items, bool biases) {
    size_t group = biases ? 4 : 2;
    ir_constant *weights[2 * MOST_LAYERS];
    const pt_tensor *w;
    size_t count = 0;
    bool bidirectional;
    int64_t layers;
    if (!ir_constant_int(ir_in(at, 4), &layers) || !ir_constant_bool(ir_in(at, 7), &bidirectional) || layers < 1 ||
        layers > MOST_LAYERS || arrlenu(items) != group * (size_t)layers * (bidirectional ? 2 : 1) ||
        arrlenu(items) / group > MOST_LAYERS)
        return false;
    for (size_t i = 0; i < arrlenu(items); i++) {
        if (i % group >= 2)
            continue;
        const float *data = tensor_constant_unwritten_floats(items[i], 2, &w);
        if (!data)
            return false;
        weights[count++] = packed(p, w, data, 0);
    }
    count = 0;
    for (size_t i = 0; i < arrlenu(items); i++)
        if (i % group < 2)
            items[i] = ir_insert_constant(at, weights[count++]);
    return true;
}

static void rewrite_recurrent(packer *p, ir_node *n, const char *name) {
    bool biases;
    ir_value **items = known_items(p, n, ir_in(n, 2));
    if (!items || !ir_constant_bool(ir_in(n, 3), &biases) || !pack_parameters(p, n, items, biases))
        return;
    ir_node *list = ir_node_new(n->graph, IR_LIST_CONSTRUCT, 1);
    list->range = n->range;
    list->scope = n->scope;
    list->outputs[0]->type = ir_in(n, 2)->type;
    for (size_t i = 0; i < arrlenu(items); i++)
        ir_node_add_input(list, items[i]);
    ir_insert_before(n, list);
    ir_node_set_input(n, 2, ir_out(list, 0));
    n->schema = schema_find(name);
    n->kind = n->schema->kind;
}

static void rewrite(packer *p, ir_node *n) {
    bool transposed;
    const char *name = n->schema ? n->schema->full_name : "";
    if (!strcmp(name, "aten::linear"))
        rewrite_linear(p, n);
    else if (!strcmp(name, "aten::lstm.input"))
        rewrite_recurrent(p, n, "tsm::lstm");
    else if (!strcmp(name, "aten::gru.input"))
        rewrite_recurrent(p, n, "tsm::gru");
    else if (!strcmp(name, "aten::conv1d"))
        rewrite_convolution(p, n, 1, 6);
    else if (!strcmp(name, "aten::conv2d"))
        rewrite_convolution(p, n, 2, 6);
    else if (!strcmp(name, "aten::conv3d"))
        rewrite_convolution(p, n, 3, 6);
    else if ((!strcmp(name, "aten::_convolution") || !strcmp(name, "aten::_convolution.deprecated")) &&
             ir_constant_bool(ir_in(n, 6), &transposed) && !transposed)
        rewrite_convolution(p, n, 0, 8);
}

static void rewrite_block(packer *p, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            rewrite_block(p, n->blocks[i]);
        rewrite(p, n);
    }
}

void pack_weights(ir_graph *g, mutation *m, packed_weights *shared) {
    packer p = {m, shared};
    rewrite_block(&p, g->block);
}
