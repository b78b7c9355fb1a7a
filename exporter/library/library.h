/* The compiler's own TorchScript code (library/, made into C by gen_library.py): functions in the dialect of archives,
 * and in nn/ the module classes of torch.nn. Functions of operators that follow from others by their schemas are
 * written by gen_derived.py, each in a package of its own. */
#ifndef TSMC_LIBRARY_LIBRARY_H
#define TSMC_LIBRARY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct library_file {
    const char *package; /* "torch.nn.functional" */
    const char *text;    /* zero-terminated */
    bool is_python;      /* module classes, in Python itself; their methods are TorchScript */
} library_file;

extern const library_file library[];
extern const size_t library_count;

extern const library_file derived_functions[]; /* "torch.derived.aten_zeros_out" and so on, sorted */
extern const size_t derived_function_count;

#endif
