/* Parser of functions and classes: parameters, signatures, bodies. */
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/syntax/parser_internal.h"

/* ---- Parameters and signatures ---- */

/* The three kinds of parameters that PyTorch's Python front end refuses, as it looks for them. */
typedef struct {
    source_range keywords, varargs, keyword_default;
} refused_params;

/* Defaults are values, computed when the author's module is run: no part of the function that is compiled. */
static ast_node *parse_default(parser *p) {
    ast_node **error = p->scope.error;
    p->scope.error = NULL;
    ast_node *value = parser_expression(p);
    p->scope.error = error;
    return value;
}

/* star_param := "*" [NAME [":" expression]] | "**" NAME [":" expression] */
static void parse_star_param(parser *p, bool annotated, bool *keyword_only, refused_params *refused) {
    token star = parser_advance(p);
    *keyword_only = true;
    if (star.kind == TOKEN_STAR && parser_at(p, TOKEN_COMMA))
        return;
    if (!parser_is_python(p))
        parser_expected(p, ",");
    token name = parser_expect(p, TOKEN_IDENT);
    *(star.kind == TOKEN_STAR ? &refused->varargs : &refused->keywords) = parser_range(p, name.start - 1, name.end);
    ast_node *param = parser_node(p, AST_PARAM, name.start, name.end);
    param->param.name = parser_name(p, name);
    param->param.keyword_only = true;
    param->param.stars = star.kind == TOKEN_STAR ? 1 : 2;
    if (annotated && parser_accept(p, TOKEN_COLON))
        parser_expression(p);
    parser_list_push(p, param);
}

/* param := NAME [":" expression] ["=" expression] */
static ast_node *parse_param(parser *p, bool annotated, bool keyword_only, refused_params *refused) {
    token name = parser_expect(p, TOKEN_IDENT);
    ast_node *param = parser_node(p, AST_PARAM, name.start, name.end);
    param->param.name = parser_name(p, name);
    param->param.keyword_only = keyword_only;
    if (annotated && parser_accept(p, TOKEN_COLON)) {
        param->param.type = parser_expression(p);
        parser_cover(param, param->param.type);
    }
    if (parser_accept(p, TOKEN_ASSIGN)) {
        param->param.default_value = parse_default(p);
        if (keyword_only && !refused->keyword_default.file)
            refused->keyword_default = param->param.default_value->range;
    }
    return param;
}

static void check_names(ast_list params) {
    for (uint32_t i = 1; i < params.count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(params.items[i]->param.name, params.items[k]->param.name))
                source_fail(params.items[i]->range, "duplicate argument '%s' in function definition",
                            params.items[i]->param.name);
}

/* params := [(param | star_param | "/") ("," (param | star_param | "/"))* [","]] */
ast_list parser_params(parser *p, token_kind end, bool annotated) {
    size_t params = parser_list_begin(p);
    refused_params refused = {0};
    bool keyword_only = false;
    while (!parser_at(p, end)) {
        if (parser_at(p, TOKEN_STAR) || parser_at(p, TOKEN_POW))
            parse_star_param(p, annotated, &keyword_only, &refused);
        else if (!parser_accept(p, TOKEN_SLASH))
            parser_list_push(p, parse_param(p, annotated, keyword_only, &refused));
        if (!parser_at(p, end))
            parser_expect(p, TOKEN_COMMA);
    }
    source_range where = refused.keywords.file  ? refused.keywords
                         : refused.varargs.file ? refused.varargs
                                                : refused.keyword_default;
    if (where.file && parser_is_python(p))
        parser_unsupported(p, where,
                           "Compiled functions can't take variable number of arguments or use keyword-only arguments "
                           "with defaults");
    const ast_list all = parser_list_end(p, params);
    check_names(all);
    return all;
}

/* ---- "# type:" comments ---- */

static uint32_t comment_end(const parser *p, uint32_t at) {
    while (at < p->lex.limit && p->lex.file->text[at] != '\n')
        at++;
    return at;
}

static void init_comment_parser(parser *p, parser *inner, uint32_t at) {
    parser_init_expression(inner, p->lex.file, DIALECT_SERIALIZED, at, comment_end(p, at));
    inner->scope.file = p->scope.file;
}

/* Does the comment behind "# type:" state only a return type, the parameters having comments of their own? */
static bool states_return_only(const parser *p, uint32_t at) {
    static const char form[] = " (...) -> ";
    return p->lex.limit - at >= sizeof(form) - 1 && !memcmp(p->lex.file->text + at, form, sizeof(form) - 1);
}

/* type_parameters := "[" (["*" | "**"] NAME [":" expression] ["=" expression] ",")* "]"
 * Their names mean no types in TorchScript; a function that uses them is refused where it does. */
void parser_type_parameters(parser *p) {
    if (!parser_is_python(p) || !parser_accept(p, TOKEN_OPEN_BRACKET))
        return;
    do {
        if (!parser_accept(p, TOKEN_STAR))
            parser_accept(p, TOKEN_POW);
        parser_expect(p, TOKEN_IDENT);
        if (parser_accept(p, TOKEN_COLON))
            parser_expression(p);
        if (parser_accept(p, TOKEN_ASSIGN))
            parser_expression(p);
    } while (parser_accept(p, TOKEN_COMMA) && !parser_at(p, TOKEN_CLOSE_BRACKET));
    parser_expect(p, TOKEN_CLOSE_BRACKET);
}

/* signature := "(" [expression ("," expression)*] ")" "->" expression
 * "(...)" stands for the types that are in `params` already. */
static void parse_type_signature(parser *p, uint32_t at, ast_list *params, ast_node **return_type) {
    bool return_only = states_return_only(p, at);
    parser inner;
    init_comment_parser(p, &inner, at);
    parser_expect(&inner, TOKEN_OPEN_PAREN);
    size_t types = parser_list_begin(&inner);
    while (!parser_at(&inner, TOKEN_CLOSE_PAREN)) {
        parser_list_push(&inner, parser_expression(&inner));
        if (!parser_at(&inner, TOKEN_CLOSE_PAREN))
            parser_expect(&inner, TOKEN_COMMA);
    }
    ast_list stated = parser_list_end(&inner, types);
    if (!return_only)
        *params = stated;
    parser_expect(&inner, TOKEN_CLOSE_PAREN);
    parser_expect(&inner, TOKEN_ARROW);
    *return_type = parser_expression(&inner);
    parser_expect(&inner, TOKEN_EOF);
}

static ast_node *parse_param_comment(parser *p, uint32_t at) {
    parser inner;
    init_comment_parser(p, &inner, at);
    ast_node *type = parser_expression(&inner);
    parser_expect(&inner, TOKEN_EOF);
    return type;
}

static bool begins_signature(const parser *p, uint32_t at) {
    while (at < p->lex.limit && p->lex.file->text[at] == ' ')
        at++;
    return at < p->lex.limit && p->lex.file->text[at] == '(';
}

/* Finds the comment that states the signature among the function's comments: the only one, or the one with "(...)",
 * which follows those of the parameters. Returns its index, or -1. */
static ptrdiff_t find_signature_comment(const parser *p, const uint32_t *comments, ptrdiff_t count) {
    if (count == 1)
        return begins_signature(p, comments[0]) ? 0 : -1;
    for (ptrdiff_t i = 0; i < count; i++)
        if (states_return_only(p, comments[i]))
            return i;
    return -1;
}

/* Puts the types of the function's "# type:" comments, those from index `first` on, into its parameters. Returns the
 * text of what is wrong with them, or NULL. */
static const char *merge_type_comments(parser *p, ast_def *def, ptrdiff_t first, uint32_t def_end, bool is_method) {
    const uint32_t *comments = p->lex.type_comments + first;
    ptrdiff_t count = arrlen(p->lex.type_comments) - first;
    while (count && comments[count - 1] > def_end)
        count--;
    if (!count)
        return NULL;
    ptrdiff_t signature = find_signature_comment(p, comments, count);
    if (signature < 0)
        return count == 1 ? "A '# type:' comment in a function must state its signature: '# type: (...) -> ...'"
                          : "Return type line '# type: (...) -> ...' not found on multiline type annotation";
    size_t begin = parser_list_begin(p);
    for (ptrdiff_t i = 0; i < signature; i++)
        parser_list_push(p, parse_param_comment(p, comments[i]));
    ast_list types = parser_list_end(p, begin);
    ast_node *return_type;
    parse_type_signature(p, comments[signature], &types, &return_type);
    uint32_t skipped = is_method && def->params.count;
    uint32_t expected = def->params.count - skipped;
    if (types.count != expected)
        return mem_printf("Number of type annotations (%u) did not match the number of %s parameters (%u)", types.count,
                          is_method ? "method" : "function", expected);
    for (uint32_t i = 0; i < expected; i++)
        def->params.items[skipped + i]->param.type = types.items[i];
    def->return_type = return_type;
    return NULL;
}

/* ---- Functions ---- */

/* decorators := ("@" expression NEWLINE)* */
static ast_list parse_decorators(parser *p) {
    size_t decorators = parser_list_begin(p);
    ast_node **error = p->scope.error;
    p->scope.error = NULL;
    while (parser_accept(p, TOKEN_AT)) {
        parser_list_push(p, parser_expression(p));
        parser_expect(p, TOKEN_NEWLINE);
    }
    p->scope.error = error;
    return parser_list_end(p, decorators);
}

static uint32_t line_start(const source_file *file, uint32_t offset) {
    return offset - source_column(file, offset);
}

/* The width of the blanks at `at`. */
static uint32_t blanks_at(const parser *p, uint32_t at) {
    uint32_t n = 0;
    while (at + n < p->lex.limit && (p->lex.file->text[at + n] == ' ' || p->lex.file->text[at + n] == '\t'))
        n++;
    return n;
}

/* Where the lines of a function end whose last token ends at `end` and whose block is indented by `column`: after the
 * comments that follow in its block. */
static uint32_t function_lines_end(const parser *p, uint32_t end, uint32_t column) {
    const char *text = p->lex.file->text;
    uint32_t limit = p->lex.limit, last = comment_end(p, end);
    for (uint32_t at = last; at < limit; at = comment_end(p, at)) {
        uint32_t width = blanks_at(p, ++at);
        at += width;
        if (at >= limit || (text[at] != '#' && text[at] != '\n'))
            break;
        if (text[at] == '#' && width >= column)
            last = comment_end(p, at);
    }
    return last < limit ? last + 1 : limit;
}

/* signature := NAME [type_parameters] "(" params ")" ["->" expression] */
static void parse_signature(parser *p, ast_node *node, source_range keyword) {
    ast_def *def = node->def;
    token name = parser_expect_any_name(p);
    def->name = parser_name(p, name);
    def->name_range = parser_is_python(p) ? keyword : parser_token_range(p, name);
    parser_type_parameters(p);
    token open = parser_expect(p, TOKEN_OPEN_PAREN);
    ast_node decl = {.range = parser_is_python(p) ? keyword : parser_token_range(p, open)};
    def->params = parser_params(p, TOKEN_CLOSE_PAREN, true);
    parser_expect(p, TOKEN_CLOSE_PAREN);
    if (parser_accept(p, TOKEN_ARROW))
        def->return_type = parser_expression(p);
    parser_cover_list(&decl, def->params);
    parser_cover(&decl, def->return_type);
    def->decl_range = decl.range;
    parser_cover(node, &decl);
}

/* The same for the function that was just parsed; what is no type in a comment is the function's fault, not the file's.
 */
static const char *read_type_comments(parser *p, ast_def *def, ptrdiff_t first, bool is_method) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        const char *wrong = merge_type_comments(p, def, first, comment_end(p, p->last_end), is_method);
        diag_end(&h);
        return wrong;
    }
    return mem_strndup(h.message, strcspn(h.message, "\n"));
}

/* The body, with `# type:` comments from index `comment` on, and what is wrong with the whole function. */
static void parse_body(parser *p, ast_node *node, ptrdiff_t comment, bool is_method) {
    ast_def *def = node->def;
    ast_node *signature_error = def->error;
    def->body = parser_block(p);
    parser_cover_list(node, def->body);
    const char *wrong = read_type_comments(p, def, comment, is_method);
    if (wrong && !signature_error) {
        def->error = NULL;
        parser_unsupported(p, def->decl_range, wrong);
    }
}

/* PyTorch finds no function where it looks for one; its message names only the line of the definition. */
static void refuse_async(parser *p, source_range first, token async, source_range keyword) {
    const source_file *file = p->lex.file;
    const char *words =
        mem_printf("Expected a single top-level function: %s:%u", file->name, source_line(file, first.start));
    parser_unsupported(p, parser_range(p, async.start, keyword.end),
                       parser_in_words("async function definitions aren't supported", words));
}

/* def := decorators ["async"] "def" signature block */
static ast_node *parse_def(parser *p, ast_list decorators, bool is_method) {
    token async = p->token;
    bool is_async = parser_accept(p, TOKEN_ASYNC);
    source_range keyword = parser_token_range(p, parser_expect(p, TOKEN_DEF));
    ast_node *node = ast_new(AST_DEF, keyword);
    node->def = MEM_NEW(ast_def);
    node->def->decorators = decorators;
    p->scope.error = &node->def->error;
    ptrdiff_t comment = arrlen(p->lex.type_comments);
    if (is_async)
        refuse_async(p, decorators.count ? decorators.items[0]->range : keyword, async, keyword);
    parse_signature(p, node, keyword);
    p->scope.function = node->def->name;
    parse_body(p, node, comment, is_method && !ast_has_decorator(&decorators, "staticmethod"));
    return node;
}

/* An outermost function of a .py file is shown alone in messages about it: PyTorch sees no more of the file. `start` is
 * where its decorators begin. */
static ast_node *parse_windowed_def(parser *p, ast_list decorators, uint32_t start, bool is_method) {
    source_file *window = source_window(p->lex.file, line_start(p->lex.file, start), p->lex.limit);
    p->scope.file = window;
    p->scope.function_start = p->token.start;
    p->scope.margin_start = line_start(window, p->token.start);
    window->margin = p->scope.function_start - p->scope.margin_start;
    ast_node *node = parse_def(p, decorators, is_method);
    uint32_t first = line_start(window, node->range.start);
    uint32_t body = node->def->body.count ? line_start(window, node->def->body.items[0]->range.start) : first;
    window->window_end = function_lines_end(p, p->last_end, body == first ? UINT32_MAX : blanks_at(p, body));
    return node;
}

/* ---- Classes ---- */

static bool is_enum(const ast_class *c) {
    const char *base = c->bases.count ? ast_dotted_name(c->bases.items[0]) : NULL;
    return base && !strcmp(base, "Enum");
}

/* enum_member := NAME "=" value NEWLINE            (serialized code; the text of a string value is not escaped) */
static ast_node *parse_enum_member(parser *p) {
    ast_node *target = parser_expression(p);
    p->token = lexer_next_enum_value(&p->lex); /* in place of "=" */
    ast_node *value;
    if (parser_at(p, TOKEN_STRING)) {
        token t = parser_advance(p);
        value = parser_node(p, AST_STRING, t.start, t.end);
        uint32_t length = t.end - t.start - 2;
        value->string = (ast_text){mem_strndup(p->lex.file->text + t.start + 1, length), length};
    } else {
        value = parser_expression(p);
    }
    parser_expect(p, TOKEN_NEWLINE);
    ast_node *node = ast_new(AST_ASSIGN, source_range_join(target->range, value->range));
    size_t targets = parser_list_begin(p);
    parser_list_push(p, target);
    node->assign.targets = parser_list_end(p, targets);
    node->assign.value = value;
    return node;
}

/* class_body := ":" NEWLINE INDENT (statement | enum_member)+ DEDENT
 * This is for serialized code, where an attribute may be called like a keyword. */
static ast_list parse_serialized_class_body(parser *p, const ast_class *c) {
    bool holds_members = is_enum(c);
    parser_expect(p, TOKEN_COLON);
    parser_expect(p, TOKEN_NEWLINE);
    parser_expect(p, TOKEN_INDENT);
    size_t body = parser_list_begin(p);
    do {
        if (token_is_keyword(p->token.kind) && parser_following(p) == TOKEN_COLON)
            p->token.kind = TOKEN_IDENT;
        if (holds_members && parser_at(p, TOKEN_IDENT) && parser_following(p) == TOKEN_ASSIGN)
            parser_list_push(p, parse_enum_member(p));
        else
            parser_statement(p);
    } while (!parser_accept(p, TOKEN_DEDENT));
    return parser_list_end(p, body);
}

/* class := decorators "class" NAME [type_parameters] ["(" arguments ")"] block */
static ast_node *parse_class(parser *p, ast_list decorators) {
    if (!parser_is_python(p) && p->scope.function)
        parser_expected(p, "ident");
    token keyword = parser_expect(p, TOKEN_CLASS);
    ast_node *node = parser_node(p, AST_CLASS, keyword.start, keyword.end);
    ast_class *c = node->class_def = MEM_NEW(ast_class);
    c->decorators = decorators;
    c->name = parser_name(p, parser_expect_any_name(p));
    p->scope.error = NULL;
    p->scope.function = NULL;
    parser_type_parameters(p);
    if (parser_at(p, TOKEN_OPEN_PAREN)) {
        size_t bases = parser_list_begin(p);
        parser_arguments(p);
        c->bases = parser_list_end(p, bases);
    }
    p->scope.in_class = true;
    c->body = parser_is_python(p) ? parser_block(p) : parse_serialized_class_body(p, c);
    parser_cover_list(node, c->body);
    return node;
}

/* Python's functions and classes inside of functions. */
static ast_node *refuse_nested(parser *p, ast_node *inner, source_range range, const char *form) {
    ast_node *node = parser_unsupported_form(p, range, form);
    size_t parts = parser_list_begin(p);
    parser_list_push(p, inner);
    node->unsupported.parts = parser_list_end(p, parts);
    return node;
}

static const char *form_name(token_kind keyword) {
    switch (keyword) {
    case TOKEN_ASYNC:
        return "async function definitions";
    case TOKEN_CLASS:
        return "class definitions";
    default:
        return "function definitions";
    }
}

ast_node *parser_def_or_class(parser *p) {
    uint32_t start = p->token.start;
    ast_list decorators = parse_decorators(p);
    token keyword = p->token;
    parser_scope outer = p->scope;
    p->scope.in_class = false;
    parser_enter(p);
    ast_node *node;
    if (keyword.kind == TOKEN_CLASS)
        node = parse_class(p, decorators);
    else if (parser_is_python(p) && !outer.function)
        node = parse_windowed_def(p, decorators, start, outer.in_class);
    else
        node = parse_def(p, decorators, outer.in_class);
    parser_leave(p);
    p->scope = outer;
    if (parser_is_python(p) && outer.function)
        return refuse_nested(p, node, parser_token_range(p, keyword), form_name(keyword.kind));
    return node;
}
