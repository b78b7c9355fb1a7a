/* Operators that libtsmobile has no kernel for, but the compiler's library a function made of operators that it has
 * (exporter/library/torch.decompositions.py), become calls of that function. */
#ifndef TSMC_PASSES_LOWER_DECOMPOSE_OPERATORS_H
#define TSMC_PASSES_LOWER_DECOMPOSE_OPERATORS_H

#include "exporter/passes/analysis/mutation.h"

/* Rewrites one graph; true when something was rewritten. Functions of the library that now are called may need it too.
 */
bool decompose_operators(program *p, ir_graph *g, mutation *m);

#endif
