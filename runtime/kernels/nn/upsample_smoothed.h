/* Smoothed resizing of one dimension. A template: ELEMENT, NAME(f), the name of f for this type, and
 * NAME(smooth_rows) are the includer's; the first two end here. */

/* Of each output the first input, how many there are, and `most` weights. */
typedef struct {
    tsm_dim *first, *count, most;
    ELEMENT *weights;
} NAME(smoothed_outputs);

static void NAME(weigh_outputs)(const byte_line *l, NAME(smoothed_outputs) * s, double *w) {
    for (tsm_dim o = 0; o < l->out; o++) {
        s->first[o] = weights_at(l, o, w);
        span_of(l, l->scale * ((double)o + 0.5), &s->count[o]);
        s->count[o] = tsm_dim_max(0, s->count[o]);
        for (tsm_dim k = 0; k < l->most; k++)
            s->weights[o * l->most + k] = (ELEMENT)w[k];
    }
}

static void NAME(smooth_columns)(const NAME(smoothed_outputs) * s, const byte_line *l, const ELEMENT *from,
                                 ELEMENT *restrict to, tsm_dim lines) {
    for (tsm_dim n = 0; n < lines; n++, from += l->in)
        for (tsm_dim o = 0; o < l->out; o++) {
            const ELEMENT *v = from + s->first[o], *w = s->weights + o * s->most;
            ELEMENT sum = 0;
            for (tsm_dim k = 0; k < s->count[o]; k++)
                sum += v[k] * w[k];
            *to++ = sum;
        }
}

/* A row of outputs from rows of `width` inputs, some at a time. */
static void NAME(smooth_row)(const tsm_f32_loops *f32, const ELEMENT *from, const ELEMENT *weights, tsm_dim count,
                             tsm_dim width, ELEMENT *to) {
    const ELEMENT *rows[SMOOTHED_ROWS];
    ELEMENT w[SMOOTHED_ROWS];
    tsm_dim at = 0;
    do {
        tsm_dim n = 0;
        if (at > 0) { /* what is there already */
            rows[n] = to;
            w[n++] = 1;
        }
        for (; n < SMOOTHED_ROWS && at < count; at++) {
            rows[n] = from + at * width;
            w[n++] = weights[at];
        }
        NAME(smooth_rows)(f32, to, rows, w, n, width);
    } while (at < count);
}

static tsm_status NAME(smooth_line)(tsm_exec *x, const byte_line *l, const tsm_tensor *t, int dim, void *out) {
    const tsm_dim width = t->sizes[3], planes = t->sizes[0] * t->sizes[1];
    const size_t outputs = (size_t)l->out, words = outputs * 2 * TSM_WORD_BYTES,
                 weights = outputs * (size_t)l->most * sizeof(ELEMENT);
    NAME(smoothed_outputs) s = {.most = l->most};
    const ELEMENT *from = t->data;
    ELEMENT *to = out;
    double *w = tsm_scratch(x, (size_t)l->most * sizeof *w);
    s.first = w ? tsm_scratch(x, words + weights) : NULL;
    if (s.first) {
        s.count = s.first + outputs;
        s.weights = (ELEMENT *)(void *)((char *)s.first + words);
        NAME(weigh_outputs)(l, &s, w);
    }
    for (tsm_dim p = 0; s.first && p < planes && dim == 2; p++, from += l->in * width)
        for (tsm_dim o = 0; o < l->out; o++, to += width)
            NAME(smooth_row)
    (loops_f32(x), from + s.first[o] * width, s.weights + o * s.most, s.count[o], width, to);
    if (s.first && dim == 3)
        NAME(smooth_columns)(&s, l, from, to, planes * t->sizes[2]);
    const tsm_status status = s.first ? TSM_OK : TSM_OUT_OF_MEMORY;
    tsm_scratch_free(x, s.first);
    tsm_scratch_free(x, w);
    return status;
}
#undef ELEMENT
#undef NAME
