/* IR -> bytecode of one function. */
#ifndef TSMC_CODEGEN_LOWER_H
#define TSMC_CODEGEN_LOWER_H

#include "exporter/codegen/module_tables.h"

/* Fills function `index` of the image from f's graph. The graph is changed: constants are placed where registers need
 * them. */
void lower_function(unit *u, function *f, uint32_t index);

#endif
