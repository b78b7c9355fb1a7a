/* Operators that give a number, a text or a list of those, and whose inputs are constants. */
#ifndef TSMC_PASSES_ANALYSIS_CONSTANT_RESULT_H
#define TSMC_PASSES_ANALYSIS_CONSTANT_RESULT_H

#include "exporter/passes/analysis/mutation.h"

/* A number, bool or text. */
bool constant_is_plain(const ir_constant *c);

/* A constant list that nothing writes to; NULL when v is none. */
const ir_constant *unwritten_list(const ir_value *v, mutation *m);

/* What the operator gives, by a run at export; NULL: an input is no constant, or something writes to it or to the
 * result, or the operator cannot be run. Tensors of few elements count as constants too. */
ir_constant *constant_result(const ir_node *n, mutation *m);

/* The same where the inputs are these constants, of which the graph need not know, when n runs. */
ir_constant *constant_result_of(const ir_node *n, const ir_constant *const *inputs, mutation *m);

/* The same for a new list that is written to later: its items when the operator has run. */
ir_constant *constant_items(const ir_node *n, mutation *m);

#endif
