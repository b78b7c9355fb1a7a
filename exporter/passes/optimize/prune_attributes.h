/* Attributes of the module that no function reads are not stored: after freezing, that is where weights live that
 * constants have replaced. Only of module classes, whose objects a program cannot give away whole. */
#ifndef TSMC_PASSES_OPTIMIZE_PRUNE_ATTRIBUTES_H
#define TSMC_PASSES_OPTIMIZE_PRUNE_ATTRIBUTES_H

#include "exporter/program/program.h"

/* Sets the slots of `module` and the modules in it that no function reads to None. */
void prune_attributes(ir_constant *module, function *const *functions);

#endif
