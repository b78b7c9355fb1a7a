/* Parts of a program whose values are computed again for their gradients instead of being kept: what stands between
 * tsm::checkpoint_begins and tsm::checkpoint_ends, which are in one block.
 *
 * Computed again is what operators without effects give of values that are there: of what comes into the part, and of
 * what is kept. Kept are results of what draws random numbers, of what writes or is written to, and of branches and
 * loops with such nodes. The blocks of branches and loops are parts of their own. */
#ifndef TSMC_PASSES_LOWER_CHECKPOINT_H
#define TSMC_PASSES_LOWER_CHECKPOINT_H

#include "exporter/passes/lower/reverse.h"

/* Puts the marks around the calls of functions and methods of this name: the last parts of a qualified name, with or
 * without ".forward". Returns how many there are. */
uint32_t checkpoint_mark_calls(ir_graph *g, const char *name);

/* Whether n is a mark. A walk backward that comes to one begins or ends to compute the part again, before d->at. */
bool checkpoint_step(derivation *d, const ir_node *n);
/* The same for a whole block inside of a part; d reverses the block. */
void checkpoint_enter_block(derivation *d, const ir_block *b);
void checkpoint_leave_block(derivation *d, const ir_block *b);
/* What stands for v in a formula: v, or the same computed again. */
ir_value *checkpoint_value(const derivation *d, ir_value *v);

#endif
