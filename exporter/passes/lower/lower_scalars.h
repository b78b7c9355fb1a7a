/* Pass lower_scalars: operators on numbers and bools that are no instruction become operators and branches that are.
 *
 * An int that meets a float is converted first; `&` and `|` of bools, and min and max of floats, become branches; abs
 * of an int is the larger one of two. */
#ifndef TSMC_PASSES_LOWER_SCALARS_H
#define TSMC_PASSES_LOWER_SCALARS_H

#include "exporter/ir/ir.h"

void lower_scalars(ir_graph *g);

#endif
