/* Pass share_lists: lists of numbers that are written out, as sizes and dimensions are, become constants where
 * operators only read them. The program then does not make them anew at each call, and equal ones are one. */
#ifndef TSMC_PASSES_OPTIMIZE_SHARE_LISTS_H
#define TSMC_PASSES_OPTIMIZE_SHARE_LISTS_H

#include "exporter/ir/ir.h"

void share_lists(ir_graph *g);

#endif
