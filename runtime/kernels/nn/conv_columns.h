/* Convolutions by products of matrices: what lies under each kernel position is gathered as a row, with a column for
 * each output. A template: ELEMENT and NAME(f), the name of f for this type, are the includer's, and end here; so is
 * NAME(conv_product). */
/* to[i] is row[x + i], and 0 outside of the row. */
static void NAME(copy_clipped_row)(ELEMENT *restrict to, const ELEMENT *restrict row, tsm_dim length, tsm_dim x,
                                   tsm_dim n) {
    const tsm_dim first = tsm_dim_min(n, tsm_dim_max(0, -x)), last = tsm_dim_max(first, tsm_dim_min(n, length - x));
    for (tsm_dim i = 0; i < first; i++)
        to[i] = 0;
    for (tsm_dim i = first; i < last; i++)
        to[i] = row[x + i];
    for (tsm_dim i = last; i < n; i++)
        to[i] = 0;
}

/* The same of every stride-th element: to[i] is row[x + i * stride]. */
static void NAME(copy_strided_row)(ELEMENT *restrict to, const ELEMENT *restrict row, tsm_dim length, tsm_dim x,
                                   tsm_dim n, tsm_dim stride) {
    const tsm_dim first = x < 0 ? tsm_dim_min(n, tsm_dim_ceil_div(-x, stride)) : 0, left = length - x;
    const tsm_dim last = tsm_dim_max(first, left > 0 ? tsm_dim_min(n, tsm_dim_ceil_div(left, stride)) : 0);
    memset(to, 0, (size_t)first * sizeof *to);
    tsm_copy_run((char *)(to + first), sizeof *to, (const char *)(row + x + first * stride),
                 stride * (tsm_dim)sizeof *to, last - first, sizeof *to);
    memset(to + last, 0, (size_t)(n - last) * sizeof *to);
}

/* to[y][x] is plane[y + dy][x + dx], and 0 outside of the plane. */
static void NAME(copy_shifted)(ELEMENT *restrict to, const ELEMENT *restrict plane, const conv_geometry *g, tsm_dim dy,
                               tsm_dim dx) {
    const tsm_dim width = g->in[2], all = g->in[1] * width, shift = dy * width + dx;
    const tsm_dim first = tsm_dim_min(all, tsm_dim_max(0, -shift));
    const tsm_dim last = tsm_dim_max(first, tsm_dim_min(all, all - shift));
    const tsm_dim from = dx > 0 ? tsm_dim_max(0, width - dx) : 0, end = dx > 0 ? width : tsm_dim_min(width, -dx);
    memset(to, 0, (size_t)first * sizeof *to);
    if (first < last)
        memcpy(to + first, plane + first + shift, (size_t)(last - first) * sizeof *to);
    memset(to + last, 0, (size_t)(all - last) * sizeof *to);
    for (tsm_dim x = from; x < end; x++) /* what came from the line before or behind */
        for (tsm_dim at = x; at < all; at += width)
            to[at] = 0;
}

static void NAME(gather_shifted)(ELEMENT *to, const ELEMENT *image, const conv_geometry *g, tsm_dim channels) {
    const tsm_dim plane = g->in[1] * g->in[2];
    for (tsm_dim c = 0; c < channels; c++, image += plane)
        for (tsm_dim ky = 0; ky < g->kernel[1]; ky++)
            for (tsm_dim kx = 0; kx < g->kernel[2]; kx++, to += plane)
                NAME(copy_shifted)
    (to, image, g, ky * g->dilation[1] - g->padding[1], kx * g->dilation[2] - g->padding[2]);
}

/* Fills column block [first, first + count) of the gathered matrix: row k holds, for each output, the input under
 * kernel position k. */
static void NAME(gather)(ELEMENT *to, const ELEMENT *image, const conv_geometry *g, tsm_dim channels, tsm_dim first,
                         tsm_dim count) {
    tsm_dim plane = g->in[0] * g->in[1] * g->in[2];
    for (tsm_dim c = 0; c < channels; c++, image += plane)
        for (tsm_dim kz = 0; kz < g->kernel[0]; kz++)
            for (tsm_dim ky = 0; ky < g->kernel[1]; ky++)
                for (tsm_dim kx = 0; kx < g->kernel[2]; kx++, to += count) {
                    tsm_dim ox = first % g->out[2], oy = first / g->out[2] % g->out[1],
                            oz = first / (g->out[2] * g->out[1]);
                    for (tsm_dim i = 0; i < count;) {
                        tsm_dim z = oz * g->stride[0] - g->padding[0] + kz * g->dilation[0];
                        tsm_dim y = oy * g->stride[1] - g->padding[1] + ky * g->dilation[1];
                        tsm_dim n = tsm_dim_min(count - i, g->out[2] - ox); /* the rest of this output row */
                        bool inside = z >= 0 && z < g->in[0] && y >= 0 && y < g->in[1];
                        const ELEMENT *row = image + (z * g->in[1] + y) * g->in[2];
                        tsm_dim x = ox * g->stride[2] - g->padding[2] + kx * g->dilation[2];
                        if (!inside)
                            memset(to + i, 0, (size_t)n * sizeof *to);
                        else if (g->stride[2] == 1)
                            NAME(copy_clipped_row)(to + i, row, g->in[2], x, n);
                        else
                            NAME(copy_strided_row)(to + i, row, g->in[2], x, n, g->stride[2]);
                        i += n;
                        ox = 0;
                        if (++oy == g->out[1]) {
                            oy = 0;
                            oz++;
                        }
                    }
                }
}

/* c = w b of m x k and k x n, whose rows are consecutive, plus the bias of each row. */
static tsm_status NAME(conv_product)(tsm_exec *x, size_t m, size_t n, size_t k, const ELEMENT *w, const ELEMENT *b,
                                     ptrdiff_t b_row, const ELEMENT *bias, ELEMENT *c, ptrdiff_t c_row);

static tsm_status NAME(multiply)(tsm_exec *x, const conv_geometry *g, const ELEMENT *a, const ELEMENT *w,
                                 const ELEMENT *bias, ELEMENT *y) {
    const tsm_dim channels = g->channels / g->groups, outputs = g->outputs / g->groups, depth = channels * conv_taps(g);
    const tsm_dim in_plane = conv_plane(g->in), out_plane = conv_plane(g->out);
    const bool in_place = reads_in_place(g);
    tsm_dim block = out_plane;
    ELEMENT *columns = NULL;
    if (!in_place) {
        block = tsm_dim_max(16, (tsm_dim)(loops_scratch(x) / sizeof(ELEMENT)) / tsm_dim_max(1, depth) / 16 * 16);
        block = tsm_dim_min(block, out_plane);
        columns = tsm_scratch(x, (size_t)(depth * block) * sizeof(ELEMENT));
        if (!columns)
            return TSM_OUT_OF_MEMORY;
    }
    const bool shifted = block == out_plane && is_shifted(g);
    tsm_status status = TSM_OK;
    for (tsm_dim n = 0; n < g->batch && status == TSM_OK; n++)
        for (tsm_dim group = 0; group < g->groups && status == TSM_OK; group++) {
            const ELEMENT *image = a + (n * g->channels + group * channels) * in_plane;
            ELEMENT *to = y + (n * g->outputs + group * outputs) * out_plane;
            for (tsm_dim at = 0; at < out_plane && status == TSM_OK; at += block) {
                const tsm_dim count = tsm_dim_min(block, out_plane - at);
                if (!in_place && shifted)
                    NAME(gather_shifted)(columns, image, g, channels);
                else if (!in_place)
                    NAME(gather)(columns, image, g, channels, at, count);
                status =
                    NAME(conv_product)(x, (size_t)outputs, (size_t)count, (size_t)depth, w + group * outputs * depth,
                                       in_place ? image + at : columns, in_place ? in_plane : count,
                                       bias ? bias + group * outputs : NULL, to + at, out_plane);
            }
        }
    tsm_scratch_free(x, columns);
    return status;
}
#undef ELEMENT
#undef NAME
