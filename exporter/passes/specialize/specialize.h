/* Specialization to an example: behind the guard of the entry (guard_entry.h) all that follows from the example's types
 * and sizes is a constant. */
#ifndef TSMC_PASSES_SPECIALIZE_SPECIALIZE_H
#define TSMC_PASSES_SPECIALIZE_SPECIALIZE_H

#include "exporter/passes/specialize/guard_entry.h"

/* Fills e->seen from a run of the functions as they are. */
typedef void (*shape_observer)(example *e, program *p, function *const *entries, function *const *functions);

/* Guards e->entry and specializes it. `functions` are those that the entries reach, an stb_ds array. fuses: chains of
 * pointwise operators become one operator (fuse_pointwise), longer ones than in the general code where loops were
 * unrolled. */
void specialize(program *p, function *const *entries, function *const *functions, example *e, shape_observer observe,
                bool fuses);

#endif
