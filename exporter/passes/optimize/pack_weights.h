/* Convolutions and linear layers with constant float32 weights become tsm::convolution and tsm::linear, whose weights
 * are packed as libtsmobile's inner loops read them (runtime/kernels/simd/pack.h). */
#ifndef TSMC_PASSES_OPTIMIZE_PACK_WEIGHTS_H
#define TSMC_PASSES_OPTIMIZE_PACK_WEIGHTS_H

#include "exporter/passes/analysis/mutation.h"

/* Weights that several functions share are packed once. */
typedef struct packed_weights packed_weights;
packed_weights *packed_weights_new(void);

void pack_weights(ir_graph *g, mutation *m, packed_weights *shared);

#endif
