/* Sparse tensors among a program's constants. The runtime has dense tensors only; a sparse constant whose every use
 * gives the same elements for a dense one (`to_dense`, a matrix product, a sum) is made dense here. Others stay, and
 * are refused when the file is written. */
#ifndef TSMC_PASSES_OPTIMIZE_DENSIFY_CONSTANTS_H
#define TSMC_PASSES_OPTIMIZE_DENSIFY_CONSTANTS_H

#include "exporter/ir/ir.h"

void densify_constants(ir_graph *g);

#endif
