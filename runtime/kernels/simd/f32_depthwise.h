/* Depthwise convolution of f32_loops.h in vector C.
 *
 * A line of output pixels is computed by vectors of channels: each goes along the line with its weights, four pixels at
 * a time, which share what they load. Pixels at the sides, of which some taps lie in the padding, are computed one by
 * one. */

/* Kernels that have forms of their own have up to 5 rows and taps. */
enum { SMALL_KERNEL = 5 };

/* One vector of channels of a line. */
typedef struct {
    const tsm_depthwise_run *d;
    size_t at, part; /* first channel; how many channels of the vector exist */
    vec_f32 bias, low, high;
    ptrdiff_t tap, pixel, out_stride; /* floats from a tap, a pixel, an output pixel to the next */
    ptrdiff_t stride, dilation;
    size_t width;
} depthwise_column;

/* PART: only c->part channels exist. A constant where these are used. */
VEC_INLINE vec_f32 column_load(const depthwise_column *c, const float *p, const bool PART) {
    return PART ? vec_load_part(p, c->part) : vec_load(p);
}

VEC_INLINE void column_store(const depthwise_column *c, float *to, vec_f32 sum, const bool PART) {
    vec_f32 y = vec_at_most(vec_at_least(sum, c->low), c->high);
    if (PART)
        vec_store_part(to, y, c->part);
    else
        vec_store(to, y);
}

/* ---- Any kernel ---- */

/* Taps [first, last) of P pixels. Panels are full: the weights of channels that do not exist are zeros. */
VEC_INLINE void depthwise_pixels(const depthwise_column *c, size_t pixel, size_t first, size_t last, const size_t P,
                                 const bool PART) {
    const tsm_depthwise_run *d = c->d;
    const float *w = d->w + c->at / TSM_PANEL * d->w_panel + c->at % TSM_PANEL;
    const ptrdiff_t begin = (d->begin + (ptrdiff_t)pixel * d->stride) * d->column_step + (ptrdiff_t)c->at;
    vec_f32 sum[4] = {c->bias, c->bias, c->bias, c->bias};
    for (size_t r = 0; r < d->row_count; r++) {
        const float *x = d->rows[r] + begin + (ptrdiff_t)first * c->tap, *wr = w + d->w_rows[r] + first * TSM_PANEL;
        for (size_t t = first; t < last; t++, x += c->tap, wr += TSM_PANEL) {
            vec_f32 wt = vec_load(wr);
            UNROLL for (size_t p = 0; p < P; p++) sum[p] += wt * column_load(c, x + (ptrdiff_t)p * c->pixel, PART);
        }
    }
    const float *residual = d->finish ? d->finish->residual : NULL;
    for (size_t p = 0; p < P; p++) {
        if (residual)
            sum[p] += column_load(c, residual + (ptrdiff_t)(pixel + p) * d->finish->residual_stride + c->at, PART);
        column_store(c, d->out + (ptrdiff_t)(pixel + p) * c->out_stride + c->at, sum[p], PART);
    }
}

static ptrdiff_t divide_up(ptrdiff_t a, ptrdiff_t b) {
    return a <= 0 ? 0 : (a + b - 1) / b;
}

/* A pixel at the sides: only some taps lie in the image. */
VEC_INLINE void depthwise_at_side(const depthwise_column *c, size_t pixel, const bool PART) {
    const tsm_depthwise_run *d = c->d;
    ptrdiff_t x = d->begin + (ptrdiff_t)pixel * d->stride, taps = (ptrdiff_t)d->taps;
    ptrdiff_t first = divide_up(-x, d->dilation), last = divide_up(d->width - x, d->dilation);
    last = last < taps ? last : taps;
    depthwise_pixels(c, pixel, (size_t)(first < last ? first : last), (size_t)last, 1, PART);
}

/* Pixels [inside, outside) have all their taps in the image. */
VEC_INLINE void depthwise_any(const depthwise_column *c, size_t inside, size_t outside, const bool PART) {
    size_t p = 0;
    for (; p < inside; p++)
        depthwise_at_side(c, p, PART);
    for (; p + 4 <= outside; p += 4)
        depthwise_pixels(c, p, 0, c->d->taps, 4, PART);
    for (; p < outside; p++)
        depthwise_pixels(c, p, 0, c->d->taps, 1, PART);
    for (; p < c->d->pixels; p++)
        depthwise_at_side(c, p, PART);
}

/* ---- Small kernels ---- */

/* A group of neighbouring pixels. */
typedef struct {
    ptrdiff_t x, offset; /* column of its first tap; the same in floats */
    float *to;
} depthwise_place;

/* P pixels of T taps in one row, S taps apart. EDGE: some columns are beside the image, where zeros stand. */
VEC_INLINE void depthwise_row(const depthwise_column *c, const float *row, depthwise_place at, const vec_f32 *w,
                              vec_f32 *sum, const size_t P, const size_t T, const size_t S, const bool EDGE,
                              const bool PART) {
    static const float zeros[VEC_LANES] = {0};
    vec_f32 in[3 * 2 + SMALL_KERNEL];
    row += at.offset;
    UNROLL for (size_t i = 0; i < (P - 1) * S + T; i++) {
        const float *from = row + (ptrdiff_t)i * c->tap;
        if (EDGE)
            from = (size_t)(at.x + (ptrdiff_t)i * c->dilation) < c->width ? from : zeros;
        in[i] = column_load(c, from, PART);
    }
    UNROLL for (size_t t = 0; t < T; t++) {
        UNROLL for (size_t p = 0; p < P; p++) sum[p] += w[t] * in[p * S + t];
    }
}

/* What a kernel keeps along the line: the addresses of its R rows, and with 3 taps its weights, in registers. */
typedef struct {
    const float *rows[SMALL_KERNEL], *weights[SMALL_KERNEL];
    vec_f32 w[3][3];
} depthwise_kept;

/* Kernels of 5 taps load their weights again for each group of pixels. R = 0: any number of rows. */
VEC_INLINE void depthwise_group(const depthwise_column *c, const depthwise_kept *k, depthwise_place at, const size_t P,
                                const size_t R, const size_t T, const size_t S, const bool EDGE, const bool PART) {
    vec_f32 sum[4] = {c->bias, c->bias, c->bias, c->bias}, w[SMALL_KERNEL];
    UNROLL for (size_t r = 0; r < R; r++) {
        if (T > 3) {
            UNROLL for (size_t t = 0; t < T; t++) w[t] = vec_load(k->weights[r] + t * TSM_PANEL);
        }
        depthwise_row(c, k->rows[r], at, T > 3 ? w : k->w[r < 3 ? r : 0], sum, P, T, S, EDGE, PART);
    }
    const size_t row_count = R ? 0 : c->d->row_count;
    for (size_t r = 0; r < row_count; r++) {
        UNROLL for (size_t t = 0; t < T; t++) w[t] = vec_load(k->weights[r] + t * TSM_PANEL);
        depthwise_row(c, k->rows[r], at, w, sum, P, T, S, EDGE, PART);
    }
    UNROLL for (size_t p = 0; p < P; p++) column_store(c, at.to + (ptrdiff_t)p * c->out_stride, sum[p], PART);
}

static depthwise_place depthwise_next(const depthwise_column *c, depthwise_place at, size_t pixels) {
    at.x += (ptrdiff_t)pixels * c->stride;
    at.offset += (ptrdiff_t)pixels * c->pixel;
    at.to += (ptrdiff_t)pixels * c->out_stride;
    return at;
}

VEC_INLINE void depthwise_keep(const depthwise_column *c, depthwise_kept *k, const size_t R, const size_t T) {
    const tsm_depthwise_run *d = c->d;
    const float *weights = d->w + c->at / TSM_PANEL * d->w_panel + c->at % TSM_PANEL;
    for (size_t r = 0; r < (R ? R : d->row_count); r++) {
        k->rows[r] = d->rows[r] + c->at;
        k->weights[r] = weights + d->w_rows[r];
    }
    const size_t kept = T <= 3 ? R : 0;
    UNROLL for (size_t r = 0; r < kept; r++) {
        UNROLL for (size_t t = 0; t < T; t++) k->w[r][t] = vec_load(k->weights[r] + t * TSM_PANEL);
    }
}

#if VEC_LANES >= 8

/* Pixels at the sides are computed in groups with their neighbours: a single pixel of wide vectors has too few
 * independent sums. */
VEC_INLINE void depthwise_along(const depthwise_column *c, size_t inside, size_t outside, const size_t R,
                                const size_t T, const size_t S, const bool PART) {
    depthwise_kept k;
    depthwise_keep(c, &k, R, T);
    depthwise_place at = {c->d->begin, c->d->begin * c->d->column_step, c->d->out + c->at};
    const size_t pixels = c->d->pixels;
    if (pixels == 3)
        depthwise_group(c, &k, at, 3, R, T, S, true, PART);
    if (pixels == 2)
        depthwise_group(c, &k, at, 2, R, T, S, true, PART);
    if (pixels == 1)
        depthwise_group(c, &k, at, 1, R, T, S, true, PART);
    for (size_t p = 0; p < pixels && pixels >= 4;) {
        for (; p >= inside && p + 4 <= outside; p += 4, at = depthwise_next(c, at, 4))
            depthwise_group(c, &k, at, 4, R, T, S, false, PART);
        if (p == pixels)
            break;
        if (pixels - p < 4) { /* the last four overlap those before */
            at = depthwise_next(c, at, pixels - p - 4);
            p = pixels - 4;
        }
        depthwise_group(c, &k, at, 4, R, T, S, true, PART);
        p += 4;
        at = depthwise_next(c, at, 4);
    }
}

#else

/* A pixel of which taps FIRST and FIRST + 1 of 3 lie in the image, the usual case at the sides. */
VEC_INLINE void depthwise_two(const depthwise_column *c, const depthwise_kept *k, depthwise_place at,
                              const size_t FIRST, const size_t R, const bool PART) {
    vec_f32 sum = c->bias;
    at.offset += (ptrdiff_t)FIRST * c->tap;
    UNROLL for (size_t r = 0; r < R; r++) {
        const float *from = k->rows[r] + at.offset;
        sum += k->w[r][FIRST] * column_load(c, from, PART);
        sum += k->w[r][FIRST + 1] * column_load(c, from + c->tap, PART);
    }
    column_store(c, at.to, sum, PART);
}

VEC_INLINE void depthwise_side(const depthwise_column *c, const depthwise_kept *k, depthwise_place at, size_t pixel,
                               const size_t R, const size_t T, const bool PART) {
    if (T == 3 && at.x < 0 && at.x + c->dilation >= 0 && (size_t)(at.x + 2 * c->dilation) < c->width)
        depthwise_two(c, k, at, 1, R, PART);
    else if (T == 3 && at.x >= 0 && (size_t)(at.x + c->dilation) < c->width)
        depthwise_two(c, k, at, 0, R, PART);
    else
        depthwise_at_side(c, pixel, PART);
}

VEC_INLINE void depthwise_along(const depthwise_column *c, size_t inside, size_t outside, const size_t R,
                                const size_t T, const size_t S, const bool PART) {
    depthwise_kept k;
    depthwise_keep(c, &k, R, T);
    depthwise_place at = {c->d->begin, c->d->begin * c->d->column_step, c->d->out + c->at};
    const size_t pixels = c->d->pixels;
    size_t p = 0;
    for (; p < inside; p++, at = depthwise_next(c, at, 1))
        depthwise_side(c, &k, at, p, R, T, PART);
    for (; p + 4 <= outside; p += 4, at = depthwise_next(c, at, 4))
        depthwise_group(c, &k, at, 4, R, T, S, false, PART);
    for (; p < outside; p++, at = depthwise_next(c, at, 1))
        depthwise_group(c, &k, at, 1, R, T, S, false, PART);
    for (; p < pixels; p++, at = depthwise_next(c, at, 1))
        depthwise_side(c, &k, at, p, R, T, PART);
}

#endif

/* ---- Lines ---- */

/* Pixels [from, to) have all their taps in the image. */
typedef struct {
    size_t from, to;
    float low, high;
} depthwise_inside;

/* The vector of channels that begins at `at`; PART: the last. T = 0: any kernel. */
VEC_INLINE void depthwise_vector(const tsm_depthwise_run *d, const depthwise_inside *in, size_t at, const size_t R,
                                 const size_t T, const size_t S, const bool PART) {
    const float *bias = d->finish ? d->finish->column_bias : NULL;
    /* Copies: stores may alias *d, for all the compiler knows. */
    depthwise_column c = {.d = d,
                          .at = at,
                          .part = d->channels - at,
                          .low = vec_set(in->low),
                          .high = vec_set(in->high),
                          .out_stride = d->out_stride,
                          .stride = d->stride,
                          .dilation = d->dilation,
                          .width = (size_t)d->width};
    c.tap = d->dilation * d->column_step;
    c.pixel = d->stride * d->column_step;
    c.bias = bias ? column_load(&c, bias + at, PART) : vec_set(0.0f);
    if (T)
        depthwise_along(&c, in->from, in->to, R, T, S, PART);
    else
        depthwise_any(&c, in->from, in->to, PART);
}

VEC_INLINE void depthwise_form(const tsm_depthwise_run *d, const depthwise_inside *in, const size_t R, const size_t T,
                               const size_t S) {
    size_t at = 0;
    for (; at + VEC_LANES <= d->channels; at += VEC_LANES)
        depthwise_vector(d, in, at, R, T, S, false);
#if VEC_LANES > 1
    if (at < d->channels)
        depthwise_vector(d, in, at, R, T, S, true);
#endif
}

/* The forms: whole kernels of these rows and columns, pixels one tap or two apart. Where loops are called by their
 * names each is a part of its own: the form for any kernel does for others. */
#if defined(TSM_DIRECT_LOOPS)
#define DEPTHWISE_FORM(form) TSM_PART void tsm_depthwise_##form(const tsm_depthwise_run *d, const depthwise_inside *in)
#else
#define DEPTHWISE_FORM(form) static void tsm_depthwise_##form(const tsm_depthwise_run *d, const depthwise_inside *in)
#endif
DEPTHWISE_FORM(any) {
    depthwise_form(d, in, 0, 0, 0);
}
DEPTHWISE_FORM(5_1) {
    depthwise_form(d, in, 0, 5, 1);
}
DEPTHWISE_FORM(5_2) {
    depthwise_form(d, in, 0, 5, 2);
}
#if VEC_LANES < 8
DEPTHWISE_FORM(5x5_1) {
    depthwise_form(d, in, 5, 5, 1);
}
DEPTHWISE_FORM(5x5_2) {
    depthwise_form(d, in, 5, 5, 2);
}
#else
#define tsm_depthwise_5x5_1 tsm_depthwise_5_1
#define tsm_depthwise_5x5_2 tsm_depthwise_5_2
#endif
DEPTHWISE_FORM(2x3_1) {
    depthwise_form(d, in, 2, 3, 1);
}
DEPTHWISE_FORM(2x3_2) {
    depthwise_form(d, in, 2, 3, 2);
}
DEPTHWISE_FORM(3x3_1) {
    depthwise_form(d, in, 3, 3, 1);
}
DEPTHWISE_FORM(3x3_2) {
    depthwise_form(d, in, 3, 3, 2);
}
#undef DEPTHWISE_FORM

/* All pixels with their clamps, in the form for this kernel. */
static void depthwise_in_c(const tsm_depthwise_run *d, float low, float high) {
    ptrdiff_t pixels = (ptrdiff_t)d->pixels, reach = d->begin + (ptrdiff_t)(d->taps - 1) * d->dilation; /* of pixel 0 */
    ptrdiff_t from = divide_up(-d->begin, d->stride), to = divide_up(d->width - reach, d->stride);
    from = from < pixels ? from : pixels;
    depthwise_inside in = {.low = low, .high = high, .from = (size_t)from};
    in.to = (size_t)(to < from ? from : to < pixels ? to : pixels);
    bool small = !(d->finish && d->finish->residual) && (d->stride == d->dilation || d->stride == 2 * d->dilation);
    bool adjacent = d->stride == d->dilation;
    if (small && d->taps == 5 && d->row_count == 5)
        (adjacent ? tsm_depthwise_5x5_1 : tsm_depthwise_5x5_2)(d, &in);
    else if (small && d->taps == 5 && d->row_count < 5)
        (adjacent ? tsm_depthwise_5_1 : tsm_depthwise_5_2)(d, &in);
    else if (small && d->taps == 3 && d->row_count == 3)
        (adjacent ? tsm_depthwise_3x3_1 : tsm_depthwise_3x3_2)(d, &in);
    else if (small && d->taps == 3 && d->row_count == 2)
        (adjacent ? tsm_depthwise_2x3_1 : tsm_depthwise_2x3_2)(d, &in);
    else
        tsm_depthwise_any(d, &in);
}

static void depthwise_run(const tsm_depthwise_run *d) {
    float low, high;
    clamp_bounds(d->finish, false, &low, &high);
    if (!depthwise_by_hand(d, low, high))
        depthwise_in_c(d, low, high);
    if (d->finish && !is_clamp(d->finish->activation))
        activate_rows(d->out, d->out_stride, d->pixels, d->channels, d->finish);
}

/* A long line goes in parts, so that an activation finds its numbers in the first cache. */
static void loop_depthwise(const tsm_depthwise_run *d) {
    enum { FLOATS = DEPTHWISE_PART };
    size_t most = FLOATS / (d->channels + 1) / 4 * 4 + 4;
    if (d->pixels <= most || !d->finish || is_clamp(d->finish->activation)) {
        depthwise_run(d);
        return;
    }
    tsm_depthwise_run part = *d;
    tsm_finish finish = *d->finish;
    part.finish = &finish;
    for (size_t left = d->pixels; left; left -= part.pixels) {
        part.pixels = left < most ? left : most;
        depthwise_run(&part);
        part.begin += (ptrdiff_t)part.pixels * d->stride;
        part.out += (ptrdiff_t)part.pixels * d->out_stride;
        if (finish.residual)
            finish.residual += (ptrdiff_t)part.pixels * finish.residual_stride;
    }
}
