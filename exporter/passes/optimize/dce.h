/* Dead code elimination. */
#ifndef TSMC_PASSES_OPTIMIZE_DCE_H
#define TSMC_PASSES_OPTIMIZE_DCE_H

#include "exporter/ir/ir.h"

/* Removes nodes whose results nobody uses and that have no other effect, and results and loop variables that nobody
 * wants. */
void dce(ir_graph *g);

#endif
