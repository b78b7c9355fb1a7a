/* Operators that libtsmobile has no kernel for become calls of functions of the compiler's library that are made of
 * operators with kernels (exporter/library/torch.decompositions.py). */
#ifndef TSMC_PASSES_LOWER_DECOMPOSE_OPERATORS_H
#define TSMC_PASSES_LOWER_DECOMPOSE_OPERATORS_H

#include "exporter/passes/analysis/mutation.h"

/* Rewrites the graph of f; true when something was rewritten. The library functions that it then calls may need it
 * too. With `keeps_derivatives` operators stay that gradients pass by a derivative of their own. Before an operator for
 * which PyTorch refuses some dtypes, tsm::check_dtypes asks for them; not in functions that are part of an operator. */
bool decompose_operators(program *p, function *f, mutation *m, bool keeps_derivatives);

/* A call of f with the operator's arguments takes the place of n; one that nobody uses goes. */
void replace_by_call(ir_node *n, function *f);

#endif
