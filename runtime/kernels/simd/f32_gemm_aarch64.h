/* The matrix product of f32_loops.h around the hand-written loops of gemm_aarch64.S. */
#include "runtime/kernels/simd/gemm_aarch64.h"

enum { GEMM_ROWS = 4, VECTOR_BYTES = 16, PANEL_BYTES = TSM_PANEL * sizeof(float) };

#define A64_NAME(rows, vectors) tsm_gemm_a64_##rows##x##vectors,
static const tsm_gemm_a64_function gemm_a64[GEMM_ROWS][4] = {{TSM_GEMM_A64_EACH_VECTORS(A64_NAME, 1)},
                                                             {TSM_GEMM_A64_EACH_VECTORS(A64_NAME, 2)},
                                                             {TSM_GEMM_A64_EACH_VECTORS(A64_NAME, 3)},
                                                             {TSM_GEMM_A64_EACH_VECTORS(A64_NAME, 4)}};
#undef A64_NAME

/* Rows of a panel beside the matrices, for one whose columns are not all there. */
typedef float panel_aside[GEMM_ROWS][TSM_PANEL];

static void copy_aside(panel_aside to, const float *from, ptrdiff_t stride, size_t rows, size_t columns) {
    for (size_t r = 0; r < rows; r++) {
        memcpy(to[r], (const char *)from + (ptrdiff_t)r * stride, columns * sizeof **to);
        memset(to[r] + columns, 0, (TSM_PANEL - columns) * sizeof **to);
    }
}

/* `rows` by `columns` < 16 of the panel that `t` stands at. */
static void panel_in_part(tsm_gemm_a64 *t, size_t rows, size_t columns) {
    panel_aside start, residual, c;
    float *to = t->c;
    ptrdiff_t c_stride = t->c_stride;
    bool whole_vectors = columns % 4 == 0;
    t->panels = 1;
    if (!whole_vectors) {
        copy_aside(start, t->start, t->start_stride, t->start_stride ? rows : 1, columns);
        t->start = start[0];
        t->start_stride = t->start_stride ? PANEL_BYTES : 0;
        t->c = c[0];
        t->c_stride = PANEL_BYTES;
    }
    if (!whole_vectors && t->residual) {
        copy_aside(residual, t->residual, t->residual_stride, rows, columns);
        t->residual = residual[0];
        t->residual_stride = PANEL_BYTES;
    }
    gemm_a64[rows - 1][(columns - 1) / 4](t);
    for (size_t r = 0; r < rows && !whole_vectors; r++)
        memcpy((char *)to + (ptrdiff_t)r * c_stride, c[r], columns * sizeof **c);
}

/* All columns of `rows` rows. */
static void gemm_columns(tsm_gemm_a64 *t, size_t rows, size_t columns) {
    const float *b = t->b, *residual = t->residual;
    if (t->panels)
        gemm_a64[rows - 1][3](t);
    if (columns % TSM_PANEL) {
        tsm_gemm_a64 s = *t;
        s.b = (const float *)(const void *)((const char *)b + (ptrdiff_t)t->panels * t->b_panel);
        s.start = (const float *)(const void *)((const char *)s.start + (ptrdiff_t)t->panels * t->start_step);
        s.c += t->panels * TSM_PANEL;
        s.residual = residual ? residual + t->panels * TSM_PANEL : NULL;
        panel_in_part(&s, rows, columns % TSM_PANEL);
    }
    t->b = b;
    t->residual = residual;
}

static void loop_gemm(const tsm_gemm_block *g) {
    static const float zeros[TSM_PANEL] = {0};
    const tsm_finish *f = g->finish;
    const ptrdiff_t size = sizeof(float);
    panel_aside row_biases;
    float low, high;
    clamp_bounds(f, g->more, &low, &high);
    tsm_gemm_a64 t = {
        .a = g->a,
        .a_step = g->a_step * sizeof *g->a,
        .taps = g->depth ? g->taps : 0,
        .depth = g->depth,
        .b = g->b,
        .b_stride = (ptrdiff_t)g->b_stride * size,
        .b_panel = (ptrdiff_t)g->b_panel * size,
        .panels = g->columns / TSM_PANEL,
        .start = zeros,
        .c = g->c,
        .c_stride = g->c_stride * size,
        .residual = f && !g->more ? f->residual : NULL,
        .residual_stride = f ? f->residual_stride * size : 0,
        .clamps = (uint32_t)(low > -INFINITY) | (uint32_t)(high < INFINITY) << 1,
        .low = {low, low, low, low},
        .high = {high, high, high, high},
    };
    const float *row_bias = !g->accumulate && f ? f->row_bias : NULL;
    if (g->accumulate || (f && f->column_bias)) {
        t.start = g->accumulate ? g->c : f->column_bias;
        t.start_stride = g->accumulate ? t.c_stride : 0;
        t.start_step = PANEL_BYTES;
    } else if (row_bias) {
        t.start = row_biases[0];
        t.start_stride = PANEL_BYTES;
    }
    for (size_t left = g->rows, rows; left; left -= rows) {
        rows = left < GEMM_ROWS ? left : GEMM_ROWS;
        for (size_t r = 0; row_bias && r < rows; r++, row_bias++)
            for (size_t j = 0; j < TSM_PANEL; j++)
                row_biases[r][j] = *row_bias;
        float *c = t.c;
        gemm_columns(&t, rows, g->columns);
        t.a += rows;
        t.c += (ptrdiff_t)rows * g->c_stride;
        if (g->accumulate)
            t.start = t.c;
        if (t.residual)
            t.residual += (ptrdiff_t)rows * f->residual_stride;
        if (f && !g->more && !is_clamp(f->activation)) /* while the rows are in cache */
            activate_rows(c, g->c_stride, rows, g->columns, f);
    }
}
