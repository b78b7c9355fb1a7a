/* The int8 loops for AArch64 with the dot product instructions of ARMv8.2; products by the hand-written tiles of
 * q8_aarch64.S. */
#if defined(__aarch64__)
#define Q8_TABLE tsm_q8_dot
#define Q8_NAME "dot"
#define Q8_ROWS 4
#define Q8_PANELS 1
#define Q8_PIXELS 3
#define Q8_GEMM gemm_by_hand
#include "runtime/kernels/simd/q8_aarch64.h"
#include "runtime/kernels/simd/q8_loops.h"

static void run_tile(size_t rows, const tsm_q8_a64 *t) {
    static void (*const tiles[])(const tsm_q8_a64 *) = {tsm_q8_a64_1, tsm_q8_a64_2, tsm_q8_a64_3, tsm_q8_a64_4};
    tiles[rows - 1](t);
}

/* The results of columns that fill no panel go to a whole one first. */
static void last_columns(const tsm_q8_gemm_block *g, tsm_q8_a64 *t, size_t columns) {
    uint8_t panel[Q8_ROWS][TSM_Q8_PANEL], *c = t->c;
    t->panels = 1;
    t->c = panel[0];
    t->c_stride = TSM_Q8_PANEL;
    run_tile(g->rows, t);
    for (size_t r = 0; r < g->rows; r++)
        memcpy(c + (ptrdiff_t)r * g->c_stride, panel[r], columns);
}

static void gemm_by_hand(const tsm_q8_gemm_block *g) {
    const tsm_q8_finish *f = g->finish;
    size_t whole = g->columns / TSM_Q8_PANEL, left = g->columns % TSM_Q8_PANEL;
    if (f->bias || !g->taps || !g->groups) {
        q8_gemm(g);
        return;
    }
    tsm_q8_a64 t = {
        .a = g->a,
        .a_step = g->a_step * sizeof *g->a,
        .taps = g->taps,
        .groups = g->groups,
        .b = g->b,
        .panels = whole,
        .offset = f->offset,
        .scale = f->scale,
        .rest = f->rest,
        .block = TSM_Q8_BLOCK,
        .c = g->c,
        .c_stride = g->c_stride,
        .zero_point = (int16_t)f->zero_point,
        .low = (uint8_t)f->low,
    };
    if (whole)
        run_tile(g->rows, &t);
    if (!left)
        return;
    t.b += whole * g->b_panel;
    t.block = g->b_last;
    t.offset += whole * TSM_Q8_PANEL;
    t.scale += whole * TSM_Q8_PANEL;
    t.rest += whole * TSM_Q8_PANEL;
    t.c += whole * TSM_Q8_PANEL;
    last_columns(g, &t, left);
}
#else
typedef int q8_dot_has_no_code_here;
#endif
