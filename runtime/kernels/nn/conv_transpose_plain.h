/* A transposed convolution by its definition. A template: ELEMENT and NAME are the includer's, and end here. */
static void NAME(const conv_geometry *g, const ELEMENT *a, const ELEMENT *w, const ELEMENT *bias, ELEMENT *y) {
    const tsm_dim plane = g->out[0] * g->out[1] * g->out[2], taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    const tsm_dim in_group = g->channels / g->groups, out_group = g->outputs / g->groups;
    tsm_dim i[3], k[2];
    for (tsm_dim p = 0; p < g->batch * g->outputs; p++)
        for (tsm_dim o = 0; o < plane; o++)
            y[p * plane + o] = bias ? bias[p % g->outputs] : 0;
    for (tsm_dim p = 0; p < g->batch * g->channels; p++) {
        const tsm_dim n = p / g->channels, c = p % g->channels;
        for (i[0] = 0; i[0] < g->in[0]; i[0]++)
            for (i[1] = 0; i[1] < g->in[1]; i[1]++)
                for (i[2] = 0; i[2] < g->in[2]; i[2]++, a++) {
                    const ELEMENT *tap = w + c * out_group * taps;
                    ELEMENT *to = y + (n * g->outputs + c / in_group * out_group) * plane;
                    for (tsm_dim o = 0; o < out_group; o++, to += plane)
                        for (k[0] = 0; k[0] < g->kernel[0]; k[0]++)
                            for (k[1] = 0; k[1] < g->kernel[1]; k[1]++, tap += g->kernel[2]) {
                                const tsm_dim line = conv_line(g, g->out, i, k);
                                tsm_dim x = i[2] * g->stride[2] - g->padding[2];
                                for (tsm_dim t = 0; line >= 0 && t < g->kernel[2]; t++, x += g->dilation[2])
                                    if (x >= 0 && x < g->out[2])
                                        to[line + x] += *a * tap[t];
                            }
                }
    }
}
#undef ELEMENT
#undef NAME
