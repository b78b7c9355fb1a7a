/* The bytecode of the lite interpreter as text: the source that errors and tracebacks show where a file brings no
 * other. */
#ifndef TSMC_LITE_LISTING_H
#define TSMC_LITE_LISTING_H

#include "exporter/lite/lite.h"
#include "exporter/syntax/source.h"

/* Writes a function's instructions one a line and returns the range of each, an stb_ds array. */
source_range *lite_listing(const lite_function *f);

#endif
