/* Modules of .py sources as the compiler sees them: objects of Python as constants of the IR with classes of their own.
 */
#ifndef TSMC_SOURCE_SOURCE_MODULE_H
#define TSMC_SOURCE_SOURCE_MODULE_H

#include "exporter/python/py_eval.h"

/* The module as a constant of the IR, with all its submodules. */
ir_constant *module_constant(py_machine *m, py_value *module);

/* What Python computes for a parameter's default value (program_front_end). */
ir_constant *module_default_value(program *p, const ast_node *value, const type *t, const char **mutable_type);

#endif
