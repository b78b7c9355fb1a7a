/* Operators that meant something else in archives of older versions. */
#ifndef TSMC_FRONTEND_UPGRADERS_H
#define TSMC_FRONTEND_UPGRADERS_H

#include "exporter/frontend/emit.h"

/* The function to call instead of operator `name` with these arguments, as the version of e's program demands; NULL:
 * the operator itself is meant. */
function *upgrader_of(emitter *e, const char *name, const argument_list *arguments, source_range range);

#endif
