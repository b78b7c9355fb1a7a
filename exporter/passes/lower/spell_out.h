/* Operators that are made of others before they are differentiated: recurrent layers, whose steps carry a state.
 *
 * The library's functions for them are called NAME__by_operators (exporter/library/torch.derivatives.recurrent.py). */
#ifndef TSMC_PASSES_LOWER_SPELL_OUT_H
#define TSMC_PASSES_LOWER_SPELL_OUT_H

#include "exporter/program/program.h"

/* Replaces them by calls, except where gradients are known to be disabled; whether there were any. */
bool spell_out(program *p, ir_graph *g);

#endif
