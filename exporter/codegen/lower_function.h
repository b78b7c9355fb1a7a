/* IR -> bytecode of one function. */
#ifndef TSMC_CODEGEN_LOWER_FUNCTION_H
#define TSMC_CODEGEN_LOWER_FUNCTION_H

#include "exporter/codegen/image_builder.h"

/* Fills function `index` of the image from f's graph. The graph is changed: constants are placed where registers need
 * them. */
void lower_function(image_builder *u, function *f, uint32_t index);

#endif
