/* tsm::convolution gives channels-last tensors, where the program's own convolution would give row-major ones. This
 * pass finds every value whose strides may differ from PyTorch's for that reason, follows it through operators that do
 * not care, and puts an aten::contiguous in front of each place that may see the difference: operators whose results or
 * errors depend on strides, containers, results of blocks and functions, and tensors that are written to through views.
 * (At run time it costs nothing when the tensor is row-major after all.) */
#ifndef TSMC_PASSES_OPTIMIZE_INSERT_LAYOUT_CONVERSIONS_H
#define TSMC_PASSES_OPTIMIZE_INSERT_LAYOUT_CONVERSIONS_H

#include "exporter/passes/analysis/mutation.h"

void insert_layout_conversions(ir_graph *g, mutation *m);

#endif
