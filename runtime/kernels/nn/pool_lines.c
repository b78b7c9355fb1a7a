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

#if TSM_NARROW_LANES
/* Outputs whose windows follow each other, each of `width` elements. */
static inline __attribute__((always_inline)) void max_of_neighbours(float *restrict y, const float *restrict v,
                                                                    tsm_dim n, const int width) {
    for (tsm_dim i = 0; i < n; i++) {
        float best = v[width * i];
        for (int k = 1; k < width; k++) {
            const float here = v[width * i + k], greater = here > best ? here : best;
            best = here != here ? here : greater;
        }
        y[i] = best;
    }
}

/* Returns false, and nothing is done, where a line's windows are others. */
static bool max_line_of_windows(const pool_window *w, const float *line, float *y) {
    const tsm_dim width = w->kernel[2], n = w->out[2];
    if (width != w->stride[2] || w->padding[2] || w->dilation[2] != 1 || n * width > w->in[2] || width > 4)
        return false;
    if (width == 2)
        max_of_neighbours(y, line, n, 2);
    else if (width == 3)
        max_of_neighbours(y, line, n, 3);
    else if (width == 4)
        max_of_neighbours(y, line, n, 4);
    return width > 1;
}
#endif

static void lines_max_line(const lines_pooling *p, const float *plane, const tsm_dim *o, float *restrict y) {
    const pool_window *w = p->w;
    const float *restrict line = greatest_line(p, plane, o);
    const tsm_dim stride = w->stride[2];
    tsm_dim first, last, from, to, at;
#if TSM_NARROW_LANES /* small processors save the room */
    if (line && (stride == 1 ? max_line_of_neighbours(p, line, y) : max_line_of_windows(w, line, y)))
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

#if TSM_NARROW_LANES
/* ---- Small windows of few outputs to a line ---- */

enum { MOST_OUTPUTS = 4, MOST_OF_WINDOW = 16, MOST_OF_PLANE = 4096 };

/* Elements under the outputs of one dimension. */
typedef struct {
    tsm_dim from, to; /* `dilation` apart, from the plane's begin, `stride` elements for each */
    double count;     /* that an average counts */
} pool_range;

static bool has_small_windows(tsm_exec *x, const pool_window *w, bool adaptive) {
    double elements = 1;
    for (int d = 0; d < 3; d++)
        elements *= (double)(adaptive ? w->in[d] / w->out[d] + 2 : w->kernel[d]);
    return loops_are_narrow(x) && w->out[2] <= MOST_OUTPUTS && elements <= MOST_OF_WINDOW;
}

/* The ranges of all outputs of dimension d, in elements of a plane. */
static void fill_ranges(const pool_window *w, int d, bool adaptive, bool is_max, tsm_dim step, pool_range *r) {
    for (tsm_dim o = 0; o < w->out[d]; o++, r++) {
        r->count = 1;
        if (is_max) {
            const tsm_dim at = o * w->stride[d] - w->padding[d];
            pool_positions(w, d, o, &r->from, &r->to);
            r->from = at + r->from * w->dilation[d];
            r->to = at + r->to * w->dilation[d];
        } else {
            r->count = tsm_pool_box(w, d, o, adaptive, &r->from, &r->to);
        }
        r->from *= step;
        r->to *= step;
    }
}

/* The greatest, or the sum, of a box. */
static inline __attribute__((always_inline)) float box_of(const float *a, const pool_range *z, const pool_range *y,
                                                          const pool_range *x, const tsm_dim *steps,
                                                          const bool is_max) {
    float found = is_max ? -INFINITY : 0;
    for (tsm_dim i = z->from; i < z->to; i += steps[0])
        for (tsm_dim j = i + y->from; j < i + y->to; j += steps[1])
            for (tsm_dim k = j + x->from; k < j + x->to; k += steps[2]) {
                const float here = a[k], greater = here > found ? here : found;
                found = !is_max ? found + here : here != here ? here : greater;
            }
    return found;
}

static inline __attribute__((always_inline)) void small_planes(const pool_window *w, const float *a, float *y,
                                                               const pool_range *const *r, const tsm_dim *steps,
                                                               const bool is_max) {
    tsm_dim o[3];
    for (tsm_dim i = 0; i < w->planes; i++, a += w->in[0] * w->in[1] * w->in[2])
        for (o[0] = 0; o[0] < w->out[0]; o[0]++)
            for (o[1] = 0; o[1] < w->out[1]; o[1]++) {
                const double count = w->divisor ? (double)w->divisor : r[0][o[0]].count * r[1][o[1]].count;
                for (o[2] = 0; o[2] < w->out[2]; o[2]++) {
                    const float found = box_of(a, r[0] + o[0], r[1] + o[1], r[2] + o[2], steps, is_max);
                    *y++ = is_max ? found : found / (float)(w->divisor ? count : count * r[2][o[2]].count);
                }
            }
}

static tsm_status pool_small(tsm_exec *x, const pool_window *w, bool adaptive, bool is_max, const float *a, float *y) {
    const tsm_dim steps[3] = {w->in[1] * w->in[2], w->in[2], 1};
    const tsm_dim apart[3] = {steps[0] * w->dilation[0], steps[1] * w->dilation[1], w->dilation[2]};
    pool_range *ranges = tsm_scratch(x, (size_t)(w->out[0] + w->out[1] + w->out[2]) * sizeof *ranges);
    if (!ranges)
        return TSM_OUT_OF_MEMORY;
    const pool_range *const of[3] = {ranges, ranges + w->out[0], ranges + w->out[0] + w->out[1]};
    fill_ranges(w, 0, adaptive, is_max, steps[0], ranges);
    fill_ranges(w, 1, adaptive, is_max, steps[1], ranges + w->out[0]);
    fill_ranges(w, 2, adaptive, is_max, steps[2], ranges + w->out[0] + w->out[1]);
    if (is_max)
        small_planes(w, a, y, of, apart, true);
    else
        small_planes(w, a, y, of, steps, false);
    tsm_scratch_free(x, ranges);
    return TSM_OK;
}

/* Whether the only output of a plane is its mean. */
static bool is_mean(tsm_exec *x, const pool_window *w, bool adaptive, double *count) {
    static const tsm_dim first[3];
    tsm_dim from[3], to[3];
    if (!loops_are_narrow(x) || w->out[0] * w->out[1] * w->out[2] != 1 ||
        w->in[0] * w->in[1] * w->in[2] > MOST_OF_PLANE)
        return false;
    *count = tsm_pool_boxes(w, first, adaptive, from, to);
    for (int d = 0; d < 3; d++)
        if (from[d] || to[d] != w->in[d])
            return false;
    return true;
}

/* Whether dimension d stays as it is. */
static bool is_kept(const pool_window *w, int d) {
    return w->kernel[d] == 1 && w->stride[d] == 1 && !w->padding[d];
}

/* Windows along lines alone that fill them: as many lines as are short are one. */
static bool max_of_joined_lines(tsm_exec *x, const pool_window *w, const float *a, float *y) {
    enum { LONG = 4096 };
    const tsm_dim lines = w->planes * w->in[0] * w->in[1], most = tsm_dim_max(1, LONG / tsm_dim_max(1, w->in[2]));
    pool_window some = *w;
    if (!loops_are_narrow(x) || !is_kept(w, 0) || !is_kept(w, 1) || w->in[2] != w->out[2] * w->stride[2])
        return false;
    for (tsm_dim done = 0, n; done < lines; done += n) {
        n = tsm_dim_min(lines - done, most);
        some.in[2] = n * w->in[2];
        some.out[2] = n * w->out[2];
        if (!max_line_of_windows(&some, a + done * w->in[2], y + done * w->out[2]))
            return false;
    }
    return true;
}
#endif

tsm_status tsm_pool_max_lines(tsm_exec *x, const pool_window *w, const float *a, float *y) {
#if TSM_NARROW_LANES
    if (max_of_joined_lines(x, w, a, y))
        return TSM_OK;
    if (has_small_windows(x, w, false))
        return pool_small(x, w, false, true, a, y);
#endif
    lines_pooling p = {.w = w, .f32 = loops_f32(x), .line = tsm_scratch(x, (size_t)w->in[2] * sizeof *p.line)};
    if (!p.line)
        return TSM_OUT_OF_MEMORY;
    lines_pool_planes(&p, a, y, lines_max_line);
    tsm_scratch_free(x, p.line);
    return TSM_OK;
}

tsm_status tsm_pool_average_lines(tsm_exec *x, const pool_window *w, bool adaptive, const float *a, float *y) {
#if TSM_NARROW_LANES
    double count;
    if (is_mean(x, w, adaptive, &count)) {
        const tsm_dim plane = w->in[0] * w->in[1] * w->in[2];
        for (tsm_dim i = 0; i < w->planes; i++)
            y[i] = lines_sum_of(a + i * plane, plane) / (float)count;
        return TSM_OK;
    }
    if (has_small_windows(x, w, adaptive))
        return pool_small(x, w, adaptive, false, a, y);
#endif
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
