/* What every running program can do: take scratch memory, print, warn. */
#include "runtime/value/exec.h"

/* ---- Output ---- */

void tsm_print(tsm_exec *x, const char *text, size_t n) {
    if (x->platform.print)
        x->platform.print(x->platform.context, text, n);
}

void tsm_warn(tsm_exec *x, const char *text, size_t n) {
    if (x->platform.warn)
        x->platform.warn(x->platform.context, text, n);
}

/* ---- Work ---- */

bool tsm_count_work(tsm_exec *x, size_t units) {
    x->work += units;
    return x->work <= (uint64_t)x->fuel;
}

/* ---- Blocks ---- */

enum { BLOCK_ALIGN = 64 };

void *tsm_scratch(tsm_exec *x, size_t bytes) {
    void *p = x->placement && bytes >= TSM_LARGE_BYTES ? x->placement->take(x, bytes) : NULL;
    if (!p)
        p = tsm_heap_alloc_aligned(&x->heap, bytes ? bytes : 1, BLOCK_ALIGN);
    if (!p)
        tsm_fail_memory(x);
    return p;
}

void tsm_scratch_free(tsm_exec *x, void *p) {
    if (!x->placement || !x->placement->give(x, p))
        tsm_heap_free(&x->heap, p);
}
