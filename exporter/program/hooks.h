/* Hooks of the module that is called from outside. (Calls of submodules have theirs written out in the serialized
 * code.) */
#ifndef TSMC_PROGRAM_HOOKS_H
#define TSMC_PROGRAM_HOOKS_H

#include "exporter/program/program.h"

/* `forward` itself, or a function that calls the class's forward pre-hooks, forward, and its forward hooks, as
 * torch.nn.Module's call does: what a hook returns takes the place of the arguments, or of the result, unless it is
 * None. */
function *hooked_forward(program *p, class_def *c, function *forward);

#endif
