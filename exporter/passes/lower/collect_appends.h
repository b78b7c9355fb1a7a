/* Lists that are built by append become one list display ([a, b]), and dicts whose entries are set one display, for
 * passes that follow values. */
#ifndef TSMC_PASSES_LOWER_COLLECT_APPENDS_H
#define TSMC_PASSES_LOWER_COLLECT_APPENDS_H

#include "exporter/ir/ir.h"

/* [a] and append(b) become [a, b], where all appends stand in the display's block and before every other use; {a: b}
 * and an entry with a constant key likewise. */
void collect_appends(ir_graph *g);

#endif
