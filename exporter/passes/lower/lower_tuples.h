/* Tuples that only carry values through ifs and loops are carried as those values: a branch result or loop variable
 * that is put together in every place it comes from becomes one for each item, put together again behind. Peephole and
 * dce take the rest away. */
#ifndef TSMC_PASSES_LOWER_LOWER_TUPLES_H
#define TSMC_PASSES_LOWER_LOWER_TUPLES_H

#include "exporter/ir/ir.h"

void lower_tuples(ir_graph *g);

#endif
