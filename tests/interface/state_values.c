/* The values of states in tests: made, compared, and as the bytes of records. */
#include "tests/interface/state_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/interpreter/instance.h"
#include "runtime/value/value.h"

/* ---- Calls ---- */

int method_of(tsm_instance *inst, const char *name) {
    const int method = tsm_method(inst->program, name);
    if (method < 0)
        fail_msg("there is no method %s", name);
    return method;
}

tsm_value call(tsm_instance *inst, const char *name, tsm_value argument) {
    tsm_value result;
    if (tsm_call(inst, method_of(inst, name), &argument, 1, &result) != TSM_OK)
        fail_msg("%s: %s", name, tsm_error(inst));
    return result;
}

void let(tsm_instance *inst, const char *name, tsm_value argument) {
    tsm_release(inst, call(inst, name, argument));
}

tsm_value give(tsm_instance *inst, const char *name, tsm_value argument) {
    const tsm_value result = call(inst, name, argument);
    tsm_release(inst, argument);
    return result;
}

tsm_value constant_of(tsm_instance *inst, size_t number) {
    const tsm_value all = call(inst, "constants", tsm_none()), v = tsm_sequence_get(all, number);
    tsm_retain(v);
    tsm_release(inst, all);
    return v;
}

/* ---- Values ---- */

static const tsm_dim two_by_three[] = {2, 3};

static tsm_value tensor_of(tsm_instance *inst, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                           const tsm_dim *strides) {
    static _Alignas(16) uint8_t elements[256];
    for (size_t i = 0; i < sizeof elements; i++)
        elements[i] = dtype == TSM_BOOL ? i % 3 == 0 : (uint8_t)(i + 1);
    tsm_value v;
    assert_int_equal(tsm_tensor_wrap(inst, &v, dtype, dims, sizes, strides, elements), TSM_OK);
    return v;
}

tsm_value plain(tsm_instance *inst) {
    return tensor_of(inst, TSM_FLOAT32, 2, two_by_three, NULL);
}

tsm_value scalar(tsm_instance *inst) {
    return tensor_of(inst, TSM_FLOAT32, 0, NULL, NULL);
}

static tsm_value quantized(tsm_instance *inst, int axis) {
    static const double scales[] = {0.5, 0.25, 2};
    static const int64_t zero_points[] = {3, -1, 0};
    const tsm_value v = tensor_of(inst, TSM_QINT8, 2, two_by_three, NULL);
    assert_int_equal(tsm_tensor_set_quantizer(inst, v, axis, axis < 0 ? 1 : two_by_three[axis], scales, zero_points),
                     TSM_OK);
    return v;
}

static tsm_value quantized_by_floats(tsm_instance *inst) {
    static const double scales[] = {0.5, 0.25}, zero_points[] = {0.5, -1e9};
    const tsm_value v = tensor_of(inst, TSM_QINT8, 2, two_by_three, NULL);
    assert_int_equal(tsm_tensor_set_float_quantizer(inst, v, 0, 2, scales, zero_points), TSM_OK);
    return v;
}

tsm_value list_of(tsm_instance *inst, tsm_value a, tsm_value b) {
    const tsm_value items[] = {a, b};
    tsm_value v;
    assert_int_equal(tsm_list_new(inst, &v, items, 2), TSM_OK);
    tsm_release(inst, a);
    tsm_release(inst, b);
    return v;
}

static tsm_value text_of(tsm_instance *inst, const char *text) {
    tsm_value v;
    assert_int_equal(tsm_str_new(inst, &v, text, strlen(text)), TSM_OK);
    return v;
}

static tsm_value member_of(tsm_instance *inst, const char *name) {
    tsm_value v;
    assert_int_equal(tsm_enum_find(inst, &v, "__torch__.E", name), TSM_OK);
    return v;
}

static tsm_value device_of(tsm_instance *inst, const char *name) {
    tsm_value v;
    assert_int_equal(tsm_device_parse(inst, &v, name), TSM_OK);
    return v;
}

static tsm_value complex_of(tsm_instance *inst) {
    tsm_value v;
    assert_int_equal(tsm_complex_new(inst, &v, -0.0, 2.5), TSM_OK);
    return v;
}

static tsm_value tuple_of(tsm_instance *inst, tsm_value a, tsm_value b) {
    const tsm_value items[] = {a, b};
    tsm_value v;
    assert_int_equal(tsm_tuple_new(inst, &v, items, 2), TSM_OK);
    tsm_release(inst, a);
    tsm_release(inst, b);
    return v;
}

tsm_value dict_of(tsm_instance *inst) {
    const tsm_value keys[] = {tsm_int(3),       text_of(inst, "key"),      tsm_float(0.5),      tsm_bool(true),
                              complex_of(inst), device_of(inst, "cuda:1"), member_of(inst, "B")};
    tsm_value dict, item = text_of(inst, "item");
    assert_int_equal(tsm_dict_new(inst, &dict), TSM_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_int_equal(tsm_dict_set(inst, dict, keys[i], i % 2 ? item : keys[i]), TSM_OK);
        tsm_release(inst, keys[i]);
    }
    tsm_release(inst, item);
    return dict;
}

static tsm_value make_none(tsm_instance *inst) {
    (void)inst;
    return tsm_none();
}
static tsm_value make_bool(tsm_instance *inst) {
    (void)inst;
    return tsm_bool(true);
}
static tsm_value make_int(tsm_instance *inst) {
    (void)inst;
    return tsm_int(INT64_MIN + 5);
}
static tsm_value make_float(tsm_instance *inst) {
    (void)inst;
    return tsm_float(-0.0);
}
static tsm_value make_device(tsm_instance *inst) {
    return device_of(inst, "cuda:3");
}
static tsm_value make_text(tsm_instance *inst) {
    return text_of(inst, "of nine b");
}
static tsm_value make_empty_text(tsm_instance *inst) {
    return text_of(inst, "");
}
tsm_value make_dtypes(tsm_instance *inst) {
    tsm_value all = list_of(inst, plain(inst), plain(inst));
    for (int dtype = 0; dtype < TSM_DTYPE_COUNT; dtype++)
        if (tsm_dtype_exists(dtype) && !(dtype >= TSM_QINT8 && dtype <= TSM_QINT32))
            all = list_of(inst, all, tensor_of(inst, (tsm_dtype)dtype, 2, two_by_three, NULL));
    return all;
}
static tsm_value make_strided(tsm_instance *inst) {
    static const tsm_dim strides[] = {1, 4};
    return tensor_of(inst, TSM_INT16, 2, two_by_three, strides);
}
static tsm_value make_scalar_tensor(tsm_instance *inst) {
    return tensor_of(inst, TSM_FLOAT64, 0, NULL, NULL);
}
/* The caller's memory is nowhere. */
static tsm_value make_tensor_of_nothing(tsm_instance *inst) {
    static const tsm_dim sizes[] = {3, 0};
    tsm_value v;
    assert_int_equal(tsm_tensor_wrap(inst, &v, TSM_INT32, 2, sizes, NULL, NULL), TSM_OK);
    return v;
}
static tsm_value make_empty_tensor(tsm_instance *inst) {
    static const tsm_dim sizes[] = {0, 3};
    tsm_value v;
    assert_int_equal(tsm_tensor_new(inst, &v, TSM_FLOAT32, 2, sizes), TSM_OK);
    return v;
}
tsm_value make_largest(tsm_instance *inst) {
    static const tsm_dim sizes[] = {1, 2, 1, 2, 1, 2, 1, 3};
    return tensor_of(inst, TSM_INT8, TSM_MAX_DIMS, sizes, NULL);
}
static tsm_value make_per_tensor(tsm_instance *inst) {
    return quantized(inst, -1);
}
static tsm_value make_per_channel(tsm_instance *inst) {
    return quantized(inst, 1);
}
static tsm_value make_list(tsm_instance *inst) {
    return list_of(inst, tsm_int(1), text_of(inst, "two"));
}
static tsm_value make_ints(tsm_instance *inst) {
    return call(inst, "ints_of", tsm_none());
}
static tsm_value make_tuple(tsm_instance *inst) {
    return tuple_of(inst, plain(inst), make_list(inst));
}
static tsm_value make_named(tsm_instance *inst) {
    return give(inst, "named_of", plain(inst));
}
static tsm_value make_object(tsm_instance *inst) {
    return give(inst, "home_of", make_ints(inst));
}
static tsm_value make_enum(tsm_instance *inst) {
    return member_of(inst, "B");
}
static tsm_value make_future(tsm_instance *inst) {
    return give(inst, "fork", plain(inst));
}
tsm_value make_failed_future(tsm_instance *inst) {
    return call(inst, "fork_fails", tsm_none());
}
static tsm_value make_generator(tsm_instance *inst) {
    return constant_of(inst, GENERATOR);
}
static tsm_value make_constant(tsm_instance *inst) {
    return list_of(inst, constant_of(inst, NAMED), constant_of(inst, FROZEN));
}
tsm_value make_shared(tsm_instance *inst) {
    const tsm_value part = make_tuple(inst);
    tsm_retain(part);
    return list_of(inst, part, part);
}

const kind_of_value kinds[KINDS] = {
    {"none", make_none},
    {"bool", make_bool},
    {"int", make_int},
    {"float", make_float},
    {"device", make_device},
    {"complex", complex_of},
    {"text", make_text},
    {"empty text", make_empty_text},
    {"dtypes", make_dtypes},
    {"strided tensor", make_strided},
    {"tensor without dimensions", make_scalar_tensor},
    {"empty tensor", make_empty_tensor},
    {"tensor of nothing", make_tensor_of_nothing},
    {"tensor of most dimensions", make_largest},
    {"per tensor", make_per_tensor},
    {"per channel", make_per_channel},
    {"zero points of floats", quantized_by_floats},
    {"list", make_list},
    {"ints", make_ints},
    {"tuple", make_tuple},
    {"named tuple", make_named},
    {"dict", dict_of},
    {"object", make_object},
    {"enum", make_enum},
    {"future", make_future},
    {"failed future", make_failed_future},
    {"generator", make_generator},
    {"constants", make_constant},
    {"shared", make_shared},
};
/* ---- Whether two values are alike, in two instances ---- */

static bool same_elements(const tsm_tensor_view *a, const tsm_tensor_view *b, int d, ptrdiff_t at, size_t size) {
    if (d == a->dims)
        return !memcmp((const uint8_t *)a->data + at, (const uint8_t *)b->data + at, size);
    for (tsm_dim i = 0; i < a->sizes[d]; i++)
        if (!same_elements(a, b, d + 1, at + i * a->strides[d] * (ptrdiff_t)size, size))
            return false;
    return true;
}

static bool same_tensors(tsm_value a, tsm_value b) {
    tsm_tensor_view v, w;
    assert_true(tsm_tensor_get(a, &v) && tsm_tensor_get(b, &w));
    if (v.dtype != w.dtype || v.dims != w.dims || v.quantizer_axis != w.quantizer_axis ||
        tsm_as_tensor(a)->flags != tsm_as_tensor(b)->flags)
        return false;
    for (int d = 0; d < v.dims; d++)
        if (v.sizes[d] != w.sizes[d] || v.strides[d] != w.strides[d])
            return false;
    for (tsm_dim c = 0; v.quantizer_axis != -2 && c < v.quantizer_channels; c++)
        if (v.quantizer_channels != w.quantizer_channels || v.scales[c] != w.scales[c] ||
            !v.zero_points != !w.zero_points ||
            (v.zero_points ? v.zero_points[c] != w.zero_points[c] : v.float_zero_points[c] != w.float_zero_points[c]))
            return false;
    return same_elements(&v, &w, 0, 0, tsm_dtype_size(v.dtype));
}

static bool same_dicts(tsm_instance *p, tsm_value a, tsm_instance *q, tsm_value b) {
    if (tsm_dict_size(a) != tsm_dict_size(b))
        return false;
    for (size_t i = 0; i < tsm_dict_size(a); i++) {
        tsm_value keys[2], items[2];
        tsm_dict_get(a, i, &keys[0], &items[0]);
        tsm_dict_get(b, i, &keys[1], &items[1]);
        if (!alike(p, keys[0], q, keys[1]) || !alike(p, items[0], q, items[1]))
            return false;
    }
    return true;
}

static bool same_objects(tsm_instance *p, tsm_value a, tsm_instance *q, tsm_value b) {
    if (strcmp(tsm_class_name(p, a), tsm_class_name(q, b)) != 0)
        return false;
    for (size_t i = 0; i < tsm_object_size(a); i++) {
        tsm_value v, w;
        tsm_object_attribute(p, a, i, &v);
        tsm_object_attribute(q, b, i, &w);
        if (!alike(p, v, q, w))
            return false;
    }
    return true;
}

static bool same_sequences(tsm_instance *p, tsm_value a, tsm_instance *q, tsm_value b) {
    if (tsm_sequence_size(a) != tsm_sequence_size(b) || a.as.o->type != b.as.o->type)
        return false;
    for (size_t i = 0; i < tsm_sequence_size(a); i++)
        if (!alike(p, tsm_sequence_get(a, i), q, tsm_sequence_get(b, i)))
            return false;
    return true;
}

static bool same_texts(tsm_value a, tsm_value b) {
    size_t n, m;
    const char *v = tsm_str_get(a, &n), *w = tsm_str_get(b, &m);
    return n == m && !memcmp(v, w, n);
}

static bool same_complex(tsm_value a, tsm_value b) {
    return !memcmp(&tsm_as_complex(a)->re, &tsm_as_complex(b)->re, sizeof(double)) &&
           !memcmp(&tsm_as_complex(a)->im, &tsm_as_complex(b)->im, sizeof(double));
}

bool alike(tsm_instance *p, tsm_value a, tsm_instance *q, tsm_value b) {
    tsm_value v, w;
    if (a.tag != b.tag)
        return false;
    switch (a.tag) {
    case TSM_TAG_BOOL:
        return a.as.b == b.as.b;
    case TSM_TAG_DEVICE:
        return a.as.device == b.as.device;
    case TSM_TAG_INT:
    case TSM_TAG_FLOAT:
        return a.as.i == b.as.i;
    case TSM_TAG_COMPLEX:
        return same_complex(a, b);
    case TSM_TAG_STR:
        return same_texts(a, b);
    case TSM_TAG_TENSOR:
        return same_tensors(a, b);
    case TSM_TAG_TUPLE:
        return tsm_as_tuple(a)->type == tsm_as_tuple(b)->type && same_sequences(p, a, q, b);
    case TSM_TAG_LIST:
        return same_sequences(p, a, q, b);
    case TSM_TAG_DICT:
        return same_dicts(p, a, q, b);
    case TSM_TAG_OBJECT:
        return same_objects(p, a, q, b);
    case TSM_TAG_ENUM:
        return !strcmp(tsm_enum_get(p, a, &v), tsm_enum_get(q, b, &w)) && alike(p, v, q, w);
    case TSM_TAG_FUTURE:
        return tsm_as_future(a)->failed == tsm_as_future(b)->failed &&
               alike(p, tsm_as_future(a)->value, q, tsm_as_future(b)->value);
    default:
        return true;
    }
}
