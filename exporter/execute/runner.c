/* Runs of images at export: in the library that runs on devices, with buffers of this process. */
#include "exporter/execute/runner.h"

#include "exporter/base/diag.h"
#include "exporter/passes/analysis/growing_buffer.h"
#include "exporter/passes/analysis/value_conversion.h"

enum { BUFFER_ALIGN = 64 };

static const size_t FIRST_BUFFER = (size_t)1 << 24, LARGEST_BUFFER = LIMIT_BYTES(LIMIT_EXAMPLE);

void runner_open(runner *t, const image *m) {
    size_t bytes;
    const uint8_t *file = image_write(m, &bytes);
    if (!file)
        diag_fail("the program part of the file is larger than 2 GiB");
    if (tsm_program_open(&t->program, file, bytes, t->message, sizeof t->message) != TSM_OK)
        diag_internal("libtsmobile does not open what was exported: %s", t->message);
}

bool runner_start(runner *t, size_t bytes, void *context) {
    tsm_options options = {.platform = {.context = context}, .message = t->message, .message_bytes = sizeof t->message};
    t->bytes = (bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    t->buffer = mem_borrow(t->bytes);
    tsm_status status = tsm_instance_init(&t->inst, &t->program, &options, t->buffer, bytes);
    if (status != TSM_OK && status != TSM_OUT_OF_MEMORY)
        diag_internal("libtsmobile makes no instance of what was exported: %s", t->message);
    if (status != TSM_OK)
        runner_end(t);
    else if (t->workspace)
        workspace_use(t->workspace, &t->inst->exec, &t->loops);
    return status == TSM_OK;
}

void runner_end(runner *t) {
    if (t->buffer)
        tsm_heap_forget(t->buffer, t->bytes);
    mem_return(t->buffer);
    t->buffer = NULL;
    t->inst = NULL;
}

tsm_status runner_call_with(runner *t, uint32_t method, ir_constant *const *arguments, runner_visitor visit,
                            void *data) {
    size_t n = arrlenu(arguments);
    tsm_value *values = MEM_ARRAY(tsm_value, n + 1), result;
    for (size_t i = 0; i < n; i++)
        TSM_TRY(value_from_constant(t->inst, arguments[i], ELEMENTS_OUTSIDE, &values[i]));
    tsm_status status = tsm_call(t->inst, (int)method, values, n, &result);
    if (status == TSM_OK) {
        visit(data, t, result, values, n);
        tsm_release(t->inst, result);
    }
    for (size_t i = 0; i < n; i++)
        tsm_release(t->inst, values[i]);
    return status;
}

static void convert_result(void *data, runner *t, tsm_value result, const tsm_value *arguments, size_t n) {
    runner_result *wanted = data;
    (void)t;
    (void)arguments;
    (void)n;
    if (wanted)
        wanted->value = constant_from_value(result, wanted->type);
}

tsm_status runner_call(runner *t, uint32_t method, ir_constant *const *arguments, runner_result *wanted) {
    return runner_call_with(t, method, arguments, convert_result, wanted);
}

typedef struct {
    runner *runner;
    tsm_status (*run)(runner *t, void *data);
    void *context, *data;
} growing_run;

static tsm_status attempt(size_t bytes, void *data) {
    const growing_run *g = data;
    if (!runner_start(g->runner, bytes, g->context))
        return TSM_OUT_OF_MEMORY;
    tsm_status status = g->run(g->runner, g->data);
    runner_end(g->runner);
    return status;
}

tsm_status runner_run(runner *t, void *context, tsm_status (*run)(runner *t, void *data), void *data) {
    return run_in_growing_buffer(FIRST_BUFFER, LARGEST_BUFFER, attempt, &(growing_run){t, run, context, data});
}
