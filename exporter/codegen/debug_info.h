/* Source positions of the image: frames, and the lines of source that they need. */
#ifndef TSMC_CODEGEN_DEBUG_INFO_H
#define TSMC_CODEGEN_DEBUG_INFO_H

#include "exporter/codegen/image.h"
#include "exporter/ir/ir.h"

typedef struct debug_table debug_table;

debug_table *debug_table_new(image *m);

/* The frame of a place in function `function_name`, or in the function and call chain that `scope` tells. */
uint32_t debug_frame(debug_table *d, const char *function_name, const ir_scope *scope, source_range range);

/* Leaves frames that no instruction of the image has out of it, and puts in what the others need of each file: the
 * lines of ranges, and two before and behind. A file whose ranges are far from each other becomes several of the
 * image's. */
void debug_finish(debug_table *d);

/* Keeps all frames, and of each file all lines from the first range to the last. */
void debug_finish_whole(debug_table *d);

#endif
