/* MKL-DNN's layout of tensors is not kept: `to_mkldnn` gives an ordinary tensor. Only operators that ask for the
 * layout can show the difference. */
#ifndef TSMC_PASSES_LOWER_CHECK_OPAQUE_LAYOUTS_H
#define TSMC_PASSES_LOWER_CHECK_OPAQUE_LAYOUTS_H

#include "exporter/program/program.h"

/* Refuses a program that makes such tensors and asks for layouts too. `functions`: an stb_ds array. */
void check_opaque_layouts(function *const *functions);

#endif
