/* Batch normalization, factors and terms of channels into the weights of the convolution before, plain or transposed.
 */
#include "exporter/passes/optimize/fold_conv_batch_norm.h"

#include <math.h>
#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/schema/schema.h"

/* aten::batch_norm(input, weight?, bias?, running_mean?, running_var?, training, momentum, eps, cudnn_enabled) */
enum { BN_INPUT, BN_WEIGHT, BN_BIAS, BN_MEAN, BN_VAR, BN_TRAINING, BN_MOMENTUM, BN_EPS };

typedef struct {
    mutation *mutation;
    struct {
        const ir_value *key;
        int value;
    } * ranks; /* stb_ds hash maps: how many dimensions values have, where it is known */
    struct {
        const ir_value *key;
        bool value;
    } * made; /* the constants that this pass made, which nothing writes to */
} folding;

typedef struct {
    const float *gamma, *beta, *mean, *var; /* gamma, beta: NULL for 1 and 0 */
    double eps;
} statistics;

static bool is_none(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c && c->kind == CONST_NONE;
}

/* The elements of a constant of float32; NULL: v is none, or something may write to it. */
static const float *read_floats(folding *f, const ir_value *v, int ndim, const pt_tensor **t) {
    if (hmgeti(f->made, v) < 0)
        return tensor_constant_floats(f->mutation, v, ndim, t);
    *t = ir_constant_of(v)->tensor;
    return pt_tensor_data(*t);
}

/* A vector of `channels` floats, or None where `optional`. */
static bool read_vector(folding *fold, const ir_value *v, int64_t channels, bool optional, const float **data) {
    const pt_tensor *t;
    *data = NULL;
    if (is_none(v))
        return optional;
    *data = read_floats(fold, v, 1, &t);
    return *data && t->sizes[0] == channels;
}

static bool read_statistics(folding *fold, const ir_node *bn, int64_t channels, statistics *s) {
    bool training;
    return ir_constant_bool(ir_in(bn, BN_TRAINING), &training) && !training &&
           constant_number(ir_in(bn, BN_EPS), &s->eps) &&
           read_vector(fold, ir_in(bn, BN_WEIGHT), channels, true, &s->gamma) &&
           read_vector(fold, ir_in(bn, BN_BIAS), channels, true, &s->beta) &&
           read_vector(fold, ir_in(bn, BN_MEAN), channels, false, &s->mean) &&
           read_vector(fold, ir_in(bn, BN_VAR), channels, false, &s->var);
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

/* What is done with the outputs of a layer: (y - center) * scale + shift, by output. */
typedef struct {
    double *center, *scale, *shift;
} channel_map;

static channel_map new_map(int64_t outputs) {
    const size_t bytes = (size_t)outputs * sizeof(double);
    channel_map c = {mem_alloc(bytes), mem_alloc(bytes), mem_alloc(bytes)};
    for (int64_t o = 0; o < outputs; o++) {
        c.center[o] = c.shift[o] = 0.0;
        c.scale[o] = 1.0;
    }
    return c;
}

static bool read_normalization(folding *fold, const ir_node *bn, int64_t outputs, channel_map *c) {
    statistics s;
    if (!read_statistics(fold, bn, outputs, &s))
        return false;
    for (int64_t o = 0; o < outputs; o++) {
        c->center[o] = s.mean[o];
        c->scale[o] = (s.gamma ? s.gamma[o] : 1.0) / sqrt((double)s.var[o] + s.eps);
        c->shift[o] = s.beta ? s.beta[o] : 0.0;
    }
    return true;
}

/* ---- Factors and terms ---- */

/* Numbers of a constant that is broadcast along a layer's channels, of which there are `dims` dimensions in a batch;
 * `stride`: 0 where one number is for all. A tensor of as many dimensions makes a batch of a single element: the
 * result's rank must be known. */
static const float *read_channels(folding *fold, const ir_value *v, int dims, int64_t outputs, bool is_batch,
                                  int64_t *stride) {
    const pt_tensor *t;
    const float *data = read_floats(fold, v, -1, &t);
    const int channel = data ? t->ndim - dims + 1 : 0;
    if (!data || t->ndim > dims || (t->ndim == dims && !is_batch))
        return NULL;
    for (int d = 0; d < t->ndim; d++)
        if (t->sizes[d] != 1 && (d != channel || t->sizes[d] != outputs))
            return NULL;
    *stride = pt_tensor_numel(t) == 1 ? 0 : 1;
    return data;
}

/* A product, quotient, sum or difference of the layer's result y and numbers. */
static bool read_step(folding *fold, const ir_node *n, const ir_value *y, int dims, int64_t outputs, bool is_batch,
                      channel_map *c) {
    static const struct {
        const char *name;
        char operation;
        bool commutes;
    } steps[] = {{"aten::mul.Tensor", '*', true},  {"aten::mul.Scalar", '*', false}, {"aten::div.Tensor", '/', false},
                 {"aten::div.Scalar", '/', false}, {"aten::add.Tensor", '+', true},  {"aten::add.Scalar", '+', false},
                 {"aten::sub.Tensor", '-', false}, {"aten::sub.Scalar", '-', false}};
    size_t k = 0;
    while (k < sizeof steps / sizeof *steps && !ir_is_operator(n, steps[k].name))
        k++;
    if (k == sizeof steps / sizeof *steps || (ir_in(n, 0) != y && !steps[k].commutes))
        return false;
    const ir_value *other = ir_in(n, ir_in(n, 0) == y ? 1 : 0);
    double number = 0.0, alpha = 1.0;
    int64_t stride = 0;
    const float *data = NULL;
    if (ir_input_count(n) > 2 && (!constant_number(ir_in(n, 2), &alpha) || alpha != 1.0))
        return false;
    if (!constant_number(other, &number) && !(data = read_channels(fold, other, dims, outputs, is_batch, &stride)))
        return false;
    for (int64_t o = 0; o < outputs; o++) {
        const double x = data ? data[o * stride] : number;
        const bool scales = steps[k].operation == '*' || steps[k].operation == '/';
        if (scales)
            c->scale[o] = steps[k].operation == '*' ? x : 1.0 / x;
        else
            c->shift[o] = steps[k].operation == '+' ? x : -x;
        if (!isfinite(c->scale[o]) || !isfinite(c->shift[o]))
            return false;
    }
    return true;
}

static int rank_of(folding *fold, const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    if (c && c->kind == CONST_TENSOR)
        return c->tensor->ndim;
    const ptrdiff_t at = hmgeti(fold->ranks, v);
    return at < 0 ? -1 : fold->ranks[at].value;
}

/* Layers, activations and in-place operators have the rank of what they are given; a constant beside a layer's result,
 * which has at most as many dimensions as its weight, may say more. */
static void learn_rank(folding *fold, const ir_node *n) {
    static const char *const binary[] = {"aten::add.Tensor", "aten::sub.Tensor", "aten::mul.Tensor",
                                         "aten::div.Tensor"};
    int rank = -1;
    layer_form form;
    if (!n->schema || ir_output_count(n) != 1 || !ir_input_count(n))
        return;
    if (read_form(n, &form) || schema_has_trait(n->schema, TRAIT_SAME_RANK) || operator_writes(n, 0))
        rank = rank_of(fold, ir_in(n, 0));
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (ir_is_operator(n, binary[i])) {
            const ir_node *layer = ir_in(n, 0)->node;
            const int a = rank_of(fold, ir_in(n, 0)), b = rank_of(fold, ir_in(n, 1));
            if (a >= 0 && b >= 0)
                rank = a > b ? a : b;
            else if (b >= 0 && read_form(layer, &form) && rank_of(fold, ir_in(layer, 1)) == b)
                rank = b;
        }
    if (rank >= 0 && !mutation_is_resized(fold->mutation, ir_out(n, 0)))
        hmput(fold->ranks, ir_out(n, 0), rank);
}

/* ---- Folding ---- */

static void set_constant(folding *fold, ir_node *layer, uint32_t input, ir_constant *c) {
    ir_value *v = ir_insert_constant(layer, c);
    hmput(fold->made, v, true);
    ir_node_set_input(layer, input, v);
}

/* Folds n, which takes the layer's result y alone; false: it cannot be. */
static bool fold_into(folding *fold, ir_node *layer, const layer_form *f, const ir_node *n) {
    const pt_tensor *w;
    const float *weight = read_floats(fold, ir_in(layer, 1), -1, &w), *bias;
    int64_t outputs = weight ? count_outputs(w, f) : 0;
    if (!outputs || !read_vector(fold, ir_in(layer, 2), outputs, true, &bias))
        return false;
    channel_map c = new_map(outputs);
    const bool is_batch = rank_of(fold, ir_in(layer, 0)) == w->ndim;
    if (ir_is_operator(n, "aten::batch_norm") ? !read_normalization(fold, n, outputs, &c)
                                              : !read_step(fold, n, ir_out(layer, 0), w->ndim, outputs, is_batch, &c))
        return false;
    float *shift;
    ir_constant *new_bias = tensor_constant_new_floats(1, &outputs, &shift);
    for (int64_t o = 0; o < outputs; o++)
        shift[o] = (float)(((bias ? bias[o] : 0.0) - c.center[o]) * c.scale[o] + c.shift[o]);
    set_constant(fold, layer, 1, scaled_weight(w, weight, f, c.scale));
    set_constant(fold, layer, 2, new_bias);
    return true;
}

/* The layer whose result n alone takes; NULL: there is none. */
static ir_node *layer_before(const ir_node *n, layer_form *f) {
    for (uint32_t i = 0; i < ir_input_count(n) && i < 2; i++) {
        ir_node *layer = ir_in(n, i)->node;
        if (read_form(layer, f) && ir_use_count(ir_in(n, i)) == 1 && layer->block == n->block)
            return layer;
    }
    return NULL;
}

static void fold_block(ir_block *b, folding *fold) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            fold_block(n->blocks[i], fold);
        layer_form form;
        ir_node *layer = n->schema ? layer_before(n, &form) : NULL;
        if (!layer || !fold_into(fold, layer, &form, n)) {
            learn_rank(fold, n);
            continue;
        }
        ir_replace_uses(ir_out(n, 0), ir_out(layer, 0));
        ir_destroy(n);
    }
}

void fold_conv_batch_norm(ir_graph *g, mutation *m) {
    folding fold = {.mutation = m};
    fold_block(g->block, &fold);
    hmfree(fold.ranks);
    hmfree(fold.made);
}
