#include "exporter/passes/optimize/fuse_activations.h"

#include <math.h>
#include <string.h>

#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/schema/schema.h"
#include "runtime/kernels/simd/f32.h"

/* Positions of arguments, from the end where the two operators differ. */
enum { INPUT, WEIGHT, BIAS, RESIDUAL, FROM_END_ACTIVATION = 3, FROM_END_LOW = 2, FROM_END_HIGH = 1 };

typedef struct {
    tsm_activation activation;
    double low, high;
} finish;

static uint32_t from_end(const ir_node *n, uint32_t k) {
    return ir_input_count(n) - k;
}

static bool is_product(const ir_node *n) {
    return n->schema &&
           (!strcmp(n->schema->full_name, "tsm::convolution") || !strcmp(n->schema->full_name, "tsm::linear"));
}

static bool has_activation(const ir_node *n) {
    int64_t a;
    return !ir_constant_int(ir_in(n, from_end(n, FROM_END_ACTIVATION)), &a) || a != TSM_ACT_NONE;
}

static bool has_residual(const ir_node *n) {
    return ir_in(n, RESIDUAL)->type->kind != TYPE_NONE;
}

/* ---- Activations ---- */

static bool bound_of(const ir_node *n, uint32_t i, double when_none, double *bound) {
    const ir_constant *c = ir_constant_of(ir_in(n, i));
    if (c && c->kind == CONST_NONE) {
        *bound = when_none;
        return true;
    }
    return constant_number(ir_in(n, i), bound);
}

/* Activations without parameters. */
static const struct {
    const char *name;
    finish finish;
} plain_activations[] = {
    {"aten::relu", {TSM_ACT_RELU, 0, 0}},           {"aten::relu6", {TSM_ACT_CLAMP, 0, 6}},
    {"aten::hardswish", {TSM_ACT_HARDSWISH, 0, 0}}, {"aten::hardsigmoid", {TSM_ACT_HARDSIGMOID, 0, 0}},
    {"aten::silu", {TSM_ACT_SILU, 0, 0}},           {"aten::sigmoid", {TSM_ACT_SIGMOID, 0, 0}},
    {"aten::tanh", {TSM_ACT_TANH, 0, 0}},
};

static bool gelu_of(const ir_node *n, finish *f) {
    const ir_constant *c = ir_input_count(n) > 1 ? ir_constant_of(ir_in(n, 1)) : NULL;
    if (!c || c->kind != CONST_STR)
        return false;
    bool exact = c->string.length == 4 && !memcmp(c->string.bytes, "none", 4);
    f->activation = exact ? TSM_ACT_GELU : TSM_ACT_GELU_TANH;
    return exact || (c->string.length == 4 && !memcmp(c->string.bytes, "tanh", 4));
}

static bool activation_of(const ir_node *n, finish *f) {
    if (!n->schema)
        return false;
    const char *name = n->schema->full_name;
    for (size_t i = 0; i < sizeof plain_activations / sizeof *plain_activations; i++)
        if (!strcmp(name, plain_activations[i].name)) {
            *f = plain_activations[i].finish;
            return true;
        }
    *f = (finish){TSM_ACT_CLAMP, -INFINITY, INFINITY};
    if (!strcmp(name, "aten::hardtanh") || !strcmp(name, "aten::clamp"))
        return bound_of(n, 1, -INFINITY, &f->low) && bound_of(n, 2, INFINITY, &f->high);
    if (!strcmp(name, "aten::clamp_min"))
        return bound_of(n, 1, -INFINITY, &f->low);
    if (!strcmp(name, "aten::clamp_max"))
        return bound_of(n, 1, INFINITY, &f->high);
    if (!strcmp(name, "aten::leaky_relu")) {
        f->activation = TSM_ACT_LEAKY_RELU;
        return constant_number(ir_in(n, 1), &f->low);
    }
    return !strcmp(name, "aten::gelu") && gelu_of(n, f);
}

static bool fuse_activation(ir_node *n) {
    finish f;
    if (!activation_of(n, &f))
        return false;
    ir_node *product = ir_in(n, 0)->node;
    if (!is_product(product) || has_activation(product) || ir_use_count(ir_in(n, 0)) != 1 || product->block != n->block)
        return false;
    ir_node_set_input(product, from_end(product, FROM_END_ACTIVATION),
                      ir_insert_constant(product, const_int(f.activation)));
    ir_node_set_input(product, from_end(product, FROM_END_LOW), ir_insert_constant(product, const_float(f.low)));
    ir_node_set_input(product, from_end(product, FROM_END_HIGH), ir_insert_constant(product, const_float(f.high)));
    ir_replace_uses(ir_out(n, 0), ir_out(product, 0));
    ir_destroy(n);
    return true;
}

/* ---- Residuals ---- */

/* The product may take `n`'s other operand as its residual and move to n's place. */
static bool may_absorb(const ir_node *product, const ir_node *n, mutation *m) {
    return is_product(product) && product->block == n->block && !has_activation(product) && !has_residual(product) &&
           ir_use_count(ir_out(product, 0)) == 1 && !mutation_is_written(m, ir_in(product, INPUT));
}

static bool fuse_residual(ir_node *n, mutation *m) {
    int64_t alpha;
    if (!n->schema || strcmp(n->schema->full_name, "aten::add.Tensor") != 0 || !ir_constant_int(ir_in(n, 2), &alpha) ||
        alpha != 1 || ir_in(n, 0) == ir_in(n, 1))
        return false;
    ir_node *a = ir_in(n, 0)->node, *b = ir_in(n, 1)->node;
    bool fits_a = may_absorb(a, n, m), fits_b = may_absorb(b, n, m);
    if (!fits_a && !fits_b)
        return false;
    /* Of two products the later one: its input would soon be dropped anyway. */
    bool takes_b = fits_b && (!fits_a || ir_is_before(a, b));
    ir_node *product = takes_b ? b : a;
    ir_value *residual = ir_in(n, takes_b ? 0 : 1);
    ir_move_before(n, product);
    ir_node_set_input(product, RESIDUAL, residual);
    ir_replace_uses(ir_out(n, 0), ir_out(product, 0));
    ir_destroy(n);
    return true;
}

static void fuse_block(ir_block *b, mutation *m) {
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            fuse_block(n->blocks[i], m);
        if (!fuse_residual(n, m))
            fuse_activation(n);
    }
}

void fuse_activations(ir_graph *g, mutation *m) {
    fuse_block(g->block, m);
}
