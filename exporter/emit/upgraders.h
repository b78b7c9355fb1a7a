/* Operators that meant something else in archives of older versions. */
#ifndef TSMC_EMIT_UPGRADERS_H
#define TSMC_EMIT_UPGRADERS_H

#include "exporter/emit/emit.h"

/* The function to call instead of operator `name` with these arguments, as the version of e's program demands; NULL:
 * the operator itself is meant. */
function *upgrader_of(emitter *e, const char *name, const argument_list *arguments, source_range range);

#endif
