/* Pass share_displays: lists and dicts of numbers and strings that are written out, as sizes, dimensions and tables
 * are, become constants where operators only read them. The program then does not make them anew each time, and equal
 * ones are one. */
#ifndef TSMC_PASSES_OPTIMIZE_SHARE_DISPLAYS_H
#define TSMC_PASSES_OPTIMIZE_SHARE_DISPLAYS_H

#include "exporter/ir/ir.h"

void share_displays(ir_graph *g);

#endif
