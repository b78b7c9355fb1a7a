/* Returns, breaks, continues and `with` blocks as structured control flow.
 *
 * The emitter leaves these nodes where the statements stand; what follows them in their block is never run:
 *     prim::ReturnStmt(value)                    leaves the function
 *     prim::BreakStmt(carried...)                leaves the innermost loop, whose carried values are then these
 *     prim::ContinueStmt(condition, carried...)  ends the iteration; the next one runs if the condition holds
 *     prim::RaiseException(...)
 *     prim::With(object)                         one block, whose parameter is what __enter__ returns
 *
 * Values that a `with` block defines are seen outside of it only through its results, which are the node's outputs.
 *
 * Afterwards only RaiseException is left. The nodes after a statement that may exit are moved to the other branch of
 * its `if`, or into an `if` that tests whether an exit happened; loops carry that state. Values that a path does not
 * define are prim::Uninitialized. */
#ifndef TSMC_EMIT_EXIT_TRANSFORM_H
#define TSMC_EMIT_EXIT_TRANSFORM_H

#include "exporter/ir/ir.h"

/* The graph's own block either ends in a ReturnStmt on every path or has results, which are what it returns then. */
void exit_transform(ir_graph *g);

#endif
