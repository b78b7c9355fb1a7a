/* Quantized programs of torch.export (PT2E) compute on floats between operators that quantize and dequantize: here
 * layers and what stands between them get the kernels for int8.
 *
 *     quantize(relu(conv2d(dequantize(x), dequantize(weight), bias)))  ->  int_repr(tsm::quantized_conv(...))
 *
 * Results may differ from the floats' by one step of the quantization, as on any machine that calculates with
 * integers. */
#ifndef TSMC_EXPORT_QUANTIZE_LAYERS_H
#define TSMC_EXPORT_QUANTIZE_LAYERS_H

#include "exporter/export/translate.h"

/* The graph's first input is the program's module. `t` has made it; `metas` are the program's tensor_values by name. */
void quantize_layers(translation *t, ir_graph *g, json metas);

#endif
