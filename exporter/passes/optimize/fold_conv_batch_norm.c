/* Batch normalization into the weights of the convolution or linear layer before it. */
#include "exporter/passes/optimize/fold_conv_batch_norm.h"

#include <math.h>
#include <string.h>

#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/schema/schema.h"

/* aten::batch_norm(input, weight?, bias?, running_mean?, running_var?, training, momentum, eps, cudnn_enabled) */
enum { BN_INPUT, BN_WEIGHT, BN_BIAS, BN_MEAN, BN_VAR, BN_TRAINING, BN_MOMENTUM, BN_EPS };

typedef struct {
    const float *gamma, *beta, *mean, *var; /* gamma, beta: NULL for 1 and 0 */
    double eps;
} statistics;

static bool is_none(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c && c->kind == CONST_NONE;
}

/* A vector of `channels` floats, or None where `optional`. */
static bool read_vector(mutation *m, const ir_value *v, int64_t channels, bool optional, const float **data) {
    const pt_tensor *t;
    *data = NULL;
    if (is_none(v))
        return optional;
    *data = tensor_constant_floats(m, v, 1, &t);
    return *data && t->sizes[0] == channels;
}

static bool read_statistics(mutation *m, const ir_node *bn, int64_t channels, statistics *s) {
    bool training;
    return ir_constant_bool(ir_in(bn, BN_TRAINING), &training) && !training &&
           constant_number(ir_in(bn, BN_EPS), &s->eps) &&
           read_vector(m, ir_in(bn, BN_WEIGHT), channels, true, &s->gamma) &&
           read_vector(m, ir_in(bn, BN_BIAS), channels, true, &s->beta) &&
           read_vector(m, ir_in(bn, BN_MEAN), channels, false, &s->mean) &&
           read_vector(m, ir_in(bn, BN_VAR), channels, false, &s->var);
}

/* Layers whose weight is [outputs, ...] and whose bias is one number an output: input, weight, bias?, ... */
static bool is_layer(const ir_node *n) {
    bool transposed;
    if (!n->schema)
        return false;
    if (!strcmp(n->schema->name, "aten::_convolution"))
        return ir_constant_bool(ir_in(n, 6), &transposed) && !transposed;
    return ir_is_operator(n, "aten::conv1d") || ir_is_operator(n, "aten::conv2d") ||
           !strcmp(n->schema->full_name, "aten::conv3d");
}

static ir_constant *scaled_weight(const pt_tensor *w, const float *data, const double *scale) {
    float *to;
    ir_constant *c = tensor_constant_new_floats(w->ndim, w->sizes, &to);
    c->tensor->name = w->name;
    int64_t outputs = w->sizes[0], row = pt_tensor_numel(w) / outputs;
    for (int64_t o = 0; o < outputs; o++)
        for (int64_t k = 0; k < row; k++)
            to[o * row + k] = (float)(data[o * row + k] * scale[o]);
    return c;
}

static bool fold_into(mutation *m, ir_node *layer, ir_node *bn) {
    const pt_tensor *w;
    statistics s;
    const float *weight = tensor_constant_floats(m, ir_in(layer, 1), -1, &w), *bias;
    if (!weight || w->ndim < 3 || !read_statistics(m, bn, w->sizes[0], &s) ||
        !read_vector(m, ir_in(layer, 2), w->sizes[0], true, &bias))
        return false;
    int64_t outputs = w->sizes[0];
    double *scale = mem_alloc((size_t)outputs * sizeof *scale);
    float *shift;
    ir_constant *new_bias = tensor_constant_new_floats(1, &outputs, &shift);
    for (int64_t o = 0; o < outputs; o++) {
        scale[o] = (s.gamma ? s.gamma[o] : 1.0) / sqrt((double)s.var[o] + s.eps);
        shift[o] = (float)(((bias ? bias[o] : 0.0) - s.mean[o]) * scale[o] + (s.beta ? s.beta[o] : 0.0));
    }
    ir_node_set_input(layer, 1, ir_insert_constant(layer, scaled_weight(w, weight, scale)));
    ir_node_set_input(layer, 2, ir_insert_constant(layer, new_bias));
    return true;
}

static void fold_block(ir_block *b, mutation *m) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            fold_block(n->blocks[i], m);
        if (!ir_is_operator(n, "aten::batch_norm"))
            continue;
        ir_node *layer = ir_in(n, BN_INPUT)->node;
        if (!is_layer(layer) || ir_use_count(ir_in(n, BN_INPUT)) != 1 || layer->block != b || !fold_into(m, layer, n))
            continue;
        ir_replace_uses(ir_out(n, 0), ir_out(layer, 0));
        ir_destroy(n);
    }
}

void fold_conv_batch_norm(ir_graph *g, mutation *m) {
    fold_block(g->block, m);
}
