/* IR -> the image of a .tsm file. */
#ifndef TSMC_CODEGEN_CODEGEN_H
#define TSMC_CODEGEN_CODEGEN_H

#include "exporter/codegen/image_builder.h"

/* Lowers the entries and all they reach. Raises an error that names every operator that libtsmobile lacks, with how
 * often and where it is used. */
image *codegen_run(program *p, function *const *entries, function *const *functions, codegen_options o);

#endif
