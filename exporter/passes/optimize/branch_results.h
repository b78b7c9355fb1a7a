/* Results of ifs and variables of loops that are one value on all ways. */
#ifndef TSMC_PASSES_OPTIMIZE_BRANCH_RESULTS_H
#define TSMC_PASSES_OPTIMIZE_BRANCH_RESULTS_H

#include "exporter/ir/ir.h"

/* n is an if or a loop. Puts the value in the place of each result that it does not decide: both branches give it, or
 * one does and what the other gives is never read; of a loop, the body hands on what it got. A result that is true in
 * the first branch and false in the second is the condition. The results stay, without uses. */
void settle_results(ir_node *n);

#endif
