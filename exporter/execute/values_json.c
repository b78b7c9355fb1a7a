/* Values as JSON (docs/values.md). */
#include <stdlib.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/diag.h"
#include "exporter/base/json.h"
#include "exporter/execute/values.h"
#include "runtime/tensor/lanes.h"

enum { MAX_DEPTH = 100 };

/* ---- Tensors ---- */

/* [real, imaginary] */
static tsm_complex complex_number(json v) {
    if (json_count(json_array(v)) != 2)
        json_fail(v, "a complex number wants two numbers");
    const json real = json_first(v);
    return (tsm_complex){json_number(real), json_number(json_next(real))};
}

static void store_element(json v, pt_dtype dtype, uint8_t *to) {
    tsm_dtype type = (tsm_dtype)dtype;
    tsm_lane_item item, back;
    if (tsm_dtype_is_complex(type)) {
        item.c = complex_number(v);
        tsm_lane_store(type, to, 0, TSM_LANE_C128, &item, 1);
    } else if (tsm_dtype_is_floating(type)) {
        item.f64 = json_number(v);
        tsm_lane_store(type, to, 0, TSM_LANE_F64, &item, 1);
    } else if (type == TSM_BOOL) {
        *to = json_bool(v);
    } else {
        item.i = json_integer(v);
        tsm_lane_store(type, to, 0, TSM_LANE_I64, &item, 1);
        tsm_lane_load(TSM_LANE_I64, &back, type, to, 0, 1);
        if (back.i != item.i)
            json_fail(v, "%lld does not fit %s", (long long)item.i, pt_dtype_name(dtype));
    }
}

static pt_tensor *new_tensor(pt_dtype dtype, int ndim, const int64_t *sizes, uint8_t **data) {
    pt_tensor *t = MEM_NEW(pt_tensor);
    int64_t *dims = MEM_ARRAY(int64_t, ndim + 1), *strides = MEM_ARRAY(int64_t, ndim + 1);
    for (int d = 0; d < ndim; d++)
        dims[d] = sizes[d];
    pt_contiguous_strides(ndim, sizes, strides);
    t->dtype = dtype;
    t->ndim = ndim;
    t->sizes = dims;
    t->strides = strides;
    t->storage = MEM_NEW(pt_storage);
    t->storage->size = (size_t)pt_sizes_numel(ndim, sizes) * pt_dtype_size(dtype);
    t->storage->data = *data = mem_alloc_aligned(t->storage->size + 1, 64);
    return t;
}

/* One number for each channel, as a tensor. */
static pt_tensor *channel_numbers(json array, pt_dtype dtype) {
    uint8_t *data;
    pt_tensor *t = new_tensor(dtype, 1, &(int64_t){json_count(json_array(array))}, &data);
    JSON_EACH(item, array) {
        store_element(item, dtype, data);
        data += pt_dtype_size(dtype);
    }
    return t;
}

/* Whether a number of the array is written as a float. */
static bool have_point(json array) {
    JSON_EACH(item, json_array(array))
    if (json_has_point(item))
        return true;
    return false;
}

static void read_quantizer(json object, pt_tensor *t) {
    const json scale = json_find(object, "scale");
    if (scale.text) {
        t->qscheme = PT_PER_TENSOR_AFFINE;
        t->scale = json_number(scale);
        t->zero_point = json_integer(json_need(object, "zero_point"));
        return;
    }
    const json zero_points = json_need(object, "zero_points");
    const bool floats = have_point(zero_points);
    t->qscheme = floats ? PT_PER_CHANNEL_AFFINE_FLOAT_QPARAMS : PT_PER_CHANNEL_AFFINE;
    t->scales = channel_numbers(json_need(object, "scales"), PT_FLOAT64);
    t->zero_points = channel_numbers(zero_points, floats ? PT_FLOAT64 : PT_INT64);
    const int64_t axis = json_integer(json_need(object, "axis"));
    if (axis < 0 || axis >= t->ndim || t->sizes[axis] != t->scales->sizes[0] ||
        t->sizes[axis] != t->zero_points->sizes[0])
        json_fail(object, "a tensor has not one scale and zero point for each channel");
    t->axis = (int)axis;
}

static ir_constant *tensor(json object) {
    if (!json_is_object(object))
        json_fail(object,
                  "a tensor is written {\"tensor\": {\"dtype\": \"float32\", \"shape\": [2, 3], \"data\": [...]}}");
    const json name = json_need(object, "dtype"), shape = json_array(json_need(object, "shape")),
               data = json_array(json_need(object, "data"));
    int64_t sizes[TSM_MAX_DIMS];
    int dims = 0;
    uint8_t *to;
    pt_dtype dtype;
    if (!pt_dtype_from_name(json_string(name), &dtype) || !pt_dtype_is_usable(dtype))
        json_fail(name, "a tensor has an unknown dtype");
    if (json_count(shape) > TSM_MAX_DIMS)
        json_fail(shape, "a tensor has more than %d dimensions", TSM_MAX_DIMS);
    JSON_EACH(size, shape) {
        sizes[dims] = json_integer(size);
        if (sizes[dims] < 0 || sizes[dims] > INT32_MAX)
            json_fail(size, "a tensor's shape is not possible");
        dims++;
    }
    if (pt_sizes_numel(dims, sizes) != json_count(data))
        json_fail(data, "a tensor's data do not fit its shape");
    pt_tensor *t = new_tensor(dtype, dims, sizes, &to);
    JSON_EACH(item, data) {
        store_element(item, dtype, to);
        to += pt_dtype_size(dtype);
    }
    if (dtype == PT_QINT8 || dtype == PT_QUINT8 || dtype == PT_QINT32)
        read_quantizer(object, t);
    return const_tensor(t);
}

/* ---- Values ---- */

static ir_constant *string(json v) {
    size_t n;
    const char *text = json_bytes(v, &n);
    return const_str(text, n);
}

static ir_constant *value(json v, const type *wanted, int depth);

static ir_constant *list(json array, const type *wanted, int depth) {
    ir_constant **items = NULL;
    JSON_EACH(item, array)
    arrput(items, value(item, values_item_type(wanted, TYPE_LIST, 0), depth + 1));
    return values_list(items, wanted);
}

static ir_constant *tuple(json array, const type *wanted, int depth) {
    ir_constant **items = NULL;
    JSON_EACH(item, json_array(array))
    arrput(items, value(item, values_item_type(wanted, TYPE_TUPLE, (uint32_t)arrlenu(items)), depth + 1));
    return values_tuple(items, wanted);
}

static ir_constant *dict(json array, const type *wanted, int depth) {
    ir_constant **items = NULL;
    JSON_EACH(pair, json_array(array)) {
        if (!json_is_array(pair) || json_count(pair) != 2)
            json_fail(pair, "a dict wants pairs");
        const json key = json_first(pair);
        arrput(items, value(key, values_item_type(wanted, TYPE_DICT, 0), depth + 1));
        arrput(items, value(json_next(key), values_item_type(wanted, TYPE_DICT, 1), depth + 1));
    }
    return values_dict(items, wanted);
}

static ir_constant *tagged(json object, const type *wanted, int depth) {
    if (json_count(object) != 1)
        json_fail(object, "a value is an object with one member that names its kind");
    const json key = json_first(object), v = json_value(key);
    if (json_is(key, "tensor"))
        return tensor(v);
    if (json_is(key, "float"))
        return const_float(json_number(v));
    if (json_is(key, "tuple"))
        return tuple(v, wanted, depth);
    if (json_is(key, "dict"))
        return dict(v, wanted, depth);
    if (json_is(key, "complex")) {
        const tsm_complex c = complex_number(v);
        return const_complex(c.re, c.im);
    }
    if (json_is(key, "device")) {
        const char *text = json_string(v);
        return const_device(text, strlen(text));
    }
    if (json_is(key, "dtype")) {
        pt_dtype dtype;
        if (!pt_dtype_from_name(json_string(v), &dtype))
            json_fail(v, "there is no such dtype");
        return const_int(dtype);
    }
    if (json_is(key, "enum"))
        return values_enum(json_text_name(object), wanted, json_string(json_need(v, "name")));
    json_fail(key, "a value of this kind cannot be stored");
}

static ir_constant *value(json v, const type *wanted, int depth) {
    stack_check();
    if (depth > MAX_DEPTH)
        json_fail(v, "values are nested too deeply");
    if (json_is_array(v))
        return list(v, wanted, depth);
    if (json_is_object(v))
        return tagged(v, wanted, depth);
    if (json_is_string(v))
        return string(v);
    if (json_is_null(v))
        return const_none();
    if (json_is(v, "true") || json_is(v, "false"))
        return const_bool(json_bool(v));
    return values_wants_float(wanted) ? const_float(json_number(v)) : const_int(json_integer(v));
}

/* An array that is the whole file: the arguments of a call, a list of such arrays, or another list. */
static ir_constant *arguments(json array, const type *wanted) {
    const type *call = values_item_type(wanted, TYPE_LIST, 0);
    ir_constant **items = NULL;
    if (wanted && wanted->kind == TYPE_TUPLE)
        return tuple(array, wanted, 0);
    if (!call || call->kind != TYPE_TUPLE)
        return value(array, wanted, 0);
    JSON_EACH(item, array)
    arrput(items, json_is_array(item) ? tuple(item, call, 1) : value(item, call, 1));
    return values_list(items, wanted);
}

ir_constant *values_parse_json(const char *path, const char *text, size_t n, const type *wanted) {
    const json whole = json_parse(path, text, n);
    return json_is_array(whole) ? arguments(whole, wanted) : value(whole, wanted, 0);
}
