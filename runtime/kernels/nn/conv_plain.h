/* A convolution by its definition, for types without loops of their own. A template: ELEMENT and NAME are the
 * includer's, and end here. */
static void NAME(const conv_geometry *g, const ELEMENT *a, const ELEMENT *w, const ELEMENT *bias, ELEMENT *y) {
    const tsm_dim channels = g->channels / g->groups, outputs = g->outputs / g->groups;
    const tsm_dim plane = g->in[0] * g->in[1] * g->in[2], taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    tsm_dim o[3], k[2];
    for (tsm_dim i = 0; i < g->batch * g->outputs; i++) {
        const tsm_dim n = i / g->outputs, output = i % g->outputs;
        for (o[0] = 0; o[0] < g->out[0]; o[0]++)
            for (o[1] = 0; o[1] < g->out[1]; o[1]++)
                for (o[2] = 0; o[2] < g->out[2]; o[2]++) {
                    const ELEMENT *tap = w + output * channels * taps,
                                  *image = a + (n * g->channels + output / outputs * channels) * plane;
                    ELEMENT sum = bias ? bias[output] : 0;
                    for (tsm_dim c = 0; c < channels; c++, image += plane)
                        for (k[0] = 0; k[0] < g->kernel[0]; k[0]++)
                            for (k[1] = 0; k[1] < g->kernel[1]; k[1]++, tap += g->kernel[2]) {
                                const tsm_dim line = conv_line(g, g->in, o, k);
                                tsm_dim x = o[2] * g->stride[2] - g->padding[2];
                                for (tsm_dim t = 0; line >= 0 && t < g->kernel[2]; t++, x += g->dilation[2])
                                    if (x >= 0 && x < g->in[2])
                                        sum += tap[t] * image[line + x];
                            }
                    *y++ = sum;
                }
    }
}
#undef ELEMENT
#undef NAME
