/* Operators give the same bits with and without threads. Threads are simulated: the tasks of a loop run one after the
 * other, the last one first, which also shows tasks that rely on earlier ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/kernels/simd/pack.h"
#include "tests/unit/operator_calls.h"

static size_t parts; /* loops that were cut */

static void backwards(void *context, void (*task)(void *argument, size_t index), void *argument, size_t tasks) {
    (void)context;
    parts += tasks > 1;
    while (tasks-- > 0)
        task(argument, tasks);
}

static void start(tsm_exec *x, const tsm_f32_loops *f32, bool threads) {
    call_start(x, f32);
    x->platform.parallel = threads ? backwards : NULL;
}

/* ---- Operators ---- */

typedef struct {
    tsm_dim batch, channels, height, width, outputs, kernel, stride, groups;
} conv_case;

/* tsm::convolution with relu; a packed weight has as many numbers as its panels, whatever they mean. */
static tsm_tensor *convolve(tsm_exec *x, const void *argument) {
    const conv_case *c = argument;
    tsm_dim depth = c->channels / c->groups, groups = depth == 1 && c->groups == c->outputs ? 1 : c->groups;
    tsm_dim image[] = {c->batch, c->channels, c->height, c->width}, bias[] = {c->outputs};
    tsm_dim weight[] = {groups * (tsm_dim)tsm_pack_panels((size_t)(c->outputs / groups)), c->kernel, c->kernel, depth,
                        TSM_PANEL};
    tsm_value arguments[] = {call_tensor(x, 4, image, 1),
                             call_tensor(x, 5, weight, 2),
                             call_tensor(x, 1, bias, 3),
                             tsm_none(),
                             tsm_int(c->outputs),
                             call_ints(x, 2, c->stride, c->stride),
                             call_ints(x, 2, c->kernel / 2, c->kernel / 2),
                             call_ints(x, 2, 1, 1),
                             tsm_int(c->groups),
                             tsm_int(TSM_ACT_RELU),
                             tsm_float(0),
                             tsm_float(0)};
    return call_run(x, "tsm::convolution", 12, arguments);
}

typedef struct {
    tsm_dim rows, inputs, outputs;
} linear_case;

static tsm_tensor *multiply_packed(tsm_exec *x, const void *argument) {
    const linear_case *c = argument;
    tsm_dim a[] = {c->rows, c->inputs}, bias[] = {c->outputs};
    tsm_dim weight[] = {(tsm_dim)tsm_pack_panels((size_t)c->outputs), c->inputs, TSM_PANEL};
    tsm_value arguments[] = {call_tensor(x, 2, a, 1),
                             call_tensor(x, 3, weight, 2),
                             call_tensor(x, 1, bias, 3),
                             tsm_none(),
                             tsm_int(c->outputs),
                             tsm_int(TSM_ACT_SILU),
                             tsm_float(0),
                             tsm_float(0)};
    return call_run(x, "tsm::linear", 8, arguments);
}

static tsm_tensor *multiply(tsm_exec *x, const void *argument) {
    const linear_case *c = argument;
    tsm_dim a[] = {c->rows, c->inputs}, bias[] = {c->outputs}, weight[] = {c->outputs, c->inputs};
    tsm_value arguments[] = {call_tensor(x, 2, a, 1), call_tensor(x, 2, weight, 2), call_tensor(x, 1, bias, 3)};
    return call_run(x, "aten::linear", 3, arguments);
}

static tsm_tensor *multiply_matrices(tsm_exec *x, const void *argument) {
    const linear_case *c = argument;
    tsm_dim a[] = {3, c->rows, c->inputs}, b[] = {3, c->inputs, c->outputs};
    tsm_value arguments[] = {call_tensor(x, 3, a, 1), call_tensor(x, 3, b, 2)};
    return call_run(x, "aten::matmul", 2, arguments);
}

static tsm_tensor *soften(tsm_exec *x, const void *argument) {
    const linear_case *c = argument;
    tsm_dim a[] = {c->rows, c->inputs};
    tsm_value arguments[] = {call_tensor(x, 2, a, 1), tsm_int(1), tsm_none()};
    return call_run(x, "aten::softmax.int", 3, arguments);
}

static tsm_tensor *pool(tsm_exec *x, const void *argument) {
    const conv_case *c = argument;
    tsm_dim image[] = {c->batch, c->height, c->width, c->channels};
    tsm_value seen = call_tensor(x, 4, image, 1), dims = call_ints(x, 0, 0, 0);
    for (int d = 0; d < 4; d++)
        assert_int_equal(tsm_list_append(x, tsm_as_list(dims), tsm_int((int64_t[]){0, 3, 1, 2}[d])), TSM_OK);
    tsm_value permuted[] = {seen, dims}, image_value = tsm_of_tensor(call_run(x, "aten::permute", 2, permuted));
    tsm_value arguments[] = {image_value,
                             call_ints(x, 2, c->kernel, c->kernel),
                             call_ints(x, 2, c->stride, c->stride),
                             call_ints(x, 2, c->kernel / 2, c->kernel / 2),
                             call_ints(x, 2, 1, 1),
                             tsm_bool(false)};
    return call_run(x, "aten::max_pool2d", 6, arguments);
}

/* ---- With and without ---- */

static void compare(tsm_tensor *(*function)(tsm_exec *x, const void *argument), const void *argument,
                    const char *what) {
    for (int i = 0; i < CALL_TABLES; i++) {
        const tsm_f32_loops *f32 = tsm_f32_by_name(call_tables[i]);
        tsm_exec x;
        if (!f32)
            continue;
        start(&x, f32, false);
        tsm_tensor *alone = function(&x, argument);
        size_t bytes = (size_t)alone->elements * sizeof(float);
        void *bits = malloc(bytes);
        assert_non_null(bits);
        memcpy(bits, alone->data, bytes);
        start(&x, f32, true);
        tsm_tensor *shared = function(&x, argument);
        if (memcmp(shared->data, bits, bytes) != 0)
            fail_msg("%s: other bits with threads, table %s", what, f32->name);
        free(bits);
    }
}

static void test_convolutions(void **state) {
    (void)state;
    static const conv_case cases[] = {
        {1, 160, 7, 7, 968, 1, 1, 1},  {1, 40, 29, 29, 58, 1, 1, 1},     {1, 3, 61, 61, 24, 3, 2, 1},
        {1, 3, 131, 127, 24, 3, 2, 1}, {2, 64, 17, 13, 72, 3, 1, 1},     {1, 64, 30, 30, 64, 3, 1, 1},
        {1, 96, 31, 31, 96, 5, 1, 96}, {1, 144, 29, 29, 144, 3, 2, 144}, {1, 32, 25, 25, 48, 3, 1, 4},
        {1, 576, 1, 1, 1000, 1, 1, 1},
    };
    parts = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char what[64];
        snprintf(what, sizeof what, "convolution %zu", i);
        compare(convolve, &cases[i], what);
        compare(pool, &cases[i], what);
    }
    assert_true(parts > 0);
}

static void test_products(void **state) {
    (void)state;
    static const linear_case cases[] = {{1, 1280, 1000}, {1, 77, 2008}, {2, 300, 999}, {3, 1000, 520},
                                        {49, 300, 200},  {301, 64, 80}, {1201, 32, 24}};
    parts = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char what[64];
        snprintf(what, sizeof what, "product %zu", i);
        compare(multiply_packed, &cases[i], what);
        compare(multiply, &cases[i], what);
        compare(multiply_matrices, &cases[i], what);
        compare(soften, &cases[i], what);
    }
    assert_true(parts > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_convolutions), cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
