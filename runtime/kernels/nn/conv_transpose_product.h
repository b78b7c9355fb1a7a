/* A transposed convolution by products of matrices, of which the taps' parts are added to the output. A template:
 * ELEMENT and NAME(f), the name of f for this type, are the includer's, and end here. */
/* Adds what one tap gives to positions of one row of the input, the first at column h0. */
static void NAME(add_row)(const conv_geometry *g, const ELEMENT *restrict products, tsm_dim count, tsm_dim h0,
                          tsm_dim shift, ELEMENT *restrict line) {
    tsm_dim stride = g->stride[2];
    if (stride == 1) {
        const tsm_dim at = h0 + shift, first = at < 0 ? -at : 0, left = g->out[2] - at;
        for (tsm_dim i = first, last = left < count ? left : count; i < last; i++)
            line[at + i] += products[i];
        return;
    }
    for (tsm_dim i = 0; i < count; i++) {
        tsm_dim at = (h0 + i) * stride + shift;
        if (at >= 0 && at < g->out[2])
            line[at] += products[i];
    }
}

/* Adds what one tap gives to a range of positions; `to` is the output channel. */
static void NAME(add_tap)(const conv_geometry *g, const ELEMENT *products, position_range r, const tsm_dim tap[3],
                          ELEMENT *to) {
    const tsm_dim shift = tap[2] * g->dilation[2] - g->padding[2];
    tsm_dim row = r.from / g->in[2], h = r.from % g->in[2], z = row / g->in[1], y = row % g->in[1];
    for (tsm_dim p = r.from, count; p < r.to; p += count, h = 0) {
        count = g->in[2] - h < r.to - p ? g->in[2] - h : r.to - p;
        const tsm_dim oz = z * g->stride[0] - g->padding[0] + tap[0] * g->dilation[0];
        const tsm_dim oy = y * g->stride[1] - g->padding[1] + tap[1] * g->dilation[1];
        if (oz >= 0 && oz < g->out[0] && oy >= 0 && oy < g->out[1])
            NAME(add_row)(g, products + (p - r.from), count, h, shift, to + (oz * g->out[1] + oy) * g->out[2]);
        if (++y == g->in[1]) {
            y = 0;
            z++;
        }
    }
}

/* `products`: for each tap a row of the range's positions. */
static void NAME(add_channel)(const conv_geometry *g, const ELEMENT *products, position_range r, ELEMENT *to) {
    tsm_dim tap[3];
    for (tap[0] = 0; tap[0] < g->kernel[0]; tap[0]++)
        for (tap[1] = 0; tap[1] < g->kernel[1]; tap[1]++)
            for (tap[2] = 0; tap[2] < g->kernel[2]; tap[2]++, products += r.to - r.from)
                NAME(add_tap)(g, products, r, tap, to);
}

/* One group of one image: `channels` output channels at a time, and so many positions that the products fit. */
static tsm_status NAME(multiply_group)(tsm_exec *x, const conv_geometry *g, const ELEMENT *a, const ELEMENT *w,
                                       ELEMENT *y, ELEMENT *products, tsm_dim channels, tsm_dim positions) {
    tsm_dim taps = conv_taps(g), in_plane = g->in[0] * g->in[1] * g->in[2], plane = g->out[0] * g->out[1] * g->out[2];
    tsm_dim in_group = g->channels / g->groups, out_group = g->outputs / g->groups;
    for (tsm_dim o = 0; o < out_group; o += channels)
        for (tsm_dim p = 0; p < in_plane; p += positions) {
            tsm_dim block = o + channels < out_group ? channels : out_group - o;
            position_range r = {p, p + positions < in_plane ? p + positions : in_plane};
            TSM_TRY(NAME(product)(x, (size_t)(block * taps), (size_t)(r.to - p), (size_t)in_group, w + o * taps,
                                  out_group * taps, a + p, in_plane, products));
            for (tsm_dim i = 0; i < block; i++)
                NAME(add_channel)(g, products + i * taps * (r.to - p), r, y + (o + i) * plane);
        }
    return TSM_OK;
}

static void NAME(fill_biases)(const conv_geometry *g, const ELEMENT *bias, ELEMENT *y) {
    tsm_dim plane = g->out[0] * g->out[1] * g->out[2];
    for (tsm_dim i = 0; i < g->batch * g->outputs; i++)
        for (tsm_dim k = 0; k < plane; k++)
            y[i * plane + k] = bias ? bias[i % g->outputs] : 0;
}

static tsm_status NAME(multiply)(tsm_exec *x, const conv_geometry *g, const ELEMENT *a, const ELEMENT *w,
                                 const ELEMENT *bias, ELEMENT *y) {
    tsm_dim taps = conv_taps(g), in_plane = g->in[0] * g->in[1] * g->in[2], plane = g->out[0] * g->out[1] * g->out[2];
    tsm_dim in_group = g->channels / g->groups, out_group = g->outputs / g->groups;
    tsm_dim fitting = (tsm_dim)(SCRATCH_BYTES / sizeof(ELEMENT)) / taps,
            positions = fitting > MIN_POSITIONS ? fitting : MIN_POSITIONS;
    positions = positions < in_plane ? positions : in_plane;
    tsm_dim channels = fitting > positions ? fitting / positions : 1;
    channels = channels < out_group ? channels : out_group;
    ELEMENT *products = tsm_scratch(x, (size_t)(channels * taps * positions) * sizeof *products);
    tsm_status status = products ? TSM_OK : TSM_OUT_OF_MEMORY;
    if (products)
        NAME(fill_biases)(g, bias, y);
    for (tsm_dim i = 0; i < g->batch * g->groups && status == TSM_OK; i++)
        status =
            NAME(multiply_group)(x, g, a + i * in_group * in_plane, w + i % g->groups * in_group * out_group * taps,
                                 y + i * out_group * plane, products, channels, positions);
    if (products)
        tsm_scratch_free(x, products);
    return status;
}
#undef ELEMENT
#undef NAME
