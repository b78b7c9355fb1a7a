/* Regions of autocast: operators get their arguments in the dtypes that PyTorch gives them there. */
#ifndef TSMC_EXPORT_AUTOCAST_H
#define TSMC_EXPORT_AUTOCAST_H

#include "exporter/export/translate.h"
#include "exporter/schema/schema.h"

/* Converts the tensors among the arguments (stb_ds array) of an operator, "aten::mm", as the region of autocast wants
 * that t is in. Operators whose parts would be converted are refused. */
void autocast_arguments(translation *t, const char *name, call_argument *arguments);

#endif
