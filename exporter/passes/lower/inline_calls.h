/* Inlining: calls of functions and methods become their bodies. */
#ifndef TSMC_PASSES_LOWER_INLINE_CALLS_H
#define TSMC_PASSES_LOWER_INLINE_CALLS_H

#include "exporter/ir/ir.h"

/* Replaces every prim::CallFunction and prim::CallMethod whose callee is known, inside out, so that none remains,
 * unless the program would be too large (LIMIT_INLINED_NODES). Interface calls and forks stay. */
void inline_calls(ir_graph *g);

#endif
