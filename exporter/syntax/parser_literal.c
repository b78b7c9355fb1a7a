/* Parser of literals: numbers, strings and formatted strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/syntax/parser_internal.h"

/* ---- Numbers ---- */

/* The token's text without underscores. */
static char *digits_of(const parser *p, token t) {
    char *text = mem_alloc(t.end - t.start + 1);
    char *out = text;
    for (uint32_t i = t.start; i < t.end; i++)
        if (p->lex.file->text[i] != '_')
            *out++ = p->lex.file->text[i];
    return text;
}

/* Finds the shortest decimal digits that read back as the same value: "d.ddde+xx". */
static void shortest_digits(double value, char *out, size_t size) {
    for (int precision = 0; precision < 17; precision++) {
        snprintf(out, size, "%.*e", precision, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

/* A non-negative float as Python's repr writes it; an imaginary part does without the final ".0". */
static char *python_float_text(double value, bool imaginary) {
    char digits[40];
    shortest_digits(value, digits, sizeof(digits));
    char *e = strchr(digits, 'e');
    if (!e)
        return mem_strdup(digits); /* inf */
    int exponent = atoi(e + 1), places = e - digits > 2 ? (int)(e - digits) - 2 : 0;
    if (exponent < -4 || exponent >= 16)
        return mem_strdup(digits);
    int decimals = places - exponent;
    if (decimals <= 0)
        return mem_printf(imaginary ? "%.0f" : "%.1f", value);
    return mem_printf("%.*f", decimals, value);
}

static ast_text text_of(char *text) {
    return (ast_text){text, strlen(text)};
}

static void set_real(const parser *p, ast_node *node, char *text, bool imaginary) {
    size_t length = strlen(text);
    node->kind = imaginary ? AST_IMAGINARY : AST_FLOAT;
    node->number.real = strtod(text, NULL);
    if (parser_is_python(p)) {
        text = python_float_text(node->number.real, imaginary);
        node->number.text = text_of(imaginary ? mem_printf("%sj", text) : text);
    } else {
        node->number.text = (ast_text){text, length};
    }
}

/* Reads digits of any base; false when the value is greater than `limit`. */
static bool read_integer(parser *p, token t, const char *text, int base, uint64_t limit, uint64_t *value) {
    *value = 0;
    for (; *text; text++) {
        char c = *text;
        uint64_t digit = (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
        if (digit >= (uint64_t)base)
            source_fail(parser_token_range(p, t), "invalid digit '%c' in a number of base %d", c, base);
        if (*value > (limit - digit) / (uint64_t)base)
            return false;
        *value = *value * (uint64_t)base + digit;
    }
    return true;
}

/* The base that the first two characters state; C's octal numbers exist in serialized code only. */
static int base_of(const parser *p, const char *text) {
    if (text[0] != '0' || !text[1])
        return 10;
    switch (text[1] | 32) {
    case 'x':
        return 16;
    case 'o':
        return 8;
    case 'b':
        return 2;
    default:
        return parser_is_python(p) ? 10 : 8;
    }
}

/* False when the number does not fit. */
static bool set_integer(parser *p, ast_node *node, token t, char *text) {
    int base = base_of(p, text);
    bool prefixed = base != 10 && text[1] > '9';
    bool negated = p->negated_number == t.start; /* then the most negative number fits */
    uint64_t value, limit = (uint64_t)INT64_MAX + negated;
    if (!read_integer(p, t, text + (prefixed ? 2 : 0), base, limit, &value))
        return false;
    node->number.integer = (int64_t)value;
    node->number.text = text_of(parser_is_python(p) ? mem_printf("%llu", (unsigned long long)value) : text);
    return true;
}

/* A number. PyTorch's Python front end takes the length of the value's usual spelling for that of the token. */
ast_node *parser_number(parser *p) {
    token t = p->token;
    ast_node *node = parser_node(p, AST_INT, t.start, t.end);
    char *text = digits_of(p, t);
    bool prefixed = text[0] == '0' && text[1] && strchr("xXoObB", text[1]);
    bool imaginary = !prefixed && (text[strlen(text) - 1] | 32) == 'j';
    parser_advance(p);
    if (imaginary || (strpbrk(text, ".eE") && !(prefixed && parser_is_python(p))))
        set_real(p, node, text, imaginary);
    else if (!set_integer(p, node, t, text)) {
        node->number.text = text_of(text);
        return parser_unsupported_with(p, node->range,
                                       "Integral constant out of range (must fit in a signed 64 bit integer)", node);
    }
    if (parser_is_python(p))
        node->range.end = t.start + (uint32_t)node->number.text.length;
    return node;
}

bool parser_negate_number(parser *p, ast_node *node, uint32_t sign_start) {
    if (node->kind == AST_INT)
        node->number.integer = (int64_t)(0 - (uint64_t)node->number.integer);
    else if (node->kind == AST_FLOAT || node->kind == AST_IMAGINARY)
        node->number.real = -node->number.real;
    else
        return false;
    node->number.text = text_of(mem_printf("-%s", node->number.text.bytes));
    node->range = parser_range(p, sign_start, node->range.end);
    return true;
}

/* ---- Strings ---- */

/* Adjacent string tokens that are becoming one value. */
typedef struct {
    parser *p;
    strbuf text;
    uint32_t start;      /* of the first token */
    bool formatted;      /* one of them is an f-string */
    bool bytes;          /* one of them is a bytes literal */
    const char *refused; /* what none of them may hold, NULL: nothing */
    token t;             /* the token being read */
    uint32_t at, end;    /* what is left between its quotes */
    bool raw, is_format; /* its prefixes */
} string_reader;

static char current(const string_reader *r) {
    return r->at < r->end ? r->p->lex.file->text[r->at] : 0;
}

static _Noreturn void fail_string(const string_reader *r, const char *message) {
    source_fail(parser_token_range(r->p, r->t), "%s", message);
}

static void add_byte(string_reader *r, char c) {
    strbuf_add_n(&r->text, &c, 1);
}

static void add_code_point(string_reader *r, uint32_t c) {
    if (c < 0x80) {
        add_byte(r, (char)c);
    } else if (c < 0x800) {
        add_byte(r, (char)(0xc0 | c >> 6));
        add_byte(r, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        add_byte(r, (char)(0xe0 | c >> 12));
        add_byte(r, (char)(0x80 | (c >> 6 & 0x3f)));
        add_byte(r, (char)(0x80 | (c & 0x3f)));
    } else {
        add_byte(r, (char)(0xf0 | c >> 18));
        add_byte(r, (char)(0x80 | (c >> 12 & 0x3f)));
        add_byte(r, (char)(0x80 | (c >> 6 & 0x3f)));
        add_byte(r, (char)(0x80 | (c & 0x3f)));
    }
}

static bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

/* The byte that a letter stands for after a backslash in both dialects, 0: none. */
static char simple_escape(char c) {
    static const char letters[] = "\\'\"abfnrtv", bytes[] = "\\'\"\a\b\f\n\r\t\v";
    const char *found = c ? strchr(letters, c) : NULL;
    return found ? bytes[found - letters] : 0;
}

/* escape := "\" (letter | octal octal octal | newline)                       (serialized code; a line end stays one) */
static void read_serialized_escape(string_reader *r) {
    char c = current(r);
    if (simple_escape(c)) {
        add_byte(r, simple_escape(c));
        r->at++;
        return;
    }
    if (c == '\n')
        return;
    if (c == 'x' || c == 'u')
        fail_string(r, "unsupported hex specifier");
    uint32_t value = 0, digits = 0;
    for (; digits < 3 && is_octal(current(r)); digits++, r->at++)
        value = value * 8 + (uint32_t)(current(r) - '0');
    if (digits < 3 || value > 255)
        fail_string(r, "ill formed octal specifier");
    add_byte(r, (char)value);
}

static void read_hex_escape(string_reader *r, int digits) {
    uint32_t value = 0;
    for (r->at++; digits; digits--, r->at++) {
        char c = current(r);
        if (!((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f')))
            fail_string(r, "truncated \\x, \\u or \\U escape");
        value = value * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (value > 0x10ffff)
        fail_string(r, "illegal Unicode character");
    add_code_point(r, value);
}

/* escape := "\" (letter | octal [octal [octal]] | "x" hex*2 | "u" hex*4 | "U" hex*8 | newline)
 * Anything else after the backslash leaves it in place. "\N{name}" is refused: it needs the table of all names. */
static void read_python_escape(string_reader *r) {
    char c = current(r);
    if (simple_escape(c)) {
        add_byte(r, simple_escape(c));
        r->at++;
    } else if (is_octal(c)) {
        uint32_t value = 0;
        for (int digits = 0; digits < 3 && is_octal(current(r)); digits++, r->at++)
            value = value * 8 + (uint32_t)(current(r) - '0');
        add_code_point(r, value);
    } else if (c == 'x' || c == 'u' || c == 'U') {
        read_hex_escape(r, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    } else if (c == 'N') {
        r->refused = "\\N{...} in strings is not supported";
    } else if (c == '\n') {
        r->at++;
    } else if (c != '\r') {
        add_byte(r, '\\');
    }
}

/* ---- f-strings ---- */

/* Skips a string inside of a replacement field; `r->at` stands on its first quote, and then on its last. */
static void skip_nested_string(string_reader *r) {
    uint32_t end = lexer_string_end(r->p->lex.file->text, r->at, r->end);
    r->at = end ? end - 1 : r->end;
}

/* Does the "=" at r->at end the expression (as in "{x=}") rather than belong to an operator? */
static bool is_debug_sign(const string_reader *r) {
    const char *text = r->p->lex.file->text;
    uint32_t after = r->at + 1;
    while (after < r->end && text[after] == ' ')
        after++;
    return !strchr("=!<>:", text[r->at - 1]) && after < r->end && strchr("}:!", text[after]) && text[after];
}

/* Skips the expression of a replacement field; r->at then stands on what follows it: "}", ":", "!" or "=". */
static void skip_field_expression(string_reader *r) {
    uint32_t depth = 0;
    for (; r->at < r->end; r->at++) {
        char c = current(r);
        if (c == '\'' || c == '"')
            skip_nested_string(r);
        else if (c && strchr("([{", c))
            depth++;
        else if (depth)
            depth -= c && strchr(")]}", c);
        else if (c == '}' || c == ':' || (c == '=' && is_debug_sign(r)))
            return;
        else if (c == '!' && (r->at + 1 >= r->end || r->p->lex.file->text[r->at + 1] != '='))
            return;
    }
    fail_string(r, "f-string: expecting '}'");
}

/* Takes conversion and format of a field over, up to its closing brace, and notes that they cannot be compiled. */
static void skip_field_end(string_reader *r) {
    if (!r->refused && current(r) != '}')
        r->refused =
            current(r) == ':' ? "Don't support formatting in JoinedStr" : "Don't support conversion in JoinedStr";
    uint32_t depth = 0, start = r->at;
    for (; r->at < r->end; r->at++) {
        depth += current(r) == '{';
        if (current(r) == '}' && !depth--) {
            strbuf_add_n(&r->text, r->p->lex.file->text + start, r->at - start);
            return;
        }
    }
    fail_string(r, "f-string: expecting '}'");
}

/* field := "{" expressions ["="] ["!" NAME] [":" format] "}"
 * Pushes the expression; r->at is behind the first brace. */
static void read_field(string_reader *r) {
    parser *p = r->p, inner;
    uint32_t start = r->at;
    skip_field_expression(r);
    parser_init_expression(&inner, p->lex.file, p->lex.dialect, start, r->at);
    inner.scope = p->scope;
    inner.depth = p->depth;
    parser_enter(&inner);
    parser_list_push(p, parser_expression_or_yield(&inner));
    parser_expect(&inner, TOKEN_EOF);
    strbuf_add(&r->text, "{");
    skip_field_end(r);
    r->at++;
    strbuf_add(&r->text, "}");
}

/* A brace in an f-string: a field, or a brace that is written twice to mean itself. */
static void read_brace(string_reader *r, char brace) {
    if (current(r) == brace) {
        add_byte(r, brace);
        r->at++;
    } else if (brace == '{') {
        read_field(r);
    } else {
        fail_string(r, "f-string: single '}' is not allowed");
    }
}

/* ---- String tokens ---- */

/* Goes to the first byte that counts of a line in a string of a .py file. PyTorch takes the indentation of the `def`
 * off all lines of a function before it parses it, and all blanks off blank lines; those in strings are lines too. */
static void begin_string_line(string_reader *r) {
    const parser_scope *scope = &r->p->scope;
    const char *text = r->p->lex.file->text;
    uint32_t at = r->at, margin = scope->function_start - scope->margin_start;
    if (!scope->function)
        return;
    while (at < r->end && (text[at] == ' ' || text[at] == '\t'))
        at++;
    if (at < r->end && text[at] == '\n')
        r->at = at;
    else if (r->end - r->at >= margin && !memcmp(text + r->at, text + scope->margin_start, margin))
        r->at += margin;
}

static void read_body(string_reader *r) {
    bool python = parser_is_python(r->p);
    while (r->at < r->end) {
        char c = current(r);
        r->at++;
        if (c == '\\' && !r->raw)
            python ? read_python_escape(r) : read_serialized_escape(r);
        else if (r->is_format && (c == '{' || c == '}'))
            read_brace(r, c);
        else if (!python || c != '\r' || current(r) != '\n')
            add_byte(r, c);
        if (python && r->p->lex.file->text[r->at - 1] == '\n')
            begin_string_line(r);
    }
}

/* Reads the token's prefixes and finds its quotes. */
static void read_token(string_reader *r) {
    const char *text = r->p->lex.file->text;
    r->t = parser_advance(r->p);
    r->at = r->t.start;
    r->raw = r->is_format = false;
    for (; text[r->at] != '\'' && text[r->at] != '"'; r->at++) {
        char prefix = (char)(text[r->at] | 32);
        r->raw |= prefix == 'r';
        r->is_format |= prefix == 'f';
        r->bytes |= prefix == 'b';
    }
    uint32_t length = r->t.end - r->at;
    bool triple = length >= 6 && text[r->at + 1] == text[r->at] && text[r->at + 2] == text[r->at];
    r->at += triple ? 3 : 1;
    r->end = r->t.end - (triple ? 3 : 1);
    r->formatted |= r->is_format;
    read_body(r);
}

static uint32_t count_characters(ast_text text) {
    uint32_t n = 0;
    for (size_t i = 0; i < text.length; i++)
        n += (text.bytes[i] & 0xc0) != 0x80;
    return n;
}

/* An f-string is a call of the method `format` of its text, whose parts all stand where it begins. */
static ast_node *format_call(ast_node *string, ast_list values) {
    ast_node *select = ast_new(AST_SELECT, string->range);
    select->select.value = string;
    select->select.name = intern("format");
    select->select.name_range = string->range;
    ast_node *node = ast_new(AST_APPLY, string->range);
    node->apply.callee = select;
    node->apply.inputs = values;
    parser_cover_list(node, values);
    return node;
}

/* TorchScript has no bytes; what runs at compile time takes them. */
static ast_node *refuse_bytes(parser *p, const string_reader *r) {
    ast_node *node = parser_node(p, AST_STRING, r->start, r->t.end);
    node->string = (ast_text){strbuf_text(&r->text), r->text.length};
    return parser_unsupported_with(p, parser_range(p, r->start, r->t.end), "Unknown Constant expression type", node);
}

/* strings := STRING+
 * PyTorch's Python front end takes the number of characters and one more for the length of the literal. */
ast_node *parser_strings(parser *p) {
    string_reader r = {.p = p, .start = p->token.start};
    size_t begin = parser_list_begin(p);
    while (parser_at(p, TOKEN_STRING))
        read_token(&r);
    ast_list values = parser_list_end(p, begin);
    if (r.bytes)
        return refuse_bytes(p, &r);
    ast_text text = {strbuf_text(&r.text), r.text.length};
    ast_node *node = parser_node(p, AST_STRING, r.start, r.t.end);
    if (r.refused) {
        node->string = text;
        return parser_unsupported_with(p, parser_range(p, r.start, r.start + 1), r.refused, format_call(node, values));
    }
    if (parser_is_python(p))
        node->range.end = r.start + 1 + (r.formatted ? 0 : count_characters(text));
    node->string = text;
    return r.formatted ? format_call(node, values) : node;
}
