/* The order of the passes. */
#ifndef TSMC_PASSES_PIPELINE_H
#define TSMC_PASSES_PIPELINE_H

#include "exporter/passes/optimize/narrow_weights.h"
#include "exporter/passes/optimize/quantize.h"
#include "exporter/passes/specialize/specialize.h"

/* A pass beside those of the table. */
typedef struct {
    const char *name;
    const char *after; /* the pass behind which it runs */
    void (*on_graph)(ir_graph *g);
} pipeline_addition;

typedef struct {
    int level;              /* 0: none, 1: safe scalar and graph passes, 2: everything */
    const char *stop_after; /* name of the pass whose result is wanted; NULL: all */
    bool is_lowered;        /* graphs are going to be lowered: what lowering needs also runs behind stop_after */
    const pipeline_addition *addition; /* NULL: none */
    bool keeps_formats;                /* the runtime is too old for tsm::form_message */
    weight_elements weights;           /* what weights are stored as */
    quantization *quantization;        /* of layers; NULL: none */
    const char *const *checkpoints;    /* names of functions whose values are computed again, an stb_ds array */
    /* Told of every pass that ran, from the last one on that lowering needs, so that the functions can be lowered as
     * they are. May be NULL. */
    void (*after_pass)(void *context, const char *pass, function *const *functions);
    void *context;
    /* The examples to specialize to, an stb_ds array, and how to run them: fills seen from a run of the functions as
     * they are then. */
    example *examples;
    shape_observer observe;
} pipeline_options;

/* The methods that can be entered from outside: methods that ask for gradients of what their caller has computed run
 * inside of a caller only. Warns of those that are left out. */
function **pipeline_entries(program *p, function *const *all);

/* Optimizes the entries and what they reach. Afterwards is_mutated of all constants is right. Returns the functions, as
 * call_graph_reachable does. */
function **pipeline_run(program *p, function *const *entries, pipeline_options o);

/* Runs one pass alone, `name` as in pipeline_names, or a group of passes that are repeated. */
function **pipeline_run_pass(const char *name, program *p, function *const *entries, pipeline_options o);

/* The names of the passes in order, NULL-terminated. */
const char *const *pipeline_names(void);

/* Whether it is the name of a pass, or of a later run of one: with a dot and the number of the run behind it. */
bool pipeline_has(const char *name);

#endif
