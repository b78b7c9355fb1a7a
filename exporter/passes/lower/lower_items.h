/* Pass lower_items: loops over a dict's items go over its keys and over its values.
 *
 * `for key, value in d.items()`: where nothing more is done with the list than to ask for its length and to take its
 * tuples apart, no tuple is made. */
#ifndef TSMC_PASSES_LOWER_ITEMS_H
#define TSMC_PASSES_LOWER_ITEMS_H

#include "exporter/ir/ir.h"

void lower_items(ir_graph *g);

#endif
