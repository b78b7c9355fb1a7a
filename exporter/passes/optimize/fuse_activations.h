/* Activations and additions move into the tsm::convolution or tsm::linear that makes their operand, which then applies
 * them in registers: activation(product + bias + residual). Only where the product has no other use, and where nothing
 * that it reads is written to by the program, so that it may run later than it stands. */
#ifndef TSMC_PASSES_OPTIMIZE_FUSE_ACTIVATIONS_H
#define TSMC_PASSES_OPTIMIZE_FUSE_ACTIVATIONS_H

#include "exporter/passes/analysis/mutation.h"

void fuse_activations(ir_graph *g, mutation *m);

#endif
