/* What names mean in a file of Python: its imports, and the types that annotations name. */
#ifndef TSMC_PROGRAM_PYTHON_NAMES_H
#define TSMC_PROGRAM_PYTHON_NAMES_H

#include "exporter/program/program_internal.h"

/* The dotted path of what an import of the file binds to a name; NULL when none does. */
const char *python_imported_path(const code_file *file, const char *name);

/* The name that an annotation of the program's main file means: imports and aliases are followed ("L" after
 * `from typing import List as L` is "List"). The qualified name of a class of the file is "__torch__.NAME". `use` is
 * the expression that names it: in an assignment of the file itself only what stands before is defined, so that `int =
 * int` means the builtin type. */
const char *python_type_name(program *p, const char *dotted, const ast_node *use);

#endif
