/* Running operators at export: libtsmobile's own kernels on constants. */
#ifndef TSMC_PASSES_ANALYSIS_EVALUATE_OPERATOR_H
#define TSMC_PASSES_ANALYSIS_EVALUATE_OPERATOR_H

#include "exporter/ir/ir.h"

/* Runs an operator node on constants: tensors, numbers, bools, strings, devices, None, and lists of those. `outputs`
 * gets one constant for each output; tensors are new and contiguous. False when a kind of value or the operator is not
 * supported, or when the kernel raises. Beyond the limits of evaluation it is an error. (An operator_evaluator of
 * program/program.h.) */
bool evaluate_operator(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs);
/* The same with at most `most` bytes, at least 64 KiB, and `most_work` units of work. Returns false when a run needs
 * more. */
bool evaluate_operator_within(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs, size_t most,
                              int64_t most_work);

/* An input of a question: a constant, or NULL for a tensor of which dtype, sizes and strides are known (NULL: the
 * question does not depend on strides). */
typedef struct {
    const ir_constant *constant;
    int dtype, dims;
    const int64_t *sizes, *strides;
} question_input;

/* Runs an operator that answers by a bool and does not look at elements. False when it cannot. */
bool evaluate_question(const ir_node *n, const question_input *inputs, bool *answer);

#endif
