/* The int8 inner loops (kernels/simd/q8.h) and the layout that they read (kernels/quantized/quantized_pack.h): every
 * table that this machine can run, against plain arithmetic, at all the sizes where the loops change their form.
 * Results must be equal, not near. Blocks begin or end at a page without access. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/kernels/quantized/quantized_pack.h"
#include "tests/unit/guarded.h"

static const char *const table_names[] = {"base", "avx2", "vnni", "dot"};
enum { TABLES = sizeof table_names / sizeof *table_names, UNTOUCHED = 0xa5 };

static uint32_t state = 1;

static uint32_t next_bits(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* n random bytes, the ends of the range among them. */
static uint8_t *bytes(size_t n) {
    uint8_t *p = guarded_alloc(n);
    for (size_t i = 0; i < n; i++)
        p[i] = next_bits() % 8 ? (uint8_t)next_bits() : next_bits() % 2 ? 255 : 0;
    return p;
}

static void *zeros(size_t n) {
    return memset(guarded_alloc(n), 0, n);
}

static void each_table(void (*test)(const tsm_q8_loops *q8)) {
    const uint64_t all_features = UINT64_MAX;
    for (int i = 0; i < TABLES; i++) {
        const tsm_q8_loops *q8 = tsm_q8_by_name(table_names[i], all_features);
        for (guarded_side side = GUARDED_END; q8 && side <= GUARDED_START; side++) {
            guarded_choose(side);
            test(q8);
        }
    }
}

/* As the machine rounds by default: halves to even. */
static uint8_t finished(int32_t sum, float scale, int32_t zero_point, int32_t low) {
    int32_t r = (int32_t)nearbyintf((float)sum * scale) + zero_point;
    return (uint8_t)(r < low ? low : r > 255 ? 255 : r);
}

/* ---- Weights and finishes ---- */

typedef struct {
    quantized_weight_form form;
    int8_t *plain, *packed;
    int32_t *sums, *offset; /* whole panels for each group */
    float *scale, *rest;
    tsm_q8_finish finish;
} layer;

static layer make_layer(const tsm_q8_loops *q8, quantized_weight_form form) {
    layer l = {.form = form};
    size_t k = form.depth * form.rows * form.width, padded = (form.outputs + 15) / 16 * 16;
    l.plain = (int8_t *)bytes(form.outputs * k);
    l.packed = guarded_alloc(tsm_quantized_layout_of(&form, false).bytes);
    l.sums = zeros(form.outputs * sizeof *l.sums);
    l.offset = zeros(padded * sizeof *l.offset);
    l.scale = zeros(padded * sizeof *l.scale);
    l.rest = zeros(padded * sizeof *l.rest);
    tsm_quantized_pack(l.packed, l.sums, l.plain, &form);
    for (size_t o = 0; o < form.outputs; o++) {
        l.offset[o] = (int32_t)(next_bits() % 20001) - 10000 + q8->x_bias * l.sums[o];
        l.scale[o] = (float)(next_bits() % 1000 + 1) * 1e-5f;
        l.rest[o] = (float)(next_bits() % 1000) * 0.017f - 8.0f;
    }
    l.finish = (tsm_q8_finish){.offset = l.offset, .scale = l.scale, .rest = l.rest, .zero_point = 100, .low = 7};
    return l;
}

static void free_layer(layer *l) {
    guarded_free(l->plain);
    guarded_free(l->packed);
    guarded_free(l->sums);
    guarded_free(l->offset);
    guarded_free(l->scale);
    guarded_free(l->rest);
}

/* Output o of the products of x with the weight's row, as the loops must finish it. */
static int32_t sum_of(const tsm_q8_loops *q8, const layer *l, size_t o, int32_t products) {
    return products + l->offset[o] - q8->x_bias * l->sums[o];
}

/* The result of output o: the loops may round once or twice, which matters in the middle between two steps only. */
static void check_finished(uint8_t result, const layer *l, size_t o, int32_t sum) {
    const double v = (double)(float)sum * l->scale[o] + l->rest[o], least = nearbyint(v - 1e-4) + 100,
                 most = nearbyint(v + 1e-4) + 100;
    assert_in_range(result, least < 7 ? 7 : least > 255 ? 255 : least, most < 7 ? 7 : most > 255 ? 255 : most);
}

enum { PER_OUTPUT = 6 }; /* three channels, two rows */

/* What lies for an output (NULL: past the last one) and k at `place`; k = row * 3 + channel, the plain weight is
 * [output][channel][row]. */
static void check_packed(const int8_t *place, const int8_t *plain, size_t k) {
    assert_int_equal(place[k % 4], plain && k < PER_OUTPUT ? plain[k % 3 * 2 + k / 3] : 0);
}

/* Runs of `of_run` outputs, whose last panels have blocks of `last` outputs. */
static void check_packing(size_t runs, size_t of_run, size_t last) {
    const quantized_weight_form form = {runs * of_run, 3, runs, 2, 1};
    const quantized_layout l = tsm_quantized_layout_of(&form, false), whole = tsm_quantized_layout_of(&form, true);
    const size_t panels = (of_run + 15) / 16, run_bytes = (panels - 1) * 128 + 2 * 4 * last;
    int8_t *plain = (int8_t *)bytes(form.outputs * PER_OUTPUT), *packed = guarded_alloc(l.bytes);
    int32_t *sums = zeros(form.outputs * sizeof *sums), first = 0;
    assert_int_equal(l.bytes, runs * run_bytes + 64 - 4 * last);
    assert_int_equal(whole.bytes, runs * panels * 128);
    tsm_quantized_pack(packed, sums, plain, &form);
    for (size_t run = 0; run < runs; run++)
        for (size_t o = 0; o < (panels - 1) * 16 + last; o++)
            for (size_t k = 0; k < 8; k++)
                check_packed(packed + run * run_bytes + o / 16 * 128 + k / 4 * (o / 16 == panels - 1 ? 4 * last : 64) +
                                 o % 16 * 4,
                             o < of_run ? plain + (run * of_run + o) * PER_OUTPUT : NULL, k);
    for (size_t i = runs * run_bytes; i < l.bytes; i++)
        assert_int_equal(packed[i], 0);
    for (size_t i = 0; i < PER_OUTPUT; i++)
        first += plain[i];
    assert_int_equal(sums[0], first);
    guarded_free(plain);
    guarded_free(packed);
    guarded_free(sums);
}

static void test_packing(void **unused) {
    (void)unused;
    check_packing(1, 18, 4);
    check_packing(1, 23, 8);
    check_packing(1, 16, 16);
    check_packing(1, 29, 16);
    check_packing(3, 5, 8);
    check_packing(2, 20, 4);
}

/* ---- Products ---- */

static void check_gemm(const tsm_q8_loops *q8, size_t rows, size_t columns, size_t taps, size_t groups, bool floats) {
    size_t depth = 4 * groups, k = taps * depth, c_row = columns + 3;
    layer l = make_layer(q8, (quantized_weight_form){columns, depth, 1, 1, taps});
    const quantized_layout layout = tsm_quantized_layout_of(&l.form, false);
    float *bias = zeros((columns + 15) / 16 * 16 * sizeof *bias), *y = guarded_alloc((rows * c_row - 3) * sizeof *y);
    uint8_t *a = bytes(rows * k), *c = guarded_alloc(rows * c_row - 3);
    const uint8_t **pointers = malloc(taps * rows * sizeof *pointers);
    memset(c, UNTOUCHED, rows * c_row - 3);
    for (size_t t = 0; t < taps; t++)
        for (size_t r = 0; r < rows; r++)
            pointers[t * rows + r] = a + r * k + t * depth;
    for (size_t j = 0; floats && j < columns; j++)
        bias[j] = (float)j - 3.5f;
    l.finish.bias = floats ? bias : NULL;
    l.finish.relu = floats;
    tsm_q8_gemm_block g = {rows,
                           columns,
                           taps,
                           groups,
                           pointers,
                           rows,
                           l.packed,
                           layout.panel_bytes,
                           layout.last_block,
                           floats ? (void *)y : c,
                           (ptrdiff_t)c_row,
                           &l.finish};
    q8->gemm(&g);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++) {
            int32_t products = 0;
            for (size_t i = 0; i < k; i++) /* the plain weight is [output][channel][tap] */
                products += a[r * k + i] * l.plain[j * k + i % depth * taps + i / depth];
            int32_t sum = sum_of(q8, &l, j, products);
            if (floats) {
                double wanted = (double)sum * l.scale[j] + bias[j];
                assert_true(fabs(y[r * c_row + j] - (wanted > 0 ? wanted : 0)) <= 1e-4 * (1 + fabs(wanted)));
            } else {
                check_finished(c[r * c_row + j], &l, j, sum);
            }
        }
    for (size_t r = 0; !floats && r + 1 < rows; r++)
        for (size_t j = columns; j < c_row; j++)
            assert_int_equal(c[r * c_row + j], UNTOUCHED);
    free_layer(&l);
    guarded_free(bias);
    guarded_free(y);
    guarded_free(a);
    guarded_free(c);
    free((void *)pointers);
}

static void gemm(const tsm_q8_loops *q8) {
    static const size_t columns[] = {1, 7, 16, 17, 32, 33, 48, 70}, groups[] = {1, 2, 3, 4, 5, 9};
    for (size_t rows = 1; rows <= q8->gemm_rows; rows++)
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
                check_gemm(q8, rows, columns[i], 1, groups[k], false);
                check_gemm(q8, rows, columns[i], 3, groups[k], false);
                check_gemm(q8, rows, columns[i], 1, groups[k], true);
            }
}

/* Results far beyond what an int holds are the greatest byte, or the least. */
static void too_great(const tsm_q8_loops *q8) {
    enum { COLUMNS = 16 };
    layer l = make_layer(q8, (quantized_weight_form){COLUMNS, 4, 1, 1, 1});
    uint8_t *a = bytes(4), *c = guarded_alloc(COLUMNS);
    const uint8_t *pointer = a;
    for (size_t j = 0; j < COLUMNS; j++)
        l.scale[j] = 1e9f;
    tsm_q8_gemm_block g = {1, COLUMNS, 1, 1, &pointer, 1, l.packed, TSM_Q8_BLOCK, TSM_Q8_BLOCK, c, COLUMNS, &l.finish};
    q8->gemm(&g);
    for (size_t j = 0; j < COLUMNS; j++) {
        int32_t products = 0;
        for (size_t i = 0; i < 4; i++)
            products += a[i] * l.plain[j * 4 + i];
        check_finished(c[j], &l, j, sum_of(q8, &l, j, products));
    }
    free_layer(&l);
    guarded_free(a);
    guarded_free(c);
}

static void test_too_great(void **unused) {
    (void)unused;
    each_table(too_great);
}

static void test_gemm(void **unused) {
    (void)unused;
    each_table(gemm);
}

/* ---- Depthwise ---- */

typedef struct {
    size_t pixels, channels, rows, width, step, column_step;
} depthwise_shape;

static void check_depthwise(const tsm_q8_loops *q8, depthwise_shape s) {
    layer l = make_layer(q8, (quantized_weight_form){s.channels, 1, s.channels, s.rows, s.width});
    size_t columns = (s.pixels - 1) * s.step + (s.width - 1) * s.column_step + 1;
    uint8_t *image = bytes(columns * s.rows * s.channels), *out = guarded_alloc(s.pixels * s.channels);
    const uint8_t **pointers = malloc(columns * s.rows * sizeof *pointers);
    memset(out, UNTOUCHED, s.pixels * s.channels);
    for (size_t i = 0; i < columns * s.rows; i++)
        pointers[i] = image + i * s.channels;
    tsm_q8_depthwise_run d = {s.pixels,
                              s.channels,
                              s.rows,
                              s.width,
                              pointers,
                              s.step,
                              s.column_step,
                              l.packed,
                              tsm_quantized_layout_of(&l.form, false).panel_bytes,
                              out,
                              (ptrdiff_t)s.channels,
                              &l.finish};
    q8->depthwise(&d);
    for (size_t p = 0; p < s.pixels; p++)
        for (size_t c = 0; c < s.channels; c++) {
            int32_t products = 0;
            for (size_t r = 0; r < s.rows; r++)
                for (size_t k = 0; k < s.width; k++)
                    products += pointers[(p * s.step + k * s.column_step) * s.rows + r][c] *
                                l.plain[(c * s.rows + r) * s.width + k];
            check_finished(out[p * s.channels + c], &l, c, sum_of(q8, &l, c, products));
        }
    free_layer(&l);
    guarded_free(image);
    guarded_free(out);
    free((void *)pointers);
}

static void depthwise(const tsm_q8_loops *q8) {
    static const size_t channels[] = {2, 16, 19, 32, 48}, kernels[][2] = {{3, 3}, {5, 5}, {1, 3}, {4, 2}, {9, 3}};
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            for (size_t pixels = 1; pixels <= 9; pixels++)
                for (size_t step = 1; step <= 3; step++)
                    for (size_t column_step = 1; column_step <= 2; column_step++)
                        check_depthwise(q8, (depthwise_shape){pixels, channels[i], kernels[k][0], kernels[k][1], step,
                                                              column_step});
}

static void test_depthwise(void **unused) {
    (void)unused;
    each_table(depthwise);
}

/* ---- Element by element ---- */

static void check_quantize(const tsm_q8_loops *q8, size_t n) {
    float *x = guarded_alloc(n * sizeof *x), *back = guarded_alloc(n * sizeof *back), least, greatest;
    uint8_t *y = bytes(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((int32_t)(next_bits() % 4001) - 2000) * 0.125f;
    if (n > 2) {
        x[1] = INFINITY;
        x[2] = -3e38f;
    }
    q8->quantize(y, x, n, 2.0f, 117);
    for (size_t i = 0; i < n; i++) {
        float v = nearbyintf(x[i] * 2.0f) + 117.0f;
        assert_int_equal(y[i], v < 0 ? 0 : v > 255 ? 255 : (int)v);
    }
    q8->dequantize(back, y, n, 0.5f, 117);
    for (size_t i = 0; i < n; i++)
        assert_true(back[i] == (float)(y[i] - 117) * 0.5f);
    q8->range(x, n, &least, &greatest);
    for (size_t i = 0; i < n; i++)
        assert_true(x[i] >= least && x[i] <= greatest);
    guarded_free(x);
    guarded_free(back);
    guarded_free(y);
}

/* Halves away from zero. */
static uint8_t added(const tsm_q8_sum *s, uint8_t a, uint8_t b) {
    double sum = ((double)a * s->a_factor + (double)b * s->b_factor + s->offset) / (double)(1 << s->shift);
    int32_t r = (int32_t)(sum < 0 ? ceil(sum - 0.5) : floor(sum + 0.5)) + s->zero_point;
    return (uint8_t)(r < s->low ? s->low : r > 255 ? 255 : r);
}

static void check_pairs(const tsm_q8_loops *q8, size_t n) {
    const tsm_q8_sum sum = {3 << 18, 5 << 17, -100 * (3 << 18) - 90 * (5 << 17), 20, 110, 9};
    const tsm_q8_product product = {120, 130, 0.0078125f, 100, 3};
    uint8_t *a = bytes(n), *b = bytes(n), *y = bytes(n);
    q8->add(y, a, b, n, &sum);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(y[i], added(&sum, a[i], b[i]));
    q8->multiply(y, a, b, n, &product);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(y[i], finished((a[i] - 120) * (b[i] - 130), 0.0078125f, 100, 3));
    guarded_free(a);
    guarded_free(b);
    guarded_free(y);
}

static void check_rows(const tsm_q8_loops *q8, size_t n, size_t count) {
    uint8_t *rows[5], *y = bytes(n);
    int32_t *sums = zeros(n * sizeof *sums);
    for (size_t r = 0; r < count; r++)
        rows[r] = bytes(n);
    q8->max_rows(y, (const uint8_t *const *)rows, count, n);
    q8->add_rows(sums, (const uint8_t *const *)rows, count, n);
    for (size_t i = 0; i < n; i++) {
        int32_t sum = 0, most = 0;
        for (size_t r = 0; r < count; r++) {
            sum += rows[r][i];
            most = rows[r][i] > most ? rows[r][i] : most;
        }
        assert_int_equal(y[i], most);
        assert_int_equal(sums[i], sum);
    }
    for (size_t r = 0; r < count; r++)
        guarded_free(rows[r]);
    guarded_free(y);
    guarded_free(sums);
}

static void elements(const tsm_q8_loops *q8) {
    static const size_t sizes[] = {1, 15, 16, 17, 31, 32, 33, 40, 63, 64, 100};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_quantize(q8, sizes[i]);
        check_pairs(q8, sizes[i]);
        for (size_t count = 1; count <= 5; count += 2)
            check_rows(q8, sizes[i], count);
    }
}

static void test_elements(void **unused) {
    (void)unused;
    each_table(elements);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packing), cmocka_unit_test(test_gemm),
                                       cmocka_unit_test(test_too_great), cmocka_unit_test(test_depthwise),
                                       cmocka_unit_test(test_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
