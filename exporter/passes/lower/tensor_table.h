/* Tensors that are written to under names which are told apart at run time only - items of lists and dicts, names that
 * are a view on one branch and a new tensor on the other - lie in a table.
 *
 * A list has what each of them is now; a name is a tensor with its place in that memory (sizes, strides, offset), whose
 * elements nobody reads, and the number of the memory, which goes with it through branches, loops and containers. A
 * write gives the list a new tensor; whoever reads a name takes its part of what the list has. */
#ifndef TSMC_PASSES_LOWER_TENSOR_TABLE_H
#define TSMC_PASSES_LOWER_TENSOR_TABLE_H

#include "exporter/program/program.h"

/* Rewrites the writes that gradients pass through and that functional_writes() has left, where all names of the memory
 * are known. */
void tensor_table(program *p, ir_graph *g);

#endif
