/* Objects of torch.Generator that are made of constants: PyTorch makes such an object when it loads the program, and
 * what is drawn in a call goes on where the call before has ended. They become constants that the program changes.
 * Their initial seeds become constants too: PyTorch asks for them as early. */
#ifndef TSMC_PASSES_LOWER_LOWER_GENERATORS_H
#define TSMC_PASSES_LOWER_LOWER_GENERATORS_H

#include "exporter/ir/ir.h"

void lower_generators(ir_graph *g);

#endif
