/* Programs of the lite interpreter as the rest of the compiler wants them. */
#ifndef TSMC_LITE_LITE_PROGRAM_H
#define TSMC_LITE_LITE_PROGRAM_H

#include "exporter/lite/lite.h"
#include "exporter/program/program.h"

/* Makes the classes that the module's objects have, the graphs of all functions, and the module. `evaluate` (may be
 * NULL) is for objects that restore themselves. */
program *program_load_lite(const lite_module *m, operator_evaluator *evaluate);

#endif
