/* Which functions a program can run. */
#ifndef TSMC_PASSES_ANALYSIS_CALL_GRAPH_H
#define TSMC_PASSES_ANALYSIS_CALL_GRAPH_H

#include "exporter/program/program.h"

/* The entries and everything that they call, fork, enter, exit or reach through interfaces, each once, an stb_ds array.
 * Bodies are compiled when they were not. */
function **call_graph_reachable(program *p, function *const *entries);

/* The methods that an interface call may run: those of every class that fits the interface. An stb_ds array. */
function **call_graph_interface_targets(program *p, const ir_node *call);

#endif
