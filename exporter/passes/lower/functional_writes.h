/* Writes into tensors that gradients pass through become new tensors: `h += x` is `h1 = h + x`, and `h[:, 0] = y` is
 * `h1 = slice_scatter(h, ...)`. What was a name of h's memory, or of a view of it, is one of h1's afterwards, in
 * branches and loops too, which hand the tensor through. Reverse mode then sees operators that have formulas. */
#ifndef TSMC_PASSES_LOWER_FUNCTIONAL_WRITES_H
#define TSMC_PASSES_LOWER_FUNCTIONAL_WRITES_H

#include "exporter/program/program.h"

/* Only where the tensor is made in the function, and all that may share its memory when it has been written is known to
 * be it, or a certain view of it. */
void functional_writes(program *p, ir_graph *g);

#endif
