/* Leaves whose requires_grad is taken away and given back: operators in between record nothing of them. */
#ifndef TSMC_PASSES_LOWER_LEAF_FLAGS_H
#define TSMC_PASSES_LOWER_LEAF_FLAGS_H

#include "exporter/passes/analysis/gradient_flow.h"

/* Whether n records what it does with tensor v, which has the flag where the graph begins or where it is made. Results
 * of operators that are recorded have it always: taking it away raises. */
gradient_mode leaf_flag_at(const gradient_flow *f, const ir_node *n, const ir_value *v);

#endif
