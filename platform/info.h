/* What a .tsm file says of itself, for tsmrun --info and tsmc --info. */
#ifndef PLATFORM_INFO_H
#define PLATFORM_INFO_H

#include "tsmobile.h"
#include <stdbool.h>
#include <stdio.h>

/* Text for people, or JSON (docs/format.md). */
void info_print(FILE *out, const tsm_program *program, bool as_json);

#endif
