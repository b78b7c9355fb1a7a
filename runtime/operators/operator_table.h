/* The operator table, made by schema/gen_operators.py: the only way from the interpreter to the kernels. */
#ifndef TSM_OPERATORS_OPERATOR_TABLE_H
#define TSM_OPERATORS_OPERATOR_TABLE_H

#include "runtime/value/exec.h"

/* Sorted by name; a row without a name follows the last. */
extern const tsm_operator tsm_operator_table[];
extern const size_t tsm_operator_count;

#endif
