/* Operators with narrow weights, against those with the same weights as floats; weights that are damaged; and
 * convolutions whose image and weight are both narrow. Each table of loops runs with its own scratch and with that of a
 * microcontroller, for which large weights are cut. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/kernels/simd/pack.h"
#include "runtime/value/half.h"
#include "tests/unit/operator_calls.h"

typedef enum { HALVES, BFLOATS, BYTES, FORMS } narrow_form;

static const tsm_dtype dtype_of[] = {TSM_FLOAT16, TSM_BFLOAT16, TSM_INT8};

/* A weight as the three operators take it. */
typedef struct {
    tsm_value floats, narrow, scales; /* scales: None but for bytes */
} weights;

static tsm_tensor *made(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes) {
    tsm_tensor *t;
    assert_int_equal(tsm_tensor_make(x, dtype, dims, sizes, &t), TSM_OK);
    return t;
}

static float scale_at(size_t output) {
    return 0.001f * (float)(1 + output % 7);
}

/* Packed: the outputs of element i are known by where it lies. */
static weights make_weights(tsm_exec *x, narrow_form form, int dims, const tsm_dim *sizes) {
    weights w = {.floats = call_tensor(x, dims, sizes, 2), .scales = tsm_none()};
    tsm_tensor *floats = tsm_as_tensor(w.floats), *narrow = made(x, dtype_of[form], dims, sizes);
    const tsm_dim outputs = sizes[0] * TSM_PANEL;
    const size_t panel = (size_t)(floats->elements / sizes[0]);
    float *f = floats->data;
    for (size_t i = 0; i < (size_t)floats->elements; i++)
        if (form == BYTES) {
            const size_t output = i / panel * TSM_PANEL + i % TSM_PANEL;
            const int8_t byte = (int8_t)(f[i] * 127);
            ((int8_t *)narrow->data)[i] = byte;
            f[i] = (float)byte * scale_at(output);
        } else if (form == BFLOATS) {
            ((uint16_t *)narrow->data)[i] = tsm_bfloat16_of_float(f[i]);
            f[i] = tsm_float_of_bfloat16(((uint16_t *)narrow->data)[i]);
        } else {
            ((uint16_t *)narrow->data)[i] = tsm_half_of_float(f[i]);
            f[i] = tsm_float_of_half(((uint16_t *)narrow->data)[i]);
        }
    w.narrow = tsm_of_tensor(narrow);
    if (form == BYTES) {
        tsm_tensor *scales = made(x, TSM_FLOAT32, 1, &outputs);
        for (size_t i = 0; i < (size_t)outputs; i++)
            ((float *)scales->data)[i] = scale_at(i);
        w.scales = tsm_of_tensor(scales);
    }
    return w;
}

static void check_same(const tsm_tensor *got, const tsm_tensor *want, const char *what, const char *table) {
    assert_int_equal(got->elements, want->elements);
    for (tsm_dim i = 0; i < got->elements; i++) {
        const double a = ((const float *)got->data)[i], b = ((const float *)want->data)[i];
        if (!(fabs(a - b) <= 2e-4 * (1 + fabs(b))))
            fail_msg("%s, table %s, element %td: %.9g instead of %.9g", what, table, (ptrdiff_t)i, a, b);
    }
}

/* Calls test with every table, each once with little scratch. */
static void each_table(void (*test)(tsm_exec *x, const tsm_f32_loops *f32, narrow_form form)) {
    for (int i = 0; i < CALL_TABLES; i++)
        for (narrow_form form = HALVES; form < FORMS; form++) {
            const tsm_f32_loops *f32 = tsm_f32_by_name(call_tables[i]);
            if (!f32)
                continue;
            tsm_f32_loops small = *f32;
            tsm_exec x;
            small.scratch_limit = (size_t)16 * 1024;
            test(&x, f32, form);
            test(&x, &small, form);
        }
}

/* ---- Linear layers ---- */

typedef struct {
    tsm_dim rows, inputs, outputs;
    bool has_bias, has_residual;
    tsm_activation activation;
} linear_case;

static void check_linear(tsm_exec *x, const linear_case *c, narrow_form form) {
    const tsm_dim a[] = {c->rows, c->inputs}, bias[] = {c->outputs}, y[] = {c->rows, c->outputs},
                  weight[] = {(tsm_dim)tsm_pack_panels((size_t)c->outputs), c->inputs, TSM_PANEL};
    const weights w = make_weights(x, form, 3, weight);
    tsm_value arguments[] = {call_tensor(x, 2, a, 1),
                             w.narrow,
                             w.scales,
                             c->has_bias ? call_tensor(x, 1, bias, 3) : tsm_none(),
                             c->has_residual ? call_tensor(x, 2, y, 4) : tsm_none(),
                             tsm_int(c->outputs),
                             tsm_int(c->activation),
                             tsm_float(-0.25),
                             tsm_float(0.5)};
    char what[64];
    snprintf(what, sizeof what, "linear %td x %td x %td", (ptrdiff_t)c->rows, (ptrdiff_t)c->inputs,
             (ptrdiff_t)c->outputs);
    const tsm_tensor *got = call_run(x, "tsm::narrow_linear", 9, arguments);
    check_same(got,
               call_run(x, "tsm::linear", 8,
                        (tsm_value[]){arguments[0], w.floats, arguments[3], arguments[4], arguments[5], arguments[6],
                                      arguments[7], arguments[8]}),
               what, x->f32->name);
}

static void linear(tsm_exec *x, const tsm_f32_loops *f32, narrow_form form) {
    static const linear_case cases[] = {
        {1, 77, 40, true, true, TSM_ACT_SILU},    {1, 300, 16, false, false, TSM_ACT_NONE},
        {1, 1, 1, true, false, TSM_ACT_RELU},     {3, 77, 40, true, true, TSM_ACT_CLAMP},
        {2, 600, 100, true, false, TSM_ACT_NONE}, {50, 300, 33, false, true, TSM_ACT_RELU},
        {0, 20, 20, true, false, TSM_ACT_NONE},   {130, 20, 300, true, false, TSM_ACT_GELU},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call_start(x, f32);
        check_linear(x, &cases[i], form);
    }
}

static void test_linear(void **state) {
    (void)state;
    each_table(linear);
}

/* ---- Convolutions ---- */

typedef struct {
    int spatial;
    tsm_dim batch, channels, size, outputs, kernel, stride, padding, dilation, groups;
    bool has_residual;
} conv_case;

static tsm_value list_of(tsm_exec *x, int n, tsm_dim item) {
    const tsm_value l = call_ints(x, 0, 0, 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(tsm_list_append(x, tsm_as_list(l), tsm_int(item)), TSM_OK);
    return l;
}

static void check_convolution(tsm_exec *x, const conv_case *c, narrow_form form) {
    const int n = c->spatial;
    const tsm_dim depth = c->channels / c->groups,
                  out = (c->size + 2 * c->padding - c->dilation * (c->kernel - 1) - 1) / c->stride + 1;
    tsm_dim image[5] = {c->batch, c->channels}, bias[] = {c->outputs}, y[5] = {c->batch, c->outputs};
    tsm_dim weight[6] = {c->groups * (tsm_dim)tsm_pack_panels((size_t)(c->outputs / c->groups))};
    for (int d = 0; d < n; d++) {
        image[2 + d] = c->size;
        y[2 + d] = out;
        weight[1 + d] = c->kernel;
    }
    weight[1 + n] = depth;
    weight[2 + n] = TSM_PANEL;
    const weights w = make_weights(x, form, n + 3, weight);
    const tsm_value input = call_tensor(x, n + 2, image, 1), b = call_tensor(x, 1, bias, 3),
                    residual = c->has_residual ? call_tensor(x, n + 2, y, 4) : tsm_none(),
                    strides = list_of(x, n, c->stride), padding = list_of(x, n, c->padding),
                    dilation = list_of(x, n, c->dilation);
    const tsm_value narrow[] = {input,
                                w.narrow,
                                w.scales,
                                b,
                                residual,
                                tsm_int(c->outputs),
                                strides,
                                padding,
                                dilation,
                                tsm_int(c->groups),
                                tsm_int(TSM_ACT_RELU),
                                tsm_float(0),
                                tsm_float(0)};
    const tsm_value floats[] = {input,        w.floats,    b,        residual,           tsm_int(c->outputs),
                                strides,      padding,     dilation, tsm_int(c->groups), tsm_int(TSM_ACT_RELU),
                                tsm_float(0), tsm_float(0)};
    char what[64];
    snprintf(what, sizeof what, "convolution of %td channels, kernel %td, %td groups", (ptrdiff_t)c->channels,
             (ptrdiff_t)c->kernel, (ptrdiff_t)c->groups);
    const tsm_tensor *got = call_run(x, "tsm::narrow_convolution", 13, narrow);
    check_same(got, call_run(x, "tsm::convolution", 12, floats), what, x->f32->name);
}

static void convolutions(tsm_exec *x, const tsm_f32_loops *f32, narrow_form form) {
    static const conv_case cases[] = {
        {2, 1, 3, 20, 24, 7, 2, 3, 1, 1, true},    {2, 2, 40, 9, 33, 1, 1, 0, 1, 1, true},
        {2, 1, 48, 12, 64, 3, 1, 1, 1, 1, true},   {2, 1, 80, 12, 32, 3, 1, 1, 1, 1, false},
        {2, 2, 48, 7, 70, 3, 2, 1, 2, 1, true},    {2, 1, 32, 9, 80, 3, 1, 1, 1, 4, true},
        {2, 1, 300, 3, 40, 1, 1, 0, 1, 1, false},  {2, 1, 300, 3, 40, 3, 1, 0, 1, 2, false},
        {2, 1, 2100, 2, 16, 1, 1, 0, 1, 1, false}, {1, 2, 20, 30, 50, 5, 1, 2, 1, 1, true},
        {3, 1, 6, 5, 20, 3, 1, 1, 1, 1, false},    {2, 1, 576, 1, 40, 1, 1, 0, 1, 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call_start(x, f32);
        check_convolution(x, &cases[i], form);
    }
}

static void test_convolutions(void **state) {
    (void)state;
    each_table(convolutions);
}

/* ---- Layers of halves ---- */

static tsm_value converted(tsm_exec *x, tsm_value v, tsm_dtype dtype) {
    tsm_tensor *t;
    assert_int_equal(tsm_tensor_to(x, tsm_as_tensor(v), dtype, &t), TSM_OK);
    return tsm_of_tensor(t);
}

/* What the layer gives is what floats give, rounded once. Sums in another order round otherwise: a unit in the last
 * place of the result. */
static void check_rounded(const tsm_tensor *got, const tsm_tensor *want, const char *what, const char *table) {
    const double unit = got->dtype == TSM_FLOAT16 ? 0x1p-10 : 0x1p-7;
    assert_int_equal(got->elements, want->elements);
    for (tsm_dim i = 0; i < got->elements; i++) {
        const uint16_t half = ((const uint16_t *)got->data)[i];
        const double a = got->dtype == TSM_FLOAT16 ? tsm_float_of_half(half) : tsm_float_of_bfloat16(half),
                     b = ((const float *)want->data)[i];
        if (!(fabs(a - b) <= 0.51 * unit * fabs(b) + 2e-4 * (1 + fabs(b))))
            fail_msg("%s, table %s, element %td: %.9g instead of %.9g", what, table, (ptrdiff_t)i, a, b);
    }
}

/* A value of 16 bits, and the same as floats. */
typedef struct {
    tsm_value half, floats;
} half_value;

static half_value half_tensor(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes) {
    half_value v;
    v.half = converted(x, call_tensor(x, dims, sizes, 1), dtype);
    v.floats = converted(x, v.half, TSM_FLOAT32);
    return v;
}

static void half_linear(tsm_exec *x, const tsm_f32_loops *f32, narrow_form form) {
    static const tsm_dim cases[][3] = {{1, 77, 40},   {1, 300, 16},   {3, 77, 40},
                                       {50, 300, 33}, {130, 20, 300}, {0, 8, 8}};
    const tsm_activation activations[] = {TSM_ACT_NONE, TSM_ACT_RELU, TSM_ACT_CLAMP};
    for (size_t i = 0; i < sizeof cases / sizeof *cases && form != BYTES; i++) {
        call_start(x, f32);
        const tsm_dim a[] = {cases[i][0], cases[i][1]}, outputs = cases[i][2],
                      weight[] = {(tsm_dim)tsm_pack_panels((size_t)outputs), a[1], TSM_PANEL};
        const weights w = make_weights(x, form, 3, weight);
        const half_value input = half_tensor(x, dtype_of[form], 2, a);
        tsm_value arguments[] = {
            input.half,       w.narrow,         i % 2 ? tsm_none() : call_tensor(x, 1, &outputs, 3),
            tsm_none(),       tsm_int(outputs), tsm_int(activations[i % 3]),
            tsm_float(-0.25), tsm_float(0.5)};
        const tsm_tensor *got = call_run(x, "tsm::half_linear", 8, arguments);
        assert_int_equal(got->dtype, dtype_of[form]);
        arguments[0] = input.floats;
        arguments[1] = w.floats;
        check_rounded(got, call_run(x, "tsm::linear", 8, arguments), "linear", f32->name);
    }
}

static void test_half_linear(void **state) {
    (void)state;
    each_table(half_linear);
}

/* Grouped, depthwise, of one to three dimensions, without a batch. */
static void half_convolutions(tsm_exec *x, const tsm_f32_loops *f32, narrow_form form) {
    static const conv_case cases[] = {
        {2, 1, 3, 20, 24, 7, 2, 3, 1, 1, false},   {2, 2, 40, 9, 33, 1, 1, 0, 1, 1, false},
        {2, 1, 80, 12, 32, 3, 1, 1, 1, 1, false},  {2, 2, 48, 7, 70, 3, 2, 1, 2, 1, false},
        {2, 1, 32, 9, 80, 3, 1, 1, 1, 4, false},   {2, 2, 40, 9, 40, 3, 1, 1, 1, 40, false},
        {1, 2, 24, 30, 24, 5, 2, 2, 1, 24, false}, {3, 1, 6, 5, 6, 3, 1, 1, 1, 6, false},
        {2, 1, 8, 9, 16, 3, 1, 1, 1, 8, false},    {2, 0, 8, 9, 20, 3, 1, 1, 1, 1, false},
        {2, 1, 1, 9, 1, 3, 1, 1, 1, 1, false},     {2, 0, 20, 9, 20, 3, 1, 1, 2, 20, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases && form != BYTES; i++) {
        const conv_case *c = &cases[i];
        const int n = c->spatial, first = c->batch ? 0 : 1;
        const bool is_depthwise = c->groups == c->outputs && c->groups == c->channels;
        const tsm_dim groups = is_depthwise ? 1 : c->groups;
        tsm_dim image[5] = {c->batch, c->channels},
                weight[6] = {groups * (tsm_dim)tsm_pack_panels((size_t)(c->outputs / groups))};
        call_start(x, f32);
        for (int d = 0; d < n; d++) {
            image[2 + d] = c->size;
            weight[1 + d] = c->kernel;
        }
        weight[1 + n] = c->channels / c->groups;
        weight[2 + n] = TSM_PANEL;
        const weights w = make_weights(x, form, n + 3, weight);
        const half_value input = half_tensor(x, dtype_of[form], n + 2 - first, image + first);
        tsm_value arguments[] = {input.half,
                                 w.narrow,
                                 call_tensor(x, 1, &c->outputs, 3),
                                 tsm_none(),
                                 tsm_int(c->outputs),
                                 list_of(x, n, c->stride),
                                 list_of(x, n, c->padding),
                                 list_of(x, n, c->dilation),
                                 tsm_int(c->groups),
                                 tsm_int(TSM_ACT_RELU),
                                 tsm_float(0),
                                 tsm_float(0)};
        char what[64];
        snprintf(what, sizeof what, "convolution of %td channels, kernel %td, %td groups", (ptrdiff_t)c->channels,
                 (ptrdiff_t)c->kernel, (ptrdiff_t)c->groups);
        const tsm_tensor *got = call_run(x, "tsm::half_convolution", 12, arguments);
        assert_int_equal(got->dtype, dtype_of[form]);
        arguments[0] = input.floats;
        arguments[1] = w.floats;
        const tsm_tensor *want = call_run(x, "tsm::convolution", 12, arguments);
        for (int d = 0; d < got->dims; d++)
            assert_true(got->sizes[d] == 1 || got->strides[d] == want->strides[d]);
        check_rounded(got, want, what, f32->name);
    }
}

static void test_half_convolutions(void **state) {
    (void)state;
    each_table(half_convolutions);
}

/* Narrow arguments give what the same numbers give as floats, rounded once; cases that packing pays for, and not. */
static void convolution_of_narrow(tsm_exec *x, const tsm_f32_loops *f32, narrow_form form) {
    static const struct {
        tsm_dim image[4], weight[4], groups;
    } cases[] = {
        {{2, 16, 9, 9}, {20, 16, 3, 3}, 1}, {{1, 32, 12, 12}, {48, 16, 2, 2}, 2}, {{1, 8, 9, 9}, {8, 1, 3, 3}, 8},
        {{1, 16, 5, 5}, {16, 16, 3, 3}, 1}, {{2, 40, 8, 8}, {24, 40, 1, 1}, 1},
    };
    const tsm_dtype dtype = form == BYTES ? TSM_BFLOAT16 : dtype_of[form];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call_start(x, f32);
        const tsm_value ones = call_ints(x, 2, 1, 1), image = converted(x, call_tensor(x, 4, cases[i].image, 1), dtype),
                        weight = converted(x, call_tensor(x, 4, cases[i].weight, 2), dtype),
                        bias = converted(x, call_tensor(x, 1, cases[i].weight, 3), dtype),
                        groups = tsm_int(cases[i].groups);
        const tsm_tensor *got =
            call_run(x, "aten::conv2d", 7, (tsm_value[]){image, weight, bias, ones, ones, ones, groups});
        tsm_tensor *floats = call_run(x, "aten::conv2d", 7,
                                      (tsm_value[]){converted(x, image, TSM_FLOAT32), converted(x, weight, TSM_FLOAT32),
                                                    converted(x, bias, TSM_FLOAT32), ones, ones, ones, groups});
        const tsm_tensor *want = tsm_as_tensor(converted(x, tsm_of_tensor(floats), dtype));
        assert_int_equal(got->dtype, dtype);
        assert_int_equal(got->elements, want->elements);
        assert_memory_equal(got->data, want->data, (size_t)want->elements * sizeof(uint16_t));
    }
}

static void test_convolution_of_narrow(void **state) {
    (void)state;
    each_table(convolution_of_narrow);
}

/* ---- Damage ---- */

static void expect_refused(tsm_exec *x, const char *name, int n, const tsm_value *arguments) {
    tsm_status status;
    assert_null(call_try(x, name, n, arguments, &status));
    assert_int_equal(status, TSM_BAD_FILE);
}

static void test_damaged_linear(void **state) {
    (void)state;
    tsm_exec x;
    const tsm_dim a[] = {2, 20}, packed[] = {2, 20, TSM_PANEL}, few[] = {1, 20, TSM_PANEL}, flat[] = {40, TSM_PANEL},
                  none[] = {2, 0, TSM_PANEL}, other_scales[] = {31};
    call_start(&x, tsm_f32_select());
    const tsm_value input = call_tensor(&x, 2, a, 1);
    const weights halves = make_weights(&x, HALVES, 3, packed), bytes = make_weights(&x, BYTES, 3, packed);
    const tsm_value scales = call_tensor(&x, 1, other_scales, 1);
    const struct {
        tsm_value weight, scales;
    } wrong[] = {
        {halves.narrow, bytes.scales},
        {bytes.narrow, tsm_none()},
        {bytes.narrow, scales},
        {bytes.narrow, make_weights(&x, HALVES, 3, packed).narrow},
        {halves.floats, tsm_none()},
        {halves.floats, bytes.scales},
        {make_weights(&x, HALVES, 3, few).narrow, tsm_none()},
        {tsm_of_tensor(made(&x, TSM_FLOAT16, 2, flat)), tsm_none()},
        {tsm_of_tensor(made(&x, TSM_FLOAT16, 3, none)), tsm_none()},
        {tsm_of_tensor(made(&x, TSM_FLOAT16, 0, NULL)), tsm_none()},
        {tsm_of_tensor(made(&x, TSM_INT16, 3, packed)), tsm_none()},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tsm_value arguments[] = {input,       wrong[i].weight, wrong[i].scales, tsm_none(),  tsm_none(),
                                       tsm_int(32), tsm_int(0),      tsm_float(0),    tsm_float(0)};
        expect_refused(&x, "tsm::narrow_linear", 9, arguments);
    }
}

/* A depthwise weight, and one of another number of outputs. */
static void test_damaged_convolution(void **state) {
    (void)state;
    tsm_exec x;
    const tsm_dim image[] = {1, 16, 5, 5}, depthwise[] = {1, 3, 3, 1, TSM_PANEL}, packed[] = {1, 3, 3, 16, TSM_PANEL};
    call_start(&x, tsm_f32_select());
    const tsm_value input = call_tensor(&x, 4, image, 1), ones = list_of(&x, 2, 1);
    const struct {
        tsm_value weight;
        tsm_dim outputs, groups;
    } wrong[] = {{make_weights(&x, HALVES, 5, depthwise).narrow, 16, 16},
                 {make_weights(&x, HALVES, 5, packed).narrow, 17, 1},
                 {make_weights(&x, HALVES, 5, packed).floats, 16, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tsm_value arguments[] = {input,       wrong[i].weight,           tsm_none(), tsm_none(),
                                       tsm_none(),  tsm_int(wrong[i].outputs), ones,       ones,
                                       ones,        tsm_int(wrong[i].groups),  tsm_int(0), tsm_float(0),
                                       tsm_float(0)};
        expect_refused(&x, "tsm::narrow_convolution", 13, arguments);
    }
}

static void expect_raised(tsm_exec *x, const char *name, int n, const tsm_value *arguments) {
    tsm_status status;
    assert_null(call_try(x, name, n, arguments, &status));
    assert_int_equal(status, TSM_RAISED);
}

/* Weights that are not of 16 bits, and inputs of another dtype than the weight's. */
static void test_damaged_halves(void **state) {
    (void)state;
    tsm_exec x;
    const tsm_dim a[] = {2, 20}, packed[] = {2, 20, TSM_PANEL}, image[] = {1, 16, 5, 5},
                  depthwise[] = {1, 3, 3, 1, TSM_PANEL};
    call_start(&x, tsm_f32_select());
    const weights w = make_weights(&x, HALVES, 3, packed), d = make_weights(&x, HALVES, 5, depthwise);
    const half_value rows = half_tensor(&x, TSM_FLOAT16, 2, a), pixels = half_tensor(&x, TSM_FLOAT16, 4, image);
    const tsm_value ones = list_of(&x, 2, 1), none = tsm_none(), zero = tsm_float(0), no = tsm_int(0);
    tsm_value linear[] = {rows.half, w.narrow, none, none, tsm_int(32), no, zero, zero};
    tsm_value convolution[] = {pixels.half, d.narrow, none,        none, tsm_int(16), ones,
                               ones,        ones,     tsm_int(16), no,   zero,        zero};
    assert_non_null(call_run(&x, "tsm::half_linear", 8, linear));
    assert_non_null(call_run(&x, "tsm::half_convolution", 12, convolution));
    const tsm_value others[] = {rows.floats, converted(&x, rows.half, TSM_BFLOAT16),
                                converted(&x, rows.half, TSM_INT8)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        linear[0] = others[i];
        expect_raised(&x, "tsm::half_linear", 8, linear);
    }
    const tsm_value images[] = {pixels.floats, converted(&x, pixels.half, TSM_BFLOAT16)};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        convolution[0] = images[i];
        expect_raised(&x, "tsm::half_convolution", 12, convolution);
    }
    linear[0] = rows.half;
    convolution[0] = pixels.half;
    const tsm_value wrong[] = {w.floats, make_weights(&x, BYTES, 3, packed).narrow, converted(&x, w.narrow, TSM_INT16)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        linear[1] = wrong[i];
        expect_refused(&x, "tsm::half_linear", 8, linear);
    }
    convolution[1] = d.floats;
    expect_refused(&x, "tsm::half_convolution", 12, convolution);
    convolution[1] = d.narrow;
    convolution[4] = tsm_int(17); /* outputs */
    expect_refused(&x, "tsm::half_convolution", 12, convolution);
    linear[1] = w.narrow;
    linear[4] = tsm_int(33);
    expect_refused(&x, "tsm::half_linear", 8, linear);
    linear[4] = tsm_int(32);
    linear[2] = call_tensor(&x, 1, a, 1); /* a bias of two outputs */
    expect_refused(&x, "tsm::half_linear", 8, linear);
}

static void test_damaged_embedding(void **state) {
    (void)state;
    tsm_exec x;
    const tsm_dim rows[] = {20, 5}, packed[] = {2, 5, TSM_PANEL}, one[] = {1}, twenty[] = {20}, few[] = {19};
    tsm_status status;
    call_start(&x, tsm_f32_select());
    tsm_tensor *index = made(&x, TSM_INT64, 1, one);
    const tsm_value table = tsm_of_tensor(made(&x, TSM_INT8, 2, rows)), scales = call_tensor(&x, 1, twenty, 1),
                    few_scales = call_tensor(&x, 1, few, 1), at = tsm_of_tensor(index);
    const tsm_value halves = tsm_of_tensor(made(&x, TSM_FLOAT16, 3, packed));
    memset(tsm_as_tensor(halves)->data, 0, 2 * 5 * TSM_PANEL * sizeof(uint16_t));
    const tsm_value wrong[][4] = {{table, few_scales, at, tsm_int(20)}, {table, scales, at, tsm_int(21)},
                                  {table, scales, at, tsm_int(-1)},     {table, tsm_none(), at, tsm_int(20)},
                                  {halves, scales, at, tsm_int(20)},    {halves, tsm_none(), at, tsm_int(33)},
                                  {scales, tsm_none(), at, tsm_int(20)}};
    *(int64_t *)index->data = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_refused(&x, "tsm::narrow_embedding", 4, wrong[i]);
    /* Rows that fill the last panel are no rows of the table. */
    for (int64_t row = -1; row <= 20; row += 21) {
        *(int64_t *)index->data = row;
        assert_null(
            call_try(&x, "tsm::narrow_embedding", 4, (tsm_value[]){halves, tsm_none(), at, tsm_int(20)}, &status));
        assert_int_equal(status, TSM_RAISED);
        assert_string_equal(call_message, "index out of range in self");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_half_linear),
        cmocka_unit_test(test_half_convolutions),
        cmocka_unit_test(test_convolution_of_narrow),
        cmocka_unit_test(test_damaged_linear),
        cmocka_unit_test(test_damaged_convolution),
        cmocka_unit_test(test_damaged_halves),
        cmocka_unit_test(test_damaged_embedding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
