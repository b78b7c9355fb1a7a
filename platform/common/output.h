/* What output.c needs of the folder that TSM_PLATFORM names. */
#ifndef PLATFORM_COMMON_OUTPUT_H
#define PLATFORM_COMMON_OUTPUT_H

#include <stdbool.h>

/* Gives a file another name, in the place of what had it. False, with errno set: it could not be done. */
bool platform_rename(const char *from, const char *to);

#endif
