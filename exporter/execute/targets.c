/* The list of targets, and loops that take the workspace of another machine. */
#include "exporter/execute/targets.h"

#include <string.h>

#include "exporter/base/mem.h"

static const workspace all[] = {
#define WORKSPACE(target, rows, q8_rows, scratch, is_narrow) {target, rows, q8_rows, scratch, is_narrow},
#include "runtime/kernels/simd/targets.def"
};

static const char *const names[] = {
#define TARGET(name, addresses, compiled) name,
#include "runtime/kernels/simd/targets.def"
    NULL,
};

const char *const *target_names(void) {
    return names;
}

bool target_exists(const char *name, const char **known) {
    strbuf b = {0};
    bool found = false;
    for (size_t i = 0; names[i]; i++) {
        found |= !strcmp(names[i], name);
        strbuf_printf(&b, "%s%s", i ? ", " : "", names[i]);
    }
    *known = strbuf_text(&b);
    return found;
}

bool workspace_is_alike(const workspace *a, const workspace *b) {
    return a->rows == b->rows && a->q8_rows == b->q8_rows && a->scratch == b->scratch && a->is_narrow == b->is_narrow;
}

static bool is_among(const workspace **found, const workspace *w) {
    for (size_t i = 0; i < arrlenu(found); i++)
        if (workspace_is_alike(found[i], w))
            return true;
    return false;
}

const workspace **target_workspaces(const char *name) {
    const workspace **found = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((!name || !strcmp(name, all[i].target)) && !is_among(found, &all[i]))
            arrput(found, &all[i]);
    return found;
}

/* More rows than the loops of this machine take at once. */
static void gemm_row_by_row(const tsm_q8_gemm_block *g) {
    const size_t element = g->finish->bias ? sizeof(float) : sizeof(uint8_t);
    for (size_t i = 0; i < g->rows; i++) {
        tsm_q8_gemm_block row = *g;
        row.rows = 1;
        row.a += i;
        row.c = (uint8_t *)g->c + (ptrdiff_t)i * g->c_stride * (ptrdiff_t)element;
        tsm_q8_base.gemm(&row);
    }
}

void workspace_use(const workspace *w, tsm_exec *x, workspace_loops *loops) {
    loops->f32 = *tsm_f32_select();
    loops->f32.gemm_rows = w->rows;
    loops->f32.scratch_limit = w->scratch;
    loops->f32.is_narrow = w->is_narrow;
    loops->q8 = *tsm_q8_select(0);
    if (loops->q8.gemm_rows < w->q8_rows) {
        loops->q8 = tsm_q8_base;
        loops->q8.gemm = gemm_row_by_row;
    }
    loops->q8.gemm_rows = w->q8_rows;
    x->f32 = &loops->f32;
    x->q8 = &loops->q8;
}
