/* Hooks of modules: of those that a .py source calls, and of the one that is called from outside. (Calls of submodules
 * have theirs written out in serialized code.) */
#ifndef TSMC_PROGRAM_HOOKS_H
#define TSMC_PROGRAM_HOOKS_H

#include "exporter/program/program.h"

/* `forward` itself, or a function that calls the class's forward pre-hooks, forward, and its forward hooks, as
 * torch.nn.Module's call does: what a hook returns takes the place of the arguments, or of the result, unless it is
 * None. */
function *hooked_forward(class_def *c, function *forward);
/* The hook that is called first; NULL when there is none. */
function *first_hook(class_def *c);

#endif
