/* Calls programs with their bundled arguments, of which one is another than the program wants: a tensor with another
 * number of dimensions, without elements, of another dtype, laid out otherwise; a number near the end of its type, an
 * empty list. Each call must answer, or end with an error that has a text; its memory comes back, and the next call
 * with the bundled arguments answers as before. A tensor that only lies otherwise in memory must give the same answer,
 * where the call succeeds.
 *
 *   test_arguments FILE.tsm...
 *
 * The last line says how many calls were made, and how many of them answered. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/runner/compare.h"
#include "tests/memory/read_file.h"
#include "tsmobile.h"

enum { BUFFER = 1 << 24, MESSAGE = 4096, WHY = 256, FUEL = 1000000, MOST_COMPLAINTS = 40, LARGEST_ELEMENT = 16 };

static const char *program_name;
static int failures;
static uint64_t calls, answers;
static char message[MESSAGE];

static void complain(const char *what, size_t argument, int change, const char *why) {
    if (failures++ < MOST_COMPLAINTS)
        fprintf(stderr, "%s: argument %zu, change %d: %s: %s\n", program_name, argument, change, what, why);
}

/* ---- Other arguments ---- */

enum {
    MORE_DIMENSIONS,
    FEWER_DIMENSIONS,
    NO_DIMENSIONS,
    NO_ELEMENTS,
    LAST_IS_ONE,
    SPREAD, /* the same numbers with as many unused ones between them */
    FIRST_DTYPE,
    CHANGES = FIRST_DTYPE + 16,
};

static size_t element_size(tsm_dtype dtype) {
    static const uint8_t sizes[] = {[TSM_UINT8] = 1,     [TSM_INT8] = 1,      [TSM_INT16] = 2,   [TSM_INT32] = 4,
                                    [TSM_INT64] = 8,     [TSM_FLOAT16] = 2,   [TSM_FLOAT32] = 4, [TSM_FLOAT64] = 8,
                                    [TSM_COMPLEX32] = 4, [TSM_COMPLEX64] = 8, [TSM_BOOL] = 1,    [TSM_COMPLEX128] = 16,
                                    [TSM_QINT8] = 1,     [TSM_QUINT8] = 1,    [TSM_QINT32] = 4,  [TSM_BFLOAT16] = 2};
    return sizes[dtype];
}

static tsm_dim count(int dims, const tsm_dim *sizes) {
    tsm_dim n = 1;
    for (int d = 0; d < dims; d++)
        n *= sizes[d];
    return n;
}

static tsm_status zeros(tsm_instance *inst, tsm_dtype dtype, int dims, const tsm_dim *sizes, tsm_value *out) {
    tsm_tensor_view v;
    tsm_status status = tsm_tensor_new(inst, out, dtype, dims, sizes);
    if (status == TSM_OK && tsm_tensor_get(*out, &v) && count(dims, sizes))
        memset(v.data, 0, (size_t)count(dims, sizes) * element_size(dtype));
    return status;
}

/* The tensor's numbers in memory with gaps; *memory is to be freed behind the call. */
static tsm_status spread(tsm_instance *inst, const tsm_tensor_view *v, void **memory, tsm_value *out) {
    tsm_dim strides[TSM_MAX_DIMS + 1], at[TSM_MAX_DIMS + 1] = {0}, n = count(v->dims, v->sizes), step = 2;
    const size_t size = element_size(v->dtype);
    for (int d = v->dims - 1; d >= 0; step *= v->sizes[d--])
        strides[d] = step;
    uint8_t *to = *memory = calloc((size_t)(2 * n + 1), size);
    for (tsm_dim i = 0; i < n; i++) {
        tsm_dim from = 0;
        for (int d = 0; d < v->dims; d++)
            from += at[d] * v->strides[d];
        memcpy(to + (size_t)(2 * i) * size, (uint8_t *)v->data + (size_t)from * size, size);
        for (int d = v->dims - 1; d >= 0 && ++at[d] == v->sizes[d]; d--)
            at[d] = 0;
    }
    return tsm_tensor_wrap(inst, out, v->dtype, v->dims, v->sizes, strides, to);
}

static tsm_status change_tensor(tsm_instance *inst, const tsm_tensor_view *v, int change, void **memory,
                                tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS + 1] = {1};
    memcpy(sizes + 1, v->sizes, (size_t)v->dims * sizeof *sizes);
    switch (change) {
    case MORE_DIMENSIONS:
        return v->dims == TSM_MAX_DIMS ? TSM_BAD_ARGUMENT : zeros(inst, v->dtype, v->dims + 1, sizes, out);
    case FEWER_DIMENSIONS:
        return v->dims < 2 ? TSM_BAD_ARGUMENT : zeros(inst, v->dtype, v->dims - 1, v->sizes + 1, out);
    case NO_DIMENSIONS:
        return zeros(inst, v->dtype, 0, sizes, out);
    case NO_ELEMENTS:
        sizes[1] = 0;
        return zeros(inst, v->dtype, v->dims ? v->dims : 1, sizes + 1, out);
    case LAST_IS_ONE:
        sizes[v->dims ? v->dims : 1] = 1;
        return zeros(inst, v->dtype, v->dims, sizes + 1, out);
    case SPREAD:
        return v->dims && v->quantizer_axis == -2 ? spread(inst, v, memory, out) : TSM_BAD_ARGUMENT;
    default:
        return zeros(inst, (tsm_dtype)(change - FIRST_DTYPE), v->dims, v->sizes, out);
    }
}

/* The argument after a change; anything but TSM_OK: there is no such change of it. */
static tsm_status changed(tsm_instance *inst, tsm_value from, int change, void **memory, tsm_value *out) {
    static const int64_t ints[] = {0, -1, 1, -1000, 1000, INT64_MAX, INT64_MIN, INT64_C(1) << 40};
    static const double floats[] = {0, -1, 0.5, (double)NAN, (double)INFINITY, -1e300, 1e-300};
    tsm_tensor_view view;
    const size_t n = (size_t)change;
    if (tsm_tensor_get(from, &view))
        return change_tensor(inst, &view, change, memory, out);
    switch (from.tag) {
    case TSM_TAG_INT:
        *out = tsm_int(ints[n % (sizeof ints / sizeof *ints)]);
        return n < sizeof ints / sizeof *ints ? TSM_OK : TSM_BAD_ARGUMENT;
    case TSM_TAG_FLOAT:
        *out = tsm_float(floats[n % (sizeof floats / sizeof *floats)]);
        return n < sizeof floats / sizeof *floats ? TSM_OK : TSM_BAD_ARGUMENT;
    case TSM_TAG_BOOL:
        *out = tsm_bool(!from.as.b);
        return n < 1 ? TSM_OK : TSM_BAD_ARGUMENT;
    case TSM_TAG_LIST:
        return n < 1 ? tsm_list_new(inst, out, NULL, 0) : TSM_BAD_ARGUMENT;
    default:
        return TSM_BAD_ARGUMENT;
    }
}

/* ---- Calls ---- */

typedef struct {
    tsm_instance *inst;
    size_t bundle;
    tsm_value answer; /* of the bundled arguments */
    tsm_status status;
    bool stateless;
} subject;

/* The call with bundled arguments, of which number `argument` (or none) is `other`. */
static tsm_status call(const subject *s, tsm_value arguments, int method, size_t argument, tsm_value other,
                       tsm_value *result) {
    const size_t n = tsm_sequence_size(arguments);
    tsm_value *items = calloc(n + 1, sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = i == argument ? other : tsm_sequence_get(arguments, i);
    *result = tsm_none();
    tsm_status status = tsm_call(s->inst, method, items, n, result);
    free(items);
    return status;
}

static bool get(const subject *s, int *method, tsm_value *arguments) {
    tsm_value expected;
    bool has_expected;
    if (tsm_bundle_get(s->inst, s->bundle, method, arguments, &expected, &has_expected) != TSM_OK)
        return false;
    tsm_release(s->inst, expected);
    return true;
}

static bool same(const subject *s, tsm_status status, tsm_value result, char *why) {
    snprintf(why, WHY, "status %s", tsm_status_text(status));
    return status == s->status &&
           (status != TSM_OK || compare_values(s->inst, result, s->answer, COMPARE_TOLERANCE, why, WHY));
}

/* False when there are no more arguments. */
static bool try_change(const subject *s, size_t argument, int change) {
    int method;
    char why[WHY] = "";
    void *memory = NULL;
    tsm_value arguments, other = tsm_none(), result;
    const size_t before = tsm_instance_usage(s->inst).used_bytes;
    if (!get(s, &method, &arguments))
        return false;
    const bool exists = argument < tsm_sequence_size(arguments);
    if (exists && changed(s->inst, tsm_sequence_get(arguments, argument), change, &memory, &other) == TSM_OK) {
        tsm_status status = call(s, arguments, method, argument, other, &result);
        calls++;
        answers += status == TSM_OK;
        if (status != TSM_OK && (!tsm_error(s->inst)[0] || result.tag != TSM_TAG_NONE))
            complain("an error without a text, or with a result", argument, change, tsm_status_text(status));
        if (status == TSM_OK && memory && s->stateless && !same(s, status, result, why))
            complain("another answer", argument, change, why);
        tsm_release(s->inst, result);
        tsm_release(s->inst, other);
    }
    tsm_release(s->inst, arguments);
    free(memory);
    if (s->stateless && tsm_instance_usage(s->inst).used_bytes != before)
        complain("memory is not given back", argument, change, "");
    return exists;
}

static void check_again(const subject *s) {
    int method;
    char why[WHY];
    tsm_value arguments, result;
    if (!get(s, &method, &arguments))
        return;
    tsm_status status = call(s, arguments, method, SIZE_MAX, tsm_none(), &result);
    if (s->stateless && !same(s, status, result, why))
        complain("the bundled arguments give another answer afterwards", 0, 0, why);
    tsm_release(s->inst, result);
    tsm_release(s->inst, arguments);
}

static void test_case(const tsm_program *program, size_t bundle, void *buffer) {
    tsm_options options = {.message = message, .message_bytes = sizeof message, .fuel = FUEL};
    subject s = {.bundle = bundle};
    int method;
    char why[WHY];
    tsm_value arguments, result;
    if (tsm_instance_init(&s.inst, program, &options, buffer, BUFFER) != TSM_OK || !get(&s, &method, &arguments))
        return;
    s.status = call(&s, arguments, method, SIZE_MAX, tsm_none(), &s.answer);
    tsm_release(s.inst, arguments);
    if (!get(&s, &method, &arguments))
        return;
    const tsm_status status = call(&s, arguments, method, SIZE_MAX, tsm_none(), &result);
    tsm_release(s.inst, arguments);
    s.stateless = same(&s, status, result, why);
    tsm_release(s.inst, result);
    if (s.status != TSM_OK && s.status != TSM_RAISED)
        return;
    for (int change = 0; change < CHANGES; change++)
        for (size_t argument = 0; try_change(&s, argument, change); argument++)
            ;
    check_again(&s);
}

int main(int argc, char **argv) {
    void *buffer = aligned_alloc(64, BUFFER);
    for (int i = 1; i < argc; i++) {
        size_t bytes;
        tsm_program program;
        void *file = read_file(argv[i], &bytes);
        program_name = argv[i];
        if (!file || tsm_program_open(&program, file, bytes, message, sizeof message) != TSM_OK)
            complain("cannot be opened", 0, 0, message);
        else
            for (size_t k = 0; k < tsm_bundle_count(&program); k++)
                test_case(&program, k, buffer);
        free(file);
    }
    free(buffer);
    printf("%" PRIu64 " calls, %" PRIu64 " of them answered\n", calls, answers);
    return failures != 0 || !answers;
}
