/* Files read into memory, and their names. */
#ifndef TSMC_BASE_FILE_H
#define TSMC_BASE_FILE_H

#include <stddef.h>

/* The whole file, terminated, and its length in *n; an error when it cannot be read. */
char *file_read(const char *path, size_t *n);

/* The part of a path that names the file, without the folders. */
const char *file_base_name(const char *path);

#endif
