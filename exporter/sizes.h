/* tsmc --sizes: what takes how many bytes of a .tsm file. */
#ifndef TSMC_SIZES_H
#define TSMC_SIZES_H

#include "exporter/codegen/image.h"
#include "exporter/program/program.h"

/* Names the tensors of a module (NULL: there is none) by their attributes, before passes replace these. */
void sizes_name_tensors(const ir_constant *module);

/* The bytes of the file's parts, of each tensor, and of the tensors that each operator of the functions reads. */
void sizes_print(const image *m, const image_sizes *sizes, function *const *functions, strbuf *out);

#endif
