/* Freezing: attributes that the program never stores to become constants. */
#ifndef TSMC_PASSES_OPTIMIZE_FREEZE_ATTRIBUTES_H
#define TSMC_PASSES_OPTIMIZE_FREEZE_ATTRIBUTES_H

#include "exporter/passes/analysis/mutation.h"

/* Replaces prim::GetAttr of constant objects by the attribute's value where no function stores to that attribute. */
void freeze_attributes(ir_graph *g, const mutation *m);

/* Makes the first parameter of a method's graph, self, the constant module. */
void bind_self(ir_graph *g, ir_constant *module);

#endif
