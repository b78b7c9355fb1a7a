/* Test cases in the file: tsmc --bundle INPUTS.json [--expect OUTPUT.json]. */
#ifndef TSMC_CODEGEN_BUNDLE_H
#define TSMC_CODEGEN_BUNDLE_H

#include "exporter/ir/ir.h"

/* Reads a JSON file of values (docs/values.md) as a constant. A top-level array of arguments becomes a tuple when `as_arguments`.
 * Raises an error for what is no value. Enums and objects cannot be stored. */
ir_constant *bundle_read(const char *path, bool as_arguments);

#endif
