/* Loops that turn a few times, as often as is known, one turn behind the other. */
#ifndef TSMC_PASSES_LOWER_UNROLL_LOOPS_H
#define TSMC_PASSES_LOWER_UNROLL_LOOPS_H

#include "exporter/passes/analysis/shapes.h"

typedef struct {
    int64_t turns, nodes;              /* at most, of one loop; nodes of all turns together */
    bool (*skip)(const ir_node *loop); /* loops that stay; NULL: none */
} unroll_limits;

/* Unrolls the loops of the block that have constant numbers of turns within the limits. What was seen of values in a
 * loop (`seen` may be NULL) is seen of their copies. Returns whether there was one. */
bool unroll_loops(ir_block *b, const unroll_limits *limits, shape_map *seen);

#endif
