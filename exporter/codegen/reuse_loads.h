/* Numbers that a register still holds are not fetched again from the list, tuple or object that they lie in. */
#ifndef TSMC_CODEGEN_REUSE_LOADS_H
#define TSMC_CODEGEN_REUSE_LOADS_H

#include "exporter/codegen/assemble.h"

/* Replaces fetches by moves, or leaves them out. Whether it found any. */
bool reuse_loads(lowering *l);

#endif
