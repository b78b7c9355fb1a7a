/* The C interface, with the program of make_program.py: what it refuses, what it says about values, which values are of
 * which types, and what remains after every failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "schema/generated/tsmobile_reader.h"
#include "tests/memory/read_file.h"
#include "tsmobile.h"

enum { LARGE = 1 << 20, MESSAGE = 4096 };

static tsm_program program, with_state, with_zero_point;
static _Alignas(64) uint8_t buffer[LARGE];
static char message[MESSAGE];

static tsm_instance *start(void) {
    tsm_options options = {.message = message, .message_bytes = sizeof message};
    tsm_instance *inst;
    assert_int_equal(tsm_instance_init(&inst, &program, &options, buffer, sizeof buffer), TSM_OK);
    return inst;
}

/* ---- The program's values ---- */

static const char *const names[] = {
    "none",          "yes",        "five",          "half",        "complex",     "word",
    "empty_word",    "cpu",        "tensor",        "changing",    "per_tensor",  "per_channel",
    "view",          "ints",       "same_ints",     "floats",      "longs",       "untyped_ints",
    "untyped_words", "table",      "untyped_table", "wrong_keys",  "wrong_items", "pair",
    "short",         "wrong_pair", "named",         "other_named", "object",      "bare",
    "member",        "second",     "other_member",  "generator",   "many",        "trained",
};
enum { VALUES = sizeof names / sizeof names[0] };

static size_t number_of(const char *name) {
    for (size_t i = 0; i < VALUES; i++)
        if (!strcmp(names[i], name))
            return i;
    fail_msg("there is no value %s", name);
    return 0;
}

/* A tuple of all values; the caller releases it. */
static tsm_value all_values(tsm_instance *inst) {
    int method;
    tsm_value all, expected;
    bool has_expected;
    assert_int_equal(tsm_bundle_get(inst, 0, &method, &all, &expected, &has_expected), TSM_OK);
    assert_true(has_expected && expected.as.i == 5 && method == 0);
    assert_int_equal(tsm_sequence_size(all), VALUES);
    return all;
}

static tsm_value value_of(tsm_value all, const char *name) {
    return tsm_sequence_get(all, number_of(name));
}

static int method_of(const char *name) {
    int method = tsm_method(&program, name);
    if (method < 0)
        fail_msg("there is no method %s", name);
    return method;
}

static tsm_status call(tsm_instance *inst, const char *method, tsm_value argument, tsm_value *result) {
    return tsm_call(inst, method_of(method), &argument, 1, result);
}

/* Which values each type takes; all others are refused. */
static const struct {
    const char *type, *values;
} takes[] = {
    {"Any", "*"},
    {"Int", "five"},
    {"Float", "half five"},
    {"Number", "yes five half complex"},
    {"Tensor", "none generator tensor changing per_tensor per_channel view trained"},
    {"Ints", "ints same_ints untyped_ints"},
    {"Longs", "longs untyped_ints"},
    {"Floats", "floats"},
    {"Table", "table untyped_table"},
    {"Tuple", "pair named other_named"},
    {"Named", "pair named"},
    {"OtherNamed", "pair other_named"},
    {"Optional", "none generator five"},
    {"Union", "five ints same_ints untyped_ints"},
    {"Class", "object"},
    {"NoMethods", "bare"},
    {"Interface", "object"},
    {"Enum", "member second"},
    {"OtherEnum", "other_member"},
    {"Function", ""},
};

static bool has_word(const char *words, const char *word) {
    const size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return !strcmp(words, "*");
}

static void test_types_of_arguments(void **state) {
    (void)state;
    tsm_instance *inst = start();
    tsm_value all = all_values(inst), result;
    for (size_t t = 0; t < sizeof takes / sizeof takes[0]; t++)
        for (size_t i = 0; i < VALUES; i++) {
            const tsm_value v = tsm_sequence_get(all, i);
            const tsm_status status = call(inst, takes[t].type, v, &result);
            if (has_word(takes[t].values, names[i])) {
                if (status != TSM_OK)
                    fail_msg("%s as %s: %s", names[i], takes[t].type, tsm_error(inst));
                const bool becomes_float = !strcmp(takes[t].type, "Float") && v.tag == TSM_TAG_INT;
                assert_int_equal(result.tag, becomes_float ? TSM_TAG_FLOAT : v.tag);
            } else {
                if (status != TSM_BAD_ARGUMENT || !strstr(tsm_error(inst), "Expected a value of type"))
                    fail_msg("%s as %s: %s", names[i], takes[t].type, tsm_status_text(status));
                assert_int_equal(result.tag, TSM_TAG_NONE);
            }
            tsm_release(inst, result);
        }
    tsm_release(inst, all);
}

/* What wraps memory is shared while a result, a view or a container holds it. */
static void test_shared_values(void **state) {
    (void)state;
    tsm_instance *inst = start();
    float elements[4] = {0};
    const tsm_dim sizes[] = {4};
    tsm_value wrapped, given, list;
    assert_false(tsm_is_shared(tsm_int(5)));
    assert_int_equal(tsm_tensor_wrap(inst, &wrapped, TSM_FLOAT32, 1, sizes, NULL, elements), TSM_OK);
    assert_false(tsm_is_shared(wrapped));
    assert_int_equal(call(inst, "Tensor", wrapped, &given), TSM_OK);
    assert_true(tsm_is_shared(wrapped));
    tsm_release(inst, given);
    assert_false(tsm_is_shared(wrapped));
    assert_int_equal(tsm_list_new(inst, &list, &wrapped, 1), TSM_OK);
    assert_true(tsm_is_shared(wrapped) && !tsm_is_shared(list));
    tsm_release(inst, list);
    assert_false(tsm_is_shared(wrapped));
    tsm_tensor_view view;
    tsm_value all = all_values(inst), part = value_of(all, "view");
    assert_true(tsm_tensor_get(part, &view) && tsm_is_shared(part));
    tsm_release(inst, all);
    tsm_release(inst, wrapped);
}

static void test_calls_that_are_refused(void **state) {
    (void)state;
    tsm_instance *inst = start();
    const tsm_value two[] = {tsm_int(1), tsm_int(2)};
    tsm_value result;
    assert_int_equal(tsm_call(inst, -1, NULL, 0, &result), TSM_BAD_ARGUMENT);
    assert_string_equal(tsm_error(inst), "there is no such method");
    assert_int_equal(tsm_call(inst, (int)tsm_method_count(&program), NULL, 0, &result), TSM_BAD_ARGUMENT);
    assert_int_equal(tsm_call(inst, method_of("Any"), two, 2, &result), TSM_BAD_ARGUMENT);
    assert_non_null(strstr(tsm_error(inst), "expected at most 1 argument(s) but received 2"));
    assert_int_equal(tsm_call(inst, method_of("Any"), NULL, 0, &result), TSM_BAD_ARGUMENT);
    assert_non_null(strstr(tsm_error(inst), "is missing value for argument 'x'"));
    assert_int_equal(tsm_call(inst, method_of("Int"), NULL, 0, &result), TSM_OK);
    assert_int_equal(result.as.i, 5);
    assert_int_equal(tsm_call(inst, method_of("of_object"), NULL, 0, &result), TSM_OK);
    assert_string_equal(tsm_class_name(inst, result), "__torch__.C");
    tsm_release(inst, result);
}

/* None where a tensor is wanted is a gradient that is not there; anything else that an operator does not take is the
 * file's fault. */
static void test_inputs_of_operators(void **state) {
    (void)state;
    tsm_instance *inst = start();
    tsm_value result, text;
    assert_int_equal(tsm_str_new(inst, &text, "text", 4), TSM_OK);
    assert_int_equal(call(inst, "sum", tsm_none(), &result), TSM_RAISED);
    assert_non_null(strstr(tsm_error(inst), "Expected a proper Tensor but got None for argument #0"));
    assert_int_equal(call(inst, "sum", text, &result), TSM_BAD_FILE);
    assert_string_equal(tsm_error(inst), "input 0 of aten::add.Tensor is of another type than the operator takes");
    assert_int_equal(call(inst, "scaled_sum", tsm_none(), &result), TSM_BAD_FILE);
    assert_string_equal(tsm_error(inst), "input 2 of aten::add.Tensor is of another type than the operator takes");
    assert_int_equal(call(inst, "scaled_sum", tsm_float(0.5), &result), TSM_OK);
    tsm_release(inst, result);
    tsm_release(inst, text);
}

static void test_questions_about_programs(void **state) {
    (void)state;
    tsm_instance *inst = start();
    int method;
    tsm_value all, expected;
    bool has_expected;
    assert_int_equal(tsm_version(), TSM_VERSION_NUMBER);
    assert_string_equal(tsm_method_name(&program, 0), "Any");
    assert_string_equal(tsm_method_schema(&program, 0), "Any(x)");
    assert_int_equal(tsm_method_arguments(&program, 0), 1);
    assert_int_equal(tsm_method_arguments(&program, (size_t)method_of("of_object")), 0);
    assert_int_equal(tsm_method(&program, "none such"), -1);
    assert_int_equal(tsm_method_bytes(&program, 0), 0);
    assert_int_equal(tsm_method_bytes(&program, 1), 1000);
    assert_int_equal(tsm_bundle_count(&program), 2);
    assert_int_equal(tsm_bundle_get(inst, 1, &method, &all, &expected, &has_expected), TSM_OK);
    assert_true(method == 1 && !has_expected && expected.tag == TSM_TAG_NONE);
    tsm_release(inst, all);
    assert_int_equal(tsm_bundle_get(inst, 2, &method, &all, &expected, &has_expected), TSM_BAD_ARGUMENT);
    assert_string_equal(tsm_error(inst), "there is no test case 2");
    assert_string_equal(tsm_status_text(TSM_OK), "no error");
    assert_string_equal(tsm_status_text((tsm_status)99), "unknown status");
    assert_int_equal(tsm_program_check_sums(&program, NULL, 0), TSM_UNSUPPORTED);
    assert_int_equal(tsm_program_check_sums(&program, message, sizeof message), TSM_UNSUPPORTED);
    assert_non_null(strstr(message, "no checksums"));
}

/* A list that holds a value so many times, which it takes over. */
static tsm_value list_of(tsm_instance *inst, tsm_value v, size_t n) {
    tsm_value items[2] = {v, v}, list;
    assert_int_equal(tsm_list_new(inst, &list, items, n), TSM_OK);
    tsm_release(inst, v);
    return list;
}

enum { LEVELS = 31 };

/* Whether a list is of a type takes steps as it has parts; where lists share these there are 2^31 ways to the
 * innermost.
 */
static void test_arguments_with_shared_parts(void **state) {
    (void)state;
    for (uint64_t fuel = 0; fuel < 2000000; fuel += 1000000)
        for (size_t twice = 1; twice < 3; twice++) {
            tsm_options options = {.message = message, .message_bytes = sizeof message, .fuel = fuel};
            tsm_instance *inst;
            assert_int_equal(tsm_instance_init(&inst, &program, &options, buffer, sizeof buffer), TSM_OK);
            tsm_value v, result, many[10000];
            for (size_t i = 0; i < sizeof many / sizeof many[0]; i++)
                many[i] = tsm_int((int64_t)i);
            assert_int_equal(tsm_list_new(inst, &v, many, sizeof many / sizeof many[0]), TSM_OK);
            for (int i = 1; i < LEVELS; i++)
                v = list_of(inst, v, twice);
            const tsm_status status = call(inst, "Deep", v, &result);
            assert_int_equal(status, twice == 1 ? TSM_OK : fuel ? TSM_OUT_OF_FUEL : TSM_BAD_ARGUMENT);
            if (status == TSM_BAD_ARGUMENT)
                assert_string_equal(tsm_error(inst), "an argument has more parts than the buffer has bytes");
            tsm_release(inst, result);
            assert_int_equal(call(inst, "Int", tsm_int(1), &result), TSM_OK);
            tsm_release(inst, v);
        }
}

static void test_fuel_of_arguments(void **state) {
    (void)state;
    for (uint64_t fuel = 8; fuel < 12; fuel++) {
        tsm_options options = {.fuel = fuel};
        tsm_instance *inst;
        assert_int_equal(tsm_instance_init(&inst, &program, &options, buffer, sizeof buffer), TSM_OK);
        tsm_value all = all_values(inst), result;
        /* One for the list, and the 9 bytes of "List[int]", which two types are called. */
        assert_int_equal(call(inst, "Ints", value_of(all, "same_ints"), &result), fuel < 10 ? TSM_OUT_OF_FUEL : TSM_OK);
        tsm_release(inst, result);
        tsm_release(inst, all);
    }
}

/* ---- Values ---- */

static void test_questions_about_values(void **state) {
    (void)state;
    tsm_instance *inst = start();
    tsm_value all = all_values(inst), item, key;
    const tsm_value five = value_of(all, "five"), object = value_of(all, "object"), member = value_of(all, "member");
    tsm_tensor_view view;
    double re, im;
    size_t n;
    assert_false(tsm_tensor_get(five, &view));
    assert_true(tsm_tensor_get(value_of(all, "tensor"), &view));
    assert_true(view.quantizer_axis == -2 && !view.scales && !view.zero_points && view.quantizer_channels == 0);
    assert_true(tsm_tensor_get(value_of(all, "per_channel"), &view));
    assert_true(view.quantizer_axis == 1 && view.scales[1] == 0.25 && view.zero_points[1] == 1);
    assert_false(tsm_complex_get(five, &re, &im));
    assert_true(tsm_complex_get(value_of(all, "complex"), &re, &im));
    assert_true(re == 1 && im == -2);
    assert_null(tsm_str_get(five, &n));
    assert_memory_equal(tsm_str_get(value_of(all, "word"), &n), "word", 4);
    assert_int_equal(n, 4);
    assert_non_null(tsm_str_get(value_of(all, "empty_word"), &n));
    assert_int_equal(n, 0);
    assert_int_equal(tsm_sequence_size(five), 0);
    assert_int_equal(tsm_sequence_get(five, 0).tag, TSM_TAG_NONE);
    assert_int_equal(tsm_sequence_get(value_of(all, "ints"), 1).as.i, 5);
    assert_int_equal(tsm_dict_size(five), 0);
    tsm_dict_get(five, 0, &key, &item);
    assert_int_equal(key.tag, TSM_TAG_NONE);
    tsm_dict_get(value_of(all, "many"), 1, &key, &item);
    assert_true(key.tag == TSM_TAG_STR && item.as.f == 0.5);
    tsm_dict_get(value_of(all, "many"), 3, &key, &item);
    assert_int_equal(key.tag, TSM_TAG_NONE);
    assert_string_equal(tsm_class_name(inst, five), "");
    assert_string_equal(tsm_class_name(inst, object), "__torch__.C");
    assert_string_equal(tsm_class_name(inst, value_of(all, "bare")), "");
    assert_string_equal(tsm_class_name(inst, member), "__torch__.E");
    assert_int_equal(tsm_object_size(five), 0);
    assert_int_equal(tsm_object_size(object), 2);
    assert_string_equal(tsm_object_attribute(inst, object, 0, &item), "a");
    assert_int_equal(item.as.i, 5);
    assert_string_equal(tsm_object_attribute(inst, object, 2, &item), "");
    assert_int_equal(item.tag, TSM_TAG_NONE);
    assert_string_equal(tsm_enum_get(inst, member, &item), "A");
    assert_int_equal(item.as.i, 5);
    assert_string_equal(tsm_enum_get(inst, five, &item), "");
    assert_int_equal(tsm_dtype_size(TSM_FLOAT64), 8);
    assert_int_equal(tsm_dtype_size(TSM_DTYPE_COUNT), 1);
    assert_string_equal(tsm_dtype_name(TSM_FLOAT64), "float64");
    assert_string_equal(tsm_dtype_name(TSM_DTYPE_COUNT), "?");
    tsm_release(inst, all);
}

static void find_enum(tsm_instance *inst, const char *class_name, const char *member, const char *found) {
    tsm_value v = tsm_none(), item;
    const tsm_status status = tsm_enum_find(inst, &v, class_name, member);
    assert_int_equal(status, found ? TSM_OK : TSM_BAD_ARGUMENT);
    if (found)
        assert_string_equal(tsm_class_name(inst, v), found);
    else
        assert_non_null(strstr(tsm_error(inst), "there is no enum member"));
    if (found)
        assert_string_equal(tsm_enum_get(inst, v, &item), member);
    tsm_release(inst, v);
}

static void test_enums_by_name(void **state) {
    (void)state;
    tsm_instance *inst = start();
    find_enum(inst, "__torch__.E", "A", "__torch__.E");
    find_enum(inst, "E", "B", "__torch__.E");
    find_enum(inst, "TheE", "A", "__torch__.TheE");
    find_enum(inst, "heE", "A", NULL);
    find_enum(inst, "E", "C", NULL);
    find_enum(inst, "x.__torch__.TheE", "A", NULL);
}

static void refuse_tensor(tsm_instance *inst, int dtype, int dims, const tsm_dim *sizes, const char *text) {
    tsm_value v;
    float element;
    assert_int_equal(tsm_tensor_new(inst, &v, (tsm_dtype)dtype, dims, sizes), TSM_BAD_ARGUMENT);
    assert_non_null(strstr(tsm_error(inst), text));
    assert_int_equal(tsm_tensor_wrap(inst, &v, (tsm_dtype)dtype, dims, sizes, NULL, &element), TSM_BAD_ARGUMENT);
}

static void test_tensors_that_are_refused(void **state) {
    (void)state;
    tsm_instance *inst = start();
    const tsm_dim sizes[] = {2, 2, 1, 1, 1, 1, 1, 1, 1}, negative[] = {2, -1}, huge[] = {PTRDIFF_MAX / 2, 3};
    const tsm_dim none_of_many[] = {0, PTRDIFF_MAX / 8}, far[] = {PTRDIFF_MAX / 2, 1};
    tsm_value v, list;
    float element = 0;
    refuse_tensor(inst, -1, 2, sizes, "unknown type");
    refuse_tensor(inst, TSM_DTYPE_COUNT, 2, sizes, "unknown type");
    refuse_tensor(inst, TSM_FLOAT32, -1, sizes, "more than 8 dimensions");
    refuse_tensor(inst, TSM_FLOAT32, 9, sizes, "more than 8 dimensions");
    refuse_tensor(inst, TSM_FLOAT32, 2, negative, "negative size or is larger");
    refuse_tensor(inst, TSM_FLOAT32, 2, huge, "negative size or is larger");
    assert_int_equal(tsm_tensor_new(inst, &v, TSM_FLOAT32, 2, none_of_many), TSM_OK);
    tsm_release(inst, v);
    assert_int_equal(tsm_tensor_wrap(inst, &v, TSM_FLOAT32, 2, sizes, far, &element), TSM_BAD_ARGUMENT);
    assert_non_null(strstr(tsm_error(inst), "larger than the address space"));
    const double scale = 1;
    const int64_t zero_point = 0;
    assert_int_equal(tsm_list_new(inst, &list, NULL, 0), TSM_OK);
    assert_int_equal(tsm_tensor_set_quantizer(inst, list, -1, 1, &scale, &zero_point), TSM_BAD_ARGUMENT);
    assert_string_equal(tsm_error(inst), "the value is not a tensor");
    const double points[] = {0.5, -3};
    assert_int_equal(tsm_tensor_set_float_quantizer(inst, list, 0, 1, &scale, points), TSM_BAD_ARGUMENT);
    assert_int_equal(tsm_tensor_new(inst, &v, TSM_QINT8, 2, sizes), TSM_OK);
    for (int axis = -1; axis < 140; axis++) {
        const double scales[] = {1, 2};
        tsm_tensor_view view;
        const tsm_status status = axis < 2 && axis >= 0 ? TSM_OK : TSM_BAD_ARGUMENT;
        assert_int_equal(tsm_tensor_set_float_quantizer(inst, v, axis, 2, scales, points), status);
        if (axis > 0)
            assert_int_equal(tsm_tensor_set_quantizer(inst, v, axis, 2, scales, (int64_t[]){1, 2}), status);
        assert_true(tsm_tensor_get(v, &view));
        assert_true(axis ? axis < 0 || (view.zero_points[1] == 2 && !view.float_zero_points)
                         : view.float_zero_points[1] == -3 && !view.zero_points);
    }
    tsm_release(inst, v);
    assert_int_equal(tsm_dict_set(inst, list, tsm_int(1), tsm_int(1)), TSM_BAD_ARGUMENT);
    assert_string_equal(tsm_error(inst), "the value is not a dict");
    tsm_release(inst, list);
}

/* ---- Memory ---- */

/* Fills the buffer with a list of texts, the smallest ones last. */
static tsm_value fill(tsm_instance *inst) {
    tsm_value all, text;
    assert_int_equal(tsm_list_new(inst, &all, NULL, 0), TSM_OK);
    for (size_t bytes = LARGE; bytes; bytes /= 2)
        while (tsm_str_new(inst, &text, NULL, bytes) == TSM_OK)
            tsm_retain(text); /* lost: the buffer is not used again */
    while (tsm_complex_new(inst, &text, 0, 0) == TSM_OK)
        tsm_retain(text);
    return all;
}

#define NO_ROOM(call)                                                                                                  \
    do {                                                                                                               \
        assert_int_equal(call, TSM_OUT_OF_MEMORY);                                                                     \
        assert_non_null(strstr(tsm_error(inst), "buffer"));                                                            \
    } while (0)

static void test_full_buffers(void **state) {
    (void)state;
    tsm_instance *inst = start();
    const tsm_dim sizes[] = {2, 2};
    tsm_value v, dict, tensor, two[] = {tsm_int(1), tsm_int(2)}, result;
    const double scale = 1;
    const int64_t zero_point = 0;
    float elements[4] = {0};
    assert_int_equal(tsm_dict_new(inst, &dict), TSM_OK);
    assert_int_equal(tsm_tensor_new(inst, &tensor, TSM_QINT8, 2, sizes), TSM_OK);
    fill(inst);
    NO_ROOM(tsm_complex_new(inst, &v, 1, 2));
    NO_ROOM(tsm_str_new(inst, &v, "text", 4));
    NO_ROOM(tsm_tensor_new(inst, &v, TSM_FLOAT32, 2, sizes));
    NO_ROOM(tsm_tensor_wrap(inst, &v, TSM_FLOAT32, 2, sizes, NULL, elements));
    NO_ROOM(tsm_tensor_set_quantizer(inst, tensor, -1, 1, &scale, &zero_point));
    NO_ROOM(tsm_list_new(inst, &v, two, 2));
    NO_ROOM(tsm_tuple_new(inst, &v, two, 2));
    NO_ROOM(tsm_dict_new(inst, &v));
    NO_ROOM(tsm_dict_set(inst, dict, two[0], two[1]));
    NO_ROOM(tsm_enum_find(inst, &v, "E", "A"));
    assert_int_equal(tsm_call(inst, method_of("Any"), two, 1, &result), TSM_OK);
    assert_int_equal(result.as.i, 1);
}

/* An instance in `bytes` of the buffer; NULL when they are too few, which the message then says. */
static tsm_instance *start_in(size_t bytes, bool profile) {
    tsm_options options = {.message = message, .message_bytes = sizeof message, .profile = profile};
    tsm_instance *inst;
    message[0] = 0;
    const tsm_status status = tsm_instance_init(&inst, &program, &options, buffer, bytes);
    if (status == TSM_OK)
        return inst;
    assert_int_equal(status, TSM_OUT_OF_MEMORY);
    assert_null(inst);
    assert_non_null(strstr(message, "the buffer is too small"));
    return NULL;
}

static size_t least_bytes(void) {
    size_t bytes = 64;
    while (!start_in(bytes, false))
        bytes += 16;
    return bytes;
}

/* tsm_instance_bytes is enough, for large attributes too; without them nothing is. */
static void test_bytes_of_attributes(void **state) {
    (void)state;
    const size_t enough = tsm_instance_bytes(&with_state);
    uint8_t *room = aligned_alloc(64, (enough + 127) / 64 * 64);
    tsm_options options = {.message = message, .message_bytes = sizeof message};
    tsm_instance *inst;
    assert_int_equal(tsm_instance_init(&inst, &with_state, &options, room, enough), TSM_OK);
    assert_in_range(tsm_instance_usage(inst).fixed_bytes, 1 << 20, enough);
    for (size_t less = 16; less < 65536; less *= 2) {
        const tsm_status status = tsm_instance_init(&inst, &with_state, &options, room, enough - less);
        assert_true(status == TSM_OK || (status == TSM_OUT_OF_MEMORY && strstr(message, "too small")));
    }
    assert_int_equal(tsm_instance_init(&inst, &with_state, &options, room, 1 << 20), TSM_OUT_OF_MEMORY);
    /* A profile comes on top. */
    options.profile = true;
    assert_int_equal(tsm_instance_init(&inst, &with_state, &options, room, enough), TSM_OUT_OF_MEMORY);
    assert_non_null(strstr(message, "too small"));
    free(room);
}

static void test_attributes_that_are_refused(void **state) {
    (void)state;
    tsm_options options = {.message = message, .message_bytes = sizeof message};
    tsm_instance *inst;
    assert_int_equal(tsm_instance_init(&inst, &with_zero_point, &options, buffer, sizeof buffer), TSM_BAD_ARGUMENT);
    assert_null(inst);
    assert_non_null(strstr(message, "zero"));
}

static void test_growing_buffers(void **state) {
    (void)state;
    static const char *const methods[] = {"fork",   "fork_fails", "raise_in_with", "slice",       "list",
                                          "append", "dict",       "put",           "missing_key", "sum",
                                          "warn",   "object_of",  "named_tuple",   "print",       "planned"};
    const size_t least = least_bytes();
    assert_in_range(least, 1000, tsm_instance_bytes(&program));
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        size_t failed = 0;
        const bool raises = !strcmp(methods[m], "raise_in_with") || !strcmp(methods[m], "missing_key");
        const bool of_tensor = !strcmp(methods[m], "sum") || !strcmp(methods[m], "planned");
        const char *argument = of_tensor ? "tensor" : !strcmp(methods[m], "missing_key") ? "many" : "word";
        for (size_t bytes = least;; bytes += 16, failed++) {
            tsm_instance *inst = start_in(bytes, false);
            tsm_value all = all_values(inst), result;
            const size_t used = tsm_instance_usage(inst).used_bytes;
            const tsm_status status = call(inst, methods[m], value_of(all, argument), &result);
            assert_true(status == TSM_OUT_OF_MEMORY || status == (raises ? TSM_RAISED : TSM_OK));
            assert_true(status == TSM_OK || tsm_error(inst)[0]);
            tsm_release(inst, result);
            assert_int_equal(tsm_instance_usage(inst).used_bytes, used);
            if (status != TSM_OUT_OF_MEMORY)
                break;
        }
        if (!failed && strcmp(methods[m], "warn"))
            fail_msg("%s needs no memory", methods[m]);
    }
}

/* ---- Options ---- */

static void test_options(void **state) {
    (void)state;
    tsm_instance *inst;
    tsm_options options = {.message = message, .message_bytes = 0};
    tsm_value result;
    assert_int_equal(tsm_instance_init(&inst, &program, NULL, buffer, 100), TSM_OUT_OF_MEMORY);
    assert_int_equal(tsm_instance_init(&inst, &program, &options, buffer, 100), TSM_OUT_OF_MEMORY);
    options.message = NULL;
    options.message_bytes = 100;
    assert_int_equal(tsm_instance_init(&inst, &program, &options, buffer, 100), TSM_OUT_OF_MEMORY);
    for (int i = 0; i < 3; i++) {
        options.message = i == 1 ? message : NULL;
        options.message_bytes = i == 1 ? 0 : 100;
        assert_int_equal(tsm_instance_init(&inst, &program, i == 2 ? NULL : &options, buffer, sizeof buffer), TSM_OK);
        assert_int_equal(tsm_call(inst, -1, NULL, 0, &result), TSM_BAD_ARGUMENT);
        assert_string_equal(tsm_error(inst), "there is no such method");
    }
    /* A message that has no room for its prefix stays what the program said. */
    options.message = message;
    options.message_bytes = 5;
    assert_int_equal(tsm_instance_init(&inst, &program, &options, buffer, sizeof buffer), TSM_OK);
    assert_int_equal(call(inst, "trace", tsm_none(), &result), TSM_RAISED);
    assert_string_equal(tsm_error(inst), "word");
    options.message_bytes = 30;
    assert_int_equal(tsm_instance_init(&inst, &program, &options, buffer, sizeof buffer), TSM_OK);
    assert_int_equal(call(inst, "trace", tsm_none(), &result), TSM_RAISED);
    assert_string_equal(tsm_error(inst), "The followiRuntimeError: word");
}

typedef struct {
    int prints, warnings, traces, observations;
    uint64_t clock;
    tsm_operator_call last;
} witness;

static void count_print(void *context, const char *text, size_t n) {
    assert_true(n == strlen("word word\n") && !memcmp(text, "word word\n", n));
    ((witness *)context)->prints++;
}

static void count_warning(void *context, const char *text, size_t n) {
    assert_true(n == 4 && !memcmp(text, "word", n));
    ((witness *)context)->warnings++;
}

static uint64_t tick(void *context) {
    return ((witness *)context)->clock += 10;
}

static void count_trace(void *context, const char *name, uint64_t begin, uint64_t end) {
    assert_true(end == begin || end == begin + 10);
    assert_string_equal(name, "aten::add.Tensor");
    ((witness *)context)->traces++;
}

static void count_observation(void *context, tsm_instance *inst, const tsm_operator_call *made) {
    (void)inst;
    assert_true(made->output_count == 1 && made->outputs[0].tag == TSM_TAG_TENSOR);
    ((witness *)context)->last = *made;
    ((witness *)context)->observations++;
}

static void test_platforms(void **state) {
    (void)state;
    for (int full = 0; full < 2; full++) {
        witness seen = {0};
        tsm_options options = {.profile = true};
        options.platform.context = &seen;
        if (full) {
            options.platform = (tsm_platform){.context = &seen,
                                              .print = count_print,
                                              .warn = count_warning,
                                              .nanoseconds = tick,
                                              .trace = count_trace,
                                              .observe = count_observation};
        }
        tsm_instance *inst;
        assert_int_equal(tsm_instance_init(&inst, &program, &options, buffer, sizeof buffer), TSM_OK);
        tsm_value all = all_values(inst), result;
        const tsm_value word = value_of(all, "word"), tensor = value_of(all, "tensor");
        assert_int_equal(call(inst, "print", word, &result), TSM_OK);
        tsm_release(inst, result);
        assert_int_equal(call(inst, "warn", word, &result), TSM_OK);
        tsm_release(inst, result);
        assert_int_equal(call(inst, "trace_of_operator", tensor, &result), TSM_OK);
        tsm_release(inst, result);
        assert_true(seen.prints == full && seen.warnings == full && seen.traces == full && seen.observations == full);
        tsm_profile_row row;
        assert_true(tsm_profile_get(inst, 0, &row));
        assert_string_equal(row.name, "aten::add.Tensor");
        assert_true(row.calls == 1 && row.nanoseconds == (full ? 10 : 0) && row.bytes >= 512);
        assert_false(tsm_profile_get(inst, 2, &row));
        tsm_place place;
        if (full) {
            assert_true(tsm_place_get(&program, &seen.last, 0, &place));
            assert_string_equal(place.file, "f.py");
            assert_int_equal(place.line, 9);
            assert_true(tsm_place_get(&program, &seen.last, 1, &place));
            assert_int_equal(place.line, 7);
            assert_false(tsm_place_get(&program, &seen.last, 2, &place));
            assert_int_equal(call(inst, "trace_of_nothing", tensor, &result), TSM_OK);
            tsm_release(inst, result);
            assert_false(tsm_place_get(&program, &seen.last, 0, &place));
        }
        tsm_release(inst, all);
    }
    tsm_profile_row row;
    assert_false(tsm_profile_get(start(), 0, &row));
}

/* ---- Tracebacks ---- */

static void test_tracebacks(void **state) {
    (void)state;
    static const char head[] = "The following operation failed in the TorchScript interpreter.\n"
                               "Traceback of TorchScript (most recent call last):\n",
                      end[] = "RuntimeError: word",
                      first[] = "  File \"f.py\", line 7, in place\nfirst\n~~~~~ <--- HERE\nsecond\nthird line\n",
                      third[] = "  File \"f.py\", line 9, in place\nfirst\nsecond\nthird line\n",
                      rest[] = "fourth\nlast\n";
    static const struct {
        const char *method, *parts[3];
    } cases[] = {
        {"trace", {first, third, "~~~~~ <--- HERE\n"}},
        {"trace_empty_range", {third, "~ <--- HERE\n", rest}},
        {"trace_no_file", {"", "", ""}},
        {"trace_behind", {"", "", ""}},
        {"trace_no_call", {"", "", ""}},
    };
    tsm_instance *inst = start();
    tsm_value result;
    char expected[MESSAGE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool is_trace = i == 0;
        snprintf(expected, sizeof expected, "%s%s%s%s%s%s", head, cases[i].parts[0], cases[i].parts[1],
                 cases[i].parts[2], is_trace ? rest : "", end);
        assert_int_equal(call(inst, cases[i].method, tsm_none(), &result), TSM_RAISED);
        assert_string_equal(tsm_error(inst), expected);
    }
    /* Of 40 calls, one inside the other, the 32 innermost are shown. */
    assert_int_equal(call(inst, "trace_deep", tsm_none(), &result), TSM_RAISED);
    size_t shown = 0;
    for (const char *at = tsm_error(inst); (at = strstr(at, "  File ")); at++)
        shown++;
    assert_int_equal(shown, 32);
}

/* ---- Plans ---- */

static tsm_value planned(tsm_instance *inst, const char *method, tsm_value argument) {
    tsm_value result;
    if (call(inst, method, argument, &result) != TSM_OK)
        fail_msg("%s: %s", method, tsm_error(inst));
    return result;
}

static void test_plans(void **state) {
    (void)state;
    static const char *const methods[] = {"planned",         "planned_larger", "planned_overlapping",
                                          "planned_outside", "planned_early",  "planned_twice"};
    tsm_instance *inst = start();
    tsm_value all = all_values(inst), held = tsm_none();
    const tsm_value tensor = value_of(all, "tensor");
    const size_t used = tsm_instance_usage(inst).used_bytes;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
            /* One call's result is held in its plan's memory while another begins. */
            held = planned(inst, methods[i], tensor);
            tsm_value other = planned(inst, methods[k], tensor);
            tsm_tensor_view a, b;
            assert_true(tsm_tensor_get(held, &a) && tsm_tensor_get(other, &b) && a.data != b.data);
            memset(a.data, 0, 512);
            memset(b.data, 1, 512);
            assert_int_equal(((const uint8_t *)a.data)[511], 0);
            tsm_release(inst, held);
            tsm_release(inst, other);
            assert_int_equal(tsm_instance_usage(inst).used_bytes, used);
        }
    assert_int_equal(planned(inst, "planned_bool", tsm_bool(true)).as.b, true);
    assert_int_equal(planned(inst, "planned_bool", tsm_bool(false)).as.b, false);
    assert_int_equal(planned(inst, "planned_bool", tsm_int(1)).as.b, false);
    assert_int_equal(planned(inst, "planned_nothing", tsm_int(1)).as.b, false);
    assert_int_equal(planned(inst, "planned_none", tsm_none()).as.b, true);
    assert_int_equal(planned(inst, "planned_none", tsm_int(1)).as.b, false);
    assert_int_equal(planned(inst, "planned_cut_off", tensor).as.b, false);
    assert_int_equal(planned(inst, "planned_untrained", tensor).as.b, true);
    assert_int_equal(planned(inst, "planned_untrained", value_of(all, "trained")).as.b, false);
    /* Tensors of other sizes, dtypes and dimensions take the same code without the plan. */
    static const tsm_dim shapes[][2] = {{64, 2}, {64, 3}, {64, 1}};
    static const tsm_dtype dtypes[] = {TSM_FLOAT64, TSM_FLOAT32, TSM_FLOAT32};
    for (int i = 0; i < 3; i++) {
        tsm_value v;
        assert_int_equal(tsm_tensor_new(inst, &v, dtypes[i], i == 2 ? 1 : 2, shapes[i]), TSM_OK);
        tsm_release(inst, planned(inst, "planned", v));
        tsm_release(inst, v);
    }
    tsm_release(inst, all);
}

static void test_writes(void **state) {
    (void)state;
    tsm_instance *inst = start();
    tsm_value all = all_values(inst), result;
    assert_int_equal(call(inst, "add_in_place", value_of(all, "tensor"), &result), TSM_BAD_FILE);
    assert_non_null(strstr(tsm_error(inst), "writes to a constant"));
    result = planned(inst, "add_in_place", value_of(all, "changing"));
    assert_ptr_equal(result.as.o, value_of(all, "changing").as.o);
    tsm_release(inst, result);
    tsm_release(inst, all);
    assert_int_equal(tsm_instance_reset(inst), TSM_OK);
}

/* ---- Files ---- */

/* A file at the beginning of so many bytes of address space, which are 0 and take no memory. */
static uint8_t *in_much_room(size_t room) {
    uint8_t *at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    memcpy(at, program.file, program.file_bytes);
    return at;
}

/* Makes a vector of the root table one of `n` elements at `to`, and says where these are. */
static uint8_t *move_vector(uint8_t *file, unsigned slot, uint32_t to, uint32_t n) {
    uint8_t *root = (uint8_t *)(uintptr_t)tsm_flat_root(file), *reference;
    int32_t back;
    uint16_t distance;
    memcpy(&back, root, sizeof back);
    memcpy(&distance, root - back + slot, sizeof distance);
    assert_true(distance);
    reference = root + distance;
    const uint32_t far = to - (uint32_t)(reference - file);
    memcpy(reference, &far, sizeof far);
    memcpy(file + to, &n, sizeof n);
    return file + to + sizeof n;
}

/* More rows than a table may have: zeros, which are good storages, and references to one name. */
static void test_large_tables(void **state) {
    (void)state;
    enum { ROOM = 1 << 28, FAR = 1 << 20, MOST = 1 << 22 };
    static const char name[] = "aten::add.Tensor";
    const uint32_t length = sizeof name - 1;
    uint8_t *file = in_much_room(ROOM);
    tsm_program other;
    move_vector(file, TSMF_SLOT_storages, FAR + 4, MOST + 1);
    assert_int_equal(tsm_program_open(&other, file, ROOM, message, sizeof message), TSM_BAD_FILE);
    assert_string_equal(message, "the file is damaged: storage 4194304 is malformed");
    uint8_t *at = move_vector(file, TSMF_SLOT_operators, ROOM / 2, MOST + 1), *text = at + 4 * (MOST + 1);
    for (; at < text; at += 4) {
        const uint32_t distance = (uint32_t)(text - at);
        memcpy(at, &distance, sizeof distance);
    }
    memcpy(text, &length, sizeof length);
    memcpy(text + 4, name, sizeof name);
    assert_int_equal(tsm_program_open(&other, file, ROOM, message, sizeof message), TSM_BAD_FILE);
    assert_string_equal(message, "the file asks for too much memory");
    munmap(file, ROOM);
}

static void test_files(void **state) {
    (void)state;
    tsm_program other;
    assert_int_equal(tsm_program_open(&other, program.file, program.file_bytes, NULL, 100), TSM_OK);
    assert_int_equal(tsm_program_open(&other, program.file, 7, NULL, 100), TSM_BAD_FILE);
    assert_int_equal(tsm_program_open(&other, program.file + 8, program.file_bytes - 8, message, sizeof message),
                     TSM_BAD_FILE);
    assert_string_equal(message, "the file must lie at a multiple of 64 bytes in memory");
    const size_t room = SIZE_MAX > UINT32_MAX ? (size_t)UINT32_MAX + 64 : (size_t)INT32_MAX + 65;
    uint8_t *file = in_much_room(room);
    assert_int_equal(tsm_program_open(&other, file, room, message, sizeof message), TSM_OK);
    munmap(file, room);
}

static void test_buffers_too_large(void **state) {
    (void)state;
#if SIZE_MAX > UINT32_MAX && !defined(__SANITIZE_ADDRESS__) /* which has a byte for each eight of the buffer */
    const size_t room = ((size_t)1 << 36) + ((size_t)1 << 30);
    uint8_t *at = in_much_room(room);
    tsm_instance *inst;
    tsm_value result, text;
    assert_int_equal(tsm_instance_init(&inst, &program, NULL, at, room), TSM_OK);
    assert_int_equal(tsm_str_new(inst, &text, "text", 4), TSM_OK);
    result = planned(inst, "list", text);
    assert_int_equal(tsm_sequence_size(result), 30);
    tsm_release(inst, result);
    tsm_release(inst, text);
    munmap(at, room);
#endif
}

int main(int argc, char **argv) {
    tsm_program *const programs[] = {&program, &with_state, &with_zero_point};
    for (int i = 0; i < 3; i++) {
        size_t bytes;
        void *file = argc == 4 ? read_file(argv[1 + i], &bytes) : NULL;
        if (!file || tsm_program_open(programs[i], file, bytes, message, sizeof message) != TSM_OK) {
            fprintf(stderr, "test_interface: file %d: %s\n", i, message);
            return 2;
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_of_arguments),
        cmocka_unit_test(test_shared_values),
        cmocka_unit_test(test_arguments_with_shared_parts),
        cmocka_unit_test(test_fuel_of_arguments),
        cmocka_unit_test(test_bytes_of_attributes),
        cmocka_unit_test(test_attributes_that_are_refused),
        cmocka_unit_test(test_calls_that_are_refused),
        cmocka_unit_test(test_inputs_of_operators),
        cmocka_unit_test(test_questions_about_programs),
        cmocka_unit_test(test_questions_about_values),
        cmocka_unit_test(test_enums_by_name),
        cmocka_unit_test(test_tensors_that_are_refused),
        cmocka_unit_test(test_full_buffers),
        cmocka_unit_test(test_growing_buffers),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_platforms),
        cmocka_unit_test(test_tracebacks),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_large_tables),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_buffers_too_large),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 3; i++)
        free((void *)(uintptr_t)programs[i]->file);
    return failed;
}
