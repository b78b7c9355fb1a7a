/* Batch normalization into the weights of the convolution before it, plain or transposed. */
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

/* How the outputs of a layer lie in its weight: [outputs, ...], or, transposed, [inputs, outputs of a group, ...]. Its
 * bias is one number an output: input, weight, bias?, ... */
typedef struct {
    bool is_transposed;
    int64_t groups; /* of a transposed one */
} layer_form;

static bool read_form(const ir_node *n, layer_form *f) {
    static const char *const plain[] = {"aten::conv1d", "aten::conv2d", "aten::conv3d"};
    static const char *const transposed[] = {"aten::conv_transpose1d", "aten::conv_transpose2d.input",
                                             "aten::conv_transpose3d.input"};
    *f = (layer_form){false, 1};
    if (!n->schema)
        return false;
    if (!strcmp(n->schema->name, "aten::_convolution"))
        return ir_constant_bool(ir_in(n, 6), &f->is_transposed) && ir_constant_int(ir_in(n, 8), &f->groups);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (ir_is_operator(n, plain[i]))
            return true;
        f->is_transposed = ir_is_operator(n, transposed[i]);
        if (f->is_transposed)
            return ir_constant_int(ir_in(n, 6), &f->groups);
    }
    return false;
}

/* The number of outputs; 0 where the weight does not fit. */
static int64_t count_outputs(const pt_tensor *w, const layer_form *f) {
    if (w->ndim < 3 || f->groups < 1 || !w->sizes[0] || w->sizes[0] % f->groups)
        return 0;
    return f->is_transposed ? w->sizes[1] * f->groups : w->sizes[0];
}

static ir_constant *scaled_weight(const pt_tensor *w, const float *data, const layer_form *f, const double *scale) {
    float *to;
    ir_constant *c = tensor_constant_new_floats(w->ndim, w->sizes, &to);
    c->tensor->name = w->name;
    /* Rows of the weights that one number scales. */
    int64_t width = f->is_transposed ? w->sizes[1] : 1, rows = w->sizes[0] * width, row = pt_tensor_numel(w) / rows;
    int64_t inputs = w->sizes[0] / f->groups;
    for (int64_t r = 0; r < rows; r++) {
        int64_t output = f->is_transposed ? r / width / inputs * width + r % width : r;
        for (int64_t k = 0; k < row; k++)
            to[r * row + k] = (float)(data[r * row + k] * scale[output]);
    }
    return c;
}

static bool fold_into(mutation *m, ir_node *layer, const layer_form *f, ir_node *bn) {
    const pt_tensor *w;
    statistics s;
    const float *weight = tensor_constant_floats(m, ir_in(layer, 1), -1, &w), *bias;
    int64_t outputs = weight ? count_outputs(w, f) : 0;
    if (!outputs || !read_statistics(m, bn, outputs, &s) || !read_vector(m, ir_in(layer, 2), outputs, true, &bias))
        return false;
    double *scale = mem_alloc((size_t)outputs * sizeof *scale);
    float *shift;
    ir_constant *new_bias = tensor_constant_new_floats(1, &outputs, &shift);
    for (int64_t o = 0; o < outputs; o++) {
        scale[o] = (s.gamma ? s.gamma[o] : 1.0) / sqrt((double)s.var[o] + s.eps);
        shift[o] = (float)(((bias ? bias[o] : 0.0) - s.mean[o]) * scale[o] + (s.beta ? s.beta[o] : 0.0));
    }
    ir_node_set_input(layer, 1, ir_insert_constant(layer, scaled_weight(w, weight, f, scale)));
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
        layer_form form;
        if (!read_form(layer, &form) || ir_use_count(ir_in(n, BN_INPUT)) != 1 || layer->block != b ||
            !fold_into(m, layer, &form, n))
            continue;
        ir_replace_uses(ir_out(n, 0), ir_out(layer, 0));
        ir_destroy(n);
    }
}

void fold_conv_batch_norm(ir_graph *g, mutation *m) {
    fold_block(g->block, m);
}
