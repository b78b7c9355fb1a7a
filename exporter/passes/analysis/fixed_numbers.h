/* Numbers that are the same in every run, though they may change from turn to turn of a loop: calculated from constants
 * and from the turns of loops that such numbers end. What follows from them, a run of the example shows. */
#ifndef TSMC_PASSES_ANALYSIS_FIXED_NUMBERS_H
#define TSMC_PASSES_ANALYSIS_FIXED_NUMBERS_H

#include "exporter/ir/ir.h"

/* Whether an int, float or bool is fixed. */
bool number_is_fixed(const ir_value *v);

/* Whether a loop has the same number of turns in every run. */
bool loop_is_fixed(const ir_node *loop);

/* Whether n runs as often in every run of block b, in which it stands, at whatever depth: fixed numbers decide about
 * the branches and loops around it. */
bool node_runs_fixed(const ir_node *n, const ir_block *b);

#endif
