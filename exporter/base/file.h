/* Files read into memory. */
#ifndef TSMC_BASE_FILE_H
#define TSMC_BASE_FILE_H

#include <stddef.h>

/* The whole file, terminated, and its length in *n; an error when it cannot be read. */
char *file_read(const char *path, size_t *n);

#endif
