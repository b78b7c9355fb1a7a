/* Calls of operators' kernels by name, on tensors of numbers that repeat; for tests that have included cmocka.h. */
#ifndef TSM_TESTS_UNIT_OPERATOR_CALLS_H
#define TSM_TESTS_UNIT_OPERATOR_CALLS_H

#include <stdlib.h>
#include <string.h>

#include "runtime/interpreter/operators.h"
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/simd/f32.h"

enum { CALL_BUFFER_BYTES = 1 << 26, CALL_MESSAGE_BYTES = 512 };

static const char *const call_tables[] = {"base", "neon", "avx2", "avx512"};
enum { CALL_TABLES = sizeof call_tables / sizeof *call_tables };

static char call_message[CALL_MESSAGE_BYTES];

/* What earlier calls gave is forgotten. */
static inline void call_start(tsm_exec *x, const tsm_f32_loops *f32) {
    static void *buffer;
    if (!buffer)
        buffer = aligned_alloc(64, CALL_BUFFER_BYTES);
    memset(x, 0, sizeof *x);
    tsm_heap_init(&x->heap, buffer, CALL_BUFFER_BYTES);
    x->message = call_message;
    x->message_bytes = sizeof call_message;
    x->f32 = f32;
}

static inline tsm_value call_tensor(tsm_exec *x, int dims, const tsm_dim *sizes, uint32_t seed) {
    tsm_tensor *t;
    assert_int_equal(tsm_tensor_make(x, TSM_FLOAT32, dims, sizes, &t), TSM_OK);
    for (tsm_dim i = 0; i < t->elements; i++) {
        seed = seed * 1664525u + 1013904223u;
        ((float *)t->data)[i] = (float)(int32_t)seed / 2147483648.0f;
    }
    return tsm_of_tensor(t);
}

static inline tsm_value call_ints(tsm_exec *x, int n, int64_t a, int64_t b) {
    tsm_list *l;
    assert_int_equal(tsm_make_list(x, 2, &l), TSM_OK);
    for (int i = 0; i < n; i++)
        assert_int_equal(tsm_list_append(x, l, tsm_int(i ? b : a)), TSM_OK);
    return tsm_of(TSM_TAG_LIST, l);
}

static inline tsm_tensor *call_try(tsm_exec *x, const char *name, int n, const tsm_value *arguments,
                                   tsm_status *status) {
    const tsm_value *in[16];
    tsm_value out[3];
    x->op = tsm_operator_find(name);
    assert_non_null(x->op);
    for (int i = 0; i < n; i++)
        in[i] = &arguments[i];
    *status = x->op->kernel(x, in, out);
    return *status == TSM_OK ? tsm_as_tensor(out[0]) : NULL;
}

static inline tsm_tensor *call_run(tsm_exec *x, const char *name, int n, const tsm_value *arguments) {
    tsm_status status;
    tsm_tensor *y = call_try(x, name, n, arguments, &status);
    if (!y)
        fail_msg("%s: %s", name, call_message);
    return y;
}

#endif
