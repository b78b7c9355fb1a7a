/* In-place operators become functional where nobody can tell: `aten::relu_(%x)` on a tensor that was just made and that
 * no other name refers to is `aten::relu(%x)`. Later passes then see through them. */
#ifndef TSMC_PASSES_OPTIMIZE_FUNCTIONALIZE_H
#define TSMC_PASSES_OPTIMIZE_FUNCTIONALIZE_H

#include "exporter/ir/ir.h"

void functionalize(ir_graph *g);

#endif
