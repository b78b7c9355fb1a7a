/* Chains of pointwise operators become one tsm::pointwise. A test at run time (tsm::pointwise_fits) tells whether it
 * gives what the operators give for the tensors at hand; where it does not, the operators themselves run, with their
 * own positions in the source:
 *
 *     %y = prim::If(%fits)
 *       block0(): %1 = tsm::pointwise(%a, %b, None, None, "*0ab+y0A", numbers) -> (%1)
 *       block1(): %2 = aten::mul(%a, %b)  %3 = aten::add(%2, 1.0, 1) -> (%3)
 *
 * A chain takes up to four tensors that nothing writes to; what lies between its steps has no other use. */
#ifndef TSMC_PASSES_OPTIMIZE_FUSE_POINTWISE_H
#define TSMC_PASSES_OPTIMIZE_FUSE_POINTWISE_H

#include "exporter/passes/analysis/shapes.h"

/* Code behind the guard of an example is left alone: */
void fuse_pointwise(ir_graph *g, mutation *m);

/* The same for such code: chains fit what is known of it. What facts->seen says of the last step's result it then says
 * of the chain's. Returns whether there was a chain. */
bool fuse_pointwise_inside(ir_block *b, shape_facts *facts);

#endif
