/* Stand-ins: tensors without memory of their own, of the type and the sizes of another one, for formulas that ask for
 * nothing else. What they stand for can go before the formula runs. */
#ifndef TSMC_PASSES_LOWER_STAND_IN_H
#define TSMC_PASSES_LOWER_STAND_IN_H

#include "exporter/program/program.h"

/* Whether the function, one of tsmc's own, asks of a parameter for its type and sizes only. */
bool stand_in_suffices(function *f, uint32_t parameter);
/* Gives the calls of tsmc's own functions inside `block` (NULL: everywhere) a stand-in for v, or for the items of the
 * display v, if it suffices for all of them and nothing else inside `block` uses v. */
void stand_in_for(program *p, ir_value *v, const ir_block *block);

#endif
