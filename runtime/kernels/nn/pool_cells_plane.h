/* The largest elements of cells of a plane. A template: ELEMENT, WORD, the int of its size, and NAME(f) are the
 * includer's, and so is LARGEST, a function for LARGEST_LEAST elements and more, where there is one; they end here.
 *
 * The lines under a line of cells become one, of the largest of each column and the lines where these are, by vectors;
 * each cell takes the largest of its columns. Of equal elements the first counts, of several NaNs the last. */

typedef struct {
    ELEMENT value;
    WORD line;
    tsm_dim column;
} NAME(cells_largest);

/* line[i] = the largest of count lines, and where it is. */
static void NAME(cells_columns)(ELEMENT *restrict largest, WORD *restrict at, const ELEMENT *restrict v, WORD line,
                                tsm_dim width) {
    for (tsm_dim i = 0; i < width; i++) {
        const ELEMENT here = v[i], before = largest[i];
        const bool is_better = (here > before) | (here != here);
        const WORD was = at[i];
        largest[i] = is_better ? here : before;
        at[i] = is_better ? line : was;
    }
}

/* The largest of n elements of a line, without where it is. */
static ELEMENT NAME(cells_value)(const ELEMENT *v, tsm_dim n) {
    ELEMENT best = v[0];
    tsm_dim i = 0;
#if defined(LARGEST)
    if (n >= LARGEST_LEAST)
        return LARGEST(v, n);
#endif
    for (; i < n; i++)
        best = v[i] > best || v[i] != v[i] ? v[i] : best;
    return best;
}

/* Where an element first lies among n that have it. */
static tsm_dim NAME(cells_find)(const ELEMENT *v, tsm_dim n, ELEMENT wanted) {
    enum { BLOCK = 64 };
    tsm_dim i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        WORD found = 0;
        for (tsm_dim k = 0; k < BLOCK; k++)
            found |= v[i + k] == wanted;
        if (found)
            break;
    }
    while (v[i] != wanted)
        i++;
    return i;
}

/* Columns one after the other. */
static NAME(cells_largest) NAME(cells_by_column)(const ELEMENT *v, const WORD *at, tsm_dim n) {
    NAME(cells_largest) best = {v[0], at[0], 0};
    for (tsm_dim i = 1; i < n; i++) {
        const ELEMENT here = v[i];
        const bool is_first = (here == best.value) & (at[i] < best.line);
        const bool is_last = (here != here) & ((best.value == best.value) | (at[i] >= best.line));
        const bool is_better = (here > best.value) | is_first | is_last;
        best.value = is_better ? here : best.value;
        best.line = is_better ? at[i] : best.line;
        best.column = is_better ? i : best.column;
    }
    return best;
}

/* The largest element of n columns; `at`: the line of each, or NULL where all are of one. */
static NAME(cells_largest) NAME(cells_of)(const ELEMENT *v, const WORD *at, WORD line, tsm_dim n) {
    enum { FEW = 32 };
    if (at && n < FEW)
        return NAME(cells_by_column)(v, at, n);
    NAME(cells_largest) best = {NAME(cells_value)(v, n), line, 0};
    if (best.value != best.value && at)
        return NAME(cells_by_column)(v, at, n);
    if (best.value != best.value) {
        best.column = n - 1;
        while (v[best.column] == v[best.column])
            best.column--;
    } else {
        best.column = NAME(cells_find)(v, n, best.value);
        if (at) {
            best.line = at[best.column];
            for (tsm_dim i = best.column + 1; i < n; i++)
                if (v[i] == best.value && at[i] < best.line) {
                    best.line = at[i];
                    best.column = i;
                }
        }
    }
    return best;
}

static inline tsm_dim NAME(cells_begin)(const cells_job *j, int d, tsm_dim o) {
    return (tsm_dim)((int64_t)o * j->in[d] / j->out[d]);
}
static inline tsm_dim NAME(cells_end)(const cells_job *j, int d, tsm_dim o) {
    return (tsm_dim)((((int64_t)o + 1) * j->in[d] + j->out[d] - 1) / j->out[d]);
}

/* A line of cells of a plane, over planes [from[0], to[0]) and lines [from[1], to[1]) of these. */
static void NAME(cells_band)(const cells_job *j, const ELEMENT *plane, const tsm_dim *from, const tsm_dim *to,
                             ELEMENT *largest, WORD *at, ELEMENT *y, int64_t *places) {
    const tsm_dim width = j->in[2];
    const WORD first = (WORD)(from[0] * j->in[1] + from[1]);
    const bool single = (to[0] - from[0]) * (to[1] - from[1]) == 1;
    const ELEMENT *v = plane + first * width;
    if (!single) {
        memcpy(largest, v, (size_t)width * sizeof *v);
        for (tsm_dim i = 0; i < width; i++)
            at[i] = first;
        for (tsm_dim z = from[0]; z < to[0]; z++)
            for (tsm_dim line = from[1] + (z == from[0]); line < to[1]; line++)
                NAME(cells_columns)
        (largest, at, plane + (z * j->in[1] + line) * width, (WORD)(z * j->in[1] + line), width);
        v = largest;
    }
    for (tsm_dim o = 0; o < j->out[2]; o++) {
        const tsm_dim left = NAME(cells_begin)(j, 2, o), right = NAME(cells_end)(j, 2, o);
        const NAME(cells_largest) best = NAME(cells_of)(v + left, single ? NULL : at + left, first, right - left);
        y[o] = best.value;
        places[o] = (int64_t)best.line * width + left + best.column;
    }
}

static void NAME(cells_range)(void *argument, void *scratch, size_t begin, size_t end) {
    const cells_job *j = argument;
    ELEMENT *largest = scratch;
    WORD *at = (WORD *)(void *)(largest + j->in[2]);
    const size_t of_plane = (size_t)(j->out[0] * j->out[1]), size = (size_t)(j->in[0] * j->in[1] * j->in[2]);
    for (size_t i = begin; i < end; i++) {
        const size_t plane = i / of_plane, band = i % of_plane;
        const tsm_dim o[2] = {(tsm_dim)band / j->out[1], (tsm_dim)band % j->out[1]};
        tsm_dim from[2], to[2];
        for (int d = 0; d < 2; d++) {
            from[d] = NAME(cells_begin)(j, d, o[d]);
            to[d] = NAME(cells_end)(j, d, o[d]);
        }
        NAME(cells_band)
        (j, (const ELEMENT *)j->image + plane * size, from, to, largest, at,
         (ELEMENT *)j->values + i * (size_t)j->out[2], j->places + i * (size_t)j->out[2]);
    }
}
#undef ELEMENT
#undef WORD
#undef NAME
#undef LARGEST
