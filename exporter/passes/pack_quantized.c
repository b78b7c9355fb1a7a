#include "exporter/passes/pack_quantized.h"

#include <string.h>

#include "exporter/frontend/schema.h"
#include "exporter/passes/tensor_constant.h"
#include "runtime/kernels/quantized_pack.h"

/* What a weight becomes; the tensors of the packed operators' arguments. */
typedef struct {
    ir_constant *packed, *scales, *sums;
} parts;

typedef struct {
    const pt_tensor *weight;
    int64_t groups;
} weight_key;

struct quantized_weights {
    struct {
        weight_key key;
        parts value;
    } * map;
};

quantized_weights *quantized_weights_new(void) {
    return MEM_NEW(quantized_weights);
}

typedef struct {
    mutation *mutation;
    quantized_weights *shared;
} packer;

/* ---- Weights ---- */

static double scale_of(const pt_tensor *w, int64_t output) {
    return w->qscheme == PT_PER_TENSOR_AFFINE ? w->scale : ((const double *)pt_tensor_data(w->scales))[output];
}

static int64_t zero_point_of(const pt_tensor *w, int64_t output) {
    return w->qscheme == PT_PER_TENSOR_AFFINE ? w->zero_point
                                              : ((const int64_t *)pt_tensor_data(w->zero_points))[output];
}

/* What the int8 loops compute with: weights of qint8 with zero points of 0, quantized as a whole or by outputs. */
static bool loops_can(const pt_tensor *w) {
    bool by_outputs = w->qscheme == PT_PER_CHANNEL_AFFINE && w->axis == 0 && w->scales->dtype == PT_FLOAT64 &&
                      w->zero_points->dtype == PT_INT64;
    if (w->dtype != PT_QINT8 || w->layout != PT_STRIDED || (w->qscheme != PT_PER_TENSOR_AFFINE && !by_outputs))
        return false;
    for (int64_t o = 0; o < w->sizes[0]; o++)
        if (zero_point_of(w, o) != 0)
            return false;
    return pt_tensor_numel(w) > 0;
}

/* The weight of an operator, its input 1; NULL when it is not a constant that the loops can compute with. */
static const pt_tensor *constant_weight(packer *p, const ir_node *n) {
    const ir_constant *c = ir_constant_of(ir_in(n, 1));
    bool known = c && c->kind == CONST_TENSOR && !mutation_is_written(p->mutation, ir_in(n, 1));
    return known && c->tensor->ndim >= 2 && loops_can(c->tensor) ? c->tensor : NULL;
}

static parts pack(const pt_tensor *w, const quantized_weight_form *f) {
    int64_t outputs = (int64_t)f->outputs,
            sizes[] = {(int64_t)quantized_panels(f), (int64_t)quantized_panel_groups(f), TSM_Q8_PANEL, TSM_Q8_GROUP};
    void *packed, *scales, *sums;
    parts made;
    made.packed = new_tensor_constant(PT_INT8, 4, sizes, &packed);
    made.scales = new_tensor_constant(PT_FLOAT32, 1, &outputs, &scales);
    made.sums = new_tensor_constant(PT_INT32, 1, &outputs, &sums);
    quantized_pack(packed, sums, pt_tensor_data(w), f);
    for (int64_t o = 0; o < outputs; o++)
        ((float *)scales)[o] = (float)scale_of(w, o);
    return made;
}

static const parts *packed_parts(packer *p, const pt_tensor *w, const quantized_weight_form *f) {
    weight_key key;
    memset(&key, 0, sizeof key);
    key.weight = w;
    key.groups = (int64_t)f->groups;
    if (hmgeti(p->shared->map, key) < 0)
        hmput(p->shared->map, key, pack(w, f));
    return &p->shared->map[hmgeti(p->shared->map, key)].value;
}

/* None, or float32 numbers, one for each output. */
static bool bias_fits(packer *p, const ir_value *bias, int64_t outputs) {
    const ir_constant *c = ir_constant_of(bias);
    const pt_tensor *t;
    if (c && c->kind == CONST_NONE)
        return true;
    return constant_floats(p->mutation, bias, 1, &t) && t->sizes[0] == outputs && pt_tensor_is_contiguous(t);
}

/* ---- Rewriting ---- */

static ir_value *insert_ints(ir_node *at, const int64_t *v, int count) {
    ir_constant *c = const_new(CONST_LIST, type_list(type_basic(TYPE_INT)));
    c->list.count = (uint32_t)count;
    c->list.items = MEM_ARRAY(ir_constant *, count + 1);
    for (int i = 0; i < count; i++)
        c->list.items[i] = const_int(v[i]);
    return ir_insert_constant(at, c);
}

/* name(input, packed, scales, sums, bias, outputs, depth, <inputs of n from `rest` on, after `extra`>) in the place of
 * n. */
static void replace(ir_node *n, const char *name, const parts *w, const quantized_weight_form *f, ir_value *extra,
                    uint32_t rest) {
    const op_schema *s = schema_find(name);
    ir_node *made = ir_node_new(n->graph, s->kind, 1);
    made->schema = s;
    made->range = n->range;
    made->scope = n->scope;
    ir_node_add_input(made, ir_in(n, 0));
    ir_node_add_input(made, ir_insert_constant(n, w->packed));
    ir_node_add_input(made, ir_insert_constant(n, w->scales));
    ir_node_add_input(made, ir_insert_constant(n, w->sums));
    ir_node_add_input(made, ir_in(n, 2));
    ir_node_add_input(made, ir_insert_constant(n, const_int((int64_t)f->outputs)));
    ir_node_add_input(made, ir_insert_constant(n, const_int((int64_t)f->depth)));
    if (extra)
        ir_node_add_input(made, extra);
    for (uint32_t i = rest; i < ir_input_count(n); i++)
        ir_node_add_input(made, ir_in(n, i));
    ir_insert_before(n, made);
    made->outputs[0]->name = ir_out(n, 0)->name;
    ir_replace_uses(ir_out(n, 0), made->outputs[0]);
    ir_destroy(n);
}

static void rewrite_linear(packer *p, ir_node *n, const char *name) {
    const pt_tensor *w = constant_weight(p, n);
    if (!w || w->ndim != 2 || !bias_fits(p, ir_in(n, 2), w->sizes[0]))
        return;
    quantized_weight_form f = {(size_t)w->sizes[0], (size_t)w->sizes[1], 1, 1, 1};
    replace(n, name, packed_parts(p, w, &f), &f, NULL, 3);
}

static void rewrite_convolution(packer *p, ir_node *n) {
    const pt_tensor *w = constant_weight(p, n);
    int64_t groups;
    if (!w || w->ndim < 3 || w->ndim > 5 || !ir_constant_int(ir_in(n, 6), &groups) || groups < 1 ||
        w->sizes[0] % groups || !bias_fits(p, ir_in(n, 2), w->sizes[0]))
        return;
    int last = w->ndim - 1;
    quantized_weight_form f = {(size_t)w->sizes[0], (size_t)w->sizes[1], (size_t)groups, 1, (size_t)w->sizes[last]};
    for (int d = 2; d < last; d++)
        f.rows *= (size_t)w->sizes[d];
    replace(n, "tsm::quantized_conv_packed", packed_parts(p, w, &f), &f, insert_ints(n, w->sizes + 2, w->ndim - 2), 3);
}

static void rewrite_block(packer *p, ir_block *b) {
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            rewrite_block(p, n->blocks[i]);
        const char *name = n->schema ? n->schema->full_name : "";
        if (!strcmp(name, "tsm::quantized_conv"))
            rewrite_convolution(p, n);
        else if (!strcmp(name, "tsm::quantized_linear"))
            rewrite_linear(p, n, "tsm::quantized_linear_packed");
        else if (!strcmp(name, "tsm::quantized_linear_dynamic"))
            rewrite_linear(p, n, "tsm::quantized_linear_dynamic_packed");
    }
}

void pack_quantized(ir_graph *g, mutation *m, quantized_weights *shared) {
    packer p = {m, shared};
    rewrite_block(&p, g->block);
}
