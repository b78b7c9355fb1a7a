/* The order of the passes. */
#ifndef TSMC_PASSES_PIPELINE_H
#define TSMC_PASSES_PIPELINE_H

#include "exporter/passes/specialize/specialize.h"

typedef struct {
    int level;              /* 0: none, 1: safe scalar and graph passes, 2: everything */
    const char *stop_after; /* name of the pass whose result is wanted; NULL: all */
    /* The example to specialize to (NULL: none), and how to run it: fills seen from a run of the functions as they are
     * then. */
    example *example;
    void (*observe)(example *e, program *p, function *const *entries, function *const *functions);
} pipeline_options;

/* Optimizes the entries and what they reach. Afterwards is_mutated of all constants is right. Returns the functions, as
 * reachable_functions does. */
function **pipeline_run(program *p, function *const *entries, pipeline_options o);

/* The names of the passes in order, NULL-terminated. */
const char *const *pipeline_names(void);

#endif
