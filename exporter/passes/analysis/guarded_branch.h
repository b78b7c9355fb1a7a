/* The branch on the guard of an entry (specialize/guard_entry.h). */
#ifndef TSMC_PASSES_ANALYSIS_GUARDED_BRANCH_H
#define TSMC_PASSES_ANALYSIS_GUARDED_BRANCH_H

#include "exporter/ir/ir.h"

/* Whether n chooses between two versions of the same code: the one for an example's types and sizes, and the general
 * one. */
bool is_guarded_branch(const ir_node *n);

#endif
