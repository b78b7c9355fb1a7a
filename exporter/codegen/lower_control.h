/* Branches and loops -> jumps. */
#ifndef TSMC_CODEGEN_LOWER_CONTROL_H
#define TSMC_CODEGEN_LOWER_CONTROL_H

#include "exporter/codegen/assemble.h"

void lower_if(lowering *l, const ir_node *n);
void lower_loop(lowering *l, const ir_node *n);

/* Whether n, of block b, is a comparison that the branch after it does itself: it is noted, and makes no instruction of
 * its own. */
bool lower_defers_compare(lowering *l, const ir_block *b, const ir_node *n);

/* The nodes of a block but its result (lower_function.c). */
void lower_block(lowering *l, const ir_block *b);

#endif
