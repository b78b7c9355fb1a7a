/* Machines that a program may run on, as far as memory is concerned (runtime/kernels/simd/targets.def). */
#ifndef TSMC_EXECUTE_TARGETS_H
#define TSMC_EXECUTE_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/kernels/simd/f32.h"
#include "runtime/kernels/simd/q8.h"
#include "runtime/value/exec.h"

/* What the kernels of a machine take as workspace. */
typedef struct {
    const char *target;
    size_t rows, q8_rows, scratch;
    bool is_narrow;
} workspace;

/* Whether --target knows the name; `known` gets all names. */
bool target_exists(const char *name, const char **known);

/* The names of all targets, NULL-terminated. */
const char *const *target_names(void);

/* Whether kernels ask for the same with both. */
bool workspace_is_alike(const workspace *a, const workspace *b);

/* The workspaces of a target, or of all (NULL), each once: an stb_ds array. */
const workspace **target_workspaces(const char *name);

/* This machine's inner loops, which take the workspace of another. */
typedef struct {
    tsm_f32_loops f32;
    tsm_q8_loops q8;
} workspace_loops;

/* Lets what runs by x take that workspace; `loops` must live as long. */
void workspace_use(const workspace *w, tsm_exec *x, workspace_loops *loops);

#endif
