/* Depthwise convolution of f32_loops.h in vector C. */

/* P pixels, one vector of channels. T > 0: exactly T taps, pixels S taps apart, so that neighbouring pixels share what is loaded;
 * T = 0: any. Constants where this is used. */
VEC_INLINE void depthwise_pixels(const tsm_depthwise_run *d, size_t pixel, size_t channel, const size_t P, const size_t T, const size_t S,
                                 float low, float high) {
    const tsm_finish *f = d->finish;
    const float *w = d->w + channel / TSM_PANEL * d->w_panel + channel % TSM_PANEL;
    vec_f32 sum[4];
    UNROLL for (size_t p = 0; p < P; p++) sum[p] = f && f->column_bias ? vec_load(f->column_bias + channel) : vec_set(0.0f);
    for (size_t r = 0; r < d->row_count; r++) {
        const float *row = d->rows[r] + (ptrdiff_t)pixel * d->pixel_step + channel, *wr = w + d->w_rows[r];
        if (T) {
            vec_f32 in[3 * 2 + 5], wt[5];
            UNROLL for (size_t t = 0; t < T; t++) wt[t] = vec_load(wr + t * TSM_PANEL);
            UNROLL for (size_t i = 0; i < (P - 1) * S + T; i++) in[i] = vec_load(row + (ptrdiff_t)i * d->tap_step);
            UNROLL for (size_t p = 0; p < P; p++) {
                UNROLL for (size_t t = 0; t < T; t++) sum[p] += wt[t] * in[p * S + t];
            }
        } else {
            for (size_t t = 0; t < d->taps; t++) {
                vec_f32 wt = vec_load(wr + t * TSM_PANEL);
                UNROLL for (size_t p = 0; p < P; p++)
                    sum[p] += wt * vec_load(row + (ptrdiff_t)p * d->pixel_step + (ptrdiff_t)t * d->tap_step);
            }
        }
    }
    UNROLL for (size_t p = 0; p < P; p++) {
        vec_f32 s = sum[p];
        if (f && f->residual)
            s += vec_load(f->residual + (ptrdiff_t)(pixel + p) * f->residual_stride + channel);
        vec_store(d->out + (ptrdiff_t)(pixel + p) * d->out_stride + channel, vec_at_most(vec_at_least(s, vec_set(low)), vec_set(high)));
    }
}

/* The last channels of a pixel, fewer than a vector: n of them. */
static void depthwise_rest(const tsm_depthwise_run *d, size_t pixel, size_t channel, size_t n, float low, float high) {
    const tsm_finish *f = d->finish;
    const float *w = d->w + channel / TSM_PANEL * d->w_panel + channel % TSM_PANEL;
    vec_f32 sum = f && f->column_bias ? vec_load_part(f->column_bias + channel, n) : vec_set(0.0f);
    for (size_t r = 0; r < d->row_count; r++) {
        const float *row = d->rows[r] + (ptrdiff_t)pixel * d->pixel_step + channel, *wr = w + d->w_rows[r];
        for (size_t t = 0; t < d->taps; t++) /* panels are full: the weights of channels that do not exist are zeros */
            sum += vec_load(wr + t * TSM_PANEL) * vec_load_part(row + (ptrdiff_t)t * d->tap_step, n);
    }
    if (f && f->residual)
        sum += vec_load_part(f->residual + (ptrdiff_t)pixel * f->residual_stride + channel, n);
    vec_store_part(d->out + (ptrdiff_t)pixel * d->out_stride + channel, vec_at_most(vec_at_least(sum, vec_set(low)), vec_set(high)), n);
}

VEC_INLINE void depthwise_channels(const tsm_depthwise_run *d, size_t pixel, const size_t P, const size_t T, const size_t S, float low,
                                   float high) {
    size_t c = 0;
    for (; c + VEC_LANES <= d->channels; c += VEC_LANES)
        depthwise_pixels(d, pixel, c, P, T, S, low, high);
    if (c < d->channels)
        for (size_t p = 0; p < P; p++)
            depthwise_rest(d, pixel + p, c, d->channels - c, low, high);
}

/* Kernels of up to 5 rows and taps; up to 3x3 the weights stay in registers, larger ones are loaded again for each group of pixels. */
enum { SMALL_KERNEL = 5 };

typedef struct {
    const float *rows[SMALL_KERNEL], *weights[SMALL_KERNEL];
    vec_f32 w[3][3];
} depthwise_column; /* one vector of channels */

/* P pixels of R rows and T taps each; moves the rows on. */
VEC_INLINE void depthwise_group(depthwise_column *c, vec_f32 *sum, ptrdiff_t tap, const size_t P, const size_t R, const size_t T,
                                const size_t S) {
    UNROLL for (size_t r = 0; r < R; r++) {
        vec_f32 in[3 * 2 + SMALL_KERNEL];
        UNROLL for (size_t i = 0; i < (P - 1) * S + T; i++) in[i] = vec_load(c->rows[r] + (ptrdiff_t)i * tap);
        UNROLL for (size_t t = 0; t < T; t++) {
            vec_f32 w = T <= 3 ? c->w[r < 3 ? r : 0][t < 3 ? t : 0] : vec_load(c->weights[r] + t * TSM_PANEL);
            UNROLL for (size_t p = 0; p < P; p++) sum[p] += w * in[p * S + t];
        }
        c->rows[r] += (ptrdiff_t)P * (ptrdiff_t)S * tap;
    }
}

/* One vector of channels along all pixels. */
VEC_INLINE void depthwise_small(const tsm_depthwise_run *d, const size_t R, const size_t T, const size_t S, float low_bound,
                                float high_bound) {
    const tsm_finish *f = d->finish;
    vec_f32 low = vec_set(low_bound), high = vec_set(high_bound);
    const ptrdiff_t tap = d->tap_step, out_stride = d->out_stride; /* stores may alias *d, for all the compiler knows */
    const size_t pixels = d->pixels;
    for (size_t at = 0; at + VEC_LANES <= d->channels; at += VEC_LANES) {
        float *to = d->out + at;
        depthwise_column c;
        vec_f32 bias = f && f->column_bias ? vec_load(f->column_bias + at) : vec_set(0.0f);
        UNROLL for (size_t r = 0; r < R; r++) {
            c.rows[r] = d->rows[r] + at;
            c.weights[r] = d->w + at / TSM_PANEL * d->w_panel + at % TSM_PANEL + d->w_rows[r];
            if (T <= 3) {
                UNROLL for (size_t t = 0; t < T; t++) c.w[r < 3 ? r : 0][t < 3 ? t : 0] = vec_load(c.weights[r] + t * TSM_PANEL);
            }
        }
        size_t left = pixels;
        for (; T >= 3 && left >= 4; left -= 4) {
            vec_f32 sum[4] = {bias, bias, bias, bias};
            depthwise_group(&c, sum, tap, 4, R, T, S);
            UNROLL for (size_t p = 0; p < 4; p++) {
                vec_store(to, vec_at_most(vec_at_least(sum[p], low), high));
                to += out_stride;
            }
        }
        for (; left; left--) {
            vec_f32 sum = bias;
            depthwise_group(&c, &sum, tap, 1, R, T, S);
            vec_store(to, vec_at_most(vec_at_least(sum, low), high));
            to += out_stride;
        }
    }
    size_t rest = d->channels % VEC_LANES;
    for (size_t p = 0; p < d->pixels && rest; p++)
        depthwise_rest(d, p, d->channels - rest, rest, low_bound, high_bound);
}

/* Runs depthwise_small where it has a form for this kernel. */
static bool depthwise_try_small(const tsm_depthwise_run *d, float low, float high) {
    bool adjacent = d->pixel_step == d->tap_step, alternate = d->pixel_step == 2 * d->tap_step;
    if (d->finish && d->finish->residual)
        return false;
#define FORM(R, T, S) depthwise_small(d, R, T, S, low, high)
    if (d->row_count == 5 && d->taps == 5 && (adjacent || alternate)) {
        if (adjacent)
            FORM(5, 5, 1);
        else
            FORM(5, 5, 2);
        return true;
    }
    if (d->row_count < 2 || d->row_count > 3)
        return false;
    if (d->taps == 2 && d->pixels == 1) { /* at the sides of the image */
        if (d->row_count == 3)
            FORM(3, 2, 1);
        else
            FORM(2, 2, 1);
        return true;
    }
    if (d->taps != 3 || !(adjacent || alternate))
        return false;
    if (d->row_count == 3 && adjacent)
        FORM(3, 3, 1);
    else if (d->row_count == 3)
        FORM(3, 3, 2);
    else if (adjacent)
        FORM(2, 3, 1);
    else
        FORM(2, 3, 2);
#undef FORM
    return true;
}

VEC_INLINE void depthwise_all(const tsm_depthwise_run *d, const size_t T, const size_t S, float low, float high) {
    size_t p = 0;
    for (; p + 4 <= d->pixels; p += 4)
        depthwise_channels(d, p, 4, T, S, low, high);
    for (; p < d->pixels; p++)
        depthwise_channels(d, p, 1, T, S, low, high);
}

static void loop_depthwise(const tsm_depthwise_run *d) {
    float low, high;
    clamp_bounds(d->finish, false, &low, &high);
    bool adjacent = d->pixel_step == d->tap_step, alternate = d->pixel_step == 2 * d->tap_step;
    if (!depthwise_try_small(d, low, high)) {
        if (d->taps == 5 && adjacent)
            depthwise_all(d, 5, 1, low, high);
        else if (d->taps == 5 && alternate)
            depthwise_all(d, 5, 2, low, high);
        else
            depthwise_all(d, 0, 1, low, high);
    }
    if (d->finish && !is_clamp(d->finish->activation))
        activate_rows(d->out, d->out_stride, d->pixels, d->channels, d->finish);
}
