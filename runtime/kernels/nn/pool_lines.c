/* Pooling of planes of floats: the input's lines under a line of windows become one line, elements of which are taken
 * together afterwards. Scratch: a line of the input, and for averages one of the output. */
#include "runtime/kernels/nn/pool.h"

enum { LINES = 32 }; /* that one call of the inner loop takes */

typedef struct {
    const pool_window *w;
    const tsm_f32_loops *f32;
    bool adaptive;
    float *line;    /* of the input's width */
    float *columns; /* how many input columns the average of each output column counts */
} lines_pooling;

/* The taps [from, to) that lie inside of the input for some output of a line. */
static void taps_inside(const pool_window *w, tsm_dim *from, tsm_dim *to) {
    tsm_dim none;
    pool_positions(w, 2, w->out[2] - 1, from, &none);
    pool_positions(w, 2, 0, &none, to);
}

/* ---- Maximum ---- */

/* The greatest of each column of the lines under a line of windows; NULL without lines. */
static const float *greatest_line(const lines_pooling *p, const float *plane, const tsm_dim *o) {
    const pool_window *w = p->w;
    const float *lines[LINES];
    tsm_dim from[2], to[2], at[2];
    size_t count = 0, all = 0;
    for (int d = 0; d < 2; d++) {
        pool_positions(w, d, o[d], &from[d], &to[d]);
        at[d] = o[d] * w->stride[d] - w->padding[d];
    }
    for (tsm_dim z = from[0]; z < to[0]; z++)
        for (tsm_dim y = from[1]; y < to[1]; y++) {
            if (count == LINES) {
                TSM_F32(p->f32, max_rows, p->line, lines, count, (size_t)w->in[2]);
                lines[0] = p->line;
                count = 1;
            }
            lines[count++] = plane + ((at[0] + z * w->dilation[0]) * w->in[1] + at[1] + y * w->dilation[1]) * w->in[2];
            all++;
        }
    if (all <= 1)
        return all ? lines[0] : NULL;
    TSM_F32(p->f32, max_rows, p->line, lines, count, (size_t)w->in[2]);
    return p->line;
}

#define GREATER(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#if TSM_NARROW_LANES
/* Outputs next to each other, of a line with a stride of 1: those under which all taps lie are taken at once. Returns
 * false, and nothing is done, where there are too many taps. */
static bool max_line_of_neighbours(const lines_pooling *p, const float *line, float *y) {
    const pool_window *w = p->w;
    const float *taps[LINES];
    tsm_dim first, last, from, to, at, begin = 0, end = w->out[2];
    taps_inside(w, &first, &last);
    if (last - first > LINES || last <= first)
        return false;
    for (tsm_dim k = first; k < last; k++) {
        pool_outputs_of_tap(w, k, &from, &to, &at);
        taps[k - first] = line + at - from;
        begin = tsm_dim_max(begin, from);
        end = tsm_dim_min(end, to);
    }
    if (end <= begin)
        return false;
    for (tsm_dim k = 0; k < last - first; k++)
        taps[k] += begin;
    TSM_F32(p->f32, max_rows, y + begin, taps, (size_t)(last - first), (size_t)(end - begin));
    for (tsm_dim i = 0; i < w->out[2]; i = i + 1 == begin ? end : i + 1) {
        pool_positions(w, 2, i, &from, &to);
        float best = -INFINITY;
        for (tsm_dim k = from; k < to && (i < begin || i >= end); k++) {
            const float v = line[i - w->padding[2] + k * w->dilation[2]];
            best = GREATER(v, best);
        }
        if (i < begin || i >= end)
            y[i] = best;
    }
    return true;
}
#endif

static void lines_max_line(const lines_pooling *p, const float *plane, const tsm_dim *o, float *restrict y) {
    const pool_window *w = p->w;
    const float *restrict line = greatest_line(p, plane, o);
    const tsm_dim stride = w->stride[2];
    tsm_dim first, last, from, to, at;
#if TSM_NARROW_LANES /* small processors save the room */
    if (line && stride == 1 && max_line_of_neighbours(p, line, y))
        return;
#endif
    for (tsm_dim i = 0; i < w->out[2]; i++)
        y[i] = -INFINITY;
    taps_inside(w, &first, &last);
    for (tsm_dim k = first; line && k < last; k++) {
        pool_outputs_of_tap(w, k, &from, &to, &at);
        const float *restrict v = line + at;
        if (stride == 1)
            for (tsm_dim i = 0; i < to - from; i++)
                y[from + i] = GREATER(v[i], y[from + i]);
        else if (stride == 2)
            for (tsm_dim i = 0; i < to - from; i++)
                y[from + i] = GREATER(v[2 * i], y[from + i]);
        else
            for (tsm_dim i = 0; i < to - from; i++)
                y[from + i] = GREATER(v[stride * i], y[from + i]);
    }
}

/* ---- Average ---- */

/* p->line = the sums of each column of the lines in the box. */
static void add_lines(const lines_pooling *p, const float *plane, const tsm_dim *from, const tsm_dim *to) {
    const pool_window *w = p->w;
    const float *lines[LINES];
    size_t count = 0;
    memset(p->line, 0, (size_t)w->in[2] * sizeof *p->line);
    for (tsm_dim z = from[0]; z < to[0]; z++)
        for (tsm_dim y = from[1]; y < to[1]; y++) {
            lines[count++] = plane + (z * w->in[1] + y) * w->in[2];
            if (count == LINES) {
                TSM_F32(p->f32, add_rows, p->line, lines, count, (size_t)w->in[2]);
                count = 0;
            }
        }
    TSM_F32(p->f32, add_rows, p->line, lines, count, (size_t)w->in[2]);
}

/* Eight sums, which compilers turn into vectors. */
static float lines_sum_of(const float *v, tsm_dim n) {
    float part[8] = {0}, sum = 0;
    tsm_dim i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            part[k] += v[i + k];
    for (; i < n; i++)
        sum += v[i];
    return sum + (((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7])));
}

static void add_taps(const lines_pooling *p, float *restrict y) {
    const pool_window *w = p->w;
    const tsm_dim stride = w->stride[2];
    tsm_dim first, last, from, to, at;
    memset(y, 0, (size_t)w->out[2] * sizeof *y);
    taps_inside(w, &first, &last);
    for (tsm_dim k = first; k < last; k++) {
        pool_outputs_of_tap(w, k, &from, &to, &at);
        const float *restrict v = p->line + at;
        if (stride == 1)
            for (tsm_dim i = 0; i < to - from; i++)
                y[from + i] += v[i];
        else if (stride == 2)
            for (tsm_dim i = 0; i < to - from; i++)
                y[from + i] += v[2 * i];
        else
            for (tsm_dim i = 0; i < to - from; i++)
                y[from + i] += v[stride * i];
    }
}

static void average_line(const lines_pooling *p, const float *plane, const tsm_dim *o, float *restrict y) {
    const pool_window *w = p->w;
    tsm_dim from[3], to[3];
    double count = w->divisor ? (double)w->divisor : 1;
    for (int d = 0; d < 2; d++) {
        const double positions = tsm_pool_box(w, d, o[d], p->adaptive, &from[d], &to[d]);
        count *= w->divisor ? 1 : positions;
    }
    add_lines(p, plane, from, to);
    if (!p->adaptive)
        add_taps(p, y);
    for (tsm_dim i = 0; i < w->out[2] && p->adaptive; i++) {
        tsm_pool_box(w, 2, i, true, &from[2], &to[2]);
        y[i] = lines_sum_of(p->line + from[2], to[2] - from[2]);
    }
    for (tsm_dim i = 0; i < w->out[2]; i++)
        y[i] /= (float)count * p->columns[i];
}

/* ---- Both ---- */

typedef void (*line_loop)(const lines_pooling *p, const float *plane, const tsm_dim *o, float *y);
static void lines_pool_planes(const lines_pooling *p, const float *a, float *y, line_loop line) {
    const pool_window *w = p->w;
    const tsm_dim plane = w->in[0] * w->in[1] * w->in[2];
    tsm_dim o[2];
    for (tsm_dim i = 0; i < w->planes; i++, a += plane)
        for (o[0] = 0; o[0] < w->out[0]; o[0]++)
            for (o[1] = 0; o[1] < w->out[1]; o[1]++, y += w->out[2])
                line(p, a, o, y);
}

tsm_status tsm_pool_max_lines(tsm_exec *x, const pool_window *w, const float *a, float *y) {
    lines_pooling p = {.w = w, .f32 = loops_f32(x), .line = tsm_scratch(x, (size_t)w->in[2] * sizeof *p.line)};
    if (!p.line)
        return TSM_OUT_OF_MEMORY;
    lines_pool_planes(&p, a, y, lines_max_line);
    tsm_scratch_free(x, p.line);
    return TSM_OK;
}

tsm_status tsm_pool_average_lines(tsm_exec *x, const pool_window *w, bool adaptive, const float *a, float *y) {
    lines_pooling p = {.w = w, .f32 = loops_f32(x), .adaptive = adaptive};
    p.line = tsm_scratch(x, (size_t)tsm_dim_add(w->in[2], w->out[2]) * sizeof *p.line);
    if (!p.line)
        return TSM_OUT_OF_MEMORY;
    p.columns = p.line + w->in[2];
    for (tsm_dim i = 0, from, to; i < w->out[2]; i++)
        p.columns[i] = w->divisor ? 1 : (float)tsm_pool_box(w, 2, i, adaptive, &from, &to);
    lines_pool_planes(&p, a, y, average_line);
    tsm_scratch_free(x, p.line);
    return TSM_OK;
}
