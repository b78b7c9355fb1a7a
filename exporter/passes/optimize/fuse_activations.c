/* Activations and residuals into the products of packed weights. */
#include "exporter/passes/optimize/fuse_activations.h"

#include "exporter/passes/analysis/pointwise_step.h"
#include "exporter/schema/schema.h"
#include "runtime/kernels/simd/f32.h"
#include <math.h>

/* Positions of arguments. FROM_END_...: counted from the end, since the operators have different numbers of
 * arguments before them. */
enum { INPUT, WEIGHT, BIAS, RESIDUAL, FROM_END_ACTIVATION = 3, FROM_END_LOW = 2, FROM_END_HIGH = 1 };

typedef struct {
    tsm_activation activation;
    double low, high;
} finish;

static uint32_t from_end(const ir_node *n, uint32_t k) {
    return ir_input_count(n) - k;
}

static bool is_product(const ir_node *n) {
    return n->schema && (ir_is_operator(n, "tsm::convolution") || ir_is_operator(n, "tsm::linear"));
}

/* What is rounded to halves behind the activation is what it would be before, where the activation gives one of its
 * arguments. */
static bool is_half_product(const ir_node *n, tsm_activation a) {
    return a <= TSM_ACT_CLAMP && n->schema &&
           (ir_is_operator(n, "tsm::half_convolution") || ir_is_operator(n, "tsm::half_linear"));
}

/* Of these the loops take activations, not residuals. */
static bool is_transposed(const ir_node *n) {
    return n->schema && ir_is_operator(n, "tsm::conv_transpose");
}

static bool has_activation(const ir_node *n) {
    int64_t a;
    return !ir_constant_int(ir_in(n, from_end(n, FROM_END_ACTIVATION)), &a) || a != TSM_ACT_NONE;
}

static bool has_residual(const ir_node *n) {
    return ir_in(n, RESIDUAL)->type->kind != TYPE_NONE;
}

/* ---- Activations ---- */

/* The pointwise steps that are activations, with the values of low and high where the step itself has no such
 * numbers. */
static const struct {
    char letter;
    finish finish;
} activations[] = {
    {'r', {TSM_ACT_RELU, 0, 0}},
    {'c', {TSM_ACT_CLAMP, -INFINITY, INFINITY}},
    {'h', {TSM_ACT_HARDSWISH, 0, 0}},
    {'i', {TSM_ACT_HARDSIGMOID, 0, 0}},
    {'w', {TSM_ACT_SILU, 0, 0}},
    {'s', {TSM_ACT_SIGMOID, 0, 0}},
    {'t', {TSM_ACT_TANH, 0, 0}},
    {'l', {TSM_ACT_LEAKY_RELU, -INFINITY, INFINITY}},
    {'g', {TSM_ACT_GELU, -INFINITY, INFINITY}},
    {'G', {TSM_ACT_GELU_TANH, -INFINITY, INFINITY}},
};

static bool activation_of(const ir_node *n, finish *f) {
    pointwise_step s;
    if (!pointwise_step_of(n, &s))
        return false;
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        if (activations[i].letter == s.letter) {
            *f = activations[i].finish;
            f->low = s.bounds > 0 ? s.numbers[0] : f->low;
            f->high = s.bounds > 1 ? s.numbers[1] : f->high;
            return true;
        }
    return false;
}

static bool fuse_activation(ir_node *n) {
    finish f;
    if (!activation_of(n, &f))
        return false;
    ir_node *product = ir_in(n, 0)->node;
    if ((!is_product(product) && !is_transposed(product) && !is_half_product(product, f.activation)) ||
        has_activation(product) || ir_use_count(ir_in(n, 0)) != 1 || product->block != n->block)
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
    if (!ir_is_operator(n, "aten::add.Tensor") || !ir_constant_int(ir_in(n, 2), &alpha) || alpha != 1 ||
        ir_in(n, 0) == ir_in(n, 1))
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
    stack_check();
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
