/* Improves a function's instructions where a graph cannot say it: jumps whose condition is known go on at once,
 * comparisons and the jumps behind them become one, numbers that nobody reads are not written, and moves between
 * scalar registers disappear (coalesce_moves.h). */
#ifndef TSMC_CODEGEN_OPTIMIZE_CODE_H
#define TSMC_CODEGEN_OPTIMIZE_CODE_H

#include "exporter/codegen/assemble.h"

void optimize_code(lowering *l);

#endif
