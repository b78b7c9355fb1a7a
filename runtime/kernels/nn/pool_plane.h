/* Pooling of one plane. A template: ELEMENT, the type SUM that averages are summed in, NAME(f), the name of f for this
 * type, IS_NAN(v), and LEAST, which all numbers are at least, are the includer's, and end here. */
/* The first element under outputs [begin, end) of a line, and where it is, unless `indices` is NULL; 0 where there is
 * none. `line`: where the first line under them begins; negative: nothing is under them. */
static void NAME(first_of_outputs)(const pool_window *w, const ELEMENT *a, tsm_dim line, tsm_dim begin, tsm_dim end,
                                   ELEMENT *y, int64_t *indices) {
    tsm_dim from, to;
    for (tsm_dim i = begin; i < end; i++) {
        pool_positions(w, 2, i, &from, &to);
        const bool is_there = line >= 0 && from < to;
        const tsm_dim at = line + i * w->stride[2] - w->padding[2] + from * w->dilation[2];
        y[i] = is_there ? a[at] : LEAST;
        if (indices)
            indices[i] = is_there ? at : 0;
    }
}

/* The same of a whole line. */
static void NAME(first_of_line)(const pool_window *w, const ELEMENT *a, tsm_dim line, ELEMENT *restrict y,
                                int64_t *restrict indices) {
#if TSM_NARROW_LANES
    const tsm_dim stride = w->stride[2];
    tsm_dim begin, end, at;
    pool_outputs_of_tap(w, 0, &begin, &end, &at); /* under these the first tap is 0 */
    if (line < 0)
        end = begin;
    for (tsm_dim i = begin; i < end; i++)
        y[i] = a[line + at + (i - begin) * stride];
    for (tsm_dim i = begin; i < end && indices; i++)
        indices[i] = line + at + (i - begin) * stride;
    NAME(first_of_outputs)(w, a, line, 0, begin, y, indices);
    NAME(first_of_outputs)(w, a, line, end, w->out[2], y, indices);
#else /* small processors save the room, here and below */
    NAME(first_of_outputs)(w, a, line, 0, w->out[2], y, indices);
#endif
}

/* y[i] = the greater of itself and v[i * stride], n times; NaN is greater than all numbers. indices[i] becomes at + i *
 * stride where that is chosen, unless `indices` is NULL. Without branches, which would depend on the elements. */
static inline void NAME(take_greater)(ELEMENT *restrict y, const ELEMENT *restrict v, tsm_dim stride, tsm_dim n,
                                      int64_t *restrict indices, tsm_dim at) {
    for (tsm_dim i = 0; i < n; i++) {
        const ELEMENT here = v[i * stride], best = y[i], greater = here > best ? here : best;
        const int is_better = (here > best) | IS_NAN(here);
        y[i] = IS_NAN(here) ? here : greater;
        if (indices)
            indices[i] += is_better * (at + i * stride - indices[i]);
    }
}

/* One tap for all outputs of a line. */
static void NAME(max_of_tap)(const pool_window *w, const ELEMENT *a, tsm_dim line, tsm_dim k, ELEMENT *y,
                             int64_t *indices) {
    tsm_dim first, last, at;
    pool_outputs_of_tap(w, k, &first, &last, &at);
    at += line;
    y += first;
#if TSM_NARROW_LANES
    if (!indices && w->stride[2] == 1)
        NAME(take_greater)(y, a + at, 1, last - first, NULL, 0);
    else if (!indices && w->stride[2] == 2)
        NAME(take_greater)(y, a + at, 2, last - first, NULL, 0);
    else if (!indices)
        NAME(take_greater)(y, a + at, w->stride[2], last - first, NULL, 0);
    else
#endif
        NAME(take_greater)(y, a + at, w->stride[2], last - first, indices ? indices + first : NULL, at);
}

/* `indices`: a line for each line of outputs; NULL where they are not asked for. */
static void NAME(max_plane)(const pool_window *w, const ELEMENT *a, ELEMENT *y, int64_t *indices) {
    tsm_dim o[3], from[3], to[3];
    pool_positions(w, 2, w->out[2] - 1, &from[2], &to[2]);
    const tsm_dim first = from[2];
    pool_positions(w, 2, 0, &from[2], &to[2]);
    for (o[0] = 0; o[0] < w->out[0]; o[0]++)
        for (o[1] = 0; o[1] < w->out[1]; o[1]++, y += w->out[2]) {
            pool_positions(w, 0, o[0], &from[0], &to[0]);
            pool_positions(w, 1, o[1], &from[1], &to[1]);
            NAME(first_of_line)
            (w, a, from[0] < to[0] && from[1] < to[1] ? line_under(w, o, from[0], from[1]) : -1, y, indices);
            for (tsm_dim kz = from[0]; kz < to[0]; kz++)
                for (tsm_dim ky = from[1]; ky < to[1]; ky++)
                    for (tsm_dim kx = first; kx < to[2]; kx++)
                        NAME(max_of_tap)(w, a, line_under(w, o, kz, ky), kx, y, indices);
            if (indices)
                indices += w->out[2];
        }
}

#if defined(SUM)
/* The mean of a box of the plane; `count` may include padding. */
static ELEMENT NAME(mean_box)(const ELEMENT *a, const tsm_dim *size, const tsm_dim *from, const tsm_dim *to,
                              double count) {
#if TSM_NARROW_LANES
    enum { CHAINS = 8 }; /* which compilers make vectors of */
    const tsm_dim width = to[2] - from[2], whole = width >= CHAINS ? width - width % CHAINS : 0;
    SUM part[CHAINS] = {0}, sum = 0;
    for (tsm_dim z = from[0]; z < to[0]; z++)
        for (tsm_dim y = from[1]; y < to[1]; y++) {
            const ELEMENT *line = a + (z * size[1] + y) * size[2] + from[2];
            for (tsm_dim x = 0; x < whole; x += CHAINS)
                for (int k = 0; k < CHAINS; k++)
                    part[k] += (SUM)line[x + k];
            for (tsm_dim x = whole; x < width; x++)
                sum += (SUM)line[x];
        }
    for (int k = 0; k < CHAINS && whole; k++)
        sum += part[k];
#else
    SUM sum = 0;
    for (tsm_dim z = from[0]; z < to[0]; z++)
        for (tsm_dim y = from[1]; y < to[1]; y++)
            for (tsm_dim x = from[2]; x < to[2]; x++)
                sum += (SUM)a[(z * size[1] + y) * size[2] + x];
#endif
    return (ELEMENT)sum / (ELEMENT)count;
}
#undef SUM
#endif
#undef ELEMENT
#undef NAME
#undef IS_NAN
#undef LEAST
