/* Operators by name, for the verifier and for what binds a program to this runtime. */
#ifndef TSM_INTERPRETER_OPERATORS_H
#define TSM_INTERPRETER_OPERATORS_H

#include "runtime/operators/operator_table.h"

/* The row of an operator by its full name; NULL when this runtime does not have it. */
const tsm_operator *tsm_operator_find(const char *name);

#endif
