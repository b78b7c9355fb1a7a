/* Operators whose meaning changed since a file was written. */
#ifndef TSMC_LITE_LITE_UPGRADERS_H
#define TSMC_LITE_LITE_UPGRADERS_H

#include "exporter/program/program.h"

/* The function that does what the overload did in the program's operator version; NULL when it still does that. */
function *upgrade_of(program *p, const char *full_name);

#endif
