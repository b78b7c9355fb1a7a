/* Constant propagation. */
#ifndef TSMC_PASSES_OPTIMIZE_FOLD_CONSTANTS_H
#define TSMC_PASSES_OPTIMIZE_FOLD_CONSTANTS_H

#include "exporter/passes/analysis/mutation.h"

/* Replaces operators on constant numbers, bools and strings, and on tensors of one number that are made of such or are
 * constants that nothing writes to (m, which may be NULL, says so), by their results, which libtsmobile itself
 * computes; decides tests of None and branches whose condition is constant; removes casts to the same type and dropout
 * that is off. An operator that raises is left for run time. */
void fold_constants(ir_graph *g, mutation *m);

#endif
