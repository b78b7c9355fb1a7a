/* Reads values from JSON files (docs/values.md), tokens by jsmn. */
#include "platform/runner/json_read.h"

#include "platform/json/json_syntax.h"
#include "platform/platform.h"
#include "platform/runner/die.h"
#include "platform/runner/element.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSMN_PARENT_LINKS /* without them, closing a bracket searches back over all that stands before it */
#define JSMN_STATIC
#include "third_party/jsmn.h"

enum { MAX_NESTING = 64 };

struct json_file {
    const char *path, *text;
    const jsmntok_t *tokens;
    int count;
};

/* What making values from one file needs to know. */
typedef struct {
    const json_file *file;
    tsm_instance *inst;
    const json_known *known; /* NULL: nothing is */
    int nesting;
} reader;

_Noreturn static void bad(const json_file *file, int position, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

_Noreturn static void bad(const json_file *file, int position, const char *format, ...) {
    int line = 1;
    for (int i = 0; i < position; i++)
        line += file->text[i] == '\n';
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    die(EXIT_BAD_INPUT, "%s, line %d: %s", file->path, line, message);
}

#define BAD(node, ...) bad(r->file, r->file->tokens[node].start, __VA_ARGS__)

json_file *json_open(const char *path) {
    platform_file bytes;
    char reason[128];
    if (!platform_file_open(&bytes, path, reason, sizeof reason))
        die(EXIT_BAD_INPUT, "cannot open %s: %s", path, reason);
    json_file *file = keep(sizeof *file);
    file->path = path;
    const size_t mark = json_skip_mark(bytes.data, bytes.bytes), n = bytes.bytes - mark;
    file->text = (const char *)bytes.data + mark;
    json_fault fault;
    if (n > INT32_MAX)
        die(EXIT_BAD_INPUT, "%s: texts of 2 GiB and more are not supported", path);
    if (json_find_fault(file->text, n, JSON_MOST_DEPTH, &fault))
        bad(file, (int)fault.at, "%s", fault.is_too_deep ? "values are nested too deep" : fault.what);

    jsmn_parser parser;
    jsmn_init(&parser);
    file->count = jsmn_parse(&parser, file->text, n, NULL, 0);
    jsmntok_t *tokens = keep(sizeof *tokens * (size_t)file->count);
    jsmn_init(&parser);
    jsmn_parse(&parser, file->text, n, tokens, (unsigned)file->count);
    file->tokens = tokens;
    return file;
}

json_node json_first(json_node node) {
    return node + 1;
}

/* Tokens stand in the order of the text, so all of a value's parts follow it and start before its end. */
json_node json_next(const json_file *file, json_node node) {
    const int end = file->tokens[node].end;
    do
        node++;
    while (node < file->count && file->tokens[node].start < end);
    return node;
}

size_t json_array_size(const json_file *file, json_node node, const char *what) {
    if (file->tokens[node].type != JSMN_ARRAY)
        bad(file, file->tokens[node].start, "%s must be a JSON array", what);
    return (size_t)file->tokens[node].size;
}

/* ---- Texts and numbers ---- */

static size_t length_of(const reader *r, json_node node) {
    return (size_t)(r->file->tokens[node].end - r->file->tokens[node].start);
}

static bool text_is(const reader *r, json_node node, const char *text) {
    const size_t n = length_of(r, node);
    return strlen(text) == n && memcmp(r->file->text + r->file->tokens[node].start, text, n) == 0;
}

/* A number's text, terminated. */
typedef struct {
    char text[128];
} number_text;

static number_text number_at(const reader *r, json_node node) {
    number_text number;
    const size_t n = length_of(r, node);
    if (r->file->tokens[node].type != JSMN_PRIMITIVE || n >= sizeof number.text)
        BAD(node, "a number must stand here");
    memcpy(number.text, r->file->text + r->file->tokens[node].start, n);
    number.text[n] = 0;
    return number;
}

/* Of unsigned ints the bits. */
static int64_t read_bits(const reader *r, json_node node, bool is_unsigned) {
    const number_text number = number_at(r, node);
    char *end;
    errno = 0;
    const int64_t i = is_unsigned ? (int64_t)strtoull(number.text, &end, 10) : strtoll(number.text, &end, 10);
    if (end == number.text || *end)
        BAD(node, "'%s' is not an integer", number.text);
    if (errno == ERANGE)
        BAD(node, "%s does not fit into 64 bits", number.text);
    return i;
}

static int64_t read_int(const reader *r, json_node node) {
    return read_bits(r, node, false);
}

static double read_float(const reader *r, json_node node) {
    const number_text number = number_at(r, node);
    const bool word = text_is(r, node, "NaN") || text_is(r, node, "Infinity") || text_is(r, node, "-Infinity");
    char *end;
    const double x = strtod(number.text, &end);
    if (*end || end == number.text || (!word && strspn(number.text, "+-.0123456789eE") != strlen(number.text)))
        BAD(node, "'%s' is not a number", number.text);
    return x;
}

static bool read_bool(const reader *r, json_node node) {
    if (!text_is(r, node, "true") && !text_is(r, node, "false"))
        BAD(node, "true or false must stand here");
    return text_is(r, node, "true");
}

/* The number of a \u escape's four digits. */
static uint32_t hex4(const char *digits) {
    char text[5] = {0};
    memcpy(text, digits, 4);
    return (uint32_t)strtoul(text, NULL, 16);
}

static size_t put_utf8(char *out, uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* One escape at p (after the backslash) to UTF-8; returns the number of bytes of input used. The tokenizer has checked
 * that \u has four digits. */
static size_t unescape(const char *p, const char *end, char *out, size_t *written) {
    static const char names[] = "bfnrt", bytes[] = "\b\f\n\r\t";
    const char *name = memchr(names, *p, sizeof names - 1);
    if (*p != 'u') {
        *out = name ? bytes[name - names] : *p;
        *written = 1;
        return 1;
    }
    uint32_t c = hex4(p + 1);
    size_t used = 5;
    const bool pair = c >= 0xD800 && c < 0xDC00 && end - p >= 11 && p[5] == '\\' && p[6] == 'u';
    if (pair && (hex4(p + 7) & 0xFC00) == 0xDC00) {
        c = 0x10000 + ((c & 0x3FF) << 10) + (hex4(p + 7) & 0x3FF);
        used = 11;
    }
    *written = put_utf8(out, c);
    return used;
}

/* The text of a JSON string, terminated; *n is its length in bytes. */
static const char *read_text(const reader *r, json_node node, size_t *n) {
    if (r->file->tokens[node].type != JSMN_STRING)
        BAD(node, "a string must stand here");
    const char *p = r->file->text + r->file->tokens[node].start, *end = r->file->text + r->file->tokens[node].end;
    char *text = keep(length_of(r, node) + 1), *out = text;
    while (p < end) {
        size_t written = 1;
        if (*p != '\\') {
            *out = *p++;
        } else {
            p++;
            p += unescape(p, end, out, &written);
        }
        out += written;
    }
    *out = 0;
    *n = (size_t)(out - text);
    return text;
}

static const char *read_name(const reader *r, json_node node) {
    size_t n;
    return read_text(r, node, &n);
}

/* ---- Objects ---- */

/* The value of a key, or -1. */
static json_node find(const reader *r, json_node object, const char *key) {
    const jsmntok_t *token = &r->file->tokens[object];
    if (token->type != JSMN_OBJECT)
        BAD(object, "a JSON object must stand here");
    json_node k = json_first(object);
    for (int i = 0; i < token->size; i++) {
        if (text_is(r, k, key))
            return json_first(k);
        k = json_next(r->file, json_first(k));
    }
    return -1;
}

static json_node need(const reader *r, json_node object, const char *key) {
    const json_node node = find(r, object, key);
    if (node < 0)
        BAD(object, "\"%s\" is missing", key);
    return node;
}

static void check(const reader *r, tsm_status status) {
    if (status != TSM_OK)
        die_of(status, tsm_error(r->inst));
}

/* ---- Tensors ---- */

static tsm_dtype read_dtype(const reader *r, json_node node) {
    const char *name = read_name(r, node);
    for (int d = 0; d < TSM_DTYPE_COUNT; d++)
        if (strcmp(tsm_dtype_name((tsm_dtype)d), name) == 0)
            return (tsm_dtype)d;
    BAD(node, "there is no dtype '%s'", name);
}

static element read_element(const reader *r, json_node node, tsm_dtype dtype) {
    element e = {0, 0, 0};
    switch (element_kind_of(dtype)) {
    case ELEMENT_BOOL:
        e.i = read_bool(r, node);
        break;
    case ELEMENT_INT:
        e.i = read_bits(r, node, dtype == TSM_UINT64);
        break;
    case ELEMENT_FLOAT:
        e.re = read_float(r, node);
        break;
    case ELEMENT_COMPLEX:
        if (json_array_size(r->file, node, "a complex number") != 2)
            BAD(node, "a complex number must be [real, imaginary]");
        e.re = read_float(r, json_first(node));
        e.im = read_float(r, json_next(r->file, json_first(node)));
        break;
    }
    return e;
}

/* Sizes and the number of elements, which is bounded by the number of tokens as each needs one. */
static tsm_dim read_shape(const reader *r, json_node shape, tsm_dim sizes[TSM_MAX_DIMS], int *dims, size_t elements) {
    const size_t n = json_array_size(r->file, shape, "\"shape\"");
    if (n > TSM_MAX_DIMS)
        BAD(shape, "a tensor has at most %d dimensions", TSM_MAX_DIMS);
    json_node node = json_first(shape);
    size_t product = 1;
    for (size_t i = 0; i < n; i++, node = json_next(r->file, node)) {
        const int64_t size = read_int(r, node);
        if (size < 0 || size > INT32_MAX)
            BAD(node, "%lld is not a size", (long long)size);
        sizes[i] = (tsm_dim)size;
        if (size > 0 && product > elements / (size_t)size && elements > 0)
            product = elements + 1;
        else
            product *= (size_t)size;
    }
    *dims = (int)n;
    if (product != elements)
        BAD(shape, "the shape does not fit the %zu elements of \"data\"", elements);
    return (tsm_dim)product;
}

/* Whether a number of the array is written as a float. */
static bool have_point(const reader *r, json_node array, size_t n) {
    json_node node = json_first(array);
    for (size_t i = 0; i < n; i++, node = json_next(r->file, node)) {
        const number_text number = number_at(r, node);
        if (number.text[strcspn(number.text, ".eEnN")])
            return true;
    }
    return false;
}

static void read_quantizer(const reader *r, json_node object, tsm_value tensor) {
    json_node scales = find(r, object, "scales"), zeros = find(r, object, "zero_points");
    if (scales < 0) {
        const double scale = read_float(r, need(r, object, "scale"));
        const int64_t zero = read_int(r, need(r, object, "zero_point"));
        check(r, tsm_tensor_set_quantizer(r->inst, tensor, -1, 1, &scale, &zero));
        return;
    }
    const int64_t axis = read_int(r, need(r, object, "axis"));
    const size_t n = json_array_size(r->file, scales, "\"scales\"");
    if (zeros < 0 || json_array_size(r->file, zeros, "\"zero_points\"") != n || axis < 0 || axis >= TSM_MAX_DIMS)
        BAD(object, "\"scales\", \"zero_points\" and \"axis\" do not fit each other");
    double *scale = keep(n * sizeof *scale), *float_zero = keep(n * sizeof *float_zero);
    int64_t *zero = keep(n * sizeof *zero);
    const bool floats = have_point(r, zeros, n);
    scales = json_first(scales);
    zeros = json_first(zeros);
    for (size_t i = 0; i < n; i++) {
        scale[i] = read_float(r, scales);
        if (floats)
            float_zero[i] = read_float(r, zeros);
        else
            zero[i] = read_int(r, zeros);
        scales = json_next(r->file, scales);
        zeros = json_next(r->file, zeros);
    }
    check(r, floats ? tsm_tensor_set_float_quantizer(r->inst, tensor, (int)axis, (tsm_dim)n, scale, float_zero)
                    : tsm_tensor_set_quantizer(r->inst, tensor, (int)axis, (tsm_dim)n, scale, zero));
}

static tsm_value read_tensor(const reader *r, json_node object) {
    const tsm_dtype dtype = read_dtype(r, need(r, object, "dtype"));
    const json_node layout = find(r, object, "layout"), data = need(r, object, "data");
    if (layout >= 0 && !text_is(r, layout, "strided"))
        BAD(layout, "only dense (strided) tensors can be arguments");
    const size_t n = json_array_size(r->file, data, "\"data\"");
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims;
    read_shape(r, need(r, object, "shape"), sizes, &dims, n);

    const size_t bytes = tsm_dtype_size(dtype);
    char *elements = keep(n * bytes);
    json_node node = json_first(data);
    for (size_t i = 0; i < n; i++) {
        if (!element_store(dtype, elements + i * bytes, read_element(r, node, dtype)))
            BAD(node, "the number does not fit %s", tsm_dtype_name(dtype));
        node = json_next(r->file, node);
    }
    tsm_value tensor;
    check(r, tsm_tensor_wrap(r->inst, &tensor, dtype, dims, sizes, NULL, elements));
    if (dtype == TSM_QINT8 || dtype == TSM_QUINT8 || dtype == TSM_QINT32)
        read_quantizer(r, object, tensor);
    return tensor;
}

/* ---- Other values ---- */

static tsm_value read_value(reader *r, json_node node);

/* The elements of an array, in memory that is kept; the caller releases them. */
static tsm_value *read_items(reader *r, json_node array, const char *what, size_t *n) {
    *n = json_array_size(r->file, array, what);
    tsm_value *items = keep(*n * sizeof *items);
    json_node node = json_first(array);
    for (size_t i = 0; i < *n; i++, node = json_next(r->file, node))
        items[i] = read_value(r, node);
    return items;
}

static tsm_value read_sequence(reader *r, json_node array, bool tuple) {
    size_t n;
    tsm_value out;
    const tsm_value *items = read_items(r, array, tuple ? "\"tuple\"" : "a list", &n);
    check(r, tuple ? tsm_tuple_new(r->inst, &out, items, n) : tsm_list_new(r->inst, &out, items, n));
    for (size_t i = 0; i < n; i++)
        tsm_release(r->inst, items[i]);
    return out;
}

static tsm_value read_dict(reader *r, json_node pairs) {
    tsm_value out;
    check(r, tsm_dict_new(r->inst, &out));
    const size_t n = json_array_size(r->file, pairs, "\"dict\"");
    json_node pair = json_first(pairs);
    for (size_t i = 0; i < n; i++, pair = json_next(r->file, pair)) {
        size_t two;
        const tsm_value *entry = read_items(r, pair, "an entry of a dict", &two);
        if (two != 2)
            BAD(pair, "an entry of a dict must be [key, value]");
        check(r, tsm_dict_set(r->inst, out, entry[0], entry[1]));
        tsm_release(r->inst, entry[0]);
        tsm_release(r->inst, entry[1]);
    }
    return out;
}

static tsm_value read_complex(reader *r, json_node pair) {
    tsm_value out;
    const element e = read_element(r, pair, TSM_COMPLEX128);
    check(r, tsm_complex_new(r->inst, &out, e.re, e.im));
    return out;
}

static tsm_value read_enum(reader *r, json_node object) {
    tsm_value out;
    const char *class_name = read_name(r, need(r, object, "class"));
    check(r, tsm_enum_find(r->inst, &out, class_name, read_name(r, need(r, object, "name"))));
    return out;
}

static tsm_value read_device(reader *r, json_node node) {
    tsm_value out;
    check(r, tsm_device_parse(r->inst, &out, read_name(r, node)));
    return out;
}

static tsm_value read_string(reader *r, json_node node) {
    tsm_value out;
    size_t n;
    const char *text = read_text(r, node, &n);
    check(r, tsm_str_new(r->inst, &out, text, n));
    return out;
}

/* A number below `count`. */
static size_t read_position(const reader *r, json_node node, size_t count, const char *what) {
    const int64_t i = read_int(r, node);
    if (i < 0 || (uint64_t)i >= count)
        BAD(node, "there is no %s %" PRId64 " here", what, i);
    return (size_t)i;
}

/* An argument of the same call, the object itself. */
static tsm_value read_argument(const reader *r, json_node node) {
    const tsm_value v = r->known->arguments[read_position(r, node, r->known->argument_count, "argument")];
    tsm_retain(v);
    return v;
}

/* [CALL, POSITION, ...]: a result, or what is in it, the object itself. */
static tsm_value read_result(const reader *r, json_node path) {
    const size_t steps = json_array_size(r->file, path, "\"result\"");
    if (steps == 0)
        BAD(path, "\"result\" must begin with the number of a call");
    json_node node = json_first(path);
    tsm_value v = r->known->results[read_position(r, node, r->known->result_count, "result")];
    for (size_t i = 1; i < steps; i++) {
        node = json_next(r->file, node);
        v = tsm_sequence_get(v, read_position(r, node, tsm_sequence_size(v), "item"));
    }
    tsm_retain(v);
    return v;
}

/* {"kind": value}, one of the kinds below. */
static tsm_value read_object(reader *r, json_node object) {
    const json_node key = json_first(object), value = object + 2;
    if (r->file->tokens[object].size != 1)
        BAD(object, "a value that is a JSON object has one key: its kind");
    if (text_is(r, key, "tensor")) {
        if (r->file->tokens[value].type != JSMN_OBJECT)
            BAD(value,
                "a tensor is written {\"tensor\": {\"dtype\": \"float32\", \"shape\": [2, 3], \"data\": [...]}}");
        return read_tensor(r, value);
    }
    if (text_is(r, key, "float"))
        return tsm_float(read_float(r, value));
    if (text_is(r, key, "complex"))
        return read_complex(r, value);
    if (text_is(r, key, "tuple"))
        return read_sequence(r, value, true);
    if (text_is(r, key, "dict"))
        return read_dict(r, value);
    if (text_is(r, key, "device"))
        return read_device(r, value);
    if (text_is(r, key, "dtype"))
        return tsm_int(read_dtype(r, value));
    if (text_is(r, key, "enum"))
        return read_enum(r, value);
    if (r->known && text_is(r, key, "argument"))
        return read_argument(r, value);
    if (r->known && text_is(r, key, "result"))
        return read_result(r, value);
    if (text_is(r, key, "object"))
        BAD(object, "objects of TorchScript classes cannot be passed as arguments");
    BAD(object, "there is no kind of value '%.*s'", (int)length_of(r, key), r->file->text + r->file->tokens[key].start);
}

static tsm_value read_primitive(reader *r, json_node node) {
    if (text_is(r, node, "null"))
        return tsm_none();
    if (text_is(r, node, "true") || text_is(r, node, "false"))
        return tsm_bool(read_bool(r, node));
    const number_text number = number_at(r, node);
    if (strpbrk(number.text, ".eENI"))
        return tsm_float(read_float(r, node));
    return tsm_int(read_int(r, node));
}

static tsm_value read_value(reader *r, json_node node) {
    if (++r->nesting > MAX_NESTING)
        BAD(node, "values are nested more than %d deep", MAX_NESTING);
    tsm_value out;
    switch (r->file->tokens[node].type) {
    case JSMN_OBJECT:
        out = read_object(r, node);
        break;
    case JSMN_ARRAY:
        out = read_sequence(r, node, false);
        break;
    case JSMN_STRING:
        out = read_string(r, node);
        break;
    default:
        out = read_primitive(r, node);
    }
    r->nesting--;
    return out;
}

tsm_value json_value(const json_file *file, json_node node, tsm_instance *inst, const json_known *known) {
    reader r = {file, inst, known, 0};
    return read_value(&r, node);
}

/* ---- Without values ---- */

bool json_is_object(const json_file *file, json_node node) {
    return file->tokens[node].type == JSMN_OBJECT;
}

bool json_is_null(const json_file *file, json_node node) {
    const reader r = {.file = file};
    return text_is(&r, node, "null");
}

json_node json_member(const json_file *file, json_node object, const char *name) {
    const reader r = {.file = file};
    return find(&r, object, name);
}

const char *json_text(const json_file *file, json_node node) {
    const reader r = {.file = file};
    return read_name(&r, node);
}

bool json_bool(const json_file *file, json_node node) {
    const reader r = {.file = file};
    return read_bool(&r, node);
}

double json_number(const json_file *file, json_node node) {
    const reader r = {.file = file};
    const char first = file->text[file->tokens[node].start];
    return first == 't' || first == 'f' ? (double)read_bool(&r, node) : read_float(&r, node);
}
