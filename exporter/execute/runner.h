/* Runs of an image in this process, in libtsmobile, as on a device. */
#ifndef TSMC_EXECUTE_RUNNER_H
#define TSMC_EXECUTE_RUNNER_H

#include "exporter/codegen/image.h"
#include "exporter/execute/targets.h"
#include "exporter/ir/ir.h"
#include "runtime/interpreter/instance.h"

typedef struct {
    tsm_program program;
    tsm_instance *inst;
    void *buffer;
    size_t bytes;
    const workspace *workspace; /* that kernels take; NULL: this machine's */
    workspace_loops loops;
    char message[4096];
} runner;

/* Opens the image (whose file must stay); it is a fault of the exporter when that fails. */
void runner_open(runner *t, const image *m);
/* An instance in a buffer of that many bytes; `context` is the platform's. False when it does not fit; other failures
 * end the export. */
bool runner_start(runner *t, size_t bytes, void *context);
/* Takes the instance and its buffer away. */
void runner_end(runner *t);

/* Starts an instance, runs `run` on it and ends it: in a larger buffer again while it answers TSM_OUT_OF_MEMORY. */
tsm_status runner_run(runner *t, void *context, tsm_status (*run)(runner *t, void *data), void *data);

/* What a method returned, as a constant: tensors, numbers, bools, strings, None, and lists and tuples of those. */
typedef struct {
    const type *type;   /* as the method's schema states it; set by the caller */
    ir_constant *value; /* set by the call; NULL: the result is something else */
} runner_result;

/* Calls a method with constants as arguments, tensors wrapped around memory of their own; `wanted` may be NULL. */
tsm_status runner_call(runner *t, uint32_t method, ir_constant *const *arguments, runner_result *wanted);

/* The same; `visit` sees the result of a call that went well, and the arguments as they are then (borrowed). */
typedef void (*runner_visitor)(void *data, runner *t, tsm_value result, const tsm_value *arguments, size_t n);
tsm_status runner_call_with(runner *t, uint32_t method, ir_constant *const *arguments, runner_visitor visit,
                            void *data);

#endif
