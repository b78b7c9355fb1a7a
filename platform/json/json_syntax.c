/* The syntax of JSON. */
#include "platform/json/json_syntax.h"

#include <stdint.h>
#include <string.h>

typedef struct {
    const char *text;
    size_t at, end;
    const char *what;                       /* NULL: no fault so far */
    uint8_t is_object[JSON_MOST_DEPTH / 8]; /* of the lists and objects around this place: a bit for each */
    size_t depth;
} checker;

static bool fails(checker *c, const char *what) {
    c->what = c->at < c->end ? what : "the JSON text ends too early";
    return false;
}

static bool is_next(const checker *c, char wanted) {
    return c->at < c->end && c->text[c->at] == wanted;
}

static bool is_digit(const checker *c) {
    return c->at < c->end && c->text[c->at] >= '0' && c->text[c->at] <= '9';
}

static void skip_space(checker *c) {
    while (is_next(c, ' ') || is_next(c, '\t') || is_next(c, '\n') || is_next(c, '\r'))
        c->at++;
}

static bool skip(checker *c, char wanted) {
    const bool is = is_next(c, wanted);
    c->at += is;
    return is;
}

static bool skip_word(checker *c, const char *word) {
    const size_t n = strlen(word);
    const bool is = c->end - c->at >= n && !memcmp(c->text + c->at, word, n);
    c->at += is ? n : 0;
    return is;
}

static bool skip_digits(checker *c) {
    const size_t begin = c->at;
    while (is_digit(c))
        c->at++;
    return c->at > begin || fails(c, "this is not JSON: a digit must stand here");
}

/* number := ["-"] ("0" | digit-but-0 {digit}) ["." digit {digit}] [("e" | "E") ["+" | "-"] digit {digit}] */
static bool skip_number(checker *c) {
    skip(c, '-');
    if (skip(c, '0')) {
        if (is_digit(c))
            return fails(c, "this is not JSON: a number begins with 0");
    } else if (!skip_digits(c))
        return false;
    if (skip(c, '.') && !skip_digits(c))
        return false;
    if (!skip(c, 'e') && !skip(c, 'E'))
        return true;
    if (!skip(c, '+'))
        skip(c, '-');
    return skip_digits(c);
}

/* string := '"' {character but '"', "\" and control characters | "\" escape} '"' */
static bool skip_string(checker *c) {
    for (c->at++; !skip(c, '"'); c->at++) {
        if (c->at >= c->end || (uint8_t)c->text[c->at] < 0x20)
            return fails(c, "this is not JSON: a control character stands in a string without an escape");
        if (!skip(c, '\\'))
            continue;
        if (c->at >= c->end || !c->text[c->at] || !strchr("\"\\/bfnrtu", c->text[c->at]))
            return fails(c, "this is not JSON: there is no such escape");
        for (int i = 0; c->text[c->at] == 'u' && i < 4; i++)
            if (c->end - c->at < 5 || !c->text[c->at + 1 + i] ||
                !strchr("0123456789abcdefABCDEF", c->text[c->at + 1 + i]))
                return fails(c, "this is not JSON: four hexadecimal digits must follow \\u");
    }
    return true;
}

static bool is_in_object(const checker *c) {
    return c->is_object[(c->depth - 1) / 8] >> (c->depth - 1) % 8 & 1;
}

/* name := string ":" */
static bool skip_name(checker *c) {
    if (!is_next(c, '"'))
        return fails(c, "this is not JSON: a name in quotes must stand here");
    if (!skip_string(c))
        return false;
    skip_space(c);
    return skip(c, ':') || fails(c, "this is not JSON: a colon must stand here");
}

/* value := string | number | "true" | "false" | "null" | "NaN" | "Infinity" | "-Infinity" */
static bool skip_plain(checker *c) {
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    if (is_next(c, '"'))
        return skip_string(c);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (skip_word(c, words[i]))
            return true;
    return is_digit(c) || is_next(c, '-') ? skip_number(c) : fails(c, "this is not JSON: a value must stand here");
}

/* Goes past the ends of lists and objects to the next value's place, or to the end of the text. */
static bool skip_ends(checker *c) {
    for (skip_space(c); c->depth > 0; skip_space(c)) {
        if (skip(c, ',')) {
            skip_space(c);
            return !is_in_object(c) || skip_name(c);
        }
        if (!skip(c, is_in_object(c) ? '}' : ']'))
            return fails(c, is_in_object(c) ? "this is not JSON: a comma or } must stand here"
                                            : "this is not JSON: a comma or ] must stand here");
        c->depth--;
    }
    return c->at == c->end || fails(c, "there is more behind the value");
}

/* list := "[" [value {"," value}] "]"; object := "{" [name value {"," name value}] "}": a value's place to the next's
 */
static bool skip_value(checker *c) {
    const bool is_object = is_next(c, '{');
    if (!is_object && !is_next(c, '['))
        return skip_plain(c) && skip_ends(c);
    c->at++;
    const uint8_t bit = (uint8_t)(1 << c->depth % 8);
    c->is_object[c->depth / 8] = (uint8_t)((c->is_object[c->depth / 8] & ~bit) | (is_object ? bit : 0));
    c->depth++;
    skip_space(c);
    if (is_next(c, is_object ? '}' : ']'))
        return skip_ends(c);
    return !is_object || skip_name(c);
}

bool json_find_fault(const char *text, size_t bytes, size_t depth, json_fault *fault) {
    checker c = {.text = text, .end = bytes};
    skip_space(&c);
    bool is_too_deep = false;
    if (c.at == c.end)
        c.what = "there is no JSON value";
    else
        do {
            skip_space(&c);
            is_too_deep = c.depth >= depth && (is_next(&c, '[') || is_next(&c, '{'));
        } while (!is_too_deep && skip_value(&c) && c.depth > 0);
    *fault = (json_fault){c.at, c.what, is_too_deep};
    return c.what || is_too_deep;
}

size_t json_skip_mark(const char *text, size_t bytes) {
    return bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}
