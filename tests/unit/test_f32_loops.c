/* The float32 inner loops (kernels/simd/f32.h): every table that this machine can run, against plain double arithmetic,
 * at all the sizes where the loops change their form, on blocks that begin or end at a page without access. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/kernels/simd/f32.h"
#include "runtime/kernels/simd/pack.h"
#include "runtime/value/half.h"
#include "tests/unit/guarded.h"

static const char *const table_names[] = {"base", "neon", "avx2", "avx512"};
enum { TABLES = sizeof table_names / sizeof *table_names };

/* Numbers in [-1, 1) that repeat for each test. */
static float next_number(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(int32_t)*state / 2147483648.0f;
}

static float *numbers(size_t n, uint32_t seed) {
    float *p = guarded_alloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++)
        p[i] = next_number(&seed);
    return p;
}

static void check_near(double got, double expected, double tolerance, const char *what) {
    if (!(fabs(got - expected) <= tolerance * (1.0 + fabs(expected))))
        fail_msg("%s: got %.9g, expected %.9g", what, got, expected);
}

static void each_table(void (*test)(const tsm_f32_loops *f32)) {
    for (int i = 0; i < TABLES; i++) {
        const tsm_f32_loops *f32 = tsm_f32_by_name(table_names[i]);
        for (guarded_side side = GUARDED_END; f32 && side <= GUARDED_START; side++) {
            guarded_choose(side);
            test(f32);
        }
    }
}

static double activated(double v, tsm_activation a, double low, double high) {
    switch (a) {
    case TSM_ACT_RELU:
        return v > 0 ? v : 0;
    case TSM_ACT_CLAMP:
        return v < low ? low : v > high ? high : v;
    case TSM_ACT_HARDSWISH:
        return v * fmin(fmax(v + 3, 0), 6) / 6;
    case TSM_ACT_HARDSIGMOID:
        return fmin(fmax(v + 3, 0), 6) / 6;
    case TSM_ACT_SILU:
        return v / (1 + exp(-v));
    case TSM_ACT_SIGMOID:
        return 1 / (1 + exp(-v));
    case TSM_ACT_TANH:
        return tanh(v);
    case TSM_ACT_GELU:
        return 0.5 * v * (1 + erf(v * sqrt(0.5)));
    case TSM_ACT_GELU_TANH:
        return 0.5 * v * (1 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
    case TSM_ACT_LEAKY_RELU:
        return v > 0 ? v : v * low;
    default:
        return v;
    }
}

/* ---- Products ---- */

typedef struct {
    size_t rows, columns, taps, depth;
    bool accumulate, row_bias, column_bias, residual, lone;
    tsm_activation activation;
} product_case;

/* A's rows lie in one array, tap after tap, with two numbers between them; C's and the residual's with three. */
static void check_product(const tsm_f32_loops *f32, const product_case *p) {
    size_t inputs = p->taps * p->depth, a_row = p->depth + 2, c_row = p->columns + 3;
    float *a = numbers(p->taps * p->rows * a_row - (p->taps ? 2 : 0), 1), *w = numbers(p->columns * inputs, 2),
          *bias = numbers(p->columns + p->rows, 3);
    float *c = numbers(p->rows * c_row - 3, 4), *before = numbers(p->rows * c_row - 3, 4),
          *residual = numbers(p->rows * c_row - 3, 5);
    float *packed = guarded_alloc(tsm_pack_floats(p->columns, inputs) * sizeof *packed);
    const float *pointers[9 * 16];
    tsm_pack_matrix(packed, w, p->columns, inputs, (ptrdiff_t)inputs, 1);
    for (size_t i = 0; i < p->taps * p->rows; i++)
        pointers[i] = a + i * a_row;
    tsm_finish finish = {.column_bias = p->column_bias ? bias : NULL,
                         .row_bias = p->row_bias ? bias : NULL,
                         .residual = p->residual ? residual : NULL,
                         .residual_stride = (ptrdiff_t)c_row,
                         .activation = p->activation,
                         .low = -0.25f,
                         .high = 0.5f};
    tsm_gemm_block g = {.rows = p->rows,
                        .columns = p->columns,
                        .taps = p->taps,
                        .depth = p->depth,
                        .a = pointers,
                        .a_step = p->rows,
                        .b = packed,
                        .b_stride = TSM_PANEL,
                        .b_panel = inputs * TSM_PANEL,
                        .c = c,
                        .c_stride = (ptrdiff_t)c_row,
                        .accumulate = p->accumulate,
                        .is_lone_row = p->lone,
                        .from_last = p->lone && p->columns % 128 == 0,
                        .finish = &finish};
    f32->gemm(&g);
    for (size_t r = 0; r < p->rows; r++)
        for (size_t j = 0; j < (r + 1 < p->rows ? c_row : p->columns); j++) {
            char what[256];
            snprintf(what, sizeof what, "%s, product %zu x %zu x %zu taps of %zu, element %zu, %zu", f32->name, p->rows,
                     p->columns, p->taps, p->depth, r, j);
            double sum = before[r * c_row + j];
            if (j < p->columns) {
                if (!p->accumulate)
                    sum = p->column_bias ? bias[j] : p->row_bias ? bias[r] : 0;
                for (size_t t = 0; t < p->taps; t++)
                    for (size_t k = 0; k < p->depth; k++)
                        sum += (double)pointers[t * p->rows + r][k] * w[j * inputs + t * p->depth + k];
                sum = activated(sum + (p->residual ? residual[r * c_row + j] : 0), p->activation, finish.low,
                                finish.high);
            }
            check_near(c[r * c_row + j], sum, 1e-5, what);
        }
    guarded_free(a);
    guarded_free(w);
    guarded_free(bias);
    guarded_free(c);
    guarded_free(before);
    guarded_free(residual);
    guarded_free(packed);
}

static void products(const tsm_f32_loops *f32) {
    static const size_t depths[] = {1, 2, 3, 7, 8, 33};
    for (size_t rows = 1; rows <= 2 * f32->gemm_rows + 1; rows++) /* more rows than a tile has are cut into tiles */
        for (size_t columns = 1; columns <= 72; columns += columns < 34 ? 1 : 5) {
            size_t depth = depths[(rows + columns) % 6];
            check_product(f32,
                          &(product_case){rows, columns, 1, depth, .column_bias = true, .activation = TSM_ACT_RELU});
            check_product(f32, &(product_case){rows, columns, 3, depth, .residual = true, .activation = TSM_ACT_CLAMP});
            check_product(f32,
                          &(product_case){rows, columns, 1, depth, .accumulate = true, .activation = TSM_ACT_SILU});
            check_product(f32, &(product_case){rows, columns, 2, depth, .row_bias = true, .residual = true});
        }
    check_product(f32,
                  &(product_case){1, 150, 1, 77, .column_bias = true, .residual = true, .activation = TSM_ACT_CLAMP});
    check_product(f32, &(product_case){1, 150, 2, 5, .accumulate = true});
    check_product(f32, &(product_case){2, 20, 0, 0, .column_bias = true});
    for (size_t columns = 1; columns < 150; columns++) {
        check_product(f32, &(product_case){1, columns, 1, columns % 9 + 1, .column_bias = true,
                                           .activation = TSM_ACT_RELU, .lone = true});
        check_product(
            f32, &(product_case){1, columns, 2, columns % 7 + 1, .accumulate = true, .residual = true, .lone = true});
        check_product(f32, &(product_case){1, columns, 1, columns % 5, .row_bias = true, .lone = true});
    }
}

static void test_products(void **state) {
    (void)state;
    each_table(products);
}

/* ---- Depthwise ---- */

typedef struct {
    size_t pixels, channels, rows, taps;
    ptrdiff_t begin, width, stride, dilation;
    tsm_activation activation;
    bool residual;
} depthwise_case;

static double depthwise_sum(const depthwise_case *d, const float *image, const float *w, size_t pixel, size_t channel) {
    double sum = 0;
    for (size_t k = 0; k < d->rows * d->taps; k++) {
        ptrdiff_t x = d->begin + (ptrdiff_t)pixel * d->stride + (ptrdiff_t)(k % d->taps) * d->dilation;
        if (x >= 0 && x < d->width)
            sum += (double)w[channel * d->rows * d->taps + k] *
                   image[(k / d->taps * (size_t)d->width + (size_t)x) * d->channels + channel];
    }
    return sum;
}

static void check_depthwise(const tsm_f32_loops *f32, const depthwise_case *d) {
    size_t row = (size_t)d->width * d->channels, kernel = d->rows * d->taps;
    float *image = numbers(d->rows * row, 1), *w = numbers(d->channels * kernel, 2), *bias = numbers(d->channels, 3);
    float *out = numbers(d->pixels * d->channels, 4), *residual = numbers(d->pixels * d->channels, 5);
    float *packed = guarded_alloc(tsm_pack_floats(d->channels, kernel) * sizeof *packed);
    tsm_pack_matrix(packed, w, d->channels, kernel, (ptrdiff_t)kernel, 1);
    const float *rows[8];
    size_t w_rows[8];
    for (size_t r = 0; r < d->rows; r++) {
        rows[r] = image + r * row;
        w_rows[r] = r * d->taps * TSM_PANEL;
    }
    tsm_finish finish = {.column_bias = bias,
                         .residual = d->residual ? residual : NULL,
                         .residual_stride = (ptrdiff_t)d->channels,
                         .activation = d->activation,
                         .low = -0.25f,
                         .high = 0.5f};
    tsm_depthwise_run run = {.pixels = d->pixels,
                             .channels = d->channels,
                             .row_count = d->rows,
                             .taps = d->taps,
                             .rows = rows,
                             .column_step = (ptrdiff_t)d->channels,
                             .begin = d->begin,
                             .width = d->width,
                             .stride = d->stride,
                             .dilation = d->dilation,
                             .w = packed,
                             .w_rows = w_rows,
                             .w_panel = kernel * TSM_PANEL,
                             .out = out,
                             .out_stride = (ptrdiff_t)d->channels,
                             .finish = &finish};
    f32->depthwise(&run);
    for (size_t p = 0; p < d->pixels; p++)
        for (size_t c = 0; c < d->channels; c++) {
            char what[256];
            double sum = bias[c] + depthwise_sum(d, image, w, p, c) + (d->residual ? residual[p * d->channels + c] : 0);
            snprintf(what, sizeof what,
                     "%s, depthwise %zux%zu from %td by %td, dilation %td, %zu channels, pixel %zu of %zu, channel %zu",
                     f32->name, d->rows, d->taps, d->begin, d->stride, d->dilation, d->channels, p, d->pixels, c);
            check_near(out[p * d->channels + c], activated(sum, d->activation, finish.low, finish.high), 1e-5, what);
        }
    guarded_free(image);
    guarded_free(w);
    guarded_free(bias);
    guarded_free(out);
    guarded_free(residual);
    guarded_free(packed);
}

static void depthwise(const tsm_f32_loops *f32) {
    static const size_t channels[] = {1, 5, 8, 16, 24, 33, 72};
    uint32_t turn = 0;
    for (size_t rows = 0; rows <= 7; rows++)
        for (size_t taps = 1; taps <= 7; taps++)
            for (ptrdiff_t stride = 1; stride <= 3; stride++)
                for (ptrdiff_t width = 1; width <= 19; width += 1 + width / 6)
                    for (ptrdiff_t padding = 0; padding < 4; padding++, turn++) {
                        ptrdiff_t dilation = turn % 5 ? 1 : 2, reach = (ptrdiff_t)(taps - 1) * dilation + 1;
                        if (width + 2 * padding < reach)
                            continue;
                        depthwise_case d = {.pixels = (size_t)((width + 2 * padding - reach) / stride + 1),
                                            .channels = channels[turn % 7],
                                            .rows = rows,
                                            .taps = taps,
                                            .begin = -padding,
                                            .width = width,
                                            .stride = stride,
                                            .dilation = dilation,
                                            .activation = turn % 3 ? TSM_ACT_CLAMP : TSM_ACT_HARDSWISH,
                                            .residual = turn % 4 == 0};
                        check_depthwise(f32, &d);
                    }
    check_depthwise(f32, &(depthwise_case){100, 72, 3, 3, -1, 100, 1, 1, TSM_ACT_SILU, false});
    check_depthwise(f32, &(depthwise_case){100, 72, 3, 3, -1, 200, 2, 1, TSM_ACT_SILU, true});
}

static void test_depthwise(void **state) {
    (void)state;
    each_table(depthwise);
}

/* ---- Rows ---- */

static void activations(const tsm_f32_loops *f32) {
    enum { N = 1003 };
    float *x = numbers(N, 1), *y = numbers(N, 2);
    for (int i = 0; i < N; i++)
        x[i] = (float)(i - N / 2) * (i % 7 == 0 ? 0.25f : 0.0173f);
    for (int a = 0; a < TSM_ACT_COUNT; a++) {
        f32->activate(y, x, N, (tsm_activation)a, -0.25f, 0.5f);
        for (int i = 0; i < N; i++) {
            char what[64];
            snprintf(what, sizeof what, "%s, activation %d of %g", f32->name, a, (double)x[i]);
            check_near(y[i], activated(x[i], (tsm_activation)a, -0.25, 0.5), 1e-6, what);
        }
    }
    float odd[] = {NAN, INFINITY, -INFINITY};
    f32->activate(y, odd, 3, TSM_ACT_SIGMOID, 0, 0);
    assert_true(isnan(y[0]) && y[1] == 1.0f && y[2] >= 0.0f && y[2] < 1e-37f);
    f32->activate(y, odd, 3, TSM_ACT_TANH, 0, 0);
    assert_true(isnan(y[0]) && y[1] == 1.0f && y[2] == -1.0f);
    f32->activate(y, odd, 2, TSM_ACT_SILU, 0, 0);
    assert_true(isnan(y[0]) && y[1] == INFINITY);
    guarded_free(x);
    guarded_free(y);
}

static void test_activations(void **state) {
    (void)state;
    each_table(activations);
}

static void softmax(const tsm_f32_loops *f32) {
    for (size_t n = 1; n <= 70; n++) {
        float *x = numbers(n, (uint32_t)n), *y = numbers(n, 1);
        double max = -1, sum = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] *= 20;
            max = fmax(max, x[i]);
        }
        for (size_t i = 0; i < n; i++)
            sum += exp(x[i] - max);
        f32->softmax(y, x, n);
        for (size_t i = 0; i < n; i++)
            check_near(y[i], exp(x[i] - max) / sum, 1e-6, f32->name);
        guarded_free(x);
        guarded_free(y);
    }
}

static void test_softmax(void **state) {
    (void)state;
    each_table(softmax);
}

/* A row of n numbers that comes in blocks of `block`, against the softmax. The mask, if any, hides the first
 * block and some numbers more. */
static void softmax_in_blocks(const tsm_f32_loops *f32, size_t n, size_t block, float scale, bool has_mask) {
    float *x = numbers(n, (uint32_t)(n + block)), *y = numbers(n, (uint32_t)(n + block)),
          *mask = numbers(n, (uint32_t)block);
    double sum = 0, *weights = calloc(n, sizeof *weights);
    tsm_softmax_row row = {-INFINITY, 0.0f};
    for (size_t i = 0; i < n; i++) {
        if (i < block || i % 7 == 2)
            mask[i] = -INFINITY;
        y[i] = x[i] *= 20;
        weights[i] = exp((double)scale * x[i] + (has_mask ? (double)mask[i] : 0));
        sum += weights[i];
    }
    for (size_t at = 0, part; at < n; at += part) {
        part = n - at < block ? n - at : block;
        float factor = f32->softmax_block(y + at, part, scale, has_mask ? mask + at : NULL, &row);
        for (size_t i = 0; i < at; i++)
            y[i] *= factor;
    }
    check_near((double)row.sum * exp((double)row.top), sum, 1e-5, f32->name);
    for (size_t i = 0; i < n && sum > 0; i++)
        check_near(y[i] / row.sum, weights[i] / sum, 2e-6, f32->name);
    for (size_t i = 0; i < n && sum == 0; i++)
        assert_true(y[i] == 0);
    free(weights);
    guarded_free(x);
    guarded_free(y);
    guarded_free(mask);
}

static void softmax_blocks(const tsm_f32_loops *f32) {
    for (size_t n = 1; n <= 70; n += n < 40 ? 1 : 3)
        for (size_t block = 1; block <= n; block += block < 4 ? 1 : 13) {
            softmax_in_blocks(f32, n, block, 0.5f, false);
            softmax_in_blocks(f32, n, block, -0.5f, false);
            softmax_in_blocks(f32, n, block, 0.25f, true);
        }
    float odd[20] = {0};
    tsm_softmax_row row = {-INFINITY, 0.0f};
    odd[3] = NAN;
    assert_true(f32->softmax_block(odd, 20, 1.0f, NULL, &row) == 0.0f);
    assert_true(isnan(row.sum) && isnan(odd[3]));
}

static void test_softmax_blocks(void **state) {
    (void)state;
    each_table(softmax_blocks);
}

static void loops_over_rows(const tsm_f32_loops *f32) {
    for (size_t n = 1; n <= 150; n += n < 20 ? 1 : 13) {
        float *x = numbers(4 * n, (uint32_t)n), *y = numbers(n, 1), *z = numbers(n, 2), *w = numbers(2 * n, 3),
              *v = numbers(3 * n, 4);
        const float *const rows[] = {x, x + n, x + 2 * n};
        double mean, squares, sum = 0, around = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i];
        for (size_t i = 0; i < n; i++)
            around += (x[i] - sum / (double)n) * (x[i] - sum / (double)n);
        f32->moments(x, n, &mean, &squares);
        check_near(mean, sum / (double)n, 1e-6, "mean");
        check_near(squares, around, 1e-5, "squares");
        f32->max_rows(y, rows, 3, n);
        f32->add_rows(z, rows, 3, n);
        f32->weigh_rows(w, 0.5f, rows, (const float[]){2, -1, 0.25f}, 3, n);
        for (size_t i = 0; i < n; i++) {
            uint32_t seed = 2;
            float first = 0;
            for (size_t k = 0; k <= i; k++)
                first = next_number(&seed);
            assert_true(y[i] == fmaxf(x[i], fmaxf(x[n + i], x[2 * n + i])));
            check_near(z[i], (double)first + x[i] + x[n + i] + x[2 * n + i], 1e-6, "sum of rows");
            check_near(w[i], 0.5 + 2 * (double)x[i] - x[n + i] + 0.25 * x[2 * n + i], 1e-6, "weighted rows");
        }
        f32->interleave(w, x, x + n, n);
        for (size_t i = 0; i < n; i++)
            assert_true(w[2 * i] == x[i] && w[2 * i + 1] == x[n + i]);
        f32->interleave_three(v, x, x + n, x + 2 * n, n);
        for (size_t i = 0; i < n; i++)
            assert_true(v[3 * i] == x[i] && v[3 * i + 1] == x[n + i] && v[3 * i + 2] == x[2 * n + i]);
        f32->normalize(y, x, n, 0.5f, 2.0f, x + n, x + 2 * n);
        f32->affine(z, x, n, 3.0f, -1.0f);
        for (size_t i = 0; i < n; i++) {
            check_near(y[i], (x[i] - 0.5) * 2.0 * x[n + i] + x[2 * n + i], 1e-6, "normalized");
            check_near(z[i], x[i] * 3.0 - 1.0, 1e-6, "scaled");
        }
        guarded_free(v);
        guarded_free(w);
        guarded_free(x);
        guarded_free(y);
        guarded_free(z);
    }
}

static void test_rows(void **state) {
    (void)state;
    each_table(loops_over_rows);
}

/* ---- Recurrent cells ---- */

static double sigmoid(double v) {
    return 1 / (1 + exp(-v));
}

static void cells(const tsm_f32_loops *f32) {
    for (size_t n = 1; n <= 40; n++) {
        float *gates = numbers(4 * n, 1), *hidden = numbers(3 * n, 2), *c = numbers(n, 3), *h = numbers(n, 4),
              *next = numbers(n, 5);
        double *expected_c = malloc(n * sizeof *expected_c);
        for (size_t i = 0; i < n; i++)
            expected_c[i] = sigmoid(gates[n + i]) * c[i] + sigmoid(gates[i]) * tanh(gates[2 * n + i]);
        f32->lstm(n, gates, c, c, next);
        for (size_t i = 0; i < n; i++) {
            check_near(c[i], expected_c[i], 1e-6, "cell of an LSTM");
            check_near(next[i], sigmoid(gates[3 * n + i]) * tanh(expected_c[i]), 1e-6, "output of an LSTM");
        }
        f32->gru(n, gates, hidden, h, next);
        for (size_t i = 0; i < n; i++) {
            double reset = sigmoid(gates[i] + hidden[i]), keep = sigmoid(gates[n + i] + hidden[n + i]);
            double fresh = tanh(gates[2 * n + i] + reset * hidden[2 * n + i]);
            check_near(next[i], (1 - keep) * fresh + keep * h[i], 1e-6, "output of a GRU");
        }
        guarded_free(gates);
        guarded_free(hidden);
        guarded_free(c);
        guarded_free(h);
        guarded_free(next);
        free(expected_c);
    }
}

static void test_cells(void **state) {
    (void)state;
    each_table(cells);
}

/* One tile of 4x4 pixels through all three transforms, against the convolution itself. */
static void winograd(const tsm_f32_loops *f32) {
    enum { DEPTH = 32, POSITIONS = 36 };
    float *image = numbers(POSITIONS * DEPTH, 1), *w = numbers((size_t)TSM_PANEL * DEPTH * 9, 2),
          *bias = numbers(TSM_PANEL, 3);
    float *packed = numbers((size_t)TSM_PANEL * DEPTH * 9, 0), *v = numbers(POSITIONS * DEPTH, 0),
          *out = numbers(16 * TSM_PANEL, 0);
    float *u = numbers((size_t)TSM_WINOGRAD_ROW * DEPTH, 0), *m = numbers((size_t)POSITIONS * TSM_PANEL, 0);
    const float *pixels[POSITIONS], *residuals[16] = {NULL};
    float *outputs[16];
    for (size_t i = 0; i < POSITIONS; i++)
        pixels[i] = image + i * DEPTH;
    for (size_t i = 0; i < 16; i++)
        outputs[i] = i == 7 ? NULL : out + i * TSM_PANEL; /* one pixel is beside the image */
    tsm_pack_convolution(packed, w, 0, TSM_PANEL, DEPTH, 9);
    tsm_finish finish = {.column_bias = bias, .activation = TSM_ACT_RELU};
    f32->winograd_input(v, DEPTH, pixels, DEPTH);
    f32->winograd_weight(u, packed, DEPTH);
    for (size_t p = 0; p < POSITIONS; p++)
        for (size_t o = 0; o < TSM_PANEL; o++) {
            float sum = 0;
            for (size_t k = 0; k < DEPTH; k++)
                sum += v[p * DEPTH + k] * u[k * TSM_WINOGRAD_ROW + p * TSM_PANEL + o];
            m[p * TSM_PANEL + o] = sum;
        }
    f32->winograd_output(outputs, residuals, m, TSM_PANEL, &finish);
    for (size_t p = 0; p < 16; p++)
        for (size_t o = 0; o < TSM_PANEL && outputs[p]; o++) {
            double sum = bias[o];
            for (size_t t = 0; t < 9; t++)
                for (size_t k = 0; k < DEPTH; k++)
                    sum +=
                        (double)w[(o * DEPTH + k) * 9 + t] * image[((p / 4 + t / 3) * 6 + p % 4 + t % 3) * DEPTH + k];
            check_near(outputs[p][o], sum > 0 ? sum : 0, 3e-5, f32->name);
        }
    float *all[] = {image, w, bias, packed, v, out, u, m};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        guarded_free(all[i]);
}

/* Rows of half floats, of bfloat16 and of bytes with scales, as floats and multiplied. */
static void narrow(const tsm_f32_loops *f32) {
    for (size_t depth = 0; depth < 40; depth += depth < 10 ? 1 : 7)
        for (tsm_narrow_elements elements = TSM_NARROW_F16; elements <= TSM_NARROW_INT8; elements++) {
            const size_t n = depth * TSM_PANEL;
            const bool are_bytes = elements == TSM_NARROW_INT8;
            float *x = numbers(depth, 1), *scales = numbers(TSM_PANEL, 2), *w = numbers(n, 3), *y = numbers(n, 4),
                  *sums = numbers(TSM_PANEL, 5), *before = numbers(TSM_PANEL, 5);
            int8_t *bytes = guarded_alloc(n);
            uint16_t *halves = guarded_alloc(n * sizeof *halves);
            for (size_t i = 0; i < n; i++) {
                bytes[i] = (int8_t)(w[i] * 128);
                if (elements == TSM_NARROW_BF16)
                    halves[i] = tsm_bfloat16_of_float(w[i]);
                else
                    halves[i] = tsm_half_of_float(i % 5 ? w[i] : w[i] * 1e-5f); /* subnormal halves, too */
                w[i] = are_bytes                     ? (float)bytes[i] * scales[i % TSM_PANEL]
                       : elements == TSM_NARROW_BF16 ? tsm_float_of_bfloat16(halves[i])
                                                     : tsm_float_of_half(halves[i]);
            }
            const void *rows = are_bytes ? (const void *)bytes : halves;
            f32->widen(y, rows, elements, are_bytes ? scales : NULL, depth);
            f32->narrow_row(sums, x, rows, elements, are_bytes ? scales : NULL, depth);
            for (size_t i = 0; i < n; i++)
                if (y[i] != w[i])
                    fail_msg("%s: widened %.9g is %.9g", f32->name, w[i], y[i]);
            for (size_t j = 0; j < TSM_PANEL; j++) {
                double sum = before[j];
                for (size_t k = 0; k < depth; k++)
                    sum += (double)x[k] * w[k * TSM_PANEL + j];
                check_near(sums[j], sum, 1e-5, f32->name);
            }
            void *all[] = {x, scales, w, y, sums, before, bytes, halves};
            for (size_t i = 0; i < sizeof all / sizeof *all; i++)
                guarded_free(all[i]);
        }
}

static void test_narrow(void **state) {
    (void)state;
    each_table(narrow);
}

static void test_winograd(void **state) {
    (void)state;
    each_table(winograd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),    cmocka_unit_test(test_depthwise), cmocka_unit_test(test_winograd),
        cmocka_unit_test(test_activations), cmocka_unit_test(test_softmax),   cmocka_unit_test(test_softmax_blocks),
        cmocka_unit_test(test_rows),        cmocka_unit_test(test_cells),     cmocka_unit_test(test_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
