/* Computing at export what operators give, those that are made of others included. */
#ifndef TSMC_EXECUTE_COMPUTE_H
#define TSMC_EXECUTE_COMPUTE_H

#include "exporter/ir/ir.h"

/* Runs an operator node on constants as evaluate_operator (passes/analysis/evaluate.h) does. An operator that is a
 * function of the compiler's library, and a call of such a function, is compiled, and run in libtsmobile. (An
 * operator_evaluator of program/program.h.) */
bool compute_operator(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs);

#endif
