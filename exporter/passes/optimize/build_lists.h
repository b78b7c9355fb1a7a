/* Lists that are built item by item. */
#ifndef TSMC_PASSES_OPTIMIZE_BUILD_LISTS_H
#define TSMC_PASSES_OPTIMIZE_BUILD_LISTS_H

#include "exporter/ir/ir.h"

/* A list that is made in the block and changed there, by appending or setting known items, becomes lists that nobody
 * writes to: what reads it between two changes gets one with the items so far. So l = [a]; l.append(b); cat(l) is
 * cat([a, b]). Returns whether there was one. */
bool build_lists(ir_block *b);

#endif
