/* IR -> the image of a .tsm file. */
#ifndef TSMC_CODEGEN_CODEGEN_H
#define TSMC_CODEGEN_CODEGEN_H

#include "exporter/codegen/image.h"
#include "exporter/frontend/program.h"

/* Lowers the entries and all they reach. Raises an error that names every operator that libtsmobile lacks, with how often and where
 * it is used. */
typedef struct {
    bool strip_debug;
    ir_constant *arguments, *expected; /* a test case to store; NULL: none */
    const ir_node ***observed;         /* see unit_new; NULL: the usual operator table */
} codegen_options;
image *codegen_run(program *p, function *const *entries, function *const *functions, codegen_options o);

#endif
