/* Programs from .py sources: what the names of the file mean. */
#ifndef TSMC_SOURCE_SOURCE_PROGRAM_H
#define TSMC_SOURCE_SOURCE_PROGRAM_H

#include "exporter/emit/emit.h"

/* A name of the file's own level or an import of it; SUGAR_UNDEFINED when the file does not bind it. */
sugared source_program_name(emitter *e, const char *name, source_range range);

/* What a dotted path of a package means: "torch.nn.functional.relu". */
sugared source_program_path(emitter *e, const char *path, source_range range);

/* The dotted path of what an import of the file binds to a name; NULL when none does. */
const char *source_program_import(const code_file *file, const char *name);

/* The name that an annotation means: imports and aliases are followed ("L" after `from typing import List as L` is
 * "List"). The qualified name of a class of the file is "__torch__.NAME". */
const char *source_program_type_name(program *p, const char *dotted);

/* The Python type of the value that an expression makes, as far as its form tells: "int", "list", "object". */
const char *source_program_type_of(const ast_node *value);

/* Finds a def or class of the file by qualified name; NULL when there is none. */
ast_node *source_program_definition(program *p, const char *qualified);

#endif
