/* Pass fold_tensors: what a program calculates from weights and numbers alone is calculated at export.
 *
 * The weight of a layer with weight normalization, the scale of a frozen batch normalization; torch.tensor([0.2, 0.5])
 * where it is only read. Results have no more elements than the weights that they come from, or few, so files grow by
 * little. */
#ifndef TSMC_PASSES_FOLD_TENSORS_H
#define TSMC_PASSES_FOLD_TENSORS_H

#include "exporter/passes/analysis/mutation.h"

void fold_tensors(ir_graph *g, mutation *m);

#endif
