/* Values as JSON (docs/values.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JSMN_STATIC
#include <jsmn.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/diag.h"
#include "exporter/execute/values.h"
#include "runtime/tensor/lanes.h"

enum { MAX_DEPTH = 100 };

typedef struct {
    const char *path, *text;
    const jsmntok_t *tokens;
} json;

static _Noreturn void bad(const json *j, const char *what) {
    diag_fail("%s: %s", j->path, what);
}

static bool is(const json *j, int t, const char *text) {
    size_t n = (size_t)(j->tokens[t].end - j->tokens[t].start);
    return strlen(text) == n && !memcmp(j->text + j->tokens[t].start, text, n);
}

/* The token behind t and everything in it. */
static int skip(const json *j, int t) {
    int end = j->tokens[t].end, next = t + 1;
    while (j->tokens[next].start >= 0 && j->tokens[next].start < end)
        next++;
    return next;
}

static double number(const json *j, int t) {
    if (is(j, t, "NaN"))
        return NAN;
    if (is(j, t, "Infinity"))
        return INFINITY;
    if (is(j, t, "-Infinity"))
        return -INFINITY;
    char *end;
    double d = strtod(j->text + j->tokens[t].start, &end);
    if (end != j->text + j->tokens[t].end)
        bad(j, mem_printf("'%.*s' is no number", j->tokens[t].end - j->tokens[t].start, j->text + j->tokens[t].start));
    return d;
}

static int member(const json *j, int object, const char *key) {
    int t = object + 1;
    for (int i = 0; i < j->tokens[object].size; i++, t = skip(j, t + 1))
        if (is(j, t, key))
            return t + 1;
    return -1;
}

/* The member, which must be there. */
static int need(const json *j, int object, const char *key) {
    int t = j->tokens[object].type == JSMN_OBJECT ? member(j, object, key) : -1;
    if (t < 0)
        bad(j, mem_printf("\"%s\" is missing", key));
    return t;
}

static int need_array(const json *j, int t) {
    if (j->tokens[t].type != JSMN_ARRAY)
        bad(j, "an array is missing");
    return t;
}

static int64_t integer(const json *j, int t) {
    char *end;
    int64_t n = strtoll(j->text + j->tokens[t].start, &end, 10);
    if (end != j->text + j->tokens[t].end)
        bad(j, mem_printf("'%.*s' is no integer", j->tokens[t].end - j->tokens[t].start, j->text + j->tokens[t].start));
    return n;
}

/* ---- Strings ---- */

static void add_utf8(strbuf *b, unsigned code) {
    char bytes[4];
    if (code < 0x80) {
        bytes[0] = (char)code;
        strbuf_add_n(b, bytes, 1);
    } else if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 63));
        strbuf_add_n(b, bytes, 2);
    } else {
        bytes[0] = (char)(0xe0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 63));
        bytes[2] = (char)(0x80 | (code & 63));
        strbuf_add_n(b, bytes, 3);
    }
}

static ir_constant *string(const json *j, int t) {
    static const char escapes[] = "bfnrt", meant[] = "\b\f\n\r\t";
    strbuf b = {0};
    for (int i = j->tokens[t].start; i < j->tokens[t].end; i++) {
        if (j->text[i] != '\\') {
            strbuf_add_n(&b, j->text + i, 1);
            continue;
        }
        char c = j->text[++i];
        const char *escape = strchr(escapes, c);
        if (c == 'u') {
            add_utf8(&b, (unsigned)strtoul(mem_strndup(j->text + i + 1, 4), NULL, 16));
            i += 4;
        } else
            strbuf_add_n(&b, escape ? meant + (escape - escapes) : &c, 1);
    }
    return const_str(strbuf_text(&b), b.length);
}

/* ---- Tensors ---- */

static void store_element(const json *j, int t, pt_dtype dtype, uint8_t *to) {
    tsm_dtype type = (tsm_dtype)dtype;
    tsm_lane_item item, back;
    if (tsm_dtype_is_complex(type)) {
        if (j->tokens[t].type != JSMN_ARRAY || j->tokens[t].size != 2)
            bad(j, "a complex element wants two numbers");
        item.c = (tsm_complex){number(j, t + 1), number(j, t + 2)};
        tsm_lane_store(type, to, 0, TSM_LANE_C128, &item, 1);
    } else if (tsm_dtype_is_floating(type)) {
        item.f64 = number(j, t);
        tsm_lane_store(type, to, 0, TSM_LANE_F64, &item, 1);
    } else if (type == TSM_BOOL) {
        *to = is(j, t, "true");
    } else {
        item.i = integer(j, t);
        tsm_lane_store(type, to, 0, TSM_LANE_I64, &item, 1);
        tsm_lane_load(TSM_LANE_I64, &back, type, to, 0, 1);
        if (back.i != item.i)
            bad(j, mem_printf("%lld does not fit %s", (long long)item.i, pt_dtype_name(dtype)));
    }
}

static pt_tensor *new_tensor(pt_dtype dtype, int ndim, const int64_t *sizes, uint8_t **data) {
    pt_tensor *t = MEM_NEW(pt_tensor);
    int64_t *dims = MEM_ARRAY(int64_t, ndim + 1), *strides = MEM_ARRAY(int64_t, ndim + 1), elements = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        dims[d] = sizes[d];
        strides[d] = elements;
        elements *= sizes[d];
    }
    t->dtype = dtype;
    t->ndim = ndim;
    t->sizes = dims;
    t->strides = strides;
    t->storage = MEM_NEW(pt_storage);
    t->storage->size = (size_t)elements * pt_dtype_size(dtype);
    t->storage->data = *data = mem_alloc_aligned(t->storage->size + 1, 64);
    return t;
}

/* One number for each channel, as a tensor. */
static pt_tensor *channel_numbers(const json *j, int array, pt_dtype dtype) {
    uint8_t *data;
    pt_tensor *t = new_tensor(dtype, 1, &(int64_t){j->tokens[need_array(j, array)].size}, &data);
    for (int i = 0; i < j->tokens[array].size; i++)
        store_element(j, array + 1 + i, dtype, data + 8 * i);
    return t;
}

static void read_quantizer(const json *j, int object, pt_tensor *t) {
    int scale = member(j, object, "scale");
    if (scale >= 0) {
        t->qscheme = PT_PER_TENSOR_AFFINE;
        t->scale = number(j, scale);
        t->zero_point = integer(j, need(j, object, "zero_point"));
        return;
    }
    t->qscheme = PT_PER_CHANNEL_AFFINE;
    t->scales = channel_numbers(j, need(j, object, "scales"), PT_FLOAT64);
    t->zero_points = channel_numbers(j, need(j, object, "zero_points"), PT_INT64);
    int64_t axis = integer(j, need(j, object, "axis"));
    if (axis < 0 || axis >= t->ndim || t->sizes[axis] != t->scales->sizes[0] ||
        t->sizes[axis] != t->zero_points->sizes[0])
        bad(j, "a tensor has not one scale and zero point for each channel");
    t->axis = (int)axis;
}

static ir_constant *tensor(const json *j, int object) {
    if (j->tokens[object].type != JSMN_OBJECT)
        bad(j, "a tensor is written {\"tensor\": {\"dtype\": \"float32\", \"shape\": [2, 3], \"data\": [...]}}");
    int name = need(j, object, "dtype"), shape = need_array(j, need(j, object, "shape")),
        data = need_array(j, need(j, object, "data"));
    int64_t sizes[TSM_MAX_DIMS], elements = 1;
    uint8_t *to;
    pt_dtype dtype;
    if (!pt_dtype_from_name(
            mem_strndup(j->text + j->tokens[name].start, (size_t)(j->tokens[name].end - j->tokens[name].start)),
            &dtype) ||
        !pt_dtype_is_usable(dtype))
        bad(j, "a tensor has an unknown dtype");
    int dims = j->tokens[shape].size;
    if (dims > TSM_MAX_DIMS)
        bad(j, mem_printf("a tensor has more than %d dimensions", TSM_MAX_DIMS));
    for (int d = 0; d < dims; d++) {
        sizes[d] = integer(j, shape + 1 + d);
        if (sizes[d] < 0 || sizes[d] > INT32_MAX || (elements *= sizes[d]) > INT32_MAX)
            bad(j, "a tensor's shape is not possible");
    }
    if (elements != j->tokens[data].size)
        bad(j, "a tensor's data do not fit its shape");
    pt_tensor *t = new_tensor(dtype, dims, sizes, &to);
    int at = data + 1;
    for (int64_t i = 0; i < elements; i++, at = skip(j, at))
        store_element(j, at, dtype, to + (size_t)i * pt_dtype_size(dtype));
    if (dtype == PT_QINT8 || dtype == PT_QUINT8 || dtype == PT_QINT32)
        read_quantizer(j, object, t);
    return const_tensor(t);
}

/* ---- Values ---- */

static ir_constant *value(const json *j, int t, const type *wanted, int depth);

static ir_constant *list(const json *j, int array, const type *wanted, int depth) {
    ir_constant **items = NULL;
    int at = array + 1;
    for (int i = 0; i < j->tokens[array].size; i++, at = skip(j, at))
        arrput(items, value(j, at, values_item_type(wanted, TYPE_LIST, 0), depth + 1));
    return values_list(items, wanted);
}

static ir_constant *tuple(const json *j, int array, const type *wanted, int depth) {
    ir_constant **items = NULL;
    int at = need_array(j, array) + 1;
    for (int i = 0; i < j->tokens[array].size; i++, at = skip(j, at))
        arrput(items, value(j, at, values_item_type(wanted, TYPE_TUPLE, (uint32_t)i), depth + 1));
    return values_tuple(items, wanted);
}

static ir_constant *dict(const json *j, int array, const type *wanted, int depth) {
    ir_constant **items = NULL;
    int at = need_array(j, array) + 1;
    for (int i = 0; i < j->tokens[array].size; i++, at = skip(j, at)) {
        if (j->tokens[at].type != JSMN_ARRAY || j->tokens[at].size != 2)
            bad(j, "a dict wants pairs");
        arrput(items, value(j, at + 1, values_item_type(wanted, TYPE_DICT, 0), depth + 1));
        arrput(items, value(j, skip(j, at + 1), values_item_type(wanted, TYPE_DICT, 1), depth + 1));
    }
    return values_dict(items, wanted);
}

static ir_constant *tagged(const json *j, int object, const type *wanted, int depth) {
    if (j->tokens[object].size != 1)
        bad(j, "a value is an object with one member that names its kind");
    int key = object + 1, t = key + 1;
    if (is(j, key, "tensor"))
        return tensor(j, t);
    if (is(j, key, "float"))
        return const_float(number(j, t));
    if (is(j, key, "tuple"))
        return tuple(j, t, wanted, depth);
    if (is(j, key, "dict"))
        return dict(j, t, wanted, depth);
    if (is(j, key, "complex") && j->tokens[t].size == 2)
        return const_complex(number(j, t + 1), number(j, t + 2));
    if (is(j, key, "device")) {
        const ir_constant *text = string(j, t);
        return const_device(text->string.bytes, text->string.length);
    }
    if (is(j, key, "dtype")) {
        pt_dtype dtype;
        if (!pt_dtype_from_name(string(j, t)->string.bytes, &dtype))
            bad(j, "there is no such dtype");
        return const_int(dtype);
    }
    if (is(j, key, "enum"))
        return values_enum(j->path, wanted, string(j, need(j, t, "name"))->string.bytes);
    bad(j, "a value of this kind cannot be stored");
}

static ir_constant *value(const json *j, int t, const type *wanted, int depth) {
    stack_check();
    if (depth > MAX_DEPTH)
        bad(j, "values are nested too deeply");
    switch (j->tokens[t].type) {
    case JSMN_ARRAY:
        return list(j, t, wanted, depth);
    case JSMN_OBJECT:
        return tagged(j, t, wanted, depth);
    case JSMN_STRING:
        return string(j, t);
    default:
        break;
    }
    if (is(j, t, "null"))
        return const_none();
    if (is(j, t, "true") || is(j, t, "false"))
        return const_bool(is(j, t, "true"));
    return values_wants_float(wanted) ? const_float(number(j, t)) : const_int(integer(j, t));
}

/* An array that is the whole file: the arguments of a call, a list of such arrays, or another list. */
static ir_constant *arguments(const json *j, const type *wanted) {
    const type *call = values_item_type(wanted, TYPE_LIST, 0);
    ir_constant **items = NULL;
    if (wanted && wanted->kind == TYPE_TUPLE)
        return tuple(j, 0, wanted, 0);
    if (!call || call->kind != TYPE_TUPLE)
        return value(j, 0, wanted, 0);
    for (int i = 0, at = 1; i < j->tokens[0].size; i++, at = skip(j, at))
        arrput(items, j->tokens[at].type == JSMN_ARRAY ? tuple(j, at, call, 1) : value(j, at, call, 1));
    return values_list(items, wanted);
}

ir_constant *values_parse_json(const char *path, const char *text, size_t n, const type *wanted) {
    json j = {path, text, NULL};
    jsmn_parser p;
    jsmn_init(&p);
    int count = jsmn_parse(&p, text, n, NULL, 0);
    if (count < 1)
        bad(&j, "this is no JSON");
    jsmntok_t *tokens = MEM_ARRAY(jsmntok_t, count + 1);
    jsmn_init(&p);
    if (jsmn_parse(&p, text, n, tokens, (unsigned)count) != count)
        bad(&j, "this is no JSON");
    tokens[count].start = -1;
    j.tokens = tokens;
    return tokens[0].type == JSMN_ARRAY ? arguments(&j, wanted) : value(&j, 0, wanted, 0);
}
