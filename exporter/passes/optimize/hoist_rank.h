/* Asks for the number of dimensions as early as it is known: aten::dim of what a layer or a pointwise operator makes is
 * that of its input, and so is that of tensors that are joined or cut. The checks that normalization layers and
 * quantized layers of torch.nn begin with then no longer read a layer's result, which can be fused with what follows;
 * and all of a chain ask one tensor, so that the first one answers for the others. Values whose sizes change in place
 * are left alone. */
#ifndef TSMC_PASSES_OPTIMIZE_HOIST_RANK_H
#define TSMC_PASSES_OPTIMIZE_HOIST_RANK_H

#include "exporter/passes/analysis/mutation.h"

void hoist_rank(ir_graph *g, mutation *m);

#endif
