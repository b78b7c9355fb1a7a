/* Tensors that hold bools, whatever the arguments of the operators that make them. */
#ifndef TSMC_PASSES_ANALYSIS_BOOL_TENSOR_H
#define TSMC_PASSES_ANALYSIS_BOOL_TENSOR_H

#include "exporter/ir/ir.h"

/* Whether v is a comparison's result, a view of one or the like; false also when that cannot be told. */
bool is_bool_tensor(const ir_value *v);

#endif
