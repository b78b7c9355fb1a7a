/* Plain weights computed from packed ones, where something else than a layer needs them: in the other branch of a
 * condition, in another method. */
#ifndef TSMC_PASSES_OPTIMIZE_UNPACK_WEIGHTS_H
#define TSMC_PASSES_OPTIMIZE_UNPACK_WEIGHTS_H

#include "exporter/passes/optimize/weight_layers.h"

typedef struct {
    const pt_tensor *weight;
    int64_t groups; /* 0: a matrix */
    ir_constant *packed;
} packed_weight;

/* Replaces constants in g that are, or are lists with, one of the weights (an stb_ds array). */
void unpack_weights(ir_graph *g, const packed_weight *weights);

#endif
