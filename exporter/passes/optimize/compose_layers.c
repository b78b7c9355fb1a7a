/* Nodes replaced one for one. */
#include "exporter/passes/optimize/compose_layers.h"

#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/schema/operator_node.h"

static bool only_first_is_used(const ir_node *n) {
    for (uint32_t i = 1; i < ir_output_count(n); i++)
        if (ir_use_count(ir_out(n, i)))
            return false;
    return true;
}

/* ---- Layers ---- */

/* (..., groups) and: benchmark, deterministic, cudnn_enabled, allow_tf32 */
static void compose_general_convolution(ir_node *n) {
    enum { SHARED = 9, COUNT = 13 };
    ir_value *inputs[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        inputs[i] = i < SHARED ? ir_in(n, i) : ir_insert_constant(n, const_bool(false));
    operator_replace(n, "aten::_convolution", inputs, COUNT);
}

/* (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, ...): the weight says how many
 * dimensions there are. False where it is not known. */
static bool compose_convolution(mutation *m, ir_node *n) {
    enum { STRIDE = 3, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS };
    static const char *const plain[] = {"aten::conv1d", "aten::conv2d", "aten::conv3d"};
    static const char *const transposed[] = {"aten::conv_transpose1d", "aten::conv_transpose2d.input",
                                             "aten::conv_transpose3d.input"};
    const pt_tensor *weight;
    bool is_transposed;
    if (!ir_constant_bool(ir_in(n, TRANSPOSED), &is_transposed) ||
        !tensor_constant_floats(m, ir_in(n, 1), -1, &weight) || weight->ndim < 3 || weight->ndim > 5)
        return false;
    ir_value *inputs[8] = {ir_in(n, 0), ir_in(n, 1), ir_in(n, 2), ir_in(n, STRIDE), ir_in(n, PADDING)};
    uint32_t count = PADDING + 1;
    if (is_transposed) {
        inputs[count++] = ir_in(n, OUTPUT_PADDING);
        inputs[count++] = ir_in(n, GROUPS);
        inputs[count++] = ir_in(n, DILATION);
    } else {
        inputs[count++] = ir_in(n, DILATION);
        inputs[count++] = ir_in(n, GROUPS);
    }
    operator_replace(n, (is_transposed ? transposed : plain)[weight->ndim - 3], inputs, count);
    return true;
}

static bool is_general_convolution(const ir_node *n) {
    return ir_is_operator(n, "aten::_convolution") || ir_is_operator(n, "aten::_convolution.deprecated");
}

static void compose_max_pool(ir_node *n) {
    if (only_first_is_used(n))
        operator_replace(n, "aten::max_pool2d", n->inputs, ir_input_count(n));
}

/* ---- Products ---- */

/* A matrix that is a constant, as another constant that is its transpose. */
static ir_constant *transposed(mutation *m, const ir_value *v) {
    const pt_tensor *t;
    if (!tensor_constant_floats(m, v, 2, &t))
        return NULL;
    pt_tensor *made = MEM_NEW(pt_tensor);
    int64_t *sizes = MEM_ARRAY(int64_t, 2), *strides = MEM_ARRAY(int64_t, 2);
    *made = *t;
    for (int d = 0; d < 2; d++) {
        sizes[d] = t->sizes[1 - d];
        strides[d] = t->strides[1 - d];
    }
    made->sizes = sizes;
    made->strides = strides;
    return const_tensor(made);
}

/* Whether n swaps the dimensions of a matrix: permute(x, [1, 0]), t(x), transpose(x, 0, 1). */
static bool swaps_dimensions(const ir_node *n) {
    int64_t a, b;
    if (ir_is_operator(n, "aten::t"))
        return true;
    if (ir_is_operator(n, "aten::transpose.int"))
        return ir_constant_int(ir_in(n, 1), &a) && ir_constant_int(ir_in(n, 2), &b) && a != b;
    if (!ir_is_operator(n, "aten::permute"))
        return false;
    const ir_constant *dims = ir_constant_of(ir_in(n, 1));
    const ir_node *list = ir_in(n, 1)->node;
    if (dims)
        return dims->kind == CONST_LIST && dims->list.count == 2 && dims->list.items[0]->integer == 1;
    return list->kind == IR_LIST_CONSTRUCT && ir_input_count(list) == 2 && ir_constant_int(ir_in(list, 0), &a) &&
           a == 1 && ir_constant_int(ir_in(list, 1), &b) && b == 0;
}

/* The weight [outputs, inputs] of a product with v, [inputs, outputs]; NULL when it is not known. */
static ir_value *weight_of(mutation *m, ir_node *at, const ir_value *v) {
    const pt_tensor *t;
    if (v->node->schema && swaps_dimensions(v->node) && tensor_constant_floats(m, ir_in(v->node, 0), 2, &t))
        return ir_in(v->node, 0);
    ir_constant *c = transposed(m, v);
    return c ? ir_insert_constant(at, c) : NULL;
}

static bool is_one(const ir_value *v) {
    double number;
    return constant_number(v, &number) && number == 1;
}

static void compose_mm(mutation *m, ir_node *n) {
    ir_value *weight = weight_of(m, n, ir_in(n, 1));
    if (!weight)
        return;
    ir_value *inputs[] = {ir_in(n, 0), weight, ir_insert_constant(n, const_none())};
    operator_replace(n, "aten::linear", inputs, 3);
}

/* (bias, x, matrix, beta, alpha) */
static void compose_addmm(mutation *m, ir_node *n) {
    const pt_tensor *bias, *w;
    if (!tensor_constant_floats(m, ir_in(n, 0), 1, &bias) || !is_one(ir_in(n, 3)) || !is_one(ir_in(n, 4)))
        return;
    ir_value *weight = weight_of(m, n, ir_in(n, 2)), *inputs[] = {ir_in(n, 1), weight, ir_in(n, 0)};
    if (weight && tensor_constant_floats(m, weight, 2, &w) && w->sizes[0] == bias->sizes[0])
        operator_replace(n, "aten::linear", inputs, 3);
}

/* ---- The pass ---- */

static void compose(mutation *m, ir_node *n) {
    if (is_general_convolution(n))
        compose_convolution(m, n);
    else if (ir_is_operator(n, "aten::convolution") && !compose_convolution(m, n))
        compose_general_convolution(n);
    else if (ir_is_operator(n, "aten::max_pool2d_with_indices"))
        compose_max_pool(n);
    else if (ir_is_operator(n, "aten::addmm"))
        compose_addmm(m, n);
    else if (ir_is_operator(n, "aten::mm"))
        compose_mm(m, n);
}

static void compose_block(mutation *m, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            compose_block(m, n->blocks[i]);
        compose(m, n);
    }
}

void compose_layers(ir_graph *g, mutation *m) {
    compose_block(m, g->block);
}
