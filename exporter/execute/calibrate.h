/* The calls of a calibration in libtsmobile: what tensors hold, and how far those of a quantized program are from it.
 */
#ifndef TSMC_EXECUTE_CALIBRATE_H
#define TSMC_EXECUTE_CALIBRATE_H

#include "exporter/codegen/image_builder.h"
#include "exporter/passes/analysis/quantization.h"

typedef struct calibration calibration;

/* How the results of all calls differ. */
typedef struct {
    quantization_loss loss;
    uint64_t rows, same; /* of matrices of floats: where the greatest number stands in the same column */
} calibration_results;

/* Runs for the pass `quantize`. `calls` must stay. */
calibration *calibration_new(const calibration_call *calls, codegen_options lowering);
calibration_runs calibration_runs_of(calibration *c);

/* How the quantized program's results differ; after the pass. */
calibration_results calibration_whole(const calibration *c);

/* What each layer and the program lost, as a table. */
void calibration_report(const calibration *c, const quantization *q, strbuf *out);

#endif
