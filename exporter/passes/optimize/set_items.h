/* Numbers assigned to parts of tensors. TorchScript makes of x[i] = 2.0
 *
 *     %v = aten::select(%x, 0, %i)
 *     %t = aten::tensor(2.0, prim::dtype(%v), prim::device(%v), False)
 *     aten::copy_(%v, %t, False)
 *
 * which becomes tsm::set_item_(%x, 0, %i, 2.0), or tsm::set_number_(%v, 2.0) where %v is another view or is wanted
 * elsewhere too. */
#ifndef TSMC_PASSES_OPTIMIZE_SET_ITEMS_H
#define TSMC_PASSES_OPTIMIZE_SET_ITEMS_H

#include "exporter/ir/ir.h"

void set_items(ir_graph *g);

#endif
