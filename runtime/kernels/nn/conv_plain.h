/* A convolution by its definition, for types without loops of their own: a line of the output at a time, to which lines
 * of the input are added. A template: ELEMENT and NAME(f) are the includer's, and end here. */

/* y[o] += s * line[o * stride + t * dilation - padding] wherever that lies in the line. */
static void NAME(add_tap)(const conv_geometry *g, ELEMENT *restrict y, const ELEMENT *restrict line, tsm_dim t,
                          ELEMENT s) {
    const tsm_dim stride = g->stride[2], first = t * g->dilation[2] - g->padding[2], left = g->in[2] - first;
    const tsm_dim from = first < 0 ? tsm_dim_min(tsm_dim_ceil_div(-first, stride), g->out[2]) : 0;
    const tsm_dim to = left > 0 ? tsm_dim_min(tsm_dim_ceil_div(left, stride), g->out[2]) : 0;
    if (stride == 1)
        for (tsm_dim o = from; o < to; o++)
            y[o] += s * line[first + o];
    else
        for (tsm_dim o = from; o < to; o++)
            y[o] += s * line[first + o * stride];
}

static void NAME(convolve)(const conv_geometry *g, const ELEMENT *a, const ELEMENT *w, const ELEMENT *bias,
                           ELEMENT *y) {
    const tsm_dim channels = g->channels / g->groups, outputs = g->outputs / g->groups;
    const tsm_dim plane = g->in[0] * g->in[1] * g->in[2], taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    tsm_dim o[3] = {0}, k[2];
    for (tsm_dim i = 0; i < g->batch * g->outputs; i++) {
        const tsm_dim n = i / g->outputs, output = i % g->outputs;
        for (o[0] = 0; o[0] < g->out[0]; o[0]++)
            for (o[1] = 0; o[1] < g->out[1]; o[1]++, y += g->out[2]) {
                const ELEMENT *tap = w + output * channels * taps,
                              *image = a + (n * g->channels + output / outputs * channels) * plane;
                for (tsm_dim x = 0; x < g->out[2]; x++)
                    y[x] = bias ? bias[output] : 0;
                for (tsm_dim c = 0; c < channels; c++, image += plane)
                    for (k[0] = 0; k[0] < g->kernel[0]; k[0]++)
                        for (k[1] = 0; k[1] < g->kernel[1]; k[1]++, tap += g->kernel[2]) {
                            const tsm_dim line = conv_line(g, g->in, o, k);
                            for (tsm_dim t = 0; line >= 0 && t < g->kernel[2]; t++)
                                NAME(add_tap)(g, y, image + line, t, tap[t]);
                        }
            }
    }
}
#undef ELEMENT
#undef NAME
