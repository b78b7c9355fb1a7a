/* Common subexpressions and equal constants: a node that computes what one above it has computed gives way to it.
 *
 * Only pure operators whose inputs nobody writes to. Results that have an identity (tensors, lists) must be only read:
 * neither changed, nor kept, nor handed out, so that nobody can see that two of them became one. */
#ifndef TSMC_PASSES_OPTIMIZE_CSE_H
#define TSMC_PASSES_OPTIMIZE_CSE_H

#include "exporter/passes/analysis/mutation.h"

void cse(ir_graph *g, mutation *m);

#endif
