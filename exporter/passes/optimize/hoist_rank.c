#include "exporter/passes/optimize/hoist_rank.h"

#include <string.h>

#include "exporter/schema/schema.h"

static bool is_one_of(const ir_node *n, const char *const *names) {
    for (; n->schema && *names; names++)
        if (!strcmp(*names, n->schema->name))
            return true;
    return false;
}

/* Operators whose first result has as many dimensions as their first input. */
static bool is_layer(const ir_node *n) {
    static const char *const names[] = {
        "aten::conv1d",     "aten::conv2d",     "aten::conv3d",     "aten::_convolution", "aten::linear",
        "aten::max_pool1d", "aten::max_pool2d", "aten::max_pool3d", "aten::avg_pool2d",   NULL};
    return is_one_of(n, names);
}

/* The same, but they may be fused into what makes their input: a question between the two would prevent it. */
static bool is_fusible(const ir_node *n) {
    static const char *const names[] = {"aten::batch_norm",
                                        "aten::relu",
                                        "aten::relu_",
                                        "aten::hardtanh",
                                        "aten::hardtanh_",
                                        "aten::relu6",
                                        "aten::hardswish",
                                        "aten::hardswish_",
                                        "aten::silu",
                                        "aten::silu_",
                                        "aten::sigmoid",
                                        "aten::hardsigmoid",
                                        "aten::tanh",
                                        "aten::gelu",
                                        "aten::leaky_relu",
                                        "aten::dropout",
                                        NULL};
    return is_one_of(n, names);
}

static ir_value *earliest_of_same_rank(ir_value *v) {
    ir_value *best = v;
    while (is_layer(v->node) || is_fusible(v->node)) {
        bool layer = is_layer(v->node);
        v = ir_in(v->node, 0);
        if (layer)
            best = v;
    }
    return best;
}

static void move_in_block(ir_block *b) {
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            move_in_block(n->blocks[i]);
        if (!n->schema || strcmp(n->schema->full_name, "aten::dim") != 0)
            continue;
        ir_node_set_input(n, 0, earliest_of_same_rank(ir_in(n, 0)));
    }
}

void hoist_rank(ir_graph *g) {
    move_in_block(g->block);
}
