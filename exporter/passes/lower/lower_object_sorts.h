/* Lists of objects are sorted by their class's __lt__, which no operator can call: aten::sort and aten::sorted of such
 * lists, and of tuples with objects, become calls of a function made for the type, a stable merge sort in TorchScript.
 */
#ifndef TSMC_PASSES_LOWER_LOWER_OBJECT_SORTS_H
#define TSMC_PASSES_LOWER_LOWER_OBJECT_SORTS_H

#include "exporter/program/program.h"

/* Rewrites one graph; true when something was rewritten. */
bool lower_object_sorts(program *p, ir_graph *g);

#endif
