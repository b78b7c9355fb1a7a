/* Makes straight-line code for passes that follow values; see unroll_loops.h for loops. */
#ifndef TSMC_PASSES_LOWER_COLLECT_APPENDS_H
#define TSMC_PASSES_LOWER_COLLECT_APPENDS_H

#include "exporter/ir/ir.h"

/* [a] and append(b) become [a, b], where all appends stand in the display's block and before every other use. */
void collect_appends(ir_graph *g);
/* Copies a block's nodes before `at` as ir_copy_nodes does; values from outside of the block stay themselves. */
void copy_block_nodes(const ir_block *from, ir_node *at, ir_value_map *map);

#endif
