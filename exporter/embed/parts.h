/* The parts of libtsmobile (runtime/value/parts.def) that programs need. */
#ifndef TSMC_EMBED_PARTS_H
#define TSMC_EMBED_PARTS_H

#include "exporter/embed/embed.h"

/* Definitions in C of the parts that none of the programs (stb_ds array) can reach: functions that fail. */
const char *embed_parts(const embed_program *programs);

#endif
