/* Plans for each target, in one file (tsmc --target each). */
#ifndef TSMC_EXECUTE_PLAN_TARGETS_H
#define TSMC_EXECUTE_PLAN_TARGETS_H

#include "exporter/execute/plan_memory.h"

/* Adds to an image with plans for all targets those that `tsmc --target NAME` would make, for every NAME. Methods whose
 * buffer depends on more than the guards get none. */
void plan_targets(image *m, const example *examples, plan_knowledge *known);

#endif
