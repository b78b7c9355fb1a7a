/* Pooling of one plane. A template: ELEMENT, the type SUM that averages are summed in, NAME(f), the name of f for this
 * type, IS_NAN(v), and LEAST, which all numbers are at least, are the includer's, and end here. */
/* The first element under each output of a line, and where it is; 0 where there is none. */
static void NAME(first_of_line)(const pool_window *w, const ELEMENT *a, const tsm_dim *o, bool is_empty, ELEMENT *y,
                                int64_t *indices) {
    tsm_dim from, to, kz, ky, none;
    pool_positions(w, 0, o[0], &kz, &none);
    pool_positions(w, 1, o[1], &ky, &none);
    for (tsm_dim i = 0; i < w->out[2]; i++) {
        pool_positions(w, 2, i, &from, &to);
        const bool is_there = !is_empty && from < to;
        const tsm_dim at = line_under(w, o, kz, ky) + i * w->stride[2] - w->padding[2] + from * w->dilation[2];
        y[i] = is_there ? a[at] : LEAST;
        indices[i] = is_there ? at : 0;
    }
}

/* One tap for all outputs of a line. */
static void NAME(max_of_tap)(const pool_window *w, const ELEMENT *a, tsm_dim line, tsm_dim k, ELEMENT *restrict y,
                             int64_t *restrict indices) {
    tsm_dim first, last, at, stride = w->stride[2];
    pool_outputs_of_tap(w, k, &first, &last, &at);
    const ELEMENT *restrict v = a + line + at;
    for (tsm_dim i = 0; i < last - first; i++) {
        /* Without branches, which would depend on the elements. */
        const ELEMENT both[] = {y[first + i], v[i * stride]};
        const int is_better = (both[1] > both[0]) | IS_NAN(both[1]);
        y[first + i] = both[is_better];
        indices[first + i] += is_better * (line + at + i * stride - indices[first + i]);
    }
}

/* `indices`: a line for each line of outputs, `step` apart. */
static void NAME(max_plane)(const pool_window *w, const ELEMENT *a, ELEMENT *y, int64_t *indices, tsm_dim step) {
    tsm_dim o[3], from[3], to[3];
    pool_positions(w, 2, w->out[2] - 1, &from[2], &to[2]);
    const tsm_dim first = from[2];
    pool_positions(w, 2, 0, &from[2], &to[2]);
    for (o[0] = 0; o[0] < w->out[0]; o[0]++)
        for (o[1] = 0; o[1] < w->out[1]; o[1]++, y += w->out[2], indices += step) {
            pool_positions(w, 0, o[0], &from[0], &to[0]);
            pool_positions(w, 1, o[1], &from[1], &to[1]);
            NAME(first_of_line)(w, a, o, from[0] == to[0] || from[1] == to[1], y, indices);
            for (tsm_dim kz = from[0]; kz < to[0]; kz++)
                for (tsm_dim ky = from[1]; ky < to[1]; ky++)
                    for (tsm_dim kx = first; kx < to[2]; kx++)
                        NAME(max_of_tap)(w, a, line_under(w, o, kz, ky), kx, y, indices);
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
