/* A transposed convolution by its definition: each line of the input is added to lines of the output, tap by tap. A
 * template: ELEMENT and NAME(f), the name of f for this type, are the includer's, and end here. */

/* y[x * stride + t * dilation - padding] += s * line[x] wherever that lies in the line of the output. */
static void NAME(scatter_tap)(const conv_geometry *g, ELEMENT *restrict y, const ELEMENT *restrict line, tsm_dim t,
                              ELEMENT s) {
    const tsm_dim stride = g->stride[2], first = t * g->dilation[2] - g->padding[2], left = g->out[2] - first;
    const tsm_dim from = first < 0 ? tsm_dim_min(tsm_dim_ceil_div(-first, stride), g->in[2]) : 0;
    const tsm_dim to = left > 0 ? tsm_dim_min(tsm_dim_ceil_div(left, stride), g->in[2]) : 0;
    if (stride == 1)
        for (tsm_dim x = from; x < to; x++)
            y[first + x] += line[x] * s;
    else
        for (tsm_dim x = from; x < to; x++)
            y[first + x * stride] += line[x] * s;
}

static void NAME(scatter)(const conv_geometry *g, const ELEMENT *a, const ELEMENT *w, const ELEMENT *bias, ELEMENT *y) {
    const tsm_dim plane = g->out[0] * g->out[1] * g->out[2], taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    const tsm_dim in_group = g->channels / g->groups, out_group = g->outputs / g->groups;
    tsm_dim i[3] = {0}, k[2];
    for (tsm_dim p = 0; p < g->batch * g->outputs; p++)
        for (tsm_dim o = 0; o < plane; o++)
            y[p * plane + o] = bias ? bias[p % g->outputs] : 0;
    for (tsm_dim p = 0; p < g->batch * g->channels; p++) {
        const tsm_dim n = p / g->channels, c = p % g->channels;
        for (i[0] = 0; i[0] < g->in[0]; i[0]++)
            for (i[1] = 0; i[1] < g->in[1]; i[1]++, a += g->in[2]) {
                const ELEMENT *tap = w + c * out_group * taps;
                ELEMENT *to = y + (n * g->outputs + c / in_group * out_group) * plane;
                for (tsm_dim o = 0; o < out_group; o++, to += plane)
                    for (k[0] = 0; k[0] < g->kernel[0]; k[0]++)
                        for (k[1] = 0; k[1] < g->kernel[1]; k[1]++, tap += g->kernel[2]) {
                            const tsm_dim line = conv_line(g, g->out, i, k);
                            for (tsm_dim t = 0; line >= 0 && t < g->kernel[2]; t++)
                                NAME(scatter_tap)(g, to + line, a, t, tap[t]);
                        }
            }
    }
}
#undef ELEMENT
#undef NAME
