/* Lines of depthwise convolutions around the hand-written loops of depthwise_aarch64.S. */
#include "runtime/kernels/simd/depthwise_aarch64.h"

/* Floats of a line between its activations: more than elsewhere, for a part begins with all its weights. */
#define DEPTHWISE_PART 16384

/* The loops for a kernel and stride, without clamps and with them; two[] is NULL where there is no loop for two
 * vectors. */
typedef struct {
    tsm_depthwise_a64_function one[2], two[2];
} line_form;

static const line_form *find_line_form(const tsm_depthwise_run *d) {
#define LOOPS(form)                                                                                                    \
    { tsm_depthwise_a64_##form, tsm_depthwise_a64_##form##_clamp }
    static const line_form forms[2][2] = {{{LOOPS(3x1_1), LOOPS(3x1_2)}, {LOOPS(3x2_1), LOOPS(3x2_2)}},
                                          {{LOOPS(5x1_1), {0}}, {LOOPS(5x2_1), {0}}}};
#undef LOOPS
    bool has = (d->taps == 3 || d->taps == 5) && (d->stride == 1 || d->stride == 2) && d->dilation == 1;
    return has ? &forms[d->taps == 5][d->stride - 1] : NULL;
}

/* How the pixels lie to the image's sides; false for what the loops cannot do: much padding, and lines shorter than the
 * kernel. */
static bool measure_line(const tsm_depthwise_run *d, tsm_depthwise_a64 *s) {
    size_t left = d->begin < 0 ? (size_t)-d->begin : 0, skipped = d->begin > 0 ? (size_t)d->begin : 0,
           stride = (size_t)d->stride;
    if (left > d->taps / 2 || (ptrdiff_t)(d->taps + skipped) > d->width + (ptrdiff_t)left)
        return false;
    size_t end = left + (size_t)d->width - skipped; /* the column behind the image */
    s->left = left;
    s->whole = (end - d->taps) / stride + 1;
    if (s->whole > d->pixels)
        s->whole = d->pixels;
    s->right = d->pixels - s->whole;
    s->extra = s->right ? end - ((s->whole - 1) * stride + d->taps) : 0;
    return s->right <= (stride == 1 ? d->taps / 2 : 1);
}

/* Rows of a square kernel that follow each other; those in the padding become rows of zeros. False for other kernels.
 */
static bool point_rows(const tsm_depthwise_run *d, tsm_depthwise_a64 *s) {
    static const float zeros[8] = {0};
    size_t row_weights = d->taps * TSM_PANEL;
    if (d->row_count == 0 || d->w_panel != d->taps * row_weights)
        return false;
    for (size_t r = 0; r < d->taps; r++)
        s->rows[r] = zeros;
    for (size_t r = 0; r < d->row_count; r++) {
        size_t at = d->w_rows[r] / row_weights;
        s->rows[at] = d->rows[r] + (d->begin > 0 ? d->begin * d->column_step : 0);
        s->steps[at] = d->column_step * (ptrdiff_t)sizeof(float);
        s->advances[at] = SIZE_MAX;
    }
    return true;
}

/* The last channels, fewer than a vector: the vector that ends with them, whose first numbers are computed once more.
 */
static bool has_last_vector(size_t channels) {
    return channels % 4 == 0 || (channels > 4 && (channels - 4) % TSM_PANEL <= TSM_PANEL - 4);
}

static void run_line(const tsm_depthwise_run *d, const tsm_depthwise_a64 *s, tsm_depthwise_a64_function run,
                     size_t vectors, size_t first, size_t channels) {
    tsm_depthwise_a64 part = *s;
    for (size_t r = 0; r < d->taps; r++)
        part.rows[r] += part.advances[r] ? first : 0;
    part.w += first / TSM_PANEL * d->w_panel + first % TSM_PANEL;
    part.bias += part.bias_step ? first : 0;
    part.bias_step = part.bias_step ? vectors * 16 : 0;
    part.out += first;
    part.bytes = channels * sizeof(float);
    run(&part);
}

/* All pixels with their clamps, or false. */
static bool depthwise_by_hand(const tsm_depthwise_run *d, float low, float high) {
    static const float zeros[8] = {0};
    const line_form *form = find_line_form(d);
    const tsm_finish *f = d->finish;
    tsm_depthwise_a64 s = {.w = d->w,
                           .w_panel = (ptrdiff_t)(d->w_panel * sizeof(float)),
                           .out = d->out,
                           .out_step = d->out_stride * (ptrdiff_t)sizeof(float),
                           .bias = f && f->column_bias ? f->column_bias : zeros,
                           .bias_step = f && f->column_bias,
                           .low = {low, low, low, low},
                           .high = {high, high, high, high}};
    if (!form || d->channels < 4 || !has_last_vector(d->channels) || (f && f->residual) || !measure_line(d, &s) ||
        !point_rows(d, &s))
        return false;
    bool clamps = low > -INFINITY || high < INFINITY;
    size_t pairs = form->two[0] ? d->channels / 8 * 8 : 0, single = d->channels / 4 * 4 - pairs;
    if (pairs)
        run_line(d, &s, form->two[clamps], 2, 0, pairs);
    if (single)
        run_line(d, &s, form->one[clamps], 1, pairs, single);
    if (d->channels % 4)
        run_line(d, &s, form->one[clamps], 1, d->channels - 4, 4);
    return true;
}
