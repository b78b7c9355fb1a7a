/* Attributes of the module that no function reads are not stored in the file: after freezing, these are mainly
 * weights that constants have replaced. Only attributes of module classes: a program cannot return an object of such
 * a class, so nobody else can read them. */
#ifndef TSMC_PASSES_OPTIMIZE_PRUNE_ATTRIBUTES_H
#define TSMC_PASSES_OPTIMIZE_PRUNE_ATTRIBUTES_H

#include "exporter/program/program.h"

/* Sets the slots of `module` and the modules in it that no function reads to None. */
void prune_attributes(ir_constant *module, function *const *functions);

#endif
