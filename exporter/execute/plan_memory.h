/* The memory plan of the method that was specialized to an example (schema/tsmobile.fbs: Plan). */
#ifndef TSMC_EXECUTE_PLAN_MEMORY_H
#define TSMC_EXECUTE_PLAN_MEMORY_H

#include "exporter/codegen/image.h"
#include "exporter/passes/specialize/guard_entry.h"

/* Runs the example in libtsmobile, records which large blocks it asks for and how long it keeps them, and fills the
 * plan of the method that has the guard: where they lie, and how large a buffer the call needs on `target`, or on
 * any (NULL). Appends the table of blocks to `report` (may be NULL). */
void plan_memory(image *m, const example *e, const char *target, strbuf *report);

#endif
