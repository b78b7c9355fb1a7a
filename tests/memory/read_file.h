/* A .tsm file in memory that is aligned as tsm_program_open wants it; for the programs of this folder. */
#ifndef TESTS_MEMORY_READ_FILE_H
#define TESTS_MEMORY_READ_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* The caller frees it; NULL: it cannot be read. */
static inline void *read_file(const char *path, size_t *bytes) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return NULL;
    *bytes = (size_t)ftell(f);
    rewind(f);
    void *data = aligned_alloc(64, (*bytes + 63) / 64 * 64);
    size_t n = data ? fread(data, 1, *bytes, f) : 0;
    fclose(f);
    if (n != *bytes) {
        free(data);
        return NULL;
    }
    return data;
}

#endif
