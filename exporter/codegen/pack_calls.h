/* Positions in sources in fewer bytes (docs/format.md, Positions). */
#ifndef TSMC_CODEGEN_PACK_CALLS_H
#define TSMC_CODEGEN_PACK_CALLS_H

#include "exporter/codegen/image.h"

/* Makes calls of the image's frames, of which one for each place stays, and steps of the functions' debug entries.
 * Leaves an image as it is where calls cannot hold the numbers that they would need. */
void pack_calls(image *m);

#endif
