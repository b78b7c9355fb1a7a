/* Pooling of one plane. A template: ELEMENT, the type SUM that averages are summed in, NAME(f), the name of f for this
 * type, IS_NAN(v), and LEAST, which all numbers are at least, are the includer's, and end here. */
static void NAME(max_plane)(const pool_window *w, const ELEMENT *a, ELEMENT *y, int64_t *indices) {
    tsm_dim o[3], from[3], to[3];
    for (o[0] = 0; o[0] < w->out[0]; o[0]++)
        for (o[1] = 0; o[1] < w->out[1]; o[1]++)
            for (o[2] = 0; o[2] < w->out[2]; o[2]++) {
                bool any = false;
                ELEMENT best = LEAST;
                tsm_dim best_at = 0;
                for (int d = 0; d < 3; d++)
                    pool_positions(w, d, o[d], &from[d], &to[d]);
                for (tsm_dim kz = from[0]; kz < to[0]; kz++)
                    for (tsm_dim ky = from[1]; ky < to[1]; ky++) {
                        const tsm_dim at = line_under(w, o, kz, ky) + o[2] * w->stride[2] - w->padding[2];
                        for (tsm_dim kx = from[2]; kx < to[2]; kx++) {
                            const ELEMENT v = a[at + kx * w->dilation[2]];
                            if (!any || v > best || IS_NAN(v)) {
                                best = v;
                                best_at = at + kx * w->dilation[2];
                                any = true;
                            }
                        }
                    }
                *y++ = best;
                if (indices)
                    *indices++ = best_at;
            }
}

#if defined(SUM)
/* The mean of a box of the plane; `count` may include padding. */
static ELEMENT NAME(mean_box)(const ELEMENT *a, const tsm_dim *size, const tsm_dim *from, const tsm_dim *to,
                              double count) {
    SUM sum = 0;
    for (tsm_dim z = from[0]; z < to[0]; z++)
        for (tsm_dim y = from[1]; y < to[1]; y++)
            for (tsm_dim x = from[2]; x < to[2]; x++)
                sum += (SUM)a[(z * size[1] + y) * size[2] + x];
    return (ELEMENT)sum / (ELEMENT)count;
}
#undef SUM
#endif
#undef ELEMENT
#undef NAME
#undef IS_NAN
#undef LEAST
