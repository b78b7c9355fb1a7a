/* Pointwise operators as steps of tsm::pointwise: their letter and operands, by their traits (schema/traits.txt). */
#ifndef TSMC_PASSES_ANALYSIS_POINTWISE_STEP_H
#define TSMC_PASSES_ANALYSIS_POINTWISE_STEP_H

#include "exporter/ir/ir.h"

typedef struct {
    char letter;          /* of runtime/kernels/pointwise/pointwise_steps.def */
    ir_value *tensors[2]; /* NULL where the operand is a number or none */
    double numbers[2];
    int operands, bounds; /* how many operands; how many numbers follow the operand */
} pointwise_step;

/* False when n is no such operator, or an argument that the step needs as a number is not known. */
bool pointwise_step_of(const ir_node *n, pointwise_step *s);

#endif
