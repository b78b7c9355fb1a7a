/* What the pass `quantize` is given and what it reports: calls of a calibration, how they are run, layers and their
 * loss.
 */
#ifndef TSMC_PASSES_ANALYSIS_QUANTIZATION_H
#define TSMC_PASSES_ANALYSIS_QUANTIZATION_H

#include "exporter/passes/analysis/value_range.h"
#include "exporter/program/program.h"

typedef struct {
    function *entry;
    ir_constant **arguments; /* without self: an stb_ds array */
} calibration_call;

/* Sums of squares, of numbers and of what another program's differ from them. */
typedef struct {
    double signal, noise;
} quantization_loss;

typedef struct {
    const char *name;                /* of the module, with the operator where that is no layer of weights */
    const ir_node *node;             /* in the program of floats */
    const ir_value *exact;           /* what it gives there, clamps behind it included */
    const ir_value *bytes;           /* what stands for that now; NULL: it stays with floats */
    const char *reason;              /* why it does */
    quantization_loss alone, inside; /* with inputs of the float program; in the quantized one */
} quantized_layer;

/* How the program is run. The functions are those that the entries reach. */
typedef struct {
    void *context;
    /* Runs the calls; fills statistics. Keeps what it ran for compare. */
    void (*watch)(void *context, program *p, function *const *entries, function *const *functions,
                  value_statistics_map *statistics);
    /* Runs the calls: both values of each layer are in the functions, or (`is_whole`) one is in what watch kept. Fills
     * `alone` or `inside`. */
    void (*compare)(void *context, program *p, function *const *entries, function *const *functions,
                    quantized_layer *layers, bool is_whole);
} calibration_runs;

typedef struct {
    calibration_call *calls; /* stb_ds array */
    const char **skipped;    /* names of layers, or of modules with them, that stay with floats: an stb_ds array */
    double least_ratio;      /* in decibels: of a layer alone */
    bool has_extremes;       /* ranges from the least to the greatest number */
    calibration_runs runs;
    quantized_layer *layers; /* stb_ds array: what became of all that could be quantized */
} quantization;

/* Decibels; infinity where nothing was lost. */
double quantization_ratio(quantization_loss l);

#endif
