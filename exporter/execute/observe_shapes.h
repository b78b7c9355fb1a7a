/* A run of the example: what every operator gives. */
#ifndef TSMC_EXECUTE_OBSERVE_SHAPES_H
#define TSMC_EXECUTE_OBSERVE_SHAPES_H

#include "exporter/passes/specialize/guard_entry.h"

/* Runs the functions as they are now with the example's arguments and fills e->seen. An example that cannot be run is
 * an error. */
void observe_shapes(example *e, program *p, function *const *entries, function *const *functions);

#endif
