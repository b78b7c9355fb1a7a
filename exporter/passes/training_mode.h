/* Modules in training mode: what module.eval() does, and whether it would matter. */
#ifndef TSMC_PASSES_TRAINING_MODE_H
#define TSMC_PASSES_TRAINING_MODE_H

#include "exporter/program/program.h"

/* Sets the attribute `training` of a module and of all modules below it to False; NULL is no module. */
void training_turn_off(ir_constant *module);

/* Warns of operators that compute something else in training mode (dropout, batch normalization) and are not known to
 * be out of it. `functions` are those that the pipeline left; graphs are good for nothing else behind this. */
void training_warn(program *p, function *const *entries, function *const *functions);

#endif
