/* Pass promote_attributes: the attributes of an object that does not leave the function become values, as variables of
 * the function would be: ifs give them, and loops carry them. The object goes. Unlike lower_objects, the object may
 * change anywhere; but it has one name only: no loop carries it, and no if chooses it. */
#ifndef TSMC_PASSES_LOWER_PROMOTE_ATTRIBUTES_H
#define TSMC_PASSES_LOWER_PROMOTE_ATTRIBUTES_H

#include "exporter/ir/ir.h"

void promote_attributes(ir_graph *g);

#endif
