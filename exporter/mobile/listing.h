/* The bytecode of the lite interpreter as text: the source that errors and tracebacks show where a file brings no
 * other. */
#ifndef TSMC_MOBILE_LISTING_H
#define TSMC_MOBILE_LISTING_H

#include "exporter/frontend/source.h"
#include "exporter/mobile/lite.h"

/* Writes a function's instructions one a line and returns the range of each, an stb_ds array. */
source_range *lite_listing(const lite_function *f);

#endif
