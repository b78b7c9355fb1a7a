/* Weights of convolutions and linear layers, packed, and the operators that read them so. */
#include "exporter/passes/optimize/pack_weights.h"

#include <math.h>
#include <string.h>

#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/optimize/unpack_weights.h"
#include "exporter/schema/operator_node.h"
#include "runtime/kernels/simd/pack.h"

typedef struct {
    const pt_tensor *weight;
    int64_t groups; /* 0: a linear layer's */
    tap_order order;
} weight_key;

typedef struct {
    const weight_scope *scope;
    weight_layer *layers; /* stb_ds array */
    struct {
        weight_key key;
        ir_constant *value;
    } * packed;
} packer;

enum { MOST_LAYERS = 64 }; /* of one recurrent operator, directions counted */

/* ---- Packing ---- */

/* Floats that elements of the dtype became, as such elements again. */
static ir_constant *as_dtype(ir_constant *floats, pt_dtype dtype) {
    const pt_tensor *t = floats->tensor;
    if (dtype == PT_FLOAT32)
        return floats;
    const size_t count = (size_t)pt_tensor_numel(t);
    const float *from = pt_tensor_data(t);
    void *data;
    ir_constant *c = tensor_constant_new(dtype, t->ndim, t->sizes, &data);
    (dtype == PT_FLOAT16 ? tsm_pack_halves : tsm_pack_bfloat16s)(data, from, count);
    return c;
}

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
    size_t depth = (size_t)w->sizes[1], taps = 1;
    size_t runs = (size_t)weight_runs(w, groups), of_run = (size_t)w->sizes[0] / runs;
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

/* The taps of a kernel in the order of pack.h: for each its place in the weight. */
static size_t *order_taps(const pt_tensor *w, const tap_order *order) {
    size_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, *taps = NULL;
    const int spatial = w->ndim - 2;
    for (int d = 0; d < spatial; d++) {
        kernel[3 - spatial + d] = (size_t)w->sizes[2 + d];
        stride[3 - spatial + d] = (size_t)order->stride[d];
        dilation[3 - spatial + d] = (size_t)order->dilation[d];
    }
    const size_t count = kernel[0] * kernel[1] * kernel[2];
    arrsetlen(taps, count);
    for (size_t i = 0; i < count; i++) {
        const size_t k[] = {i / (kernel[1] * kernel[2]), i / kernel[2] % kernel[1], i % kernel[2]};
        size_t before[3], n[3], of[3];
        for (int d = 0; d < 3; d++) {
            const tsm_phase p =
                tsm_phase_of(kernel[d], stride[d], dilation[d], k[d] * (dilation[d] % stride[d]) % stride[d]);
            before[d] = p.before;
            n[d] = p.count;
            of[d] = p.count - 1 - (k[d] - p.first) / p.step;
        }
        const size_t at = before[0] * kernel[1] * kernel[2] + n[0] * before[1] * kernel[2] + n[0] * n[1] * before[2] +
                          (of[0] * n[1] + of[1]) * n[2] + of[2];
        taps[at] = i;
    }
    return taps;
}

/* As the weight of a convolution, its taps in order. */
static ir_constant *pack_transposed(const pt_tensor *w, const float *data, int64_t groups, const tap_order *order) {
    const size_t depth = (size_t)(w->sizes[0] / groups), of_group = (size_t)w->sizes[1];
    size_t *order_of_taps = order_taps(w, order);
    const size_t taps = arrlenu(order_of_taps);
    int64_t sizes[6] = {groups * (int64_t)tsm_pack_panels(of_group)};
    const int spatial = w->ndim - 2;
    memcpy(sizes + 1, w->sizes + 2, (size_t)spatial * sizeof *sizes);
    sizes[1 + spatial] = (int64_t)depth;
    sizes[2 + spatial] = TSM_PANEL;
    float *to;
    ir_constant *c = tensor_constant_new_floats(spatial + 3, sizes, &to);
    for (size_t group = 0; group < (size_t)groups; group++)
        for (size_t o = 0; o < of_group; o++)
            for (size_t t = 0; t < taps; t++)
                for (size_t i = 0; i < depth; i++)
                    to[group * tsm_pack_floats(of_group, depth * taps) +
                       ((o / TSM_PANEL * taps + t) * depth + i) * TSM_PANEL + o % TSM_PANEL] =
                        data[((group * depth + i) * of_group + o) * taps + order_of_taps[t]];
    arrfree(order_of_taps);
    return c;
}

static ir_constant *pack_floats(const weight_key *k, const float *data) {
    if (k->order.is_transposed)
        return pack_transposed(k->weight, data, k->groups, &k->order);
    return k->groups ? pack_convolution(k->weight, data, k->groups) : pack_linear(k->weight, data);
}

static ir_constant *packed(packer *p, const pt_tensor *w, const weight_layer *l) {
    weight_key key;
    memset(&key, 0, sizeof key);
    key.weight = w;
    key.groups = l->groups;
    key.order = l->order;
    ptrdiff_t at = hmgeti(p->packed, key);
    if (at >= 0)
        return p->packed[at].value;
    const float *data = tensor_constant_as_floats(w);
    ir_constant *c = as_dtype(pack_floats(&key, data), w->dtype);
    c->tensor->name = w->name;
    hmput(p->packed, key, c);
    return c;
}

/* ---- Finding layers ---- */

static bool is_weight(const packer *p, const ir_value *v, int ndim, const pt_tensor **w) {
    const ir_constant *c = ir_constant_of(v);
    return (tensor_constant_has_floats(c, ndim, w) || tensor_constant_has_halves(c, ndim, w)) &&
           !mutation_changes_elements(p->scope->mutation, v);
}

static bool bias_fits(const packer *p, const ir_value *bias, const pt_tensor *weight, int64_t outputs) {
    const ir_constant *c = ir_constant_of(bias);
    const pt_tensor *t;
    if (c && c->kind == CONST_NONE)
        return true;
    return is_weight(p, bias, 1, &t) && t->dtype == weight->dtype && t->sizes[0] == outputs &&
           pt_tensor_is_contiguous(t);
}

static bool find_linear(const packer *p, weight_layer *l) {
    const ir_node *n = l->node;
    const pt_tensor *w;
    l->weight_input = 1;
    if (!is_weight(p, ir_in(n, 1), 2, &w) || !bias_fits(p, ir_in(n, 2), w, w->sizes[0]))
        return false;
    l->packed_name = w->dtype == PT_FLOAT32 ? "tsm::linear" : "tsm::half_linear";
    arrput(l->weights, w);
    return true;
}

/* input, weight, bias, stride, padding, dilation, groups. */
static bool find_convolution(const packer *p, weight_layer *l, int spatial) {
    const ir_node *n = l->node;
    const pt_tensor *w;
    l->weight_input = 1;
    if (!is_weight(p, ir_in(n, 1), spatial + 2, &w) || !ir_constant_int(ir_in(n, 6), &l->groups) || l->groups < 1 ||
        w->sizes[0] % l->groups || !bias_fits(p, ir_in(n, 2), w, w->sizes[0]))
        return false;
    l->packed_name = w->dtype == PT_FLOAT32 ? "tsm::convolution" : "tsm::half_convolution";
    arrput(l->weights, w);
    return true;
}

/* The constants in a list that nobody changes, NULL for an item that is none; false when the items are not known. */
static bool known_constants(const packer *p, const ir_value *list, const ir_constant ***items) {
    const ir_constant *c = ir_constant_of(list);
    if (mutation_is_written(p->scope->mutation, list))
        return false;
    for (uint32_t i = 0; c && c->kind == CONST_LIST && i < c->list.count; i++)
        arrput(*items, c->list.items[i]);
    for (uint32_t i = 0; list->node->kind == IR_LIST_CONSTRUCT && i < ir_input_count(list->node); i++)
        arrput(*items, ir_constant_of(ir_in(list->node, i)));
    return true;
}

/* A list of ints that are constants: one for all dimensions, or one each. */
static bool known_ints(const packer *p, const ir_value *list, int spatial, int64_t least, int64_t *v) {
    const ir_constant **items = NULL;
    enum { MOST = 1 << 30 };
    bool known = known_constants(p, list, &items) && (arrlenu(items) == 1 || arrlenu(items) == (size_t)spatial);
    for (size_t d = 0; known && d < (size_t)spatial; d++) {
        const ir_constant *c = items[arrlenu(items) == 1 ? 0 : d];
        known = c && c->kind == CONST_INT && c->integer >= least && c->integer < MOST;
        v[d] = known ? c->integer : 0;
    }
    arrfree(items);
    return known;
}

static bool are_finite(const pt_tensor *w) {
    const float *data = tensor_constant_as_floats(w);
    for (int64_t i = 0; i < pt_tensor_numel(w); i++)
        if (!isfinite(data[i]))
            return false;
    return true;
}

/* input, weight, bias, stride, padding, output_padding, groups, dilation. Inputs that are not there count as zeros,
 * which only finite weights leave zeros; and panels should not be zeros for the most part. */
static bool find_transposed(const packer *p, weight_layer *l, int spatial) {
    enum { FEWEST_OUTPUTS = TSM_PANEL / 2 };
    const ir_node *n = l->node;
    const pt_tensor *w;
    l->weight_input = 1;
    if (!is_weight(p, ir_in(n, 1), spatial + 2, &w) || w->dtype != PT_FLOAT32 ||
        !ir_constant_int(ir_in(n, 6), &l->groups) || l->groups < 1 || w->sizes[0] % l->groups ||
        w->sizes[1] < FEWEST_OUTPUTS || !bias_fits(p, ir_in(n, 2), w, w->sizes[1] * l->groups) ||
        !known_ints(p, ir_in(n, 3), spatial, 1, l->order.stride) ||
        !known_ints(p, ir_in(n, 7), spatial, 1, l->order.dilation) || !are_finite(w))
        return false;
    l->order.is_transposed = true;
    l->packed_name = "tsm::conv_transpose";
    arrput(l->weights, w);
    return true;
}

/* Two weights and, with biases, two biases for each direction of a layer; LSTMs with projections have others. The
 * weights are known to be unwritten as a whole, through their list. */
static bool find_recurrent(const packer *p, weight_layer *l, const char *packed_name) {
    const ir_node *n = l->node;
    const ir_constant **items = NULL;
    const pt_tensor *w;
    bool has_biases, bidirectional;
    int64_t layers;
    l->packed_name = packed_name;
    l->weight_input = 2;
    if (!known_constants(p, ir_in(n, 2), &items) || !ir_constant_bool(ir_in(n, 3), &has_biases) ||
        !ir_constant_int(ir_in(n, 4), &layers) || !ir_constant_bool(ir_in(n, 7), &bidirectional) || layers < 1 ||
        layers > MOST_LAYERS)
        return false;
    const size_t group = has_biases ? 4 : 2;
    if (arrlenu(items) != group * (size_t)layers * (bidirectional ? 2 : 1) || arrlenu(items) / group > MOST_LAYERS)
        return false;
    for (size_t i = 0; i < arrlenu(items); i++) {
        if (i % group >= 2)
            continue;
        if (!tensor_constant_has_floats(items[i], 2, &w))
            return false;
        arrput(l->weights, w);
    }
    return true;
}

static bool find_layer(const packer *p, weight_layer *l) {
    const ir_node *n = l->node;
    const char *name = n->schema ? n->schema->full_name : "";
    if (!strcmp(name, "aten::linear"))
        return find_linear(p, l);
    if (!strcmp(name, "aten::lstm.input"))
        return find_recurrent(p, l, "tsm::lstm");
    if (!strcmp(name, "aten::gru.input"))
        return find_recurrent(p, l, "tsm::gru");
    if (!strcmp(name, "aten::conv1d"))
        return find_convolution(p, l, 1);
    if (!strcmp(name, "aten::conv2d"))
        return find_convolution(p, l, 2);
    if (!strcmp(name, "aten::conv3d"))
        return find_convolution(p, l, 3);
    if (!strcmp(name, "aten::conv_transpose1d"))
        return find_transposed(p, l, 1);
    if (!strcmp(name, "aten::conv_transpose2d.input"))
        return find_transposed(p, l, 2);
    return !strcmp(name, "aten::conv_transpose3d.input") && find_transposed(p, l, 3);
}

static void find_layers(packer *p, const ir_block *b, const function *owner) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_layers(p, n->blocks[i], owner);
        weight_layer l = {.node = n, .owner = owner};
        if (find_layer(p, &l))
            arrput(p->layers, l);
    }
}

/* ---- Rewriting ---- */

static ir_value *int_constant(ir_node *at, int64_t v) {
    return ir_insert_constant(at, const_int(v));
}

/* Layers of halves take their bias as floats. */
static ir_value *bias_as_floats(ir_node *at, ir_value *bias) {
    const pt_tensor *t;
    float *to;
    if (!tensor_constant_has_halves(ir_constant_of(bias), 1, &t))
        return bias;
    ir_constant *c = tensor_constant_new_floats(1, t->sizes, &to);
    memcpy(to, tensor_constant_as_floats(t), (size_t)t->sizes[0] * sizeof *to);
    c->tensor->name = t->name;
    return ir_insert_constant(at, c);
}

/* tsm::name(input, packed, bias, None, outputs, <extra inputs>, no activation) in the place of n. */
static void replace_by_packed(ir_node *n, const char *name, ir_constant *weight, ir_value *bias, int64_t outputs,
                              ir_value *const *extra, int extra_count) {
    ir_node *made = operator_node(n, schema_find(name), n->inputs, 1);
    ir_node_add_input(made, ir_insert_constant(n, weight));
    ir_node_add_input(made, bias_as_floats(n, bias));
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

static void rewrite_linear(packer *p, const weight_layer *l) {
    const pt_tensor *w = l->weights[0];
    replace_by_packed(l->node, l->packed_name, packed(p, w, l), ir_in(l->node, 2), w->sizes[0], NULL, 0);
}

static void rewrite_convolution(packer *p, const weight_layer *l) {
    const pt_tensor *w = l->weights[0];
    ir_node *n = l->node;
    ir_value *extra[] = {ir_in(n, 3), ir_in(n, 4), ir_in(n, 5), ir_in(n, 6)};
    replace_by_packed(n, l->packed_name, packed(p, w, l), ir_in(n, 2), w->sizes[0], extra, 4);
}

static void rewrite_transposed(packer *p, const weight_layer *l) {
    const pt_tensor *w = l->weights[0];
    ir_node *n = l->node;
    ir_value *extra[] = {ir_in(n, 3), ir_in(n, 4), ir_in(n, 5), ir_in(n, 6), ir_in(n, 7)};
    replace_by_packed(n, l->packed_name, packed(p, w, l), ir_in(n, 2), w->sizes[1] * l->groups, extra, 5);
}

static void rewrite_recurrent(packer *p, const weight_layer *l) {
    ir_node *n = l->node;
    const ir_value *old = ir_in(n, 2);
    const ir_constant *constants = ir_constant_of(old);
    const uint32_t count = constants ? constants->list.count : ir_input_count(old->node);
    bool has_biases = true;
    ir_constant_bool(ir_in(n, 3), &has_biases);
    ir_node *list = ir_node_new(n->graph, IR_LIST_CONSTRUCT, 1);
    list->range = n->range;
    list->scope = n->scope;
    list->outputs[0]->type = old->type;
    for (uint32_t i = 0, next = 0; i < count; i++)
        if (i % (has_biases ? 4 : 2) < 2)
            ir_node_add_input(list, ir_insert_constant(n, packed(p, l->weights[next++], l)));
        else
            ir_node_add_input(list, constants ? ir_insert_constant(n, constants->list.items[i]) : ir_in(old->node, i));
    ir_insert_before(n, list);
    ir_node_set_input(n, 2, ir_out(list, 0));
    ir_node_set_operator(n, schema_find(l->packed_name));
}

static void rewrite(packer *p, const weight_layer *l) {
    if (l->weight_input == 2)
        rewrite_recurrent(p, l);
    else if (l->order.is_transposed)
        rewrite_transposed(p, l);
    else if (l->groups)
        rewrite_convolution(p, l);
    else
        rewrite_linear(p, l);
}

void pack_weights(const weight_scope *scope) {
    packer p = {scope, NULL, NULL};
    for (size_t i = 0; i < arrlenu(scope->functions); i++)
        find_layers(&p, function_graph(scope->functions[i])->block, scope->functions[i]);
    choose_layers(p.layers, scope);
    for (size_t i = 0; i < arrlenu(p.layers); i++)
        if (p.layers[i].is_packed)
            rewrite(&p, &p.layers[i]);
    packed_weight *all = NULL;
    for (size_t i = 0; i < hmlenu(p.packed); i++) {
        packed_weight w = {p.packed[i].key.weight, p.packed[i].key.groups, p.packed[i].value};
        if (!p.packed[i].key.order.is_transposed)
            arrput(all, w);
    }
    for (size_t i = 0; i < arrlenu(scope->functions); i++)
        unpack_weights(function_graph(scope->functions[i]), all);
}
