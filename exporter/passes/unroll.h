/* Loops that turn a few times, as often as is known, one turn behind the other. */
#ifndef TSMC_PASSES_UNROLL_H
#define TSMC_PASSES_UNROLL_H

#include "exporter/passes/shapes.h"

/* Unrolls the loops of the block that have constant numbers of turns and are short. What was seen of values in a loop is seen of their
 * copies. Returns whether there was one. */
bool unroll_loops(ir_block *b, shape_map *seen);

#endif
