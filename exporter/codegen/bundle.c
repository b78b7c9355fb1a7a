#include "exporter/codegen/bundle.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSMN_STATIC
#include <jsmn.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/diag.h"

enum { MAX_DEPTH = 100 };

typedef struct {
    const char *path, *text;
    const jsmntok_t *tokens;
} json;

static _Noreturn void bad(const json *j, const char *what) { diag_fail("%s: %s", j->path, what); }

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
    return is(j, t, "true") ? 1 : strtod(j->text + j->tokens[t].start, NULL);
}

static int member(const json *j, int object, const char *key) {
    int t = object + 1;
    for (int i = 0; i < j->tokens[object].size; i++, t = skip(j, t + 1))
        if (is(j, t, key))
            return t + 1;
    return -1;
}

/* ---- Tensors ---- */

static void store(uint8_t *to, pt_dtype dtype, const json *j, int t) {
    double d = number(j, t);
    int64_t i = is(j, t, "true") ? 1 : strtoll(j->text + j->tokens[t].start, NULL, 10);
    float f = (float)d;
    switch (dtype) {
    case PT_UINT8:
    case PT_INT8:
    case PT_BOOL:
        *to = (uint8_t)i;
        return;
    case PT_INT16:
        memcpy(to, &(int16_t){(int16_t)i}, 2);
        return;
    case PT_INT32:
        memcpy(to, &(int32_t){(int32_t)i}, 4);
        return;
    case PT_INT64:
        memcpy(to, &i, 8);
        return;
    case PT_FLOAT32:
        memcpy(to, &f, 4);
        return;
    case PT_FLOAT64:
        memcpy(to, &d, 8);
        return;
    default:
        bad(j, mem_printf("tensors of type %s cannot be bundled", pt_dtype_name(dtype)));
    }
}

static ir_constant *tensor(const json *j, int object) {
    int dtype = member(j, object, "dtype"), shape = member(j, object, "shape"), data = member(j, object, "data");
    if (dtype < 0 || shape < 0 || data < 0)
        bad(j, "a tensor wants dtype, shape and data");
    pt_tensor *t = MEM_NEW(pt_tensor);
    static const uint8_t sizes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1};
    int kind = 0;
    while (kind < (int)sizeof sizes && !is(j, dtype, pt_dtype_name((pt_dtype)kind)))
        kind++;
    if (kind == (int)sizeof sizes)
        bad(j, "a tensor has an unknown dtype");
    t->dtype = (pt_dtype)kind;
    t->ndim = j->tokens[shape].size;
    int64_t *dims = MEM_ARRAY(int64_t, t->ndim + 1), *strides = MEM_ARRAY(int64_t, t->ndim + 1), elements = 1;
    for (int d = 0; d < t->ndim; d++)
        dims[d] = strtoll(j->text + j->tokens[shape + 1 + d].start, NULL, 10);
    for (int d = t->ndim - 1; d >= 0; d--) {
        strides[d] = elements;
        elements *= dims[d];
    }
    if (elements != j->tokens[data].size)
        bad(j, "a tensor's data do not fit its shape");
    t->sizes = dims;
    t->strides = strides;
    pt_storage *s = MEM_NEW(pt_storage);
    s->size = (size_t)elements * sizes[kind];
    uint8_t *bytes = mem_alloc_aligned(s->size, 64);
    int at = data + 1;
    for (int64_t i = 0; i < elements; i++, at = skip(j, at))
        store(bytes + (size_t)i * sizes[kind], t->dtype, j, at);
    s->data = bytes;
    t->storage = s;
    ir_constant *c = const_new(CONST_TENSOR, type_basic(TYPE_TENSOR));
    c->tensor = t;
    return c;
}

/* ---- Values ---- */

static ir_constant *value(const json *j, int t, int depth);

static ir_constant *sequence(const json *j, int array, bool is_tuple, int depth) {
    ir_constant *c = const_new(is_tuple ? CONST_TUPLE : CONST_LIST, NULL), **items = NULL;
    const type **types = NULL;
    int at = array + 1;
    if (j->tokens[array].type != JSMN_ARRAY)
        bad(j, "an array is missing");
    for (int i = 0; i < j->tokens[array].size; i++, at = skip(j, at)) {
        arrput(items, value(j, at, depth + 1));
        arrput(types, items[i]->type);
    }
    const type *element = arrlenu(types) ? types[0] : type_basic(TYPE_TENSOR);
    for (size_t i = 1; i < arrlenu(types); i++)
        element = type_unify(element, types[i], true);
    c->type = is_tuple ? type_tuple(types, (uint32_t)arrlenu(types)) : type_list(element);
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

static ir_constant *dict(const json *j, int array, int depth) {
    ir_constant **items = NULL, *c;
    int at = array + 1;
    for (int i = 0; i < j->tokens[array].size; i++, at = skip(j, at)) {
        if (j->tokens[at].type != JSMN_ARRAY || j->tokens[at].size != 2)
            bad(j, "a dict wants pairs");
        arrput(items, value(j, at + 1, depth + 1));
        arrput(items, value(j, skip(j, at + 1), depth + 1));
    }
    const type *key = items ? items[0]->type : type_basic(TYPE_STR), *item = items ? items[1]->type : type_basic(TYPE_TENSOR);
    c = const_new(CONST_DICT, type_dict(key, item));
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

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

static ir_constant *tagged(const json *j, int object, int depth) {
    if (j->tokens[object].size != 1)
        bad(j, "a value is an object with one member that names its kind");
    int key = object + 1, t = key + 1;
    if (is(j, key, "tensor"))
        return tensor(j, t);
    if (is(j, key, "float"))
        return const_float(number(j, t));
    if (is(j, key, "tuple"))
        return sequence(j, t, true, depth);
    if (is(j, key, "dict"))
        return dict(j, t, depth);
    if (is(j, key, "complex") && j->tokens[t].size == 2)
        return const_complex(number(j, t + 1), number(j, t + 2));
    if (is(j, key, "device")) {
        ir_constant *c = string(j, t);
        c->kind = CONST_DEVICE;
        c->type = type_basic(TYPE_DEVICE);
        return c;
    }
    bad(j, "a value of this kind cannot be bundled");
}

static ir_constant *value(const json *j, int t, int depth) {
    if (depth > MAX_DEPTH)
        bad(j, "values are nested too deeply");
    switch (j->tokens[t].type) {
    case JSMN_ARRAY:
        return sequence(j, t, false, depth);
    case JSMN_OBJECT:
        return tagged(j, t, depth);
    case JSMN_STRING:
        return string(j, t);
    default:
        break;
    }
    if (is(j, t, "null"))
        return const_none();
    if (is(j, t, "true") || is(j, t, "false"))
        return const_bool(is(j, t, "true"));
    return const_int(strtoll(j->text + j->tokens[t].start, NULL, 10));
}

static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f)
        diag_fail("%s: cannot be opened: %s", path, strerror(errno));
    strbuf b = {0};
    char block[65536];
    for (size_t got; (got = fread(block, 1, sizeof block, f)) > 0;)
        strbuf_add_n(&b, block, got);
    fclose(f);
    *n = b.length;
    return b.text ? b.text : mem_strdup("");
}

ir_constant *bundle_read(const char *path, bool as_arguments) {
    size_t n;
    json j = {path, read_file(path, &n), NULL};
    jsmn_parser p;
    jsmn_init(&p);
    int count = jsmn_parse(&p, j.text, n, NULL, 0);
    if (count < 1)
        bad(&j, "not a JSON value");
    jsmntok_t *tokens = MEM_ARRAY(jsmntok_t, count + 1);
    jsmn_init(&p);
    jsmn_parse(&p, j.text, n, tokens, (unsigned)count);
    tokens[count].start = -1;
    j.tokens = tokens;
    if (as_arguments)
        return sequence(&j, 0, true, 0);
    return value(&j, 0, 0);
}
