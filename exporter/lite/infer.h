/* The types of values in graphs that were made from bytecode.
 *
 * Bytecode states the types of parameters, constants, containers and results. The others are inferred: results of
 * operators from their schemas, outputs of If and Loop from the values that they join, attributes from their values and
 * from what is stored in them. The types of refinements (`if x is not None`, isinstance) are not in the bytecode: a
 * value gets an unchecked cast where a narrower type than its own is wanted. */
#ifndef TSMC_LITE_INFER_H
#define TSMC_LITE_INFER_H

#include "exporter/program/program.h"

/* Types all values of the functions' graphs (see lift.h) and all attributes of the program's classes that only bytecode
 * describes; chooses what depends on types: attribute names, methods called, overloads of dict access. */
void infer_types(program *p, function *const *functions);

#endif
