/* Reads files of programs into functions and module classes, and damages texts by tokens and lines. */
#include "tests/fuzz/mutate_source.h"

#include <ctype.h>
#include <string.h>

#include "exporter/base/mem.h"

/* ---- Functions of a file ---- */

/* What stands at the outermost level: a statement with all lines that belong to it. */
typedef struct {
    const char *start, *name; /* name: of what it defines, or NULL */
    size_t bytes;
    bool is_entry, is_needed; /* is_entry: a function or a module class */
} statement;

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t name_bytes(const char *s) {
    size_t n = 0;
    while (is_name_char(s[n]))
        n++;
    return n;
}

static const char *next_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static bool begins(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

/* The end of the statement at `at`: the next line that begins without a blank, but for closing brackets. */
static const char *statement_end(const char *at) {
    static const char quotes[] = "\"\"\"";
    if (begins(at, quotes))
        at = strstr(at + 3, quotes) ? strstr(at + 3, quotes) : at;
    bool is_decorator = *at == '@';
    for (at = next_line(at); *at && (is_decorator || strchr(" \n)]}", *at)); at = next_line(at))
        is_decorator = is_decorator && *at == '@';
    return at;
}

static statement read_statement(const char *at) {
    statement s = {.start = at, .bytes = (size_t)(statement_end(at) - at)};
    while (*at == '@')
        at = next_line(at);
    s.is_entry = begins(at, "def ") ||
                 (begins(at, "class ") && strstr(at, "Module):") && strstr(at, "Module):") < next_line(at));
    s.is_needed = begins(at, "import ") || begins(at, "from ");
    if (begins(at, "def ") || begins(at, "class "))
        at = strchr(at, ' ') + 1;
    if (!s.is_needed && name_bytes(at))
        s.name = intern_n(at, name_bytes(at));
    return s;
}

static bool mentions(const statement *s, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = s->start; (at = strstr(at, name)) && at < s->start + s->bytes; at += n)
        if (!is_name_char(at[n]) && (at == s->start || !is_name_char(at[-1])))
            return true;
    return false;
}

/* Marks what a statement needs, and what that needs. */
static void mark_needed(statement *all, const statement *s) {
    for (size_t i = 0; i < arrlenu(all); i++)
        if (!all[i].is_needed && all[i].name && &all[i] != s && mentions(s, all[i].name)) {
            all[i].is_needed = true;
            mark_needed(all, &all[i]);
        }
}

static source_seed make_seed(const char *file, const statement *read, size_t chosen) {
    statement *all = NULL;
    strbuf before = {0};
    for (size_t i = 0; i < arrlenu(read); i++)
        arrput(all, read[i]);
    mark_needed(all, &all[chosen]);
    for (size_t i = 0; i < arrlenu(all); i++)
        if (all[i].is_needed && i != chosen)
            strbuf_add_n(&before, all[i].start, all[i].bytes);
    return (source_seed){file, all[chosen].name, mem_strdup(strbuf_text(&before)),
                         mem_strndup(all[chosen].start, all[chosen].bytes)};
}

void source_seeds_add(source_seed **seeds, const char *file, const char *text) {
    statement *all = NULL;
    for (const char *at = text; *at; at = all[arrlenu(all) - 1].start + all[arrlenu(all) - 1].bytes) {
        const statement s = read_statement(at);
        arrput(all, s);
    }
    for (size_t i = 0; i < arrlenu(all); i++)
        if (all[i].is_entry && all[i].name)
            arrput(*seeds, make_seed(file, all, i));
}

/* ---- Tokens ---- */

typedef enum { BLANK, LINE_END, NAME, NUMBER, STRING, OPERATOR } token_kind;

typedef struct {
    token_kind kind;
    const char *text;
    size_t bytes;
} token;

static size_t string_bytes(const char *s) {
    const size_t quotes = s[1] == s[0] && s[2] == s[0] ? 3 : 1;
    size_t n = quotes;
    while (s[n] && strncmp(s + n, s, quotes) != 0 && (quotes == 3 || s[n] != '\n'))
        n += s[n] == '\\' && s[n + 1] ? 2 : 1;
    return s[n] == s[0] ? n + (strncmp(s + n, s, quotes) ? 0 : quotes) : n;
}

static size_t operator_bytes(const char *s) {
    static const char *const longer[] = {"**=", "//=", "<<=", ">>=", "->", "==", "!=", "<=", ">=", "**", "//",
                                         "<<",  ">>",  "+=",  "-=",  "*=", "/=", "%=", "|=", "&=", "^="};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (begins(s, longer[i]))
            return strlen(longer[i]);
    return 1;
}

static token read_token(const char *s) {
    token t = {OPERATOR, s, 0};
    if (*s == '\n') {
        t.kind = LINE_END;
        t.bytes = 1 + strspn(s + 1, " ");
    } else if (*s == ' ' || *s == '#') {
        t.kind = BLANK;
        t.bytes = *s == '#' ? strcspn(s, "\n") : strspn(s, " ");
    } else if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
        t.kind = NUMBER;
        while (is_name_char(s[t.bytes]) || s[t.bytes] == '.' ||
               (strchr("+-", s[t.bytes]) && s[t.bytes] && tolower((unsigned char)s[t.bytes - 1]) == 'e'))
            t.bytes++;
    } else if (is_name_char(*s)) {
        t.kind = NAME;
        t.bytes = name_bytes(s);
    } else if (*s == '"' || *s == '\'') {
        t.kind = STRING;
        t.bytes = string_bytes(s);
    } else {
        t.bytes = operator_bytes(s);
    }
    return t;
}

static token *read_tokens(const char *text) {
    token *tokens = NULL;
    for (const char *at = text; *at; at += tokens[arrlenu(tokens) - 1].bytes) {
        const token t = read_token(at);
        arrput(tokens, t);
    }
    return tokens;
}

static char *join(const token *tokens) {
    strbuf b = {0};
    for (size_t i = 0; i < arrlenu(tokens); i++)
        strbuf_add_n(&b, tokens[i].text, tokens[i].bytes);
    return mem_strdup(strbuf_text(&b));
}

static token made(const char *text) {
    return (token){OPERATOR, text, strlen(text)};
}

/* A token of that kind, chosen at random; NULL when there is none. */
static const token *choose(mutate_random *r, const token *tokens, token_kind kind) {
    size_t count = 0;
    const token *chosen = NULL;
    for (size_t i = 0; i < arrlenu(tokens); i++)
        if (tokens[i].kind == kind && mutate_below(r, ++count) == 0)
            chosen = &tokens[i];
    return chosen;
}

static const char *text_of(const token *t) {
    return t ? mem_strndup(t->text, t->bytes) : "x";
}

#define PICK(r, list) ((list)[mutate_below((r), sizeof(list) / sizeof *(list))])

static const char *const numbers[] = {
    "0",    "1",    "-1",    "2",    "7",  "0.5", "1e308", "9223372036854775807",  "2j",
    "None", "True", "\"a\"", "\"\"", "[]", "()",  "{}",    "-9223372036854775808", "inf"};
static const char *const operators[] = {
    "+",  "-",  "*", "/",  "//",    "%",    "**",   "<<",   ">>",       "&", "|",  "^",
    "==", "!=", "<", "<=", " and ", " or ", " is ", " in ", " not in ", "=", "+=", "."};
static const char *const types[] = {"int",       "float",           "bool",
                                    "str",       "Tensor",          "List[int]",
                                    "List[str]", "Optional[int]",   "Dict[str, int]",
                                    "Any",       "Tuple[int, str]", "None",
                                    "complex",   "List[List[int]]", "Union[int, str]",
                                    "x"};
/* %s: a name or number of the program. */
static const char *const expressions[] = {"[%s, %s]",
                                          "(%s, %s)",
                                          "%s[0]",
                                          "%s[1:]",
                                          "%s[-1]",
                                          "-%s",
                                          "(not %s)",
                                          "[q for q in %s]",
                                          "(%s if %s else %s)",
                                          "str(%s)",
                                          "len(%s)",
                                          "int(%s)",
                                          "float(%s)",
                                          "{%s: %s}",
                                          "torch.tensor(%s)",
                                          "%s.append(%s)",
                                          "%s.copy()",
                                          "[%s] * 3",
                                          "max(%s, %s)",
                                          "sorted(%s)",
                                          "list(%s)",
                                          "range(%s)",
                                          "(%s,)",
                                          "torch.jit.annotate(Optional[int], %s)",
                                          "isinstance(%s, int)",
                                          "f\"{%s}\"",
                                          "\"{}\".format(%s)",
                                          "[q + %s for q in range(3)]",
                                          "%s == %s",
                                          "(%s is None)"};
static const char *const statements[] = {"return %s",
                                         "break",
                                         "continue",
                                         "raise ValueError(\"x\")",
                                         "assert %s, \"no\"",
                                         "%s = %s",
                                         "%s += %s",
                                         "pass",
                                         "print(%s)",
                                         "del %s",
                                         "%s.append(%s)",
                                         "%s[0] = %s",
                                         "%s, %s = %s, %s",
                                         "%s: Optional[int] = %s",
                                         "if %s is None: return %s",
                                         "global %s"};
static const char *const headers[] = {"if %s:",
                                      "for q in range(3):",
                                      "while %s:",
                                      "for q in %s:",
                                      "with torch.no_grad():",
                                      "if not %s:",
                                      "for q, w in enumerate(%s):",
                                      "if isinstance(%s, int):",
                                      "def inner():",
                                      "try:"};

/* A form with its gaps filled with names, and now and then numbers, of the program. */
static const char *fill(mutate_random *r, const char *form, const token *own) {
    strbuf b = {0};
    for (const char *gap; (gap = strstr(form, "%s")); form = gap + 2) {
        strbuf_add_n(&b, form, (size_t)(gap - form));
        strbuf_add(&b, text_of(choose(r, own, mutate_below(r, 5) ? NAME : NUMBER)));
    }
    strbuf_add(&b, form);
    return strbuf_text(&b);
}

/* The end of what the bracket at i opens: the position of its counterpart, or of the last token. */
static size_t closing(const token *tokens, size_t i) {
    int depth = 0;
    for (; i + 1 < arrlenu(tokens); i++) {
        const char c = tokens[i].kind == OPERATOR && tokens[i].bytes == 1 ? *tokens[i].text : 0;
        depth += c && strchr("([{", c) ? 1 : c && strchr(")]}", c) ? -1 : 0;
        if (depth == 0)
            break;
    }
    return i;
}

static size_t choose_bracket(mutate_random *r, const token *tokens) {
    size_t count = 0, chosen = arrlenu(tokens);
    for (size_t i = 0; i < arrlenu(tokens); i++)
        if (tokens[i].kind == OPERATOR && strchr("([{", *tokens[i].text) && mutate_below(r, ++count) == 0)
            chosen = i;
    return chosen;
}

/* A group of brackets in the place of another. */
static token *exchange_group(mutate_random *r, token *own, const token *from) {
    const size_t at = choose_bracket(r, own), source = choose_bracket(r, from);
    if (at == arrlenu(own) || source == arrlenu(from))
        return own;
    token *out = NULL;
    for (size_t i = 0; i < at; i++)
        arrput(out, own[i]);
    for (size_t i = source; i <= closing(from, source); i++)
        arrput(out, from[i]);
    for (size_t i = closing(own, at) + 1; i < arrlenu(own); i++)
        arrput(out, own[i]);
    return out;
}

static token *change_token(mutate_random *r, token *own, const token *other, bool is_python) {
    token *t = &own[mutate_below(r, arrlenu(own))];
    for (int i = 0; i < 8 && t->kind <= LINE_END; i++)
        t = &own[mutate_below(r, arrlenu(own))];
    const token *alike = choose(r, mutate_below(r, 10) < 7 ? own : other, t->kind);
    switch (mutate_below(r, is_python ? 16 : 12)) {
    case 0:
        t->bytes = 0;
        break;
    case 1:
        *t = made(mem_printf("%s %s", text_of(t), text_of(t)));
        break;
    case 2:
        *t = made(PICK(r, numbers));
        break;
    case 3:
        return exchange_group(r, own, mutate_below(r, 2) ? own : other);
    case 12:
        *t = made(t->kind == OPERATOR ? PICK(r, operators) : PICK(r, types));
        break;
    case 13:
    case 14:
    case 15:
        if (t->kind != OPERATOR)
            *t = made(fill(r, PICK(r, expressions), own));
        break;
    default:
        if (alike)
            *t = *alike;
    }
    return own;
}

/* ---- Lines ---- */

static char **read_lines(const char *text) {
    char **lines = NULL;
    for (const char *at = text; *at; at = next_line(at))
        arrput(lines, mem_strndup(at, (size_t)(next_line(at) - at)));
    return lines;
}

static int indentation(const char *line) {
    return (int)strspn(line, " ");
}

/* Puts lines [at, end) into a block. */
static void wrap_lines(mutate_random *r, char **lines, size_t at, const token *own) {
    const int deep = indentation(lines[at]);
    size_t end = at + 1;
    while (end < arrlenu(lines) &&
           (indentation(lines[end]) > deep || (indentation(lines[end]) == deep && mutate_below(r, 2))))
        end++;
    const char *header = PICK(r, headers);
    for (size_t i = at; i < end; i++)
        lines[i] = mem_printf("    %s", lines[i]);
    lines[at] = mem_printf("%*s%s\n%s", deep, "", fill(r, header, own), lines[at]);
}

static char *change_lines(mutate_random *r, const char *text, const char *other) {
    const token *own = read_tokens(text);
    char **lines = read_lines(text), **others = read_lines(other);
    const size_t n = arrlenu(lines), at = n > 1 ? 1 + mutate_below(r, n - 1) : 0, second = mutate_below(r, n);
    char *line = lines[at];
    switch (mutate_below(r, 8)) {
    case 0:
        lines[at] = "";
        break;
    case 1:
        lines[at] = mem_printf("%s%s", line, lines[second]);
        break;
    case 2:
        lines[at] = mem_printf("%s%s", line, others[mutate_below(r, arrlenu(others))]);
        break;
    case 3:
        lines[at] = lines[second];
        lines[second] = line;
        break;
    case 4:
    case 5:
        wrap_lines(r, lines, at, own);
        break;
    default:
        lines[at] = mem_printf("%*s%s\n%s", indentation(line), "", fill(r, PICK(r, statements), own), line);
    }
    strbuf b = {0};
    for (size_t i = 0; i < n; i++)
        strbuf_add(&b, lines[i]);
    return mem_strdup(strbuf_text(&b));
}

char *mutate_source(mutate_random *r, const char *own, const char *other, bool is_python) {
    static const int changes[] = {1, 1, 1, 2, 4};
    if (!*own || !*other)
        return mem_strdup(own);
    if (is_python && mutate_below(r, 10) < 3)
        return change_lines(r, own, other);
    token *tokens = read_tokens(own), *others = read_tokens(other);
    for (int n = PICK(r, changes); n > 0; n--)
        tokens = change_token(r, tokens, others, is_python);
    return join(tokens);
}
