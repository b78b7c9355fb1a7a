/* Operators of core ATen, and of traces, become those of the layers from which they were made, which later passes know:
 *
 *     aten::convolution, aten::_convolution          aten::conv2d, aten::conv_transpose2d, ...   weight a constant
 *     aten::convolution                              aten::_convolution         of other weights
 *     aten::max_pool2d_with_indices                  aten::max_pool2d           where the indices are not used
 *     aten::addmm(bias, x, t(weight)), aten::mm      aten::linear               weight and bias constants
 *
 * Transposed weights are views: nothing is copied. */
#ifndef TSMC_PASSES_OPTIMIZE_COMPOSE_LAYERS_H
#define TSMC_PASSES_OPTIMIZE_COMPOSE_LAYERS_H

#include "exporter/passes/analysis/mutation.h"

void compose_layers(ir_graph *g, mutation *m);

#endif
