/* Folds a batch normalization with known statistics into the convolution before it, plain or transposed:
 *
 *     y = (conv(x, W) + b - mean) / sqrt(var + eps) * gamma + beta = conv(x, W') + b'
 *     s = gamma / sqrt(var + eps),  W'[o] = W[o] * s[o],  b' = (b - mean) * s + beta
 *
 * Products and sums with numbers, and with constants that have one number for a channel (frozen normalizations), go the
 * same way. (Computed in double, rounded once.) Only where the normalization does not train, its inputs are constants
 * that nothing writes to, and the convolution's result has no other use. */
#ifndef TSMC_PASSES_OPTIMIZE_FOLD_CONV_BATCH_NORM_H
#define TSMC_PASSES_OPTIMIZE_FOLD_CONV_BATCH_NORM_H

#include "exporter/passes/analysis/mutation.h"

void fold_conv_batch_norm(ir_graph *g, mutation *m);

#endif
