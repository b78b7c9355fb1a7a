/* Pass lower_objects: an object that nobody changes once it is put together, and that does not leave the function, is
 * the tuple of its attributes. Loops may carry it and ifs choose it; lower_tuples then takes the tuple apart. */
#ifndef TSMC_PASSES_LOWER_OBJECTS_H
#define TSMC_PASSES_LOWER_OBJECTS_H

#include "exporter/ir/ir.h"

void lower_objects(ir_graph *g);

#endif
