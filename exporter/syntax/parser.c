/* What the parsers of statements and expressions share, and the entries for files, functions and types. */
#include "exporter/syntax/parser_internal.h"

#include <string.h>

/* ---- Tokens ---- */

static void parser_start(parser *p) {
    p->scope.file = p->lex.file;
    p->negated_number = UINT32_MAX;
    p->token = lexer_next(&p->lex);
    p->last_end = p->token.start;
}

void parser_init_expression(parser *p, const source_file *file, dialect d, uint32_t start, uint32_t limit) {
    memset(p, 0, sizeof(*p));
    lexer_init_expression(&p->lex, file, d, start, limit);
    parser_start(p);
}

bool parser_is_python(const parser *p) {
    return p->lex.dialect == DIALECT_PYTHON;
}

bool parser_at(const parser *p, token_kind kind) {
    return p->token.kind == kind;
}

token_kind parser_following(parser *p) {
    if (!p->has_following)
        p->following = lexer_next(&p->lex);
    p->has_following = true;
    return p->following.kind;
}

/* Tokens that are there for the grammar only, at the start of the line after the one they end. */
static bool is_layout(token t) {
    return t.kind == TOKEN_NEWLINE || t.kind == TOKEN_INDENT || t.kind == TOKEN_DEDENT;
}

token parser_advance(parser *p) {
    token passed = p->token;
    if (!is_layout(passed))
        p->last_end = passed.end;
    p->token = p->has_following ? p->following : lexer_next(&p->lex);
    p->has_following = false;
    return passed;
}

bool parser_accept(parser *p, token_kind kind) {
    if (!parser_at(p, kind))
        return false;
    parser_advance(p);
    return true;
}

void parser_expected(parser *p, const char *what) {
    source_fail(parser_token_range(p, p->token), "expected %s but found '%s' here", what, token_text(p->token.kind));
}

token parser_expect(parser *p, token_kind kind) {
    if (!parser_at(p, kind))
        parser_expected(p, token_text(kind));
    return parser_advance(p);
}

token parser_expect_any_name(parser *p) {
    if (!parser_is_python(p) && token_is_keyword(p->token.kind))
        return parser_advance(p);
    return parser_expect(p, TOKEN_IDENT);
}

source_range parser_token_range(const parser *p, token t) {
    return source_range_make(p->scope.file, t.start, t.end);
}

const char *parser_name(const parser *p, token t) {
    return intern_n(p->lex.file->text + t.start, t.end - t.start);
}

bool parser_token_is(const parser *p, token t, const char *text) {
    return t.kind == TOKEN_IDENT && t.end - t.start == strlen(text) &&
           !memcmp(p->lex.file->text + t.start, text, t.end - t.start);
}

void parser_enter(parser *p) {
    stack_check();
    if (++p->depth > LIMIT_EXPRESSION_DEPTH)
        source_fail(parser_token_range(p, p->token), "%s", limit_text(OVER_EXPRESSION_DEPTH));
}

void parser_leave(parser *p) {
    p->depth--;
}

/* ---- Nodes ---- */

source_range parser_range(const parser *p, uint32_t start, uint32_t end) {
    return source_range_make(p->scope.file, start, end);
}

ast_node *parser_node(const parser *p, ast_kind kind, uint32_t start, uint32_t end) {
    return ast_new(kind, parser_range(p, start, end));
}

void parser_cover(ast_node *node, const ast_node *part) {
    if (part)
        node->range = source_range_join(node->range, part->range);
}

void parser_cover_list(ast_node *node, ast_list parts) {
    for (uint32_t i = 0; i < parts.count; i++)
        parser_cover(node, parts.items[i]);
}

size_t parser_list_begin(const parser *p) {
    return arrlenu(p->scratch);
}

void parser_list_push(parser *p, ast_node *node) {
    arrput(p->scratch, node);
}

ast_list parser_list_end(parser *p, size_t begin) {
    ast_list list = {NULL, (uint32_t)(arrlenu(p->scratch) - begin)};
    if (list.count) {
        list.items = MEM_ARRAY(ast_node *, list.count);
        memcpy(list.items, p->scratch + begin, list.count * sizeof(ast_node *));
        arrsetlen(p->scratch, begin);
    }
    return list;
}

ast_node *parser_unsupported(parser *p, source_range range, const char *message) {
    ast_node *node = ast_new(AST_UNSUPPORTED, range);
    node->unsupported.message = message;
    if (p->scope.error && !*p->scope.error)
        *p->scope.error = node;
    return node;
}

ast_node *parser_noted(const parser *p) {
    return p->scope.error ? *p->scope.error : NULL;
}

ast_node *parser_unsupported_whole(parser *p, ast_node *earlier, source_range range, const char *message) {
    if (p->scope.error)
        *p->scope.error = earlier;
    return parser_unsupported(p, range, message);
}

ast_node *parser_unsupported_with(parser *p, source_range range, const char *message, ast_node *part) {
    ast_node *node = parser_unsupported(p, range, message);
    node->unsupported.parts = (ast_list){MEM_NEW(ast_node *), 1};
    node->unsupported.parts.items[0] = part;
    return node;
}

const char *parser_in_words(const char *message, const char *words) {
    return mem_printf("%s (PyTorch's words: %s)", message, words);
}

ast_node *parser_unsupported_form(parser *p, source_range range, const char *form) {
    return parser_unsupported(p, range, mem_printf("%s aren't supported", form));
}

/* ---- Modules ---- */

/* dotted_name := name ("." name)* */
static const char *parse_dotted_name(parser *p) {
    strbuf text = {0};
    do {
        if (text.length)
            strbuf_add(&text, ".");
        strbuf_add(&text, parser_name(p, parser_expect_any_name(p)));
    } while (parser_accept(p, TOKEN_DOT));
    return intern(text.text);
}

/* alias := ["as" NAME]; without it the import binds `otherwise`. */
static const char *parse_alias(parser *p, const char *otherwise) {
    return parser_accept(p, TOKEN_AS) ? parser_name(p, parser_expect(p, TOKEN_IDENT)) : otherwise;
}

static const char *first_segment(const char *dotted) {
    const char *dot = strchr(dotted, '.');
    return dot ? intern_n(dotted, (size_t)(dot - dotted)) : dotted;
}

/* imported := "*" | ["("] NAME alias ("," NAME alias)* [","] [")"] */
static void parse_imported_names(parser *p, const char *module, ast_import_name **names) {
    if (parser_accept(p, TOKEN_STAR)) {
        arrput(*names, ((ast_import_name){module, intern("*"), intern("*")}));
        return;
    }
    bool parenthesized = parser_accept(p, TOKEN_OPEN_PAREN);
    do {
        if (parenthesized && parser_at(p, TOKEN_CLOSE_PAREN))
            break;
        const char *name = parser_name(p, parser_expect(p, TOKEN_IDENT));
        arrput(*names, ((ast_import_name){module, name, parse_alias(p, name)}));
    } while (parser_accept(p, TOKEN_COMMA));
    if (parenthesized)
        parser_expect(p, TOKEN_CLOSE_PAREN);
}

/* from := "from" ("." | "...")* [dotted_name] "import" imported */
static void parse_from(parser *p, ast_import_name **names) {
    strbuf module = {0};
    for (parser_advance(p); parser_at(p, TOKEN_DOT) || parser_at(p, TOKEN_DOTS);)
        strbuf_add(&module, token_text(parser_advance(p).kind));
    if (!parser_at(p, TOKEN_IMPORT))
        strbuf_add(&module, parse_dotted_name(p));
    parser_expect(p, TOKEN_IMPORT);
    parse_imported_names(p, intern(strbuf_text(&module)), names);
}

/* import := from | "import" dotted_name alias ("," dotted_name alias)* */
ast_node *parser_import(parser *p) {
    token keyword = p->token;
    ast_import_name *names = NULL;
    if (keyword.kind == TOKEN_FROM) {
        parse_from(p, &names);
    } else {
        do {
            parser_advance(p);
            const char *module = parse_dotted_name(p);
            arrput(names, ((ast_import_name){module, NULL, parse_alias(p, first_segment(module))}));
        } while (parser_at(p, TOKEN_COMMA));
    }
    if (p->scope.function)
        return parser_unsupported_form(p, parser_token_range(p, keyword), "import statements");
    ast_node *node = parser_node(p, AST_IMPORT, keyword.start, p->last_end);
    node->import.names = names;
    node->import.count = (uint32_t)arrlenu(names);
    return node;
}

ast_node *parse_file(const source_file *file, dialect d) {
    parser p;
    memset(&p, 0, sizeof(p));
    lexer_init(&p.lex, file, d, file->window_start, file->window_end);
    parser_start(&p);
    ast_node *node = parser_node(&p, AST_FILE, file->window_start, file->window_end);
    node->sequence = parser_statements(&p, TOKEN_EOF);
    arrfree(p.scratch);
    return node;
}

ast_node *parse_expression(const source_file *file, dialect d) {
    parser p;
    parser_init_expression(&p, file, d, file->window_start, file->window_end);
    ast_node *node = parser_expression(&p);
    parser_expect(&p, TOKEN_EOF);
    arrfree(p.scratch);
    return node;
}
