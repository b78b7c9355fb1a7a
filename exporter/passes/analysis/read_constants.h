/* Tensors of the file of which operators read the elements and nothing else: no program can see where they lie. */
#ifndef TSMC_PASSES_ANALYSIS_READ_CONSTANTS_H
#define TSMC_PASSES_ANALYSIS_READ_CONSTANTS_H

#include "exporter/program/program.h"

/* Sets is_only_read of all constants that nodes of the functions (an stb_ds array) are. A constant may be an attribute
 * or a default value as well; whoever puts it there has to know. */
void read_constants_mark(function *const *functions);

#endif
