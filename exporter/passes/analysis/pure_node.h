/* Whether a node calculates the same whenever it runs, so that passes may let it run once for several times. */
#ifndef TSMC_PASSES_ANALYSIS_PURE_NODE_H
#define TSMC_PASSES_ANALYSIS_PURE_NODE_H

#include "exporter/passes/analysis/mutation.h"

/* An operator without effects, not random, of inputs of which nothing writes to what it reads. */
bool node_is_pure(const ir_node *n, mutation *m);

/* Nobody can tell whether the node's results are new objects or those of an earlier run. */
bool node_results_may_merge(const ir_node *n, mutation *m);

#endif
