/* Asks for the number of dimensions as early as it is known: aten::dim of what a layer or a pointwise operator makes is
 * that of its input. The check that torch.nn's normalization layers begin with then no longer reads the layer's result,
 * which can then be fused with what follows. Values whose sizes change in place are left alone. */
#ifndef TSMC_PASSES_OPTIMIZE_HOIST_RANK_H
#define TSMC_PASSES_OPTIMIZE_HOIST_RANK_H

#include "exporter/passes/analysis/mutation.h"

void hoist_rank(ir_graph *g, mutation *m);

#endif
