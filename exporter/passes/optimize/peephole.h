/* Local simplifications:
 *   - taking apart what was just put together: items, length and unpacking of tuples and of lists that nobody changes
 *   - x[:, i] without a view for x[:]
 *   - x.item() that meets a float, and is wanted as a float or an int
 *   - l += [a], which is l.append(a)
 *   - x + 0, x - 0, x * 1, x // 1 of ints; not not x
 *   - conditions that were already decided: in the blocks of an if, and after an if whose other branch raises */
#ifndef TSMC_PASSES_OPTIMIZE_PEEPHOLE_H
#define TSMC_PASSES_OPTIMIZE_PEEPHOLE_H

#include "exporter/passes/analysis/mutation.h"

/* `m` may be NULL: then a list counts as unchanged where all of its uses show it. */
void peephole(ir_graph *g, mutation *m);

#endif
