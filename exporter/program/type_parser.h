/* Types as they are written: annotations in code, type strings in pickles. */
#ifndef TSMC_PROGRAM_TYPE_PARSER_H
#define TSMC_PROGRAM_TYPE_PARSER_H

#include "exporter/program/program.h"

/* The type that an expression names. Classes are looked up (and defined) in the program. Raises "Unknown type name
 * 'x'". */
const type *type_of_expression(program *p, const ast_node *e);

/* The same for a text such as "Dict[str, List[int]]". */
const type *type_of_text(program *p, const char *text);

#endif
