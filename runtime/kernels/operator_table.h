/* The operator table: what the interpreter knows of the kernels. The table itself is made by schema/gen_operators.py.
 */
#ifndef TSM_KERNELS_OPERATOR_TABLE_H
#define TSM_KERNELS_OPERATOR_TABLE_H

#include "runtime/value/exec.h"

/* Sorted by name; a row without a name follows the last. */
extern const tsm_operator tsm_operator_table[];
extern const size_t tsm_operator_count;

#endif
