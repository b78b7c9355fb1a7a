/* Finding an operator's loop, and running loops in parallel tasks. */
#include "runtime/kernels/loops.h"

#include "runtime/tensor/work.h"

typedef struct {
    loops_range run;
    void *argument;
    char *scratch;
    size_t scratch_bytes, n, grain, grains, tasks;
} range_job;

/* Where range `index` begins: the ranges differ by at most one grain. */
static size_t range_begin(const range_job *j, size_t index) {
    size_t each = j->grains / j->tasks, more = j->grains % j->tasks,
           at = (index * each + (index < more ? index : more)) * j->grain;
    return at < j->n ? at : j->n;
}

static void run_range(void *argument, size_t index) {
    const range_job *j = argument;
    size_t begin = range_begin(j, index), end = range_begin(j, index + 1);
    if (begin < end)
        j->run(j->argument, j->scratch_bytes ? j->scratch + index * j->scratch_bytes : NULL, begin, end);
}

tsm_status tsm_loops_parallel(tsm_exec *x, size_t n, size_t grain, size_t scratch_bytes, loops_range run,
                              void *argument) {
    if (n == 0)
        return TSM_OK;
    size_t grains = (n + grain - 1) / grain, tasks = x->platform.parallel ? grains : 1;
    if (tasks > LOOPS_MAX_TASKS)
        tasks = LOOPS_MAX_TASKS;
    range_job j = {run, argument, NULL, (scratch_bytes + 63) & ~(size_t)63, n, grain, grains, tasks};
    if (j.scratch_bytes) {
        j.scratch = tsm_scratch(x, tasks * j.scratch_bytes);
        if (!j.scratch)
            return TSM_OUT_OF_MEMORY;
    }
    if (tasks == 1)
        run_range(&j, 0);
    else
        x->platform.parallel(x->platform.context, run_range, &j, tasks);
    tsm_scratch_free(x, j.scratch);
    return TSM_OK;
}

/* ---- Tables of loops ---- */

tsm_status tsm_loops_missing(tsm_exec *x, const char *name, tsm_dtype dtype) {
    return TSM_RAISE(x, "\"%s\" not implemented for '%s'", name, tsm_dtype_class_name(dtype));
}

static const tsm_loops *for_machine(tsm_exec *x, const tsm_loops *loops) {
    return loops->wide && loops_are_wide(x) ? loops->wide : loops;
}

tsm_loop tsm_loops_choose(tsm_exec *x, const tsm_loops *loops, tsm_lane lane) {
    return for_machine(x, loops)->loop[lane];
}

tsm_lane tsm_loops_lane(tsm_exec *x, const tsm_loops *loops, tsm_dtype dtype) {
    const tsm_lane natural = tsm_lane_natural(x, dtype);
    return loops->loop[natural] ? natural : tsm_lane_of(dtype);
}

tsm_status tsm_loops_find(tsm_exec *x, const tsm_loops *loops, tsm_dtype dtype, tsm_loop *out) {
    if (tsm_dtype_is_quantized(dtype))
        return tsm_refuse_quantized(x);
    TSM_TRY(tsm_check_promoted(x, dtype));
    if (dtype > TSM_BFLOAT16 && !loops->is_general)
        return tsm_loops_missing(x, loops->name, dtype);
    *out = tsm_loops_choose(x, loops, tsm_lane_of(dtype));
    return *out ? TSM_OK : tsm_loops_missing(x, loops->name, dtype);
}
