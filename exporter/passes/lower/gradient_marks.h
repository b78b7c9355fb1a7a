/* Operators that passes leave in a program for autodiff, and that never run: where parts begin and end that are
 * computed again (checkpoint.h), what the author's program writes to, reads and calls the same (saved_values.h). */
#ifndef TSMC_PASSES_LOWER_GRADIENT_MARKS_H
#define TSMC_PASSES_LOWER_GRADIENT_MARKS_H

#include "exporter/ir/ir.h"

bool gradient_mark_is(const ir_node *n);
/* Takes all marks out. */
void gradient_marks_drop(ir_graph *g);

#endif
