/* The tape: values that a branch or a turn of a loop computed, kept for the block that computes its gradients. */
#ifndef TSMC_PASSES_LOWER_TAPE_H
#define TSMC_PASSES_LOWER_TAPE_H

#include "exporter/program/program.h"

/* Values of branch k of an if that `reverse` (a block behind the if) uses become further results of the if. */
void tape_keep_branch(program *p, ir_node *branches, int k, ir_block *reverse);
/* Values of the body of a loop that `reverse` uses are put into lists, turn by turn. `reverse` is the body of a loop
 * behind it that runs as often: its first turn takes what the last one has put there, and so on. */
void tape_keep_turns(program *p, ir_node *loop, ir_block *reverse);
/* How often a loop has run: its count, or a variable that is added to it. */
ir_value *tape_turns(ir_node *loop);

#endif
