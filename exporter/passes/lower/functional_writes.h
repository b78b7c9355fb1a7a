/* Writes into tensors that gradients pass through become new tensors: `h += x` is `h1 = h + x`, and `h[:, 0] = y` is
 * `h1 = slice_scatter(h, ...)`, where later uses of h read h1. Reverse mode then sees operators that have formulas. */
#ifndef TSMC_PASSES_LOWER_FUNCTIONAL_WRITES_H
#define TSMC_PASSES_LOWER_FUNCTIONAL_WRITES_H

#include "exporter/program/program.h"

/* Only where the tensor is made in the function, and no other name of it is used later. Loops and branches that write
 * to it hand it through. */
void functional_writes(program *p, ir_graph *g);

#endif
