/* Computing at export what operators give, those that are made of others included. */
#ifndef TSMC_EXECUTE_EVALUATE_COMPOSITE_H
#define TSMC_EXECUTE_EVALUATE_COMPOSITE_H

#include "exporter/ir/ir.h"

/* Runs an operator node on constants as evaluate_operator (passes/analysis/evaluate_operator.h) does. An operator that
 * is a function of the compiler's library, and a call of such a function, is compiled, and run in libtsmobile. (An
 * operator_evaluator of program/program.h.) */
bool evaluate_composite(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs);

#endif
