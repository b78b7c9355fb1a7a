/* Source positions of the image: frames, and the lines of source that they need. */
#ifndef TSMC_CODEGEN_DEBUG_INFO_H
#define TSMC_CODEGEN_DEBUG_INFO_H

#include "exporter/codegen/image.h"
#include "exporter/ir/ir.h"

typedef struct debug_table debug_table;

debug_table *debug_table_new(image *m);

/* The frame of a place in function `function_name`, or in the function and call chain that `scope` tells. */
uint32_t debug_frame(debug_table *d, const char *function_name, const ir_scope *scope, source_range range);

/* Puts into the image what its frames need of each file: from two lines before the first range to two lines after the
 * last. */
void debug_finish(debug_table *d);

#endif
