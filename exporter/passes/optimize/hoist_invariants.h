/* Pass hoist_invariants: what a loop's body calculates anew in every turn from the same inputs is calculated once,
 * before the loop.
 *
 * What may raise goes there only from the body's start, before anything that can be noticed; the loop and what was
 * taken out of it then stand in a branch that runs when there is a first turn. */
#ifndef TSMC_PASSES_HOIST_INVARIANTS_H
#define TSMC_PASSES_HOIST_INVARIANTS_H

#include "exporter/passes/analysis/mutation.h"

void hoist_invariants(ir_graph *g, mutation *m);

#endif
