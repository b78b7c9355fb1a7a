/* Values: texts as TorchScript prints them, equality, dicts with keys of every kind, devices by name, half precision,
 * messages, and what happens when the buffer is full or a size is absurd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/tensor/tensor.h"
#include "runtime/value/alloc_block.h"
#include "runtime/value/half.h"
#include "tests/unit/heap_check.h"

enum { BUFFER_BYTES = 1 << 20, MESSAGE = 1024 };

static _Alignas(64) uint8_t buffer[BUFFER_BYTES];
static char message[MESSAGE];

static const char *type_text(tsm_exec *x, uint32_t type, bool is_annotation) {
    (void)x;
    return is_annotation ? "List[int]" : type ? "__torch__.module.Name" : "Plain";
}

static void start_in(tsm_exec *x, size_t bytes) {
    memset(x, 0, sizeof *x);
    tsm_heap_init(&x->heap, buffer, bytes);
    x->message = message;
    x->message_bytes = sizeof message;
    x->type_text = type_text;
    x->fuel = INT64_MAX;
    message[0] = 0;
}

static void start(tsm_exec *x) {
    start_in(x, sizeof buffer);
}

static tsm_value str(tsm_exec *x, const char *text) {
    tsm_value v;
    assert_int_equal(tsm_make_str(x, text, strlen(text), &v), TSM_OK);
    return v;
}

static tsm_value complex_of(tsm_exec *x, double re, double im) {
    tsm_value v;
    assert_int_equal(tsm_make_complex(x, re, im, &v), TSM_OK);
    return v;
}

static tsm_value member(tsm_exec *x, uint32_t type, uint32_t number) {
    tsm_value v;
    assert_int_equal(tsm_make_enum(x, type, number, "MEMBER", tsm_int(number), &v), TSM_OK);
    return v;
}

static tsm_value device(tsm_exec *x, const char *text) {
    tsm_value v;
    assert_int_equal(tsm_device_read(x, text, strlen(text), &v), TSM_OK);
    return v;
}

/* A list or a tuple of values, which it takes over. */
static tsm_value sequence(tsm_exec *x, uint32_t tag, size_t n, const tsm_value *items) {
    tsm_list *l;
    tsm_tuple *t;
    if (tag == TSM_TAG_LIST) {
        assert_int_equal(tsm_make_list(x, n, &l), TSM_OK);
        l->length = (uint32_t)n;
    } else {
        assert_int_equal(tsm_make_tuple(x, n, 0, &t), TSM_OK);
    }
    tsm_value *to = tag == TSM_TAG_LIST ? l->items : t->items;
    for (size_t i = 0; i < n; i++)
        to[i] = items[i];
    return tsm_of(tag, tag == TSM_TAG_LIST ? (void *)l : (void *)t);
}
#define SEQUENCE(x, TAG, ...)                                                                                          \
    sequence(x, TSM_TAG_##TAG, sizeof((tsm_value[]){__VA_ARGS__}) / sizeof(tsm_value), (tsm_value[]){__VA_ARGS__})

/* A dict of keys and items in turn, which it takes over. */
static tsm_value dict_of(tsm_exec *x, size_t n, const tsm_value *items) {
    tsm_dict *d;
    assert_int_equal(tsm_make_dict(x, 0, &d), TSM_OK);
    for (size_t i = 0; i < n; i += 2) {
        assert_int_equal(tsm_dict_put(x, d, items[i], items[i + 1]), TSM_OK);
        tsm_drop(x, items[i]);
        tsm_drop(x, items[i + 1]);
    }
    return tsm_of(TSM_TAG_DICT, d);
}
#define DICT(x, ...) dict_of(x, sizeof((tsm_value[]){__VA_ARGS__}) / sizeof(tsm_value), (tsm_value[]){__VA_ARGS__})

/* ---- Texts ---- */

/* The text of a value, which is dropped, is this. */
static void check_text(tsm_exec *x, tsm_value v, const char *wanted) {
    tsm_text t = {0};
    assert_int_equal(tsm_text_add_value(x, &t, v), TSM_OK);
    assert_int_equal(tsm_text_add(x, &t, "", 1), TSM_OK);
    assert_string_equal(t.text, wanted);
    tsm_text_free(x, &t);
    tsm_drop(x, v);
}

static void test_texts(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    const size_t used = x.heap.used;
    check_text(&x, tsm_none(), "None");
    check_text(&x, tsm_bool(true), "True");
    check_text(&x, tsm_bool(false), "False");
    check_text(&x, tsm_int(-5), "-5");
    check_text(&x, tsm_float(0.5), "0.5");
    check_text(&x, str(&x, "text"), "text");
    check_text(&x, device(&x, "cuda:1"), "cuda:1");
    check_text(&x, complex_of(&x, 1, -2), "1.-2.j");
    check_text(&x, complex_of(&x, 1, 0), "1.+0.j");
    check_text(&x, SEQUENCE(&x, LIST, tsm_int(1), tsm_int(2)), "[1, 2]");
    check_text(&x, SEQUENCE(&x, TUPLE, tsm_int(1)), "(1,)");
    check_text(&x, SEQUENCE(&x, TUPLE, tsm_int(1), tsm_int(2)), "(1, 2)");
    check_text(&x, DICT(&x, tsm_int(1), str(&x, "a"), tsm_int(2), str(&x, "b")), "{1: a, 2: b}");
    check_text(&x, member(&x, 1, 0), "Enum<Name.MEMBER>");
    check_text(&x, member(&x, 0, 0), "Enum<Plain.MEMBER>");
    tsm_future *future;
    assert_int_equal(tsm_make_future(&x, &future), TSM_OK);
    check_text(&x, tsm_of(TSM_TAG_FUTURE, future), "Future");
    tsm_object *object;
    char text[64];
    assert_int_equal(tsm_make_object(&x, 1, 1, &object), TSM_OK);
    snprintf(text, sizeof text, "<__torch__.module.Name object at 0x%llx>", (unsigned long long)(uintptr_t)object);
    check_text(&x, tsm_of(TSM_TAG_OBJECT, object), text);
    check_text(&x, tsm_of(TSM_TAG_GENERATOR, tsm_hold(str(&x, "")).as.o), "Generator");
    tsm_value nested = tsm_int(0);
    for (int i = 0; i < 64; i++)
        nested = SEQUENCE(&x, LIST, nested);
    tsm_text t = {0};
    assert_int_equal(tsm_text_add_value(&x, &t, nested), TSM_OK);
    nested = SEQUENCE(&x, LIST, nested, tsm_int(1));
    assert_int_equal(tsm_text_add_value(&x, &t, nested), TSM_RAISED);
    assert_string_equal(message, "cannot show a value with more than 64 nested containers");
    tsm_drop(&x, nested);
    tsm_text_free(&x, &t);
    assert_in_range(x.heap.used, used, used + 64); /* what the generator was made of */
}

/* A tensor of doubles, in a dtype. */
static tsm_value tensor(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, const double *from) {
    tsm_tensor *t;
    assert_int_equal(tsm_tensor_make(x, dtype, dims, sizes, &t), TSM_OK);
    for (tsm_dim i = 0; i < t->elements; i++)
        switch (dtype) {
        case TSM_FLOAT32:
            ((float *)t->data)[i] = (float)from[i];
            break;
        case TSM_FLOAT64:
            ((double *)t->data)[i] = from[i];
            break;
        case TSM_INT64:
            ((int64_t *)t->data)[i] = (int64_t)from[i];
            break;
        case TSM_QINT32:
            ((int32_t *)t->data)[i] = (int32_t)from[i];
            break;
        case TSM_COMPLEX64:
            ((float *)t->data)[2 * i] = (float)from[i];
            ((float *)t->data)[2 * i + 1] = 1;
            break;
        default: /* BOOL, QINT8, QUINT8 */
            ((int8_t *)t->data)[i] = (int8_t)from[i];
            break;
        }
    return tsm_of_tensor(t);
}

/* What PyTorch 1.13.1 prints. */
static const struct {
    tsm_dtype dtype;
    int dims;
    tsm_dim sizes[3];
    double elements[4];
    const char *text;
} shown[] = {
    {TSM_FLOAT32, 2, {2, 2}, {1.5, 2.25, 3, -4.5}, " 1.5000  2.2500\n 3.0000 -4.5000\n[ CPUFloatType{2,2} ]"},
    {TSM_FLOAT32,
     2,
     {2, 2},
     {100000.5, 2.25, 3, -4.5},
     " 1.0000e+05  2.2500e+00\n 3.0000e+00 -4.5000e+00\n[ CPUFloatType{2,2} ]"},
    {TSM_FLOAT32,
     2,
     {2, 2},
     {123456.5, 200000.25, 300000.125, 150000.5},
     "1e+05 *\n 1.2346  2.0000\n  3.0000  1.5000\n[ CPUFloatType{2,2} ]"},
    {TSM_FLOAT32, 1, {2}, {1234567.5, 2345678.25}, "1e+06 *\n 1.2346\n 2.3457\n[ CPUFloatType{2} ]"},
    {TSM_FLOAT32, 1, {2}, {0.001, 0.002}, "0.001 *\n 1.0000\n 2.0000\n[ CPUFloatType{2} ]"},
    {TSM_FLOAT64, 1, {2}, {0.5, 1e-20}, " 5.0000e-01\n 1.0000e-20\n[ CPUDoubleType{2} ]"},
    {TSM_FLOAT64, 1, {3}, {1e-150, 1e-149, 1.5}, " 1.0000e-150\n 1.0000e-149\n  1.5000e+00\n[ CPUDoubleType{3} ]"},
    {TSM_FLOAT64, 1, {2}, {1e120, 2.5}, " 1.0000e+120\n  2.5000e+00\n[ CPUDoubleType{2} ]"},
    {TSM_FLOAT32, 1, {2}, {1e10, 2e10}, " 1.0000e+10\n 2.0000e+10\n[ CPUFloatType{2} ]"},
    {TSM_FLOAT32, 1, {2}, {0, 0}, " 0\n 0\n[ CPUFloatType{2} ]"},
    {TSM_FLOAT32, 1, {2}, {0, 0.5}, " 0.0000\n 0.5000\n[ CPUFloatType{2} ]"},
    {TSM_FLOAT32, 1, {2}, {-0.5, -0.25}, "-0.5000\n-0.2500\n[ CPUFloatType{2} ]"},
    {TSM_FLOAT32, 1, {2}, {INFINITY, NAN}, "inf\nnan\n[ CPUFloatType{2} ]"},
    {TSM_BOOL, 1, {2}, {1, 0}, " 1\n 0\n[ CPUBoolType{2} ]"},
    {TSM_COMPLEX64, 1, {2}, {1, 3}, " 1\n 3\n[ CPUComplexFloatType{2} ]"},
    {TSM_INT64, 0, {0}, {3}, "3\n[ CPULongType{} ]"},
    {TSM_FLOAT32, 1, {0}, {0}, "[ CPUFloatType{0} ]"},
    {TSM_FLOAT32, 2, {2, 0}, {0}, "[ CPUFloatType{2,0} ]"},
    {TSM_FLOAT32, 3, {2, 1, 2}, {1, 1, 1, 1}, "(1,.,.) = \n  1  1\n\n(2,.,.) = \n  1  1\n[ CPUFloatType{2,1,2} ]"},
};

static void quantized(tsm_exec *x, tsm_dtype dtype, int axis, const char *text) {
    const tsm_dim sizes[] = {2, 2};
    const double stored[] = {5, 7, 9, 1}, scales[] = {0.5, 0.25};
    const int64_t zero_points[] = {3, 1};
    tsm_value v = tensor(x, dtype, 2, sizes, stored);
    assert_int_equal(tsm_tensor_quantize_by(x, tsm_as_tensor(v), axis, axis < 0 ? 1 : 2, scales, zero_points), TSM_OK);
    check_text(x, v, text);
}

static void test_tensors_as_text(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    const size_t used = x.heap.used;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        check_text(&x, tensor(&x, shown[i].dtype, shown[i].dims, shown[i].sizes, shown[i].elements), shown[i].text);
    quantized(&x, TSM_QUINT8, -1,
              " 1  2\n 3 -1\n[ QuantizedCPUQUInt8Type{2,2}, qscheme: per_tensor_affine, scale: 0.5, zero_point: 3 ]");
    quantized(&x, TSM_QINT32, -1,
              " 1  2\n 3 -1\n[ QuantizedCPUQInt32Type{2,2}, qscheme: per_tensor_affine, scale: 0.5, zero_point: 3 ]");
    quantized(&x, TSM_QINT8, 1,
              " 1.0000  1.5000\n 3.0000  0.0000\n[ QuantizedCPUQInt8Type{2,2}, qscheme: per_channel_affine, scales:  "
              "0.5000\n 0.2500\n[ CPUDoubleType{2} ], zero_points:  3\n 1\n[ CPULongType{2} ], axis: 1 ]");
    /* A channel that has no scale: expanded tensors have the quantizer of one channel. */
    const tsm_dim sizes[] = {2, 2};
    const double stored[] = {2, 2, 4, 4}, scales[] = {0.5, 0.25};
    const int64_t zero_points[] = {0, 0};
    tsm_value v = tensor(&x, TSM_QINT8, 2, sizes, stored);
    assert_int_equal(tsm_tensor_quantize_by(&x, tsm_as_tensor(v), 1, 2, scales, zero_points), TSM_OK);
    tsm_quantizer *q = tsm_as_tensor(v)->quantizer;
    q->channels = 1;
    q->references++;
    check_text(&x, v,
               " 1  1\n 2  2\n[ QuantizedCPUQInt8Type{2,2}, qscheme: per_channel_affine, scales:  0.5000\n"
               "[ CPUDoubleType{1} ], zero_points:  0\n[ CPULongType{1} ], axis: 1 ]");
    assert_true(x.heap.used > used && q->references == 1);
    tsm_quantizer_drop(&x, q);
    double many[40];
    for (int i = 0; i < 40; i++)
        many[i] = i;
    const tsm_dim wide[] = {1, 40};
    check_text(&x, tensor(&x, TSM_INT64, 2, wide, many),
               "Columns 1 to 20  0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18  19\n\n"
               "Columns 21 to 40 20  21  22  23  24  25  26  27  28  29  30  31  32  33  34  35  36  37  38  39\n"
               "[ CPULongType{1,40} ]");
    assert_int_equal(x.heap.used, used);
}

/* Every size of buffer up to what a text needs; a complex tensor makes an object for each element. */
static void test_texts_in_small_buffers(void **state) {
    (void)state;
    static const tsm_dim sizes[] = {3};
    static const double elements[] = {1, 2, 3};
    tsm_exec x;
    size_t failed = 0;
    for (size_t bytes = 512; bytes < 8192; bytes += 16) {
        start_in(&x, bytes);
        tsm_tensor *t;
        if (tsm_tensor_make(&x, TSM_COMPLEX64, 1, sizes, &t) != TSM_OK)
            continue;
        tsm_drop(&x, tsm_of_tensor(t));
        const size_t used = x.heap.used;
        tsm_value v = tensor(&x, TSM_COMPLEX64, 1, sizes, elements);
        tsm_text out = {0};
        const tsm_status status = tsm_text_add_value(&x, &out, v);
        assert_true(status == TSM_OK || (status == TSM_OUT_OF_MEMORY && message[0]));
        failed += status != TSM_OK;
        tsm_text_free(&x, &out);
        tsm_drop(&x, v);
        assert_int_equal(x.heap.used, used);
        assert_true(heap_check(&x.heap));
    }
    assert_in_range(failed, 3, 200);
}

static void test_texts_and_fuel(void **state) {
    (void)state;
    static const tsm_dim sizes[] = {3};
    static const double elements[] = {1, 2, 3};
    for (int64_t fuel = 28; fuel < 32; fuel++) {
        tsm_exec x;
        start(&x);
        tsm_value v = tensor(&x, TSM_FLOAT32, 1, sizes, elements);
        x.fuel = fuel;
        x.is_limited = true;
        tsm_text out = {0};
        assert_int_equal(tsm_text_add_value(&x, &out, v), fuel < 30 ? TSM_OUT_OF_FUEL : TSM_OK);
        assert_int_equal(x.work, 30); /* ten for each number */
    }
}

/* ---- Messages ---- */

static void test_messages(void **state) {
    (void)state;
    char text[32];
    assert_int_equal(tsm_format(text, sizeof text, "%c %% %s", 'x', (const char *)NULL), 10);
    assert_string_equal(text, "x % (null)");
    assert_int_equal(tsm_format(text, sizeof text, "%.*s|%.*s|", 2, "abc", -1, "abc"), 4);
    assert_string_equal(text, "ab||");
    tsm_format(text, sizeof text, "%d %u %ld %lu %zd %zu", -1, 2u, INT64_C(-3), INT64_C(4), (ptrdiff_t)-5, (size_t)6);
    assert_string_equal(text, "-1 2 -3 4 -5 6");
    tsm_format(text, sizeof text, "100%");
    assert_string_equal(text, "100%");
    tsm_format(text, sizeof text, "%.5");
    assert_string_equal(text, "%5");
    text[0] = 'x';
    assert_int_equal(tsm_format(text, 0, "nothing"), 0);
    assert_int_equal(text[0], 'x');
    assert_int_equal(tsm_format(text, 4, "%s", "cut off"), 3);
    assert_string_equal(text, "cut");
    assert_string_equal(tsm_tag_name(TSM_TAG_LIST), "List");
    assert_string_equal(tsm_tag_name(TSM_TAG_COUNT), "?");
    tsm_exec x;
    start(&x);
    assert_string_equal(tsm_op_name(&x), "operator");
    tsm_print(&x, "nobody prints", 13);
    tsm_warn(&x, "nobody is warned", 16);
}

/* ---- Equality ---- */

static void check_equal(tsm_exec *x, tsm_value a, tsm_value b, bool equal) {
    assert_int_equal(tsm_values_equal(x, a, b), equal);
    assert_int_equal(tsm_values_equal(x, b, a), equal);
    assert_true(tsm_values_equal(x, a, a));
    assert_true(tsm_values_identical(a, a));
    tsm_drop(x, a);
    tsm_drop(x, b);
}

static tsm_value in_lists(tsm_exec *x, int levels, tsm_value v) {
    while (levels--)
        v = SEQUENCE(x, LIST, v);
    return v;
}

static void test_equality(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    const size_t used = x.heap.used;
    check_equal(&x, tsm_none(), tsm_int(0), false);
    check_equal(&x, tsm_none(), tsm_none(), true);
    check_equal(&x, tsm_int(1), tsm_float(1), false);
    check_equal(&x, tsm_bool(true), tsm_bool(false), false);
    check_equal(&x, tsm_float(0.0), tsm_float(-0.0), true);
    check_equal(&x, device(&x, "cpu"), device(&x, "cuda:0"), false);
    check_equal(&x, complex_of(&x, 1, 2), complex_of(&x, 1, 2), true);
    check_equal(&x, complex_of(&x, 1, 2), complex_of(&x, 2, 2), false);
    check_equal(&x, complex_of(&x, 1, 2), complex_of(&x, 1, 3), false);
    check_equal(&x, str(&x, "ab"), str(&x, "ab"), true);
    check_equal(&x, str(&x, "ab"), str(&x, "abc"), false);
    check_equal(&x, str(&x, "ab"), str(&x, "ac"), false);
    check_equal(&x, member(&x, 1, 0), member(&x, 1, 0), true);
    check_equal(&x, member(&x, 1, 0), member(&x, 1, 1), false);
    check_equal(&x, member(&x, 1, 0), member(&x, 2, 0), false);
    check_equal(&x, SEQUENCE(&x, LIST, tsm_int(1), tsm_int(2)), SEQUENCE(&x, LIST, tsm_int(1), tsm_int(2)), true);
    check_equal(&x, SEQUENCE(&x, LIST, tsm_int(1), tsm_int(2)), SEQUENCE(&x, LIST, tsm_int(1), tsm_int(3)), false);
    check_equal(&x, SEQUENCE(&x, LIST, tsm_int(1)), SEQUENCE(&x, LIST, tsm_int(1), tsm_int(2)), false);
    check_equal(&x, SEQUENCE(&x, TUPLE, tsm_int(1)), SEQUENCE(&x, TUPLE, tsm_int(1)), true);
    check_equal(&x, SEQUENCE(&x, TUPLE, tsm_int(1)), SEQUENCE(&x, TUPLE, tsm_int(2)), false);
    check_equal(&x, SEQUENCE(&x, TUPLE, tsm_int(1)), SEQUENCE(&x, TUPLE, tsm_int(1), tsm_int(2)), false);
    check_equal(&x, DICT(&x, tsm_int(1), tsm_int(2), tsm_int(3), tsm_int(4)),
                DICT(&x, tsm_int(3), tsm_int(4), tsm_int(1), tsm_int(2)), true);
    check_equal(&x, DICT(&x, tsm_int(1), tsm_int(2)), DICT(&x, tsm_int(1), tsm_int(3)), false);
    check_equal(&x, DICT(&x, tsm_int(1), tsm_int(2)), DICT(&x, tsm_int(2), tsm_int(2)), false);
    check_equal(&x, DICT(&x, tsm_int(1), tsm_int(2)), DICT(&x, tsm_int(1), tsm_int(2), tsm_int(2), tsm_int(2)), false);
    check_equal(&x, in_lists(&x, TSM_EQUAL_DEPTH, tsm_int(1)), in_lists(&x, TSM_EQUAL_DEPTH, tsm_int(1)), true);
    check_equal(&x, in_lists(&x, TSM_EQUAL_DEPTH + 1, tsm_int(1)), in_lists(&x, TSM_EQUAL_DEPTH + 1, tsm_int(1)),
                false);
    tsm_object *a, *b;
    assert_int_equal(tsm_make_object(&x, 1, 0, &a), TSM_OK);
    assert_int_equal(tsm_make_object(&x, 1, 0, &b), TSM_OK);
    check_equal(&x, tsm_of(TSM_TAG_OBJECT, a), tsm_of(TSM_TAG_OBJECT, b), false);
    tsm_value one = str(&x, "same"), other = str(&x, "same");
    assert_false(tsm_values_identical(one, other));
    assert_false(tsm_values_identical(one, tsm_int(1)));
    assert_true(tsm_values_identical(tsm_int(7), tsm_int(7)));
    tsm_drop(&x, one);
    tsm_drop(&x, other);
    assert_int_equal(x.heap.used, used);
}

/* ---- Dicts ---- */

/* Two different keys of each kind, made anew each time but for those that are equal only to themselves. */
static tsm_value key_of(tsm_exec *x, int kind, int which) {
    static const tsm_dim sizes[] = {1};
    static const double element[] = {1};
    switch (kind) {
    case 0:
        return which ? tsm_none() : tsm_bool(true);
    case 1:
        return tsm_int(which ? INT64_C(1) << 40 : 1);
    case 2:
        return tsm_float(which ? 1.5 : 1);
    case 3:
        return device(x, which ? "cuda:1" : "cpu");
    case 4:
        return complex_of(x, 1, which);
    case 5:
        return str(x, which ? "" : "text");
    case 6:
        return member(x, 1, (uint32_t)which);
    default:
        return tensor(x, TSM_FLOAT32, 1, sizes, element);
    }
}

enum { KINDS = 8, IDENTITY = 7 };

/* In a dict that is searched from the start, and in one with an index. */
static void test_keys_of_every_kind(void **state) {
    (void)state;
    for (uint32_t others = 0; others < 20; others += 19) {
        tsm_exec x;
        start(&x);
        const size_t used = x.heap.used;
        tsm_dict *d;
        assert_int_equal(tsm_make_dict(&x, 0, &d), TSM_OK);
        for (uint32_t i = 0; i < others; i++)
            assert_int_equal(tsm_dict_put(&x, d, tsm_int(1000 + i), tsm_none()), TSM_OK);
        tsm_value kept[KINDS][2];
        for (int kind = 0; kind < KINDS; kind++)
            for (int which = 0; which < 2; which++) {
                kept[kind][which] = key_of(&x, kind, which);
                assert_null(tsm_dict_find(d, kept[kind][which]));
                assert_int_equal(tsm_dict_put(&x, d, kept[kind][which], tsm_int(2 * kind + which)), TSM_OK);
            }
        assert_int_equal(d->length, others + 2 * KINDS);
        for (int kind = 0; kind < KINDS; kind++)
            for (int which = 0; which < 2; which++) {
                tsm_value again = kind == IDENTITY ? tsm_hold(kept[kind][which]) : key_of(&x, kind, which), item;
                assert_int_equal(tsm_dict_find(d, again)->item.as.i, 2 * kind + which);
                assert_true(tsm_dict_remove(&x, d, again, &item));
                assert_int_equal(item.as.i, 2 * kind + which);
                assert_false(tsm_dict_remove(&x, d, again, &item));
                tsm_drop(&x, again);
                tsm_drop(&x, kept[kind][which]);
            }
        assert_int_equal(d->length, others);
        tsm_drop(&x, tsm_of(TSM_TAG_DICT, d));
        assert_int_equal(x.heap.used, used);
    }
}

static void test_zeros_as_keys(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    tsm_dict *d;
    assert_int_equal(tsm_make_dict(&x, 20, &d), TSM_OK);
    assert_int_equal(tsm_dict_put(&x, d, tsm_float(-0.0), tsm_int(1)), TSM_OK);
    assert_int_equal(tsm_dict_find(d, tsm_float(0.0))->item.as.i, 1);
    assert_int_equal(tsm_dict_put(&x, d, tsm_int(0), tsm_int(2)), TSM_OK);
    assert_int_equal(tsm_dict_find(d, tsm_float(0.0))->item.as.i, 1);
    assert_null(tsm_dict_find(d, tsm_bool(false)));
    tsm_dict_clear(&x, d);
    assert_null(tsm_dict_find(d, tsm_int(0)));
    assert_int_equal(d->length, 0);
}

/* Strings of one hash, of the same length and of different ones, are different keys all the same. */
static void test_equal_hashes(void **state) {
    (void)state;
    /* The first two have equal hashes where code is to be small, the others elsewhere. */
    static const char *const alike[][2] = {
        {"c40b9f1603", "a3b2d252b5"}, {"c5ed73bdb", "1bdd17fee0"}, {"almsrtvy", "hwudpmee"}, {"fbqe", "mokdppc"}};
    int equal = 0;
    for (int others = 0; others <= 40; others += 40)
        for (int i = 0; i < 4; i++) {
            tsm_exec x;
            start(&x);
            const size_t used = x.heap.used;
            tsm_dict *d;
            assert_int_equal(tsm_make_dict(&x, 0, &d), TSM_OK);
            for (int k = 0; k < others; k++)
                assert_int_equal(tsm_dict_put(&x, d, tsm_int(k), tsm_none()), TSM_OK);
            const tsm_value a = str(&x, alike[i][0]), b = str(&x, alike[i][1]);
            assert_int_equal(tsm_dict_put(&x, d, a, tsm_int(1)), TSM_OK);
            assert_null(tsm_dict_find(d, b));
            assert_int_equal(tsm_dict_put(&x, d, b, tsm_int(2)), TSM_OK);
            equal += tsm_as_str(a)->hash == tsm_as_str(b)->hash;
            assert_int_equal(tsm_dict_find(d, a)->item.as.i, 1);
            assert_int_equal(tsm_dict_find(d, b)->item.as.i, 2);
            tsm_drop(&x, tsm_of(TSM_TAG_DICT, d));
            tsm_drop(&x, a);
            tsm_drop(&x, b);
            assert_int_equal(x.heap.used, used);
        }
    assert_int_equal(equal, 4); /* or the strings test nothing */
}

/* Keys come and go: the dict does not grow, and order and items stay. */
static void test_dicts_that_change(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    tsm_dict *d;
    tsm_value item;
    assert_int_equal(tsm_make_dict(&x, 40, &d), TSM_OK);
    for (int64_t i = 0; i < 2000; i++) {
        assert_int_equal(tsm_dict_put(&x, d, tsm_int(i), tsm_int(i)), TSM_OK);
        if (i >= 20)
            assert_true(tsm_dict_remove(&x, d, tsm_int(i - 20), &item));
    }
    assert_int_equal(d->capacity, 40);
    assert_int_equal(d->length, 20);
    size_t at = 0;
    tsm_dict_entry *e;
    for (int64_t i = 1980; i < 2000; i++) {
        assert_true(tsm_dict_next(d, &at, &e));
        assert_true(e->key.as.i == i && e->item.as.i == i);
    }
    assert_false(tsm_dict_next(d, &at, &e));
    assert_int_equal(tsm_dict_reserve(&x, d, 10), TSM_OK);
    assert_int_equal(d->capacity, 40);
    assert_int_equal(tsm_dict_reserve(&x, d, SIZE_MAX), TSM_OUT_OF_MEMORY);
    assert_non_null(strstr(message, " entries is too large"));
}

/* ---- Sizes ---- */

static void test_absurd_sizes(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    tsm_value v;
    tsm_tuple *t;
    tsm_object *o;
    tsm_list *l;
    void *p = tsm_heap_alloc(&x.heap, 100);
    assert_int_equal(tsm_make_str(&x, NULL, UINT32_MAX, &v), TSM_OUT_OF_MEMORY);
    assert_string_equal(message, "a str of 4294967295 bytes is too long");
    assert_int_equal(tsm_make_tuple(&x, UINT32_MAX, 0, &t), TSM_OUT_OF_MEMORY);
    assert_string_equal(message, "a tuple of 4294967295 items is too long");
    assert_int_equal(tsm_make_object(&x, 0, UINT32_MAX, &o), TSM_OUT_OF_MEMORY);
    assert_string_equal(message, "an object of 4294967295 slots is too large");
    assert_int_equal(tsm_make_list(&x, UINT32_MAX, &l), TSM_OUT_OF_MEMORY);
    assert_string_equal(message, "a list of 4294967295 items is too long");
    assert_null(tsm_heap_alloc(&x.heap, SIZE_MAX));
    assert_null(tsm_heap_alloc_aligned(&x.heap, SIZE_MAX, 64));
    assert_null(tsm_heap_realloc(&x.heap, p, SIZE_MAX));
    assert_true(heap_check(&x.heap));
    /* Nothing at all, and memory of nobody. */
    void *nothing = tsm_scratch(&x, 0);
    assert_non_null(nothing);
    tsm_scratch_free(&x, nothing);
    tsm_heap_free(&x.heap, NULL);
}

/* What is missing is the request less the free memory at the end; a request below that needs no more than a hole. */
static void test_missing_bytes(void **state) {
    (void)state;
    tsm_exec x;
    start_in(&x, 4096);
    while (tsm_heap_alloc(&x.heap, 1000))
        continue;
    assert_in_range(x.heap.missing, 1, 1024);
    void *large = tsm_heap_alloc_aligned(&x.heap, 64, 4096);
    assert_null(large);
    /* Ten blocks of one list of sizes, each too small for the request, and a larger one behind them. */
    start(&x);
    void *small[10], *enough;
    for (int i = 0; i < 10; i++) {
        small[i] = tsm_heap_alloc(&x.heap, 1024 - 8);
        assert_non_null(tsm_heap_alloc(&x.heap, 400)); /* keeps its neighbours apart */
    }
    enough = tsm_heap_alloc(&x.heap, 1072 - 8);
    assert_non_null(tsm_heap_alloc(&x.heap, 400));
    tsm_heap_free(&x.heap, enough);
    for (int i = 0; i < 10; i++)
        tsm_heap_free(&x.heap, small[i]);
    /* More blocks than are tried: a larger one is broken though one of this list would do. */
    assert_ptr_not_equal(tsm_heap_alloc(&x.heap, 1072 - 8), enough);
    assert_true(heap_check(&x.heap));
    /* The same with nothing larger at all, and the block that would do at the end. */
    start(&x);
    for (int i = 0; i < 10; i++) {
        small[i] = tsm_heap_alloc(&x.heap, 1024 - 8);
        assert_non_null(tsm_heap_alloc(&x.heap, 400));
    }
    assert_non_null(tsm_heap_alloc(&x.heap, block_size(block_left(x.heap.last)) - 1072 - HEAD));
    assert_int_equal(block_size(block_left(x.heap.last)), 1072);
    for (int i = 0; i < 10; i++)
        tsm_heap_free(&x.heap, small[i]);
    assert_null(tsm_heap_alloc(&x.heap, 1072 - 8));
    assert_int_equal(x.heap.missing, 1072);
    assert_non_null(tsm_heap_alloc(&x.heap, 1024 - 8));
}

/* ---- Devices ---- */

static void test_devices(void **state) {
    (void)state;
    static const char *const good[] = {"cpu", "cuda", "cuda:1", "cuda:127", "privateuseone:0", "meta"};
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"", "Device string must not be empty"},
        {":1", "Invalid device string: ':1'"},
        {"cuda1", "Invalid device string: 'cuda1'"},
        {"cuda:", "Invalid device string: 'cuda:'"},
        {"cuda:x", "Invalid device string: 'cuda:x'"},
        {"cuda:/", "Invalid device string: 'cuda:/'"},
        {"cuda:01", "Invalid device string: 'cuda:01'"},
        {"{", "Invalid device string: '{'"},
        {"Cuda_", "device type at start of device string: Cuda_"},
        {"CPU", "device type at start of device string: CPU"},
        {"cuda:128", "Could not parse device index '128' in device string 'cuda:128'"},
        {"cuda:99999999999", "Could not parse device index '99999999999'"},
    };
    tsm_exec x;
    start(&x);
    char text[24];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        tsm_value v = device(&x, good[i]);
        assert_int_equal(tsm_device_text(v, text, sizeof text), strlen(good[i]));
        assert_string_equal(text, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tsm_value v;
        assert_int_equal(tsm_device_read(&x, bad[i].text, strlen(bad[i].text), &v), TSM_RAISED);
        if (!strstr(message, bad[i].error))
            fail_msg("%s: %s", bad[i].text, message);
    }
    tsm_value unknown = device(&x, "cpu");
    unknown.as.device = 200;
    tsm_device_text(unknown, text, sizeof text);
    assert_string_equal(text, "unknown");
}

/* ---- Half precision ---- */

static void test_half_precision(void **state) {
    (void)state;
    static const struct {
        uint16_t half;
        float value;
    } halves[] = {{0x0000, 0.0f},         {0x8000, -0.0f},    {0x0001, 0x1p-24f}, {0x8001, -0x1p-24f},
                  {0x03ff, 0x1.ff8p-15f}, {0x0400, 0x1p-14f}, {0x3c00, 1},        {0xbc00, -1},
                  {0x7bff, 65504},        {0x7c00, INFINITY}, {0xfc00, -INFINITY}};
    for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
        assert_int_equal(tsm_bits_of_float(tsm_float_of_half(halves[i].half)), tsm_bits_of_float(halves[i].value));
        assert_int_equal(tsm_half_of_float(halves[i].value), halves[i].half);
    }
    assert_int_equal(tsm_half_of_float(NAN), 0x7e00);
    assert_int_equal(tsm_half_of_float(65520), 0x7c00);
    assert_int_equal(tsm_half_of_float(65519), 0x7bff);
    assert_true(isnan(tsm_float_of_half(0x7e00)));
    assert_int_equal(tsm_bfloat16_of_float(NAN), 0x7fc0);
    assert_int_equal(tsm_bfloat16_of_float(1), 0x3f80);
    assert_int_equal(tsm_bfloat16_of_float(INFINITY), 0x7f80);
    assert_int_equal(tsm_bfloat16_of_float(0x1.01p0f), 0x3f80); /* a tie: to even */
    assert_int_equal(tsm_bfloat16_of_float(0x1.03p0f), 0x3f82);
    assert_true(tsm_float_of_bfloat16(0xbf80) == -1);
    /* The same inside of the library. */
    static const tsm_dim sizes[] = {3};
    static const double elements[] = {NAN, 1, -2};
    static const uint16_t wanted[] = {0x7fc0, 0x3f80, 0xc000};
    tsm_exec x;
    start(&x);
    tsm_value from = tensor(&x, TSM_FLOAT32, 1, sizes, elements), to;
    tsm_tensor *t;
    assert_int_equal(tsm_tensor_make(&x, TSM_BFLOAT16, 1, sizes, &t), TSM_OK);
    to = tsm_of_tensor(t);
    assert_int_equal(tsm_tensor_copy(&x, t, tsm_as_tensor(from)), TSM_OK);
    assert_memory_equal(t->data, wanted, sizeof wanted);
    tsm_drop(&x, from);
    check_text(&x, to, "nan\n 1\n-2\n[ CPUBFloat16Type{3} ]");
}

/* ---- Full buffers ---- */

static void test_full_buffers(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    tsm_value v;
    tsm_list *l;
    tsm_tuple *t;
    tsm_dict *d, *full;
    tsm_object *o;
    tsm_future *f;
    tsm_text text = {0};
    assert_int_equal(tsm_make_dict(&x, 1, &full), TSM_OK);
    assert_int_equal(tsm_dict_put(&x, full, tsm_int(1), tsm_int(1)), TSM_OK);
    for (size_t bytes = BUFFER_BYTES; bytes; bytes /= 2)
        while (tsm_heap_alloc(&x.heap, bytes))
            continue;
    assert_int_equal(tsm_make_complex(&x, 1, 2, &v), TSM_OUT_OF_MEMORY);
    assert_non_null(strstr(message, "more bytes are needed"));
    assert_int_equal(tsm_make_str(&x, "text", 4, &v), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_make_str_in_place(&x, "text", 4, &v), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_make_list(&x, 0, &l), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_make_tuple(&x, 1, 0, &t), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_make_dict(&x, 0, &d), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_make_object(&x, 1, 1, &o), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_make_enum(&x, 1, 1, "A", tsm_int(1), &v), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_make_future(&x, &f), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_dict_put(&x, full, tsm_int(2), tsm_int(1)), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_text_add(&x, &text, "text", 4), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_text_add_value(&x, &text, tsm_int(1)), TSM_OUT_OF_MEMORY);
    assert_null(tsm_scratch(&x, 100));
    assert_int_equal(full->length, 1);
}

/* Names that go on behind one that is known, and those that end before it. */
static void test_names_of_devices(void **state) {
    (void)state;
    static const char *const texts[] = {"cp", "cpux", "cpucuda", "cpu:1x", "xcpu"};
    tsm_exec x;
    tsm_value v;
    start(&x);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(tsm_device_read(&x, texts[i], strlen(texts[i]), &v), TSM_RAISED);
    assert_int_equal(tsm_device_read(&x, "cpu", 3, &v), TSM_OK);
    assert_int_equal(v.tag, TSM_TAG_DEVICE);
}

static void test_futures_as_text(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    for (int is_rref = 0; is_rref < 2; is_rref++) {
        tsm_future *f;
        assert_int_equal(tsm_make_future(&x, &f), TSM_OK);
        f->is_rref = is_rref;
        check_text(&x, tsm_of(TSM_TAG_FUTURE, f), is_rref ? "RRef" : "Future");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_devices),
        cmocka_unit_test(test_futures_as_text),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_tensors_as_text),
        cmocka_unit_test(test_texts_in_small_buffers),
        cmocka_unit_test(test_texts_and_fuel),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_equality),
        cmocka_unit_test(test_keys_of_every_kind),
        cmocka_unit_test(test_zeros_as_keys),
        cmocka_unit_test(test_equal_hashes),
        cmocka_unit_test(test_dicts_that_change),
        cmocka_unit_test(test_absurd_sizes),
        cmocka_unit_test(test_missing_bytes),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_half_precision),
        cmocka_unit_test(test_full_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
