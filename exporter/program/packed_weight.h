/* Weights of layers on quantized tensors, packed at export as the kernels read them (tsm::quantized_pack). */
#ifndef TSMC_PROGRAM_PACKED_WEIGHT_H
#define TSMC_PROGRAM_PACKED_WEIGHT_H

#include "exporter/archive/pt_tensor.h"
#include "exporter/program/program.h"

/* The arguments weight, scales, sums, bias and sizes of tsm::quantized_conv and tsm::quantized_linear. */
typedef struct {
    ir_value *parts[5];
} packed_weight;

/* A tensor of int8 with a scale for each index of its first dimension and zero points of 0, quantized by channels.
 * `scales` has sizes[0] numbers, which are kept. */
pt_tensor *packed_weight_by_channels(const pt_tensor *ints, const double *scales);

/* Packs a weight of qint8 and puts what it became, as constants, before `at`. False when it cannot be packed in that
 * many groups. */
bool packed_weight_make(operator_evaluator *evaluate, ir_node *at, pt_tensor *weight, int64_t groups, ir_value *bias,
                        packed_weight *made);

#endif
