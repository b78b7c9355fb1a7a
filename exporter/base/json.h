/* JSON texts, parsed by jsmn and checked, for readers of files.
 *
 * A text is a tree of values; a `json` names one of them and is passed by value. The members of an object are its keys,
 * strings, each of which holds one value. Numbers may also be Infinity, -Infinity and NaN, as Python writes them.
 * Parsing and walking take time in proportion to the text. Wrong input ends in diag_fail with the text's name and the
 * byte at which the value stands. */
#ifndef TSMC_BASE_JSON_H
#define TSMC_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_text json_text;

typedef struct {
    const json_text *text; /* NULL: no value */
    uint32_t at;
} json;

/* Parses a whole text, which must outlive its values. `name` is for messages. */
json json_parse(const char *name, const char *bytes, size_t n);

/* The name that the whole text was given. */
const char *json_text_name(json v);

/* ---- Kinds ---- */

bool json_is_object(json v);
bool json_is_array(json v);
bool json_is_string(json v);
bool json_is_null(json v); /* also when there is no value */
/* Whether a string or a word (true, null, 12) reads so; escapes in strings are not resolved. */
bool json_is(json v, const char *text);

/* ---- Parts. The number of a value that is neither an object nor an array is 0. ---- */

uint32_t json_count(json v);
/* The items of an array, and the keys of an object:
 *     JSON_EACH(item, array) ...
 *     JSON_EACH(key, object) ... json_value(key) ... */
json json_first(json v);
json json_next(json item);
bool json_inside(json item, json v);
#define JSON_EACH(item, v) for (json item = json_first(v); json_inside(item, v); item = json_next(item))
json json_value(json key);
/* The value of a member; no value where there is none. Fails when v is no object. */
json json_find(json v, const char *key);
/* The same; fails where there is none. */
json json_need(json v, const char *key);

/* ---- Values ---- */

/* A string without escapes, in UTF-8, zero-terminated, and its length; fails for other values. */
const char *json_bytes(json v, size_t *n);
/* The same; fails where it holds a zero byte. */
const char *json_string(json v);
int64_t json_integer(json v);
/* Whether a number is not written as an integer is. */
bool json_has_point(json v);
double json_number(json v);
bool json_bool(json v);
json json_object(json v); /* v itself; fails when it is none */
json json_array(json v);

_Noreturn void json_fail(json v, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
