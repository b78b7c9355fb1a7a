/* Pass lower_ranges: loops over ranges count the range's numbers themselves.
 *
 * `aten::__derive_index(turn, start, step)` becomes a variable that the loop carries. Where nothing else needs the
 * number of the turn and the step is 1 or -1, the loop ends by a comparison with the range's end, so that
 * `aten::__range_length` goes too. */
#ifndef TSMC_PASSES_LOWER_RANGES_H
#define TSMC_PASSES_LOWER_RANGES_H

#include "exporter/ir/ir.h"

void lower_ranges(ir_graph *g);

#endif
