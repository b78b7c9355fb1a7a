/* Types as bytecode writes them. */
#ifndef TSMC_LITE_TYPE_TEXT_H
#define TSMC_LITE_TYPE_TEXT_H

#include "exporter/program/program.h"

/* The type that a text means: an annotation as in code, in which a NamedTuple may be spelled out,
 * "__torch__.m.Pair[NamedTuple, [[first, int],[second, int]]]"; from then on its name alone is known as well. */
const type *lite_type(program *p, const char *text);

#endif
