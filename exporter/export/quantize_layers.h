/* Quantized programs of torch.export (PT2E) compute on floats between operators that quantize and dequantize: here
 * layers and what stands between them get the kernels for int8.
 *
 *     quantize(relu(conv2d(dequantize(x), dequantize(weight), bias)))  ->  int_repr(tsm::quantized_conv(...))
 *
 * Results may differ from the floats' by one step of the quantization, as on any machine that calculates with
 * integers. */
#ifndef TSMC_EXPORT_QUANTIZE_LAYERS_H
#define TSMC_EXPORT_QUANTIZE_LAYERS_H

#include "exporter/program/program_internal.h"

/* The graph's first input is the program's module. */
void quantize_layers(const program *p, ir_graph *g);

#endif
