/* Graphs, and the lines that their nodes come from, as data of a report (docs/reports.md). */
#ifndef TSMC_REPORT_GRAPH_H
#define TSMC_REPORT_GRAPH_H

#include "exporter/passes/specialize/guard_entry.h"
#include "platform/report/report.h"

/* Members "graph", "sources" and "places" of the object that is open. `e` knows shapes (NULL: nothing does). */
void report_graph(report *r, function *const *functions, const example *examples);

#endif
