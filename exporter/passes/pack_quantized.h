/* Quantized convolutions and linear layers with constant weights get them packed as libtsmobile's int8 loops read them
 * (runtime/kernels/quantized_pack.h): tsm::quantized_conv becomes tsm::quantized_conv_packed, and so on. */
#ifndef TSMC_PASSES_PACK_QUANTIZED_H
#define TSMC_PASSES_PACK_QUANTIZED_H

#include "exporter/passes/mutation.h"

/* Weights that several functions share are packed once. */
typedef struct quantized_weights quantized_weights;
quantized_weights *quantized_weights_new(void);

void pack_quantized(ir_graph *g, mutation *m, quantized_weights *shared);

#endif
