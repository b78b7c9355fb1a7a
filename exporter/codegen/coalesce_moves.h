/* Moves between scalar registers disappear where both registers can be one: each life of a register gets a register
 * anew, and lives that a move connects get the same where they do not overlap. */
#ifndef TSMC_CODEGEN_COALESCE_MOVES_H
#define TSMC_CODEGEN_COALESCE_MOVES_H

#include "exporter/codegen/assemble.h"

void coalesce_moves(lowering *l);
/* Gives each life a register of its own, so that what a register holds stays known for long. coalesce_moves undoes it.
 */
void separate_lives(lowering *l);

#endif
