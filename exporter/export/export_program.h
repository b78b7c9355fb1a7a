/* Exported programs as the rest of the compiler wants them: a module with its tensors and the method forward. */
#ifndef TSMC_EXPORT_EXPORT_PROGRAM_H
#define TSMC_EXPORT_EXPORT_PROGRAM_H

#include "exporter/export/export_file.h"
#include "exporter/program/program.h"

/* Makes the module and the graph of its forward. `evaluate` (may be NULL) runs operators on constants. */
program *program_load_export(export_file *f, operator_evaluator *evaluate);

#endif
