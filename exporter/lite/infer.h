/* The types of values in graphs that were made from bytecode.
 *
 * Bytecode says the types of parameters, constants, containers and results; the rest follows: operators' from their
 * schemas, those of joined values from what is joined, those of attributes from their values and from what is stored in
 * them. What refinement (`if x is not None`, isinstance) knew is not in the bytecode: a value that is wanted more
 * exactly than its type says gets an unchecked cast where it is wanted. */
#ifndef TSMC_LITE_INFER_H
#define TSMC_LITE_INFER_H

#include "exporter/program/program.h"

/* Types all values of the functions' graphs (see lift.h) and all attributes of the program's classes that only bytecode
 * describes; chooses what depends on types: attribute names, methods called, overloads of dict access. */
void infer_types(program *p, function *const *functions);

#endif
