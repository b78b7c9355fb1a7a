/* Weights of linear layers, convolutions, LSTMs and GRUs, matrices that something is multiplied with, and tables of
 * embeddings are stored in half floats, or in int8 with a float32 scale for each output (each row of a table): tsmc
 * --weights. The operators that take such weights (tsm::narrow_...) make floats of them block by block.
 *
 * Narrow become constants that only such layers use. Weights of fewer than 1,024 elements, depthwise ones, and those
 * with numbers that are infinite, NaN or (half floats) above 65,504 stay as they are. */
#ifndef TSMC_PASSES_OPTIMIZE_NARROW_WEIGHTS_H
#define TSMC_PASSES_OPTIMIZE_NARROW_WEIGHTS_H

#include "exporter/passes/analysis/tensor_uses.h"

typedef enum { WEIGHTS_AS_THEY_ARE, WEIGHTS_F16, WEIGHTS_INT8 } weight_elements;

void narrow_weights(const weight_scope *scope, weight_elements to);

#endif
