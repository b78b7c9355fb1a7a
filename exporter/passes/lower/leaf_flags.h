/* Leaves whose requires_grad is taken away and given back: operators in between record nothing of them. */
#ifndef TSMC_PASSES_LOWER_LEAF_FLAGS_H
#define TSMC_PASSES_LOWER_LEAF_FLAGS_H

#include "exporter/passes/lower/reverse.h"

/* The calls of requires_grad_(), as an stb_ds array; NULL when none takes a flag away. */
const ir_node **leaf_flag_changes(const ir_graph *g);

/* Whether n records what it does with tensor v, which has the flag where the graph begins or where it is made. Results
 * of operators that are recorded have it always: taking it away raises. */
gradient_mode leaf_flag_at(const derivation *d, const ir_node *n, const ir_value *v);

#endif
