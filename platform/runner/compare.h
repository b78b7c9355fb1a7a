/* Whether a result is the expected one. */
#ifndef RUNNER_COMPARE_H
#define RUNNER_COMPARE_H

#include "tsmobile.h"
#include <stdbool.h>

/* What numbers may differ by unless another tolerance is asked for. */
#define COMPARE_TOLERANCE 1e-4

/* True when `got` equals `want`: structure, integers, strings and bools exactly; floating point elements to the
 * tolerance, relative and absolute (NaN equals NaN); stored integers of quantized tensors to one step. Otherwise writes
 * where they differ, terminated, into `why`. */
bool compare_values(tsm_instance *inst, tsm_value got, tsm_value want, double tolerance, char *why, size_t why_bytes);

#endif
