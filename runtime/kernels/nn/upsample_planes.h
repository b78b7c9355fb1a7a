/* Resizing of planes. A template: ELEMENT and NAME(f), the name of f for this type, are the includer's, and end here.
 */

/* Interpolation of planes, one after the other. */
typedef struct {
    const resize *r;
    const tsm_f32_loops *f32;
    interpolation how;
    int count;   /* taps of a column: 1, 2 or 4 */
    int lines;   /* input lines of an output line */
    tsm_dim *at; /* tap k of column i: at[k * width + i], weights in the same order */
    ELEMENT *weights, *kept;
    tsm_dim in_line[MOST_LINES]; /* which line of the plane stands stretched in kept[k * width], or -1 */
} NAME(stretching);

static void NAME(prepare_columns)(NAME(stretching) * s) {
    const tsm_dim width = s->r->out[2];
    const bool is_linear = s->how == LINEAR && s->r->in[2] > 1;
    for (tsm_dim i = 0; i < width && is_linear; i++) {
        const linear_tap h = linear_tap_at(s->r, 2, i);
        s->at[i] = h.at;
        s->at[width + i] = inside(h.at + 1, s->r->in[2]);
        s->weights[i] = (ELEMENT)upsample_rounded(s->r, 1 - h.weight);
        s->weights[width + i] = (ELEMENT)h.weight;
    }
    for (tsm_dim i = 0; i < width && !is_linear; i++) {
        const taps h = taps_at(s->r, s->how, 2, i);
        for (int k = 0; k < s->count; k++) {
            s->at[k * width + i] = h.at[k];
            s->weights[k * width + i] = (ELEMENT)h.weight[k];
        }
    }
}

static void NAME(stretch)(const NAME(stretching) * s, ELEMENT *restrict to, const ELEMENT *restrict line) {
    const tsm_dim n = s->r->out[2], *restrict at = s->at;
    const ELEMENT *restrict w = s->weights;
    const tsm_dim inner = s->r->inner;
    for (tsm_dim i = 0; i < n && inner > 1 && s->count == 1; i++)
        memcpy(to + i * inner, line + at[i] * inner, (size_t)inner * sizeof *to);
    for (tsm_dim i = 0; i < n && inner > 1 && s->count > 1; i++) {
        const ELEMENT *rows[MOST_LINES];
        ELEMENT weights[MOST_LINES];
        for (int k = 0; k < s->count; k++) {
            rows[k] = line + at[k * n + i] * inner;
            weights[k] = w[k * n + i];
        }
        NAME(blend)(s->f32, to + i * inner, rows, weights, s->count, inner);
    }
    if (inner > 1)
        return;
    if (s->count == 1)
        for (tsm_dim i = 0; i < n; i++)
            to[i] = line[at[i]];
    else if (s->count == 2)
        for (tsm_dim i = 0; i < n; i++)
            to[i] = w[i] * line[at[i]] + w[n + i] * line[at[n + i]];
    else
        for (tsm_dim i = 0; i < n; i++)
            to[i] = w[i] * line[at[i]] + w[n + i] * line[at[n + i]] + w[2 * n + i] * line[at[2 * n + i]] +
                    w[3 * n + i] * line[at[3 * n + i]];
}

/* Input line (z, y) of a plane, stretched. Slots are chosen so that neighbouring lines do not push each other out. */
static const ELEMENT *NAME(stretched_line)(NAME(stretching) * s, const ELEMENT *plane, int i, int taps_of_y, tsm_dim z,
                                           tsm_dim y) {
    const int slot = i * taps_of_y + (int)(y % taps_of_y);
    const tsm_dim line = z * s->r->in[1] + y;
    ELEMENT *kept = s->kept + slot * s->r->out[2] * s->r->inner;
    if (s->in_line[slot] != line) {
        NAME(stretch)(s, kept, plane + line * s->r->in[2] * s->r->inner);
        s->in_line[slot] = line;
    }
    return kept;
}

/* Where output lines are made of one input line each, they are stretched where they belong, or copied from the line
 * before. */
static void NAME(stretch_single_lines)(const NAME(stretching) * s, const ELEMENT *plane, ELEMENT *to) {
    const resize *r = s->r;
    const tsm_dim width = r->out[2] * r->inner;
    for (tsm_dim oz = 0, before = -1; oz < r->out[0]; oz++) {
        const tsm_dim z = taps_at(r, s->how, 0, oz).at[0];
        for (tsm_dim oy = 0; oy < r->out[1]; oy++, to += width) {
            const tsm_dim line = z * r->in[1] + taps_at(r, s->how, 1, oy).at[0];
            if (line == before)
                memcpy(to, to - width, (size_t)width * sizeof *to);
            else
                NAME(stretch)(s, to, plane + line * r->in[2] * r->inner);
            before = line;
        }
    }
}

static void NAME(stretch_plane)(NAME(stretching) * s, const ELEMENT *plane, ELEMENT *to) {
    const resize *r = s->r;
    if (s->lines == 1) {
        NAME(stretch_single_lines)(s, plane, to);
        return;
    }
    const tsm_dim width = r->out[2] * r->inner;
    for (int k = 0; k < s->lines; k++)
        s->in_line[k] = -1;
    for (tsm_dim oz = 0; oz < r->out[0]; oz++) {
        const taps z = taps_at(r, s->how, 0, oz);
        for (tsm_dim oy = 0; oy < r->out[1]; oy++, to += width) {
            const taps v = taps_at(r, s->how, 1, oy);
            const ELEMENT *lines[MOST_LINES];
            ELEMENT weights[MOST_LINES];
            int count = 0;
            for (int i = 0; i < z.count; i++)
                for (int j = 0; j < v.count; j++, count++) {
                    lines[count] = NAME(stretched_line)(s, plane, i, v.count, z.at[i], v.at[j]);
                    weights[count] = (ELEMENT)z.weight[i] * (ELEMENT)v.weight[j];
                }
            NAME(blend)(s->f32, to, lines, weights, count, width);
        }
    }
}

static tsm_status NAME(stretch_planes)(tsm_exec *x, const resize *r, interpolation how, const ELEMENT *from,
                                       ELEMENT *to) {
    NAME(stretching) s = {.r = r, .f32 = loops_f32(x), .how = how, .count = taps_at(r, how, 2, 0).count};
    s.lines = taps_at(r, how, 0, 0).count * taps_at(r, how, 1, 0).count;
    const size_t width = (size_t)(r->out[2] * r->inner), taps = (size_t)r->out[2] * (size_t)s.count,
                 kept = s.lines > 1 ? width * (size_t)s.lines : 0;
    s.at = tsm_scratch(x, taps * (TSM_WORD_BYTES + sizeof *s.weights) + kept * sizeof *s.kept);
    if (!s.at)
        return TSM_OUT_OF_MEMORY;
    s.weights = (ELEMENT *)(void *)(s.at + taps);
    s.kept = s.weights + taps;
    NAME(prepare_columns)(&s);
    const tsm_dim in_plane = r->in[0] * r->in[1] * r->in[2] * r->inner,
                  out_plane = r->out[0] * r->out[1] * (tsm_dim)width;
    for (tsm_dim p = 0; p < r->planes / r->inner; p++)
        NAME(stretch_plane)(&s, from + p * in_plane, to + p * out_plane);
    tsm_scratch_free(x, s.at);
    return TSM_OK;
}
#undef ELEMENT
#undef NAME
