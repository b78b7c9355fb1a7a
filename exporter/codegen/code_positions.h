/* Positions in sources in fewer bytes (docs/format.md, Positions). */
#ifndef TSMC_CODEGEN_CODE_POSITIONS_H
#define TSMC_CODEGEN_CODE_POSITIONS_H

#include "exporter/codegen/image.h"

/* Makes the image's positions of its strings, files, frames and debug entries, which it has no more then. */
void code_positions(image *m);

#endif
