/* `with torch.no_grad()` of programs whose gradients are written out: where nothing asks whether gradients are enabled,
 * it does nothing any more. */
#ifndef TSMC_PASSES_LOWER_DROP_GRADIENT_MODES_H
#define TSMC_PASSES_LOWER_DROP_GRADIENT_MODES_H

#include "exporter/ir/class.h"

/* Takes it out of all the functions of a program, or out of none. */
void drop_gradient_modes(function *const *functions);

#endif
