/* The lexer: text to tokens, with indentation as tokens. */
#include "exporter/syntax/lexer.h"

#include <string.h>

#include "exporter/base/limits.h"

typedef enum { SPECIAL, KEYWORD, KEYWORD_PYTHON, OPERATOR, OPERATOR_PYTHON } token_class;

static const struct {
    const char *text;
    uint8_t length;
    uint8_t class;
} tokens[] = {
#define TOKEN(kind, text, class) {text, sizeof(text) - 1, class},
#include "exporter/syntax/tokens.def"
#undef TOKEN
};

#define FIRST_KEYWORD TOKEN_AND
#define FIRST_OPERATOR TOKEN_POW_ASSIGN

const char *token_text(token_kind kind) {
    return tokens[kind].text;
}

bool token_is_keyword(token_kind kind) {
    return tokens[kind].class == KEYWORD || tokens[kind].class == KEYWORD_PYTHON;
}

static void lexer_start(lexer *l, const source_file *file, dialect d, uint32_t start, uint32_t limit) {
    *l = (lexer){.file = file, .dialect = d, .at = start, .limit = limit, .line_is_empty = true, .indent_count = 1};
}

void lexer_init(lexer *l, const source_file *file, dialect d, uint32_t start, uint32_t limit) {
    lexer_start(l, file, d, start, limit);
    l->at_line_start = true;
    if (limit - start >= 3 && !memcmp(file->text + start, "\xef\xbb\xbf", 3))
        l->at += 3; /* the byte order mark that some editors write */
}

void lexer_init_expression(lexer *l, const source_file *file, dialect d, uint32_t start, uint32_t limit) {
    lexer_start(l, file, d, start, limit);
    l->brackets = 1;
}

/* The byte `ahead` places on; 0 beyond the end. */
static char peek(const lexer *l, uint32_t ahead) {
    return l->at + ahead < l->limit ? l->file->text[l->at + ahead] : 0;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_name_start(const lexer *l, char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (l->dialect == DIALECT_PYTHON && (c & 0x80));
}

static bool is_name_part(const lexer *l, char c) {
    return is_name_start(l, c) || is_digit(c);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}

static _Noreturn void fail_here(const lexer *l, uint32_t start, uint32_t end, const char *message) {
    source_fail(source_range_make(l->file, start, end), "%s", message);
}

/* Is the text behind "# type:" an instruction to a checker: "ignore", "ignore[...]"? */
static bool is_type_ignore(const char *text, uint32_t length) {
    static const char word[] = "ignore";
    while (length && *text == ' ') {
        text++;
        length--;
    }
    return length >= sizeof(word) - 1 && !memcmp(text, word, sizeof(word) - 1);
}

/* A comment that ends at `end` and starts at l->at: notes it when it states types. A lexer that was copied and went
 * ahead may have noted it before. */
static void note_type_comment(lexer *l, uint32_t end) {
    static const char mark[] = "# type:";
    const char *text = l->file->text;
    for (uint32_t i = l->at; i + sizeof(mark) - 1 <= end; i++) {
        if (memcmp(text + i, mark, sizeof(mark) - 1))
            continue;
        uint32_t after = i + (uint32_t)sizeof(mark) - 1;
        if (!is_type_ignore(text + after, end - after) &&
            (!arrlen(l->type_comments) || arrlast(l->type_comments) < after))
            arrput(l->type_comments, after);
        return;
    }
}

static void skip_comment(lexer *l) {
    uint32_t end = l->at;
    while (end < l->limit && l->file->text[end] != '\n')
        end++;
    uint32_t visible = end;
    while (visible > l->at && is_blank(l->file->text[visible - 1]))
        visible--;
    note_type_comment(l, visible);
    l->at = end;
}

/* Skips a backslash with the line end after it. */
static bool skip_line_join(lexer *l) {
    uint32_t n = peek(l, 1) == '\r' ? 2 : 1;
    if (peek(l, 0) != '\\' || peek(l, n) != '\n')
        return false;
    l->at += n + 1;
    return true;
}

/* Skips blanks and comments, and line ends inside of brackets. */
static void skip_blanks(lexer *l) {
    for (;;) {
        char c = peek(l, 0);
        if (is_blank(c) || (c == '\n' && l->brackets))
            l->at++;
        else if (c == '#')
            skip_comment(l);
        else if (c != '\\' || !skip_line_join(l))
            return;
    }
}

/* Skips the blanks at the start of a line and returns their width. */
static uint32_t skip_indent(lexer *l) {
    uint32_t width = 0;
    for (;; l->at++) {
        char c = peek(l, 0);
        if (c == ' ')
            width++;
        else if (c == '\t')
            width = l->dialect == DIALECT_PYTHON ? (width / 8 + 1) * 8 : width + 1;
        else if (c == '\f')
            width = 0;
        else if (c != '\r')
            return width;
    }
}

static token pop_indents(lexer *l, uint32_t width) {
    uint32_t popped = 0;
    while (l->indents[l->indent_count - 1] > width) {
        l->indent_count--;
        popped++;
    }
    if (l->indents[l->indent_count - 1] != width)
        source_fail(source_range_make(l->file, l->at, l->at), "invalid indent level %u", width);
    l->pending_dedents = popped - 1;
    return (token){TOKEN_DEDENT, l->at, l->at};
}

/* Goes to the first token of the next line that has any. True when its indentation is a token, then in *out. */
static bool begin_line(lexer *l, token *out) {
    uint32_t width, start;
    for (;;) {
        start = l->at;
        width = skip_indent(l);
        if (peek(l, 0) == '#')
            skip_comment(l);
        if (l->at >= l->limit)
            return false;
        if (peek(l, 0) != '\n')
            break;
        l->at++;
    }
    l->at_line_start = false;
    uint32_t current = l->indents[l->indent_count - 1];
    if (width == current)
        return false;
    if (width < current) {
        *out = pop_indents(l, width);
        return true;
    }
    if (l->indent_count > LIMIT_INDENTATION)
        fail_here(l, start, l->at, limit_text(OVER_INDENTATION));
    l->indents[l->indent_count++] = width;
    *out = (token){TOKEN_INDENT, start, l->at};
    return true;
}

static token finish(lexer *l) {
    token t = {TOKEN_EOF, l->at, l->at};
    if (!l->line_is_empty && !l->brackets) {
        l->line_is_empty = true;
        t.kind = TOKEN_NEWLINE;
    } else if (l->indent_count > 1 && !l->brackets) {
        l->indent_count--;
        t.kind = TOKEN_DEDENT;
    }
    return t;
}

static void skip_digits(lexer *l, bool (*is_part)(char)) {
    while (is_part(peek(l, 0)) || (l->dialect == DIALECT_PYTHON && peek(l, 0) == '_' && is_part(peek(l, 1))))
        l->at++;
}

static bool is_alphanumeric(char c) {
    return is_hex_digit(c) || (c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z');
}

/* number     := radix | decimal ["j" | "J"]
 * radix      := "0" ("x" hexdigit+ | "o" octdigit+ | "b" bindigit+)         ("o" and "b" in Python only)
 * decimal    := (digits ["." [digits]] | "." digits) [("e" | "E") ["+" | "-"] digits] */
static token lex_number(lexer *l) {
    uint32_t start = l->at;
    char radix = (char)(peek(l, 0) == '0' ? peek(l, 1) | 32 : 0);
    if (radix == 'x' && is_hex_digit(peek(l, 2))) {
        l->at += 2;
        skip_digits(l, is_hex_digit);
        return (token){TOKEN_NUMBER, start, l->at};
    }
    if (l->dialect == DIALECT_PYTHON && (radix == 'o' || radix == 'b' || radix == 'x')) {
        l->at += 2;
        skip_digits(l, is_alphanumeric); /* its digits are checked when the value is made */
        return (token){TOKEN_NUMBER, start, l->at};
    }
    skip_digits(l, is_digit);
    if (peek(l, 0) == '.') {
        l->at++;
        skip_digits(l, is_digit);
    }
    if ((peek(l, 0) | 32) == 'e') {
        uint32_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
        if (is_digit(peek(l, 1 + sign))) {
            l->at += 1 + sign;
            skip_digits(l, is_digit);
        }
    }
    if ((peek(l, 0) | 32) == 'j')
        l->at++;
    return (token){TOKEN_NUMBER, start, l->at};
}

/* Is the quote at `at` that of an f-string? */
static bool is_formatted(const char *text, uint32_t at) {
    char last = at ? (char)(text[at - 1] | 32) : 0, first = at > 1 ? (char)(text[at - 2] | 32) : 0;
    return last == 'f' || (last == 'r' && first == 'f');
}

/* Where a replacement field ends whose opening brace stands before `at`: at its closing brace. 0: nowhere. Strings in
 * its expression may have any quotes; behind the colon of its format they are no strings. */
static uint32_t field_end(const char *text, uint32_t at, uint32_t limit, bool lines) {
    uint32_t depth = 0;
    bool in_format = false;
    for (; at < limit && (lines || text[at] != '\n'); at++) {
        char c = text[at];
        if (!in_format && (c == '"' || c == '\'')) {
            uint32_t end = lexer_string_end(text, at, limit);
            if (!end)
                return 0;
            at = end - 1;
        } else if (strchr("([{", c)) {
            depth++;
        } else if (strchr(")]}", c)) {
            if (!depth)
                return c == '}' ? at : 0;
            depth--;
        } else if (c == ':' && !depth)
            in_format = true;
    }
    return 0;
}

/* Like lexer_string_end; where no end is, *stop is where the search ended. */
static uint32_t string_end(const char *text, uint32_t at, uint32_t limit, bool formatted, uint32_t *stop) {
    char quote = text[at];
    bool triple = limit - at > 2 && text[at + 1] == quote && text[at + 2] == quote;
    for (at += triple ? 3 : 1; at < limit && (triple || text[at] != '\n'); at++) {
        char c = text[at];
        if (c == quote && !triple)
            return at + 1;
        if (c == quote && limit - at > 2 && text[at + 1] == quote && text[at + 2] == quote)
            return at + 3;
        bool doubled = limit - at > 1 && text[at + 1] == c;
        uint32_t end = formatted && c == '{' && !doubled ? field_end(text, at + 1, limit, triple) : 0;
        if (end)
            at = end;
        else if ((c == '\\' && at + 1 < limit) || (formatted && c == '{' && doubled))
            at++;
    }
    *stop = at < limit ? at : limit;
    return 0;
}

uint32_t lexer_string_end(const char *text, uint32_t at, uint32_t limit) {
    stack_check();
    uint32_t stop;
    return string_end(text, at, limit, is_formatted(text, at), &stop);
}

/* string := [prefix] ("'" item* "'" | '"' item* '"' | "'''" item* "'''" | '"""' item* '"""'), an item being a byte, a
 * backslash with the byte after it, or a replacement field of an f-string. l->at stands on the first quote, `start` on
 * the prefix. */
static token lex_string(lexer *l, uint32_t start) {
    uint32_t stop = 0;
    bool formatted = start < l->at && is_formatted(l->file->text, l->at);
    uint32_t end = string_end(l->file->text, l->at, l->limit, formatted, &stop);
    if (!end)
        fail_here(l, start, stop, "unterminated string");
    l->at = end;
    return (token){TOKEN_STRING, start, end};
}

static bool is_string_prefix(const char *text, uint32_t length) {
    if (length > 2)
        return false;
    for (uint32_t i = 0; i < length; i++)
        if (!strchr("rbuf", text[i] | 32))
            return false;
    return true;
}

static token_kind keyword_kind(const lexer *l, const char *text, uint32_t length) {
    for (token_kind k = FIRST_KEYWORD; k < FIRST_OPERATOR; k++)
        if (tokens[k].length == length && !memcmp(tokens[k].text, text, length) &&
            (tokens[k].class == KEYWORD || l->dialect == DIALECT_PYTHON))
            return k;
    return TOKEN_IDENT;
}

static token lex_name(lexer *l) {
    uint32_t start = l->at;
    while (is_name_part(l, peek(l, 0)))
        l->at++;
    const char *text = l->file->text + start;
    uint32_t length = l->at - start;
    bool quote = peek(l, 0) == '"' || peek(l, 0) == '\'';
    if (quote && l->dialect == DIALECT_PYTHON && is_string_prefix(text, length))
        return lex_string(l, start);
    return (token){keyword_kind(l, text, length), start, l->at};
}

static void count_bracket(lexer *l, token_kind kind) {
    switch (kind) {
    case TOKEN_OPEN_PAREN:
    case TOKEN_OPEN_BRACKET:
    case TOKEN_OPEN_BRACE:
        l->brackets++;
        break;
    case TOKEN_CLOSE_PAREN:
    case TOKEN_CLOSE_BRACKET:
    case TOKEN_CLOSE_BRACE:
        l->brackets -= l->brackets > 0;
        break;
    default:
        break;
    }
}

static token lex_operator(lexer *l) {
    const char *text = l->file->text + l->at;
    for (token_kind k = FIRST_OPERATOR; k < TOKEN_KIND_COUNT; k++) {
        uint32_t length = tokens[k].length;
        if (tokens[k].text[0] != text[0] || l->limit - l->at < length || memcmp(tokens[k].text, text, length) ||
            (tokens[k].class == OPERATOR_PYTHON && l->dialect != DIALECT_PYTHON))
            continue;
        token t = {k, l->at, l->at + length};
        l->at += length;
        count_bracket(l, k);
        return t;
    }
    source_range here = source_range_make(l->file, l->at, l->at + 1);
    if (text[0] > ' ' && text[0] < 0x7f)
        source_fail(here, "expected a valid token but found '%c' here", text[0]);
    source_fail(here, "expected a valid token but found byte 0x%02x here", (unsigned char)text[0]);
}

token lexer_next(lexer *l) {
    token t;
    if (l->pending_dedents) {
        l->pending_dedents--;
        return (token){TOKEN_DEDENT, l->at, l->at};
    }
    if (l->at_line_start && !l->brackets && begin_line(l, &t))
        return t;
    skip_blanks(l);
    if (l->at >= l->limit)
        return finish(l);
    char c = peek(l, 0);
    if (c == '\n') {
        l->at_line_start = l->line_is_empty = true;
        l->at++;
        return (token){TOKEN_NEWLINE, l->at - 1, l->at};
    }
    l->line_is_empty = false;
    if (is_name_start(l, c))
        return lex_name(l);
    if (is_digit(c) || (c == '.' && is_digit(peek(l, 1))))
        return lex_number(l);
    if (c == '"' || c == '\'')
        return lex_string(l, l->at);
    return lex_operator(l);
}

/* Does a new member, a new definition or the end of the text start at `i`, the start of a line? */
static bool ends_enum_value(const lexer *l, uint32_t i) {
    const char *text = l->file->text;
    if (i >= l->limit || text[i] != ' ')
        return true;
    while (i < l->limit && text[i] == ' ')
        i++;
    while (i < l->limit && is_name_part(l, text[i]))
        i++;
    return l->limit - i >= 3 && !memcmp(text + i, " = ", 3);
}

token lexer_next_enum_value(lexer *l) {
    skip_blanks(l);
    uint32_t start = l->at;
    if (peek(l, 0) != '"')
        return lexer_next(l);
    for (l->at++; l->at < l->limit; l->at++) {
        bool line_ends = l->at + 1 >= l->limit || peek(l, 1) == '\n';
        if (peek(l, 0) == '"' && line_ends && ends_enum_value(l, l->at + 2)) {
            l->at++;
            return (token){TOKEN_STRING, start, l->at};
        }
    }
    fail_here(l, start, l->limit, "unterminated string");
}
