/* Pass fold_tensors: what a program calculates from weights alone is calculated at export.
 *
 * The weight of a layer with weight normalization, the scale of a frozen batch normalization. Results have no more
 * elements than the weights that they come from, so files grow by little. */
#ifndef TSMC_PASSES_FOLD_TENSORS_H
#define TSMC_PASSES_FOLD_TENSORS_H

#include "exporter/passes/analysis/mutation.h"

void fold_tensors(ir_graph *g, mutation *m);

#endif
