/* Calls of functions of other workers, and questions to RRefs, become operators. */
#ifndef TSMC_PASSES_LOWER_LOWER_REMOTE_CALLS_H
#define TSMC_PASSES_LOWER_LOWER_REMOTE_CALLS_H

#include "exporter/program/program.h"

/* Whether some function asks another worker for a future. Then every wait may be for such a one. */
bool remote_futures_are_made(function *const *functions);

/* `waits`: waits for futures become operators, too. */
void lower_remote_calls(ir_graph *g, bool waits);

#endif
