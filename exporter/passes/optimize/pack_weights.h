/* Convolutions and linear layers with constant float32 weights become tsm::convolution and tsm::linear, those of
 * float16 and bfloat16 tsm::half_convolution and tsm::half_linear. Weights are packed as libtsmobile's inner loops read
 * them (runtime/kernels/simd/pack.h) and keep their dtype. What else needs such a weight takes it apart again, so a
 * file holds it once (weight_layers.h says which are packed). */
#ifndef TSMC_PASSES_OPTIMIZE_PACK_WEIGHTS_H
#define TSMC_PASSES_OPTIMIZE_PACK_WEIGHTS_H

#include "exporter/passes/optimize/weight_layers.h"

void pack_weights(const weight_scope *scope);

#endif
