/* Loading of programs: archives of torch.jit.save, and .py sources. */
#ifndef TSMC_SOURCE_LOAD_H
#define TSMC_SOURCE_LOAD_H

#include "exporter/archive/archive.h"
#include "exporter/program/program.h"

/* Loads a TorchScript archive: classes, functions and the module, each lazily compiled from its code when first
 * needed. `evaluate` (may be NULL) is for objects whose class restores itself by computing (__setstate__). */
program *program_load_archive(pt_archive *archive, operator_evaluator *evaluate);

typedef struct {
    const char *weights;          /* the state dict of a module; NULL: none */
    operator_evaluator *evaluate; /* for tensors that __init__ computes */
} source_options;

/* Reads a .py source, of which nothing is compiled yet. `evaluate` may be NULL. */
program *program_open_source(const char *path, const char *text, size_t length, operator_evaluator *evaluate);

/* Loads a .py source; `entry` names one of its functions, or one of its module classes, constructed by running its
 * __init__: "Net", or with arguments "Net(10, hidden=20)". */
program *program_load_source(const char *path, const char *text, size_t length, const char *entry,
                             const source_options *options);

#endif
