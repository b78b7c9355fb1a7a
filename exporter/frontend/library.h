/* The compiler's own TorchScript code, in the dialect of archives (library/, made into C by gen_library.py). */
#ifndef TSMC_FRONTEND_LIBRARY_H
#define TSMC_FRONTEND_LIBRARY_H

#include <stddef.h>

typedef struct {
    const char *package; /* "torch.nn.functional" */
    const char *text;    /* zero-terminated */
} library_file;

extern const library_file library[];
extern const size_t library_count;

#endif
