/* Unrolling of loops with a small constant number of iterations. */
#ifndef TSMC_PASSES_LOWER_UNROLL_LOOPS_H
#define TSMC_PASSES_LOWER_UNROLL_LOOPS_H

#include "exporter/passes/analysis/shapes.h"

typedef struct {
    int64_t turns, nodes;              /* the most iterations of one loop, and nodes of all its iterations together */
    bool (*skip)(const ir_node *loop); /* loops that stay; NULL: none */
} unroll_limits;

/* Unrolls the loops of the block whose numbers of iterations are constants within the limits. What `seen` (may be
 * NULL) says of values in a loop, it then says of their copies too. Returns whether a loop was unrolled. */
bool unroll_loops(ir_block *b, const unroll_limits *limits, shape_map *seen);

/* Unrolls the short loops that carry nothing but lists of ints, as those over dimensions do, and folds what they then
 * decide. Returns whether there was one. */
bool unroll_list_loops(ir_graph *g);

#endif
