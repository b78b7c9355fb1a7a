/* The maximum of the pixels under an output pixel, whose channels lie together: the inner loop takes the rows of up to
 * POOL_ROWS pixels; a full set gives one row, the maximum so far, in the result. A template: NAME, POOLING (the job),
 * ELEMENT, MAX_ROWS (the inner loop), STEP (of the image's dimensions) and CHANNELS, and LEAST, the result of no
 * pixels, are the includer's, and end here. */
static void NAME(const POOLING *p, const ELEMENT *image, const tsm_dim *o, ELEMENT *y) {
    const pool_window *w = p->w;
    const ELEMENT *rows[POOL_ROWS];
    size_t count = 0;
    tsm_dim from[3], to[3], at[3];
    for (int d = 0; d < 3; d++) {
        pool_positions(w, d, o[d], &from[d], &to[d]);
        at[d] = o[d] * w->stride[d] - w->padding[d];
    }
    for (tsm_dim kz = from[0]; kz < to[0]; kz++)
        for (tsm_dim ky = from[1]; ky < to[1]; ky++)
            for (tsm_dim kx = from[2]; kx < to[2]; kx++) {
                if (count == POOL_ROWS) {
                    MAX_ROWS(y, rows, count, CHANNELS);
                    rows[0] = y;
                    count = 1;
                }
                rows[count++] = image + (at[0] + kz * w->dilation[0]) * STEP[0] +
                                (at[1] + ky * w->dilation[1]) * STEP[1] + (at[2] + kx * w->dilation[2]) * STEP[2];
            }
    if (count)
        MAX_ROWS(y, rows, count, CHANNELS);
    for (size_t c = 0; !count && c < CHANNELS; c++)
        y[c] = LEAST;
}
#undef NAME
#undef POOLING
#undef ELEMENT
#undef MAX_ROWS
#undef STEP
#undef CHANNELS
#undef LEAST
