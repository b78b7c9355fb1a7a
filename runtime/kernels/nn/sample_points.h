/* Numbers of images at points of a grid. A template: ELEMENT, WORD, the int of its size, NAME(f), FLOOR and NEAREST_OF
 * are the includer's, and so is WINDOWS, which says that there are vectors for them; they end here.
 *
 * A block of points is prepared once for all channels: where the numbers around each point lie in a plane, and how they
 * are weighed. Neighbours in a line lie side by side, so two or four of them are read as one, which is moved into the
 * line where it would pass its end: a window; weights go to where the neighbours are in it. Numbers outside are no
 * numbers at all, whatever stands in their place: masks are of ones where a number counts. */

/* The neighbours of a block's points along one dimension, `count` of each. */
typedef struct {
    int count;
    int32_t at[SAMPLE_TAPS][SAMPLE_POINTS];
    ELEMENT weight[SAMPLE_TAPS][SAMPLE_POINTS];
    WORD mask[SAMPLE_TAPS][SAMPLE_POINTS];
} NAME(sample_taps);

typedef struct {
    NAME(sample_taps) taps[SAMPLE_DIMS];
    ELEMENT place[SAMPLE_POINTS];
    ELEMENT poison[SAMPLE_POINTS]; /* NaN for points that are nowhere, else 0 */
    /* Row r of point k: where its window begins, at[r * SAMPLE_POINTS + k]; weight and mask, once for each number of a
     * window. */
    int32_t at[SAMPLE_ROWS * SAMPLE_POINTS];
    ELEMENT weight[SAMPLE_ROWS * SAMPLE_POINTS];
    WORD mask[SAMPLE_ROWS * SAMPLE_POINTS];
    /* Of the columns of a window. */
    int32_t begin[SAMPLE_POINTS];
    ELEMENT column_weight[SAMPLE_TAPS * SAMPLE_POINTS];
    WORD column_mask[SAMPLE_TAPS * SAMPLE_POINTS];
    int rows, window;
} NAME(sample_block);

/* ---- Places along a dimension ---- */

/* Reflects places at the middles or the edges of the first and the last of n numbers. */
static void NAME(sample_fold)(ELEMENT *p, tsm_dim n, bool align_corners, size_t count) {
    const ELEMENT low = align_corners ? 0 : (ELEMENT)-0.5, span = (ELEMENT)(align_corners ? n - 1 : n), turn = 2 * span;
    for (size_t k = 0; k < count; k++) {
        const ELEMENT away = p[k] < low ? low - p[k] : p[k] - low;
        const ELEMENT rest = away - FLOOR(away / turn) * turn, back = turn - rest;
        p[k] = (rest < back ? rest : back) + low;
    }
    for (size_t k = 0; k < count && span == 0; k++)
        p[k] = 0;
}

/* What is not a number becomes the first place of planes, the last one of spaces. */
static void NAME(sample_clip)(ELEMENT *p, tsm_dim n, int dims, size_t count) {
    const ELEMENT last = (ELEMENT)(n - 1);
    if (dims == 2)
        for (size_t k = 0; k < count; k++) {
            const ELEMENT v = p[k] > 0 ? p[k] : 0;
            p[k] = v < last ? v : last;
        }
    else
        for (size_t k = 0; k < count; k++) {
            const ELEMENT v = p[k] < last ? p[k] : last;
            p[k] = v > 0 ? v : 0;
        }
}

/* Weights of the four neighbours: Keys' cubic convolution with a = -0.75. */
static inline ELEMENT NAME(sample_cubic_far)(ELEMENT d) {
    return (((ELEMENT)-0.75 * d + (ELEMENT)3.75) * d - 6) * d + 3;
}
static inline ELEMENT NAME(sample_cubic_near)(ELEMENT d) {
    return ((ELEMENT)1.25 * d - (ELEMENT)2.25) * d * d + 1;
}

/* Places far outside are moved near, where they fit an int: all of their neighbours are outside there, too. */
static void NAME(sample_neighbours)(NAME(sample_taps) * t, const ELEMENT *p, tsm_dim n, const sample_job *j,
                                    size_t count) {
    const sample_interpolation how = j->how;
    const ELEMENT low = -4, high = (ELEMENT)(n + 4);
    if (how == SAMPLE_NEAREST && j->dims == 3) {
        /* From the middle PyTorch goes away from 0 in volumes, in planes to the even neighbour. */
        for (size_t k = 0; k < count; k++) {
            const ELEMENT above = p[k] > low ? p[k] : low, q = above < high ? above : high;
            const int32_t i = (int32_t)q;
            const ELEMENT part = q - (ELEMENT)i;
            t->at[0][k] = i + (part >= (ELEMENT)0.5) - (part <= (ELEMENT)-0.5);
        }
        return;
    }
    if (how == SAMPLE_NEAREST) {
        for (size_t k = 0; k < count; k++) {
            const ELEMENT above = p[k] > low ? p[k] : low, q = above < high ? above : high;
            t->at[0][k] = (int32_t)NEAREST_OF(q);
        }
        return;
    }
    for (size_t k = 0; k < count; k++) {
        const ELEMENT above = p[k] > low ? p[k] : low, q = above < high ? above : high;
        int32_t i = (int32_t)q;
        i -= (ELEMENT)i > q;
        t->at[0][k] = i;
        t->weight[0][k] = q - (ELEMENT)i;
    }
    if (how == SAMPLE_LINEAR)
        for (size_t k = 0; k < count; k++) {
            const ELEMENT part = t->weight[0][k];
            t->at[1][k] = t->at[0][k] + 1;
            t->weight[0][k] = 1 - part;
            t->weight[1][k] = part;
        }
    else
        for (size_t k = 0; k < count; k++) {
            const int32_t i = t->at[0][k];
            const ELEMENT part = t->weight[0][k], rest = 1 - part;
            for (int c = 0; c < SAMPLE_TAPS; c++)
                t->at[c][k] = i + (c - 1);
            t->weight[0][k] = NAME(sample_cubic_far)(part + 1);
            t->weight[1][k] = NAME(sample_cubic_near)(part);
            t->weight[2][k] = NAME(sample_cubic_near)(rest);
            t->weight[3][k] = NAME(sample_cubic_far)(rest + 1);
        }
}

/* Neighbours of places inside, which pass an end by up to two numbers, moved to numbers that stand for them. */
static void NAME(sample_pad)(NAME(sample_taps) * t, int32_t n, sample_padding padding, bool align_corners,
                             size_t count) {
    const int32_t before = align_corners ? 0 : -1, after = 2 * n - (align_corners ? 2 : 1);
    for (int c = 0; c < t->count; c++) {
        int32_t *at = t->at[c];
        if (padding == SAMPLE_REFLECTED)
            for (size_t k = 0; k < count; k++) {
                int32_t i = at[k];
                i = i < 0 ? before - i : i;
                i = i >= n ? after - i : i;
                at[k] = i < 0 ? before - i : i;
            }
        for (size_t k = 0; k < count; k++) {
            const int32_t i = at[k] < 0 ? 0 : at[k];
            at[k] = i < n ? i : n - 1;
        }
    }
}

/* Says which neighbours are inside, and moves the others there. */
static void NAME(sample_mask)(NAME(sample_taps) * t, int32_t n, size_t count) {
    for (int c = 0; c < t->count; c++)
        for (size_t k = 0; k < count; k++) {
            const int32_t i = t->at[c][k], above = i < 0 ? 0 : i, inside = above < n ? above : n - 1;
            t->mask[c][k] = -(WORD)(inside == i);
            t->at[c][k] = inside;
        }
}

/* Dimension d of `count` points from `grid` on. */
static void NAME(sample_along)(const sample_job *j, NAME(sample_block) * b, int d, const ELEMENT *restrict grid,
                               size_t points, size_t count) {
    NAME(sample_taps) *t = &b->taps[d];
    const tsm_dim n = j->in[d], step = j->dims;
    const ELEMENT scale = (ELEMENT)(j->align_corners ? n - 1 : n) / 2, shift = j->align_corners ? 0 : (ELEMENT)0.5;
    ELEMENT *place = b->place;
    grid += SAMPLE_DIMS - 1 - d;
    if (step == 2)
        for (size_t k = 0; k < points; k++)
            place[k] = (grid[2 * k] + 1) * scale - shift;
    else
        for (size_t k = 0; k < points; k++)
            place[k] = (grid[3 * k] + 1) * scale - shift;
    for (size_t k = points; k < count; k++)
        place[k] = 0;
    if (j->padding == SAMPLE_REFLECTED)
        NAME(sample_fold)(place, n, j->align_corners, count);
    if (j->padding != SAMPLE_ZEROS && j->how != SAMPLE_CUBIC)
        NAME(sample_clip)(place, n, j->dims, count);
    if (j->dims == 2 && j->how != SAMPLE_NEAREST)
        for (size_t k = 0; k < count; k++)
            b->poison[k] += place[k] - place[k];
    NAME(sample_neighbours)(t, place, n, j, count);
    if (j->padding != SAMPLE_ZEROS && j->how == SAMPLE_CUBIC)
        NAME(sample_pad)(t, (int32_t)n, j->padding, j->align_corners, count);
}

/* ---- Windows ---- */

/* Windows of so many numbers of lines: where they begin, and the weights of their columns. */
SAMPLE_INLINE void NAME(sample_columns)(NAME(sample_block) * b, int32_t n, size_t count, const int window) {
    const NAME(sample_taps) *t = &b->taps[SAMPLE_DIMS - 1];
    for (size_t k = 0; k < count; k++) {
        int32_t begin = t->at[0][k];
        for (int c = 1; c < window; c++)
            begin = t->at[c][k] < begin ? t->at[c][k] : begin;
        begin = begin < 0 ? 0 : begin;
        b->begin[k] = begin < n - window ? begin : n - window;
    }
    for (int e = 0; e < window; e++)
        for (size_t k = 0; k < count; k++) {
            ELEMENT weight = 0;
            WORD mask = 0;
            for (int c = 0; c < window; c++) {
                const bool here = t->at[c][k] == b->begin[k] + e;
                const ELEMENT its = t->weight[c][k];
                weight += here ? its : 0;
                mask |= -(WORD)here;
            }
            b->column_weight[k * (size_t)window + (size_t)e] = weight + b->poison[k];
            b->column_mask[k * (size_t)window + (size_t)e] = mask;
        }
}

/* Rows of windows; of windows of one number all neighbours are rows. */
SAMPLE_INLINE void NAME(sample_rows)(const sample_job *j, NAME(sample_block) * b, size_t count, const int window) {
    const NAME(sample_taps) *z = &b->taps[0], *y = &b->taps[1], *u = &b->taps[2];
    const int32_t height = (int32_t)j->in[1], width = (int32_t)j->in[2];
    const int columns = window == 1 ? u->count : 1;
    for (int r = 0; r < b->rows; r++) {
        const int c = r % columns, v = r / columns % y->count, w = r / columns / y->count;
        int32_t *at = b->at + r * SAMPLE_POINTS;
        ELEMENT *weight = b->weight + r * window * SAMPLE_POINTS;
        WORD *mask = b->mask + r * window * SAMPLE_POINTS;
        const int32_t *column = window == 1 ? u->at[c] : b->begin;
        for (size_t k = 0; k < count; k++)
            at[k] = (z->at[w][k] * height + y->at[v][k]) * width + column[k];
        for (size_t k = 0; k < count; k++) {
            const ELEMENT of_row = z->weight[w][k] * y->weight[v][k];
            for (int e = 0; e < window; e++)
                weight[k * (size_t)window + (size_t)e] = window == 1 ? of_row * u->weight[c][k] + b->poison[k] : of_row;
        }
        for (size_t k = 0; k < count; k++) {
            const WORD of_row = z->mask[w][k] & y->mask[v][k];
            for (int e = 0; e < window; e++)
                mask[k * (size_t)window + (size_t)e] = window == 1 ? of_row & u->mask[c][k] : of_row;
        }
    }
}

/* ---- Sums ---- */

/* The bits of v where `mask` has some. */
static inline ELEMENT NAME(sample_masked)(ELEMENT v, WORD mask) {
    WORD bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= mask;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void NAME(sample_pick)(const NAME(sample_block) * b, const ELEMENT *restrict plane, ELEMENT *restrict y,
                              size_t points) {
    for (size_t k = 0; k < points; k++)
        y[k] = NAME(sample_masked)(plane[b->at[k]], b->mask[k]);
}

#if defined(WINDOWS)
/* The sums of whole groups; gives how many. */
VEC_INLINE size_t NAME(sample_window_groups)(const NAME(sample_block) * b, const ELEMENT *plane, ELEMENT *y,
                                             size_t points, const int rows, const int window) {
    size_t k = 0;
    for (; k + SAMPLE_LANES <= points; k += SAMPLE_LANES) {
        vec_f32 v[SAMPLE_TAPS];
        for (int p = 0; p < window; p++) {
            const size_t at = k + (size_t)(p * (SAMPLE_LANES / window)), column = at * (size_t)window;
            vec_f32 sum = vec_set(0);
            for (int r = 0; r < rows; r++) {
                const size_t of_row = (size_t)(r * SAMPLE_POINTS * window) + column;
                const vec_f32 from = sample_windows_at(plane, b->at + r * SAMPLE_POINTS + at, window);
                sum += sample_kept(from, b->mask + of_row) * vec_load(b->weight + of_row);
            }
            v[p] = sample_kept(sum, b->column_mask + column) * vec_load(b->column_weight + column);
        }
        vec_store(y + k, sample_window_sums(v, window));
    }
    return k;
}
#endif

SAMPLE_INLINE void NAME(sample_sums)(const NAME(sample_block) * b, const ELEMENT *restrict plane, ELEMENT *restrict y,
                                     size_t points, const int rows, const int window) {
    size_t k = 0;
#if defined(WINDOWS)
    if (window > 1)
        k = NAME(sample_window_groups)(b, plane, y, points, rows, window);
#endif
    for (; k < points; k++) {
        ELEMENT of_columns[SAMPLE_TAPS] = {0}, sum = 0;
        for (int r = 0; r < rows; r++) {
            const ELEMENT *from = plane + b->at[r * SAMPLE_POINTS + (int)k];
            for (int e = 0; e < window; e++) {
                const int at = (r * SAMPLE_POINTS + (int)k) * window + e;
                of_columns[e] += NAME(sample_masked)(from[e], b->mask[at]) * b->weight[at];
            }
        }
        for (int e = 0; e < window; e++) {
            const int at = (int)k * window + e;
            sum += window == 1 ? of_columns[e]
                               : NAME(sample_masked)(of_columns[e], b->column_mask[at]) * b->column_weight[at];
        }
        y[k] = sum;
    }
}

static void NAME(sample_sum)(const NAME(sample_block) * b, const ELEMENT *plane, ELEMENT *y, size_t points) {
    if (b->window == 1 && b->rows == 1)
        NAME(sample_pick)(b, plane, y, points);
    else if (b->window == 1)
        NAME(sample_sums)(b, plane, y, points, b->rows, 1);
    else if (b->window == 4)
        NAME(sample_sums)(b, plane, y, points, 4, 4);
    else if (b->rows == 2)
        NAME(sample_sums)(b, plane, y, points, 2, 2);
    else
        NAME(sample_sums)(b, plane, y, points, 4, 2);
}

/* ---- Blocks ---- */

static void NAME(sample_begin)(const sample_job *j, NAME(sample_block) * b) {
    const int taps = j->how == SAMPLE_NEAREST ? 1 : j->how == SAMPLE_LINEAR ? 2 : SAMPLE_TAPS;
    b->rows = 1;
    for (int d = 0; d < SAMPLE_DIMS; d++) {
        NAME(sample_taps) *t = &b->taps[d];
        t->count = d + j->dims < SAMPLE_DIMS ? 1 : taps;
        for (size_t k = 0; k < SAMPLE_POINTS; k++) {
            t->at[0][k] = 0;
            t->weight[0][k] = 1;
            t->mask[0][k] = -1;
        }
        b->rows *= t->count;
    }
    memset(b->poison, 0, sizeof b->poison);
    b->window = j->in[SAMPLE_DIMS - 1] < taps ? 1 : taps;
    b->rows /= b->window;
}

static void NAME(sample_prepare)(const sample_job *j, NAME(sample_block) * b, const ELEMENT *grid, size_t points) {
    const size_t count = (points + SAMPLE_GROUP - 1) / SAMPLE_GROUP * SAMPLE_GROUP;
    const int last = SAMPLE_DIMS - 1;
    const int32_t width = (int32_t)j->in[last];
    for (size_t k = 0; k < count && j->dims == 2; k++)
        b->poison[k] = 0;
    for (int d = SAMPLE_DIMS - j->dims; d < SAMPLE_DIMS; d++) {
        NAME(sample_along)(j, b, d, grid, points, count);
        if (d < last || b->window == 1)
            NAME(sample_mask)(&b->taps[d], (int32_t)j->in[d], count);
    }
    if (b->window == 1) {
        NAME(sample_rows)(j, b, count, 1);
    } else if (b->window == 2) {
        NAME(sample_columns)(b, width, count, 2);
        NAME(sample_rows)(j, b, count, 2);
    } else {
        NAME(sample_columns)(b, width, count, 4);
        NAME(sample_rows)(j, b, count, 4);
    }
}

static void NAME(sample_range)(void *argument, void *scratch, size_t begin, size_t end) {
    const sample_job *j = argument;
    NAME(sample_block) *b = scratch;
    const size_t all = (size_t)j->points, blocks = (all + SAMPLE_POINTS - 1) / SAMPLE_POINTS;
    NAME(sample_begin)(j, b);
    for (size_t i = begin; i < end; i++) {
        const size_t image = i / blocks, first = i % blocks * SAMPLE_POINTS;
        const size_t points = all - first < SAMPLE_POINTS ? all - first : SAMPLE_POINTS;
        const ELEMENT *grid = (const ELEMENT *)j->grid + (tsm_dim)image * j->grid_batch;
        const ELEMENT *plane = (const ELEMENT *)j->image + (tsm_dim)image * j->image_batch;
        ELEMENT *y = (ELEMENT *)j->y + image * (size_t)j->channels * all + first;
        NAME(sample_prepare)(j, b, grid + first * (size_t)j->dims, points);
        for (tsm_dim c = 0; c < j->channels; c++, plane += j->image_channel, y += all)
            NAME(sample_sum)(b, plane, y, points);
    }
}
#undef ELEMENT
#undef WORD
#undef NAME
#undef FLOOR
#undef NEAREST_OF
#undef WINDOWS
