/* The placement of constants: instructions on registers need some of them in registers, and loops should not load
 * them in each iteration. */
#ifndef TSMC_CODEGEN_HOIST_CONSTANTS_H
#define TSMC_CODEGEN_HOIST_CONSTANTS_H

#include "exporter/ir/ir.h"

/* Gives each use that must be a register (select_wants_register) a prim::Constant of its own before the outermost loop
 * around the use, shared between uses of the same loop, or right before the user outside of loops. All other constants
 * stay where they are and are read from the constant table. `target` is the version of libtsmobile that the code is for
 * (select_instruction). */
void hoist_constants(ir_graph *g, uint32_t target);

/* Whether a prim::Constant was placed for a register. */
bool hoist_is_in_register(const ir_node *n);

#endif
