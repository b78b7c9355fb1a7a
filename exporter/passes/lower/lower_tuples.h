/* Tuples that only carry values through ifs and loops are carried as those values: a branch result or loop variable
 * whose tuple is constructed in every place it comes from becomes one result or variable for each item, and the tuple
 * is constructed again behind the if or loop. peephole and dce then remove what is not needed. */
#ifndef TSMC_PASSES_LOWER_LOWER_TUPLES_H
#define TSMC_PASSES_LOWER_LOWER_TUPLES_H

#include "exporter/ir/ir.h"

void lower_tuples(ir_graph *g);

#endif
