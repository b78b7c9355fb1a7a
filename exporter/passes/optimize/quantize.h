/* Static int8 from floats: tsmc --quantize.
 *
 * Calls that stand for all are run and the numbers of every tensor watched. Layers then compute with bytes:
 * convolutions and linear layers whose weights are constants (int8, with a scale for each output), and behind them,
 * where all inputs are bytes already, sums and products of two tensors, concatenations, functions of single elements
 * (as tables of 256 bytes), pooling and means; views and maximums of bytes are bytes of the same range. Clamps (relu,
 * relu6) behind a layer are part of it: the range ends where they do. Everything else stays with floats, between
 * aten::dequantize and aten::quantize_per_tensor.
 *
 * What a layer loses is measured twice: alone, on inputs that are the float program's, and in the quantized program. A
 * layer that alone loses more than is allowed stays with floats. */
#ifndef TSMC_PASSES_OPTIMIZE_QUANTIZE_H
#define TSMC_PASSES_OPTIMIZE_QUANTIZE_H

#include "exporter/passes/analysis/quantization.h"

void quantize(program *p, function *const *entries, function *const *functions, quantization *q);

#endif
