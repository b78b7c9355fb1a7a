/* Exported programs as the rest of the compiler wants them: a module with its tensors and the method forward. */
#ifndef TSMC_EXPORT_EXPORT_PROGRAM_H
#define TSMC_EXPORT_EXPORT_PROGRAM_H

#include "exporter/export/export_file.h"
#include "exporter/program/program.h"

/* Makes the module and a method of each file (an stb_ds array, not empty). Of several files each has its tensors in a
 * module of its own. `evaluate` (may be NULL) runs operators on constants. */
program *program_load_export(export_file *const *files, operator_evaluator *evaluate);

#endif
