/* Numbers that are put into tensors without dimensions and taken out again: torch.jit.trace writes down all that is
 * calculated from sizes in this way. */
#ifndef TSMC_PASSES_OPTIMIZE_NUMBER_TENSORS_H
#define TSMC_PASSES_OPTIMIZE_NUMBER_TENSORS_H

#include "exporter/passes/analysis/mutation.h"

/* n takes the int out of a tensor (aten::Int.Tensor, aten::IntImplicit) that holds one that the program knows: by
 * prim::NumToTensor, a constant, or sums, differences, products, quotients and remainders of such. Then it is that int,
 * calculated without tensors. */
bool take_number(ir_node *n, mutation *m);

#endif
