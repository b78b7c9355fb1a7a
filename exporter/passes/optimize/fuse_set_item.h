/* Numbers assigned to parts of tensors. TorchScript makes of x[i] = 2.0
 *
 *     %v = aten::select(%x, 0, %i)
 *     %t = aten::tensor(2.0, prim::dtype(%v), prim::device(%v), False)
 *     aten::copy_(%v, %t, False)
 *
 * which becomes tsm::set_item_(%x, 0, %i, 2.0), or tsm::set_number_(%v, 2.0) where %v is another view or is wanted
 * elsewhere too. */
#ifndef TSMC_PASSES_OPTIMIZE_FUSE_SET_ITEM_H
#define TSMC_PASSES_OPTIMIZE_FUSE_SET_ITEM_H

#include "exporter/ir/ir.h"

void fuse_set_item(ir_graph *g);

#endif
