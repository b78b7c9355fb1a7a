/* Classes of Python: what the statements and decorators of a class say. */
#ifndef TSMC_PROGRAM_PYTHON_CLASS_H
#define TSMC_PROGRAM_PYTHON_CLASS_H

#include "exporter/program/program_internal.h"

/* Raises an error about a class that is to be compiled for itself and has other bases than object. */
void python_class_refuse_bases(program *p, const ast_class *syntax);
type_kind python_class_kind(program *p, const ast_class *syntax);
bool python_class_is_exception(program *p, const ast_class *syntax);
/* The def itself, or, where a decorator says that it stays in Python, one that raises. */
const ast_def *python_def_to_compile(const ast_def *d);
/* What an expression, or auto(), gives a member of an enum; NULL when it is no constant. */
ir_constant *python_enum_value(program *p, const class_def *c, const ast_node *value);
/* Raises an error about an enum that TorchScript cannot have. */
void python_enum_check(const class_def *c);
/* Notes that a function or a module's method stays in Python, when the decorators of its def say so. */
void python_mark_dropped(function *f, const ast_def *d);
void python_class_define(program *p, class_def *c, const code_file *file);
/* NAME = namedtuple(...), NAME = NamedTuple(...); NULL when the assignment makes no class. */
class_def *python_class_from_call(program *p, const char *name, const ast_node *n, const code_file *file);

#endif
