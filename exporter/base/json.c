/* JSON texts: tokens of jsmn, checked, with the number of the token behind each value. */
#include "exporter/base/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* without them jsmn takes time quadratic in the length of arrays */
#include <jsmn.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "platform/json/json_syntax.h"

struct json_text {
    const char *name, *bytes;
    const jsmntok_t *tokens;
    const uint32_t *behind; /* the token behind a value and all that is in it */
};

static const jsmntok_t *token(json v) {
    return &v.text->tokens[v.at];
}

static size_t length(json v) {
    return (size_t)(token(v)->end - token(v)->start);
}

static const char *start(json v) {
    return v.text->bytes + token(v)->start;
}

void json_fail(json v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *message = mem_vprintf(format, args);
    va_end(args);
    if (!v.text)
        diag_internal("a value of a JSON text is used that is not there: %s", message);
    diag_fail("%s: byte %d: %s", v.text->name, token(v)->start, message);
}

/* ---- Parsing ---- */

static const uint32_t *find_ends(const jsmntok_t *tokens, uint32_t count) {
    uint32_t *behind = MEM_ARRAY(uint32_t, count);
    for (uint32_t i = count; i-- > 0;) {
        behind[i] = behind[i] ? behind[i] : i + 1;
        const int parent = tokens[i].parent;
        if (parent >= 0 && behind[parent] < behind[i])
            behind[parent] = behind[i];
    }
    return behind;
}

json json_parse(const char *name, const char *bytes, size_t n) {
    if (n > INT32_MAX)
        diag_fail("%s: has %zu bytes; texts of 2 GiB and more are not supported", name, n);
    const size_t mark = json_skip_mark(bytes, n);
    bytes += mark;
    n -= mark;
    json_fault fault;
    _Static_assert((int)LIMIT_VALUE_DEPTH <= (int)JSON_MOST_DEPTH, "the syntax is checked as deep as values may lie");
    if (json_find_fault(bytes, n, LIMIT_VALUE_DEPTH, &fault))
        diag_fail("%s: byte %zu: %s", name, fault.at, fault.is_too_deep ? limit_text(OVER_VALUE_DEPTH) : fault.what);
    jsmn_parser p;
    jsmn_init(&p);
    const int count = jsmn_parse(&p, bytes, n, NULL, 0);
    jsmntok_t *tokens = MEM_ARRAY(jsmntok_t, count);
    jsmn_init(&p);
    jsmn_parse(&p, bytes, n, tokens, (unsigned)count);
    json_text *text = MEM_NEW(json_text);
    *text = (json_text){mem_strdup(name), bytes, tokens, find_ends(tokens, (uint32_t)count)};
    return (json){text, 0};
}

const char *json_text_name(json v) {
    return v.text->name;
}

/* ---- Kinds ---- */

bool json_is_object(json v) {
    return v.text && token(v)->type == JSMN_OBJECT;
}

bool json_is_array(json v) {
    return v.text && token(v)->type == JSMN_ARRAY;
}

bool json_is_string(json v) {
    return v.text && token(v)->type == JSMN_STRING;
}

bool json_is(json v, const char *text) {
    return v.text && !json_is_object(v) && !json_is_array(v) && strlen(text) == length(v) &&
           !memcmp(start(v), text, length(v));
}

bool json_is_null(json v) {
    return !v.text || (token(v)->type == JSMN_PRIMITIVE && json_is(v, "null"));
}

json json_object(json v) {
    if (!json_is_object(v))
        json_fail(v, "an object is missing");
    return v;
}

json json_array(json v) {
    if (!json_is_array(v))
        json_fail(v, "an array is missing");
    return v;
}

/* ---- Parts ---- */

uint32_t json_count(json v) {
    return json_is_object(v) || json_is_array(v) ? (uint32_t)token(v)->size : 0;
}

json json_first(json v) {
    return (json){v.text, v.at + 1};
}

json json_next(json item) {
    return (json){item.text, item.text->behind[item.at]};
}

bool json_inside(json item, json v) {
    return v.text && item.at < v.text->behind[v.at];
}

json json_value(json key) {
    return json_first(key);
}

json json_find(json v, const char *key) {
    JSON_EACH(k, json_object(v)) {
        if (json_is(k, key))
            return json_value(k);
    }
    return (json){NULL, 0};
}

json json_need(json v, const char *key) {
    json found = json_find(v, key);
    if (!found.text)
        json_fail(v, "\"%s\" is missing", key);
    return found;
}

/* ---- Values ---- */

/* The number of four hexadecimal digits. */
static unsigned escaped_unit(const char *at) {
    return (unsigned)strtoul(mem_strndup(at, 4), NULL, 16);
}

static void add_utf8(strbuf *b, unsigned code) {
    char bytes[4];
    int count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = count - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 63));
    bytes[0] = (char)(leads[count] | code);
    strbuf_add_n(b, bytes, (size_t)count);
}

/* Appends the character of \uXXXX, or of two of them that are one (UTF-16); returns where the text goes on. */
static const char *add_unicode(const char *at, const char *end, strbuf *b) {
    unsigned code = escaped_unit(at);
    at += 4;
    if (code >= 0xd800 && code < 0xdc00 && at + 1 < end && at[0] == '\\' && at[1] == 'u') {
        unsigned low = escaped_unit(at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            at += 6;
        }
    }
    add_utf8(b, code);
    return at;
}

const char *json_bytes(json v, size_t *n) {
    if (!json_is_string(v))
        json_fail(v, "a string is missing");
    static const char escapes[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *at = start(v), *end = at + length(v);
    strbuf b = {0};
    while (at < end) {
        const char *backslash = memchr(at, '\\', (size_t)(end - at));
        strbuf_add_n(&b, at, (size_t)((backslash ? backslash : end) - at));
        if (!backslash)
            break;
        at = backslash + 2;
        const char *escape = strchr(escapes, backslash[1]);
        if (backslash[1] == 'u')
            at = add_unicode(at, end, &b);
        else
            strbuf_add_n(&b, escape ? meant + (escape - escapes) : backslash + 1, 1);
    }
    *n = b.length;
    return strbuf_text(&b);
}

const char *json_string(json v) {
    size_t n;
    const char *text = json_bytes(v, &n);
    if (memchr(text, 0, n))
        json_fail(v, "a string holds a zero byte");
    return text;
}

/* The text of a number or word. */
static const char *word(json v) {
    if (!v.text || token(v)->type != JSMN_PRIMITIVE)
        json_fail(v, "a number is missing");
    return mem_strndup(start(v), length(v));
}

int64_t json_integer(json v) {
    const char *text = word(v);
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (*end || end == text || errno)
        json_fail(v, "'%s' is no integer of 64 bits", text);
    return n;
}

bool json_has_point(json v) {
    return strpbrk(word(v), ".eEnN");
}

double json_number(json v) {
    const char *text = word(v);
    char *end;
    double d = strtod(text, &end);
    if (*end || end == text || strpbrk(text, "xX()"))
        json_fail(v, "'%s' is no number", text);
    return d;
}

bool json_bool(json v) {
    bool is_true = json_is(v, "true");
    if (!v.text || token(v)->type != JSMN_PRIMITIVE || (!is_true && !json_is(v, "false")))
        json_fail(v, "true or false is missing");
    return is_true;
}
