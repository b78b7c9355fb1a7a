/* Numbers read from parts of tensors. TorchScript makes of float(x[i])
 *
 *     %v = aten::select(%x, 0, %i)
 *     %f = aten::Float(%v)
 *
 * which becomes tsm::float_item(%x, 0, %i), without a view; int() and bool() likewise. */
#ifndef TSMC_PASSES_OPTIMIZE_FUSE_GET_ITEM_H
#define TSMC_PASSES_OPTIMIZE_FUSE_GET_ITEM_H

#include "exporter/ir/ir.h"

void fuse_get_item(ir_graph *g);

#endif
