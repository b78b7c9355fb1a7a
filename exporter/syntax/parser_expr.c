/* Parser of expressions: operators by precedence, calls, subscripts, displays. */
#include <string.h>

#include "exporter/syntax/parser_internal.h"

/* How strongly operators bind, weakest first; 0: not in this dialect. In serialized code `and` binds as weakly as `or`,
 * and `not` and `~` take everything down to comparisons. */
typedef struct {
    token_kind sign;
    ast_kind kind;
    uint8_t python, serialized;
} operator_row;

static const operator_row binary_operators[] = {
    {TOKEN_OR, AST_OR, 1, 2},
    {TOKEN_AND, AST_AND, 2, 2},
    {TOKEN_LT, AST_LT, 4, 4},
    {TOKEN_GT, AST_GT, 4, 4},
    {TOKEN_LE, AST_LE, 4, 4},
    {TOKEN_GE, AST_GE, 4, 4},
    {TOKEN_EQ, AST_EQ, 4, 4},
    {TOKEN_NE, AST_NE, 4, 4},
    {TOKEN_IS, AST_IS, 4, 4},
    {TOKEN_IN, AST_IN, 4, 4},
    {TOKEN_NOT, AST_NOT, 4, 4}, /* the first word of `not in` */
    {TOKEN_BAR, AST_BIT_OR, 5, 5},
    {TOKEN_CARET, AST_BIT_XOR, 6, 6},
    {TOKEN_AMPERSAND, AST_BIT_AND, 7, 7},
    {TOKEN_LSHIFT, AST_LSHIFT, 8, 8},
    {TOKEN_RSHIFT, AST_RSHIFT, 8, 8},
    {TOKEN_PLUS, AST_ADD, 9, 9},
    {TOKEN_MINUS, AST_SUB, 9, 9},
    {TOKEN_STAR, AST_MUL, 10, 10},
    {TOKEN_SLASH, AST_DIV, 10, 10},
    {TOKEN_FLOOR_DIV, AST_FLOOR_DIV, 10, 10},
    {TOKEN_PERCENT, AST_MOD, 10, 10},
    {TOKEN_AT, AST_MATMUL, 10, 10},
    {TOKEN_POW, AST_POW, 12, 12},
};

/* The prefix operators: the level is that of the weakest operator which the operand may hold. */
static const operator_row unary_operators[] = {
    {TOKEN_NOT, AST_NOT, 3, 4},
    {TOKEN_MINUS, AST_NEG, 12, 12},
    {TOKEN_TILDE, AST_INVERT, 12, 4},
    {TOKEN_PLUS, AST_UNSUPPORTED, 12, 0},
};

enum { LEVEL_ANY = 1, LEVEL_NOT = 3, LEVEL_COMPARISON = 4, LEVEL_BIT_OR = 5, LEVEL_POW = 12 };

static uint8_t level_of(const parser *p, const operator_row *row) {
    return parser_is_python(p) ? row->python : row->serialized;
}

static const operator_row *find_operator(const parser *p, const operator_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (rows[i].sign == p->token.kind && level_of(p, &rows[i]))
            return &rows[i];
    return NULL;
}

#define FIND_OPERATOR(p, rows) find_operator(p, rows, sizeof(rows) / sizeof(rows[0]))

static ast_node *parse_binary(parser *p, uint8_t level);
static ast_node *parse_primary(parser *p);

/* ---- Operators ---- */

static ast_node *binary_node(ast_kind kind, ast_node *left, ast_node *right) {
    ast_node *node = ast_new(kind, left->range);
    node->binary.left = left;
    node->binary.right = right;
    parser_cover(node, right);
    return node;
}

/* unary := ("not" | "-" | "~" | "+") operand */
static ast_node *parse_unary(parser *p, const operator_row *row) {
    token sign = parser_advance(p);
    parser_enter(p);
    if (!parser_is_python(p) && sign.kind == TOKEN_MINUS && parser_at(p, TOKEN_NUMBER))
        p->negated_number = p->token.start;
    ast_node *operand = parse_binary(p, level_of(p, row));
    parser_leave(p);
    if (row->kind == AST_UNSUPPORTED)
        return parser_unsupported(
            p, parser_token_range(p, sign),
            parser_in_words("unsupported unary operator: UAdd", "'UnaryOp' object has no attribute 'range'"));
    if (!parser_is_python(p) && sign.kind == TOKEN_MINUS && parser_negate_number(p, operand, sign.start))
        return operand;
    ast_node *node = parser_node(p, row->kind, sign.start, sign.end);
    node->operand = operand;
    parser_cover(node, operand);
    return node;
}

/* comparison_sign := "<" | ">" | "<=" | ">=" | "==" | "!=" | "is" ["not"] | ["not"] "in" */
static ast_kind parse_comparison_sign(parser *p, ast_kind kind) {
    token sign = parser_advance(p);
    if (sign.kind == TOKEN_IS && parser_accept(p, TOKEN_NOT))
        return AST_IS_NOT;
    if (sign.kind == TOKEN_NOT)
        parser_expect(p, TOKEN_IN);
    return kind;
}

static ast_node *comparison_node(const parser *p, ast_kind kind, ast_node *left, ast_node *right) {
    if (kind != AST_NOT)
        return binary_node(kind, left, right);
    ast_node *node = parser_node(p, AST_NOT, left->range.end, right->range.start);
    node->operand = binary_node(AST_IN, left, right);
    parser_cover(node, node->operand);
    return node;
}

/* comparisons := operand (comparison_sign operand)+
 * In Python `a < b < c` means `a < b and b < c`; like PyTorch's, our tree holds b twice and so evaluates it twice. */
static ast_node *parse_comparisons(parser *p, ast_node *left) {
    ast_node *result = NULL;
    const operator_row *row;
    while ((row = FIND_OPERATOR(p, binary_operators)) && level_of(p, row) == LEVEL_COMPARISON) {
        ast_kind kind = parse_comparison_sign(p, row->kind);
        parser_enter(p);
        ast_node *right = parse_binary(p, LEVEL_BIT_OR);
        ast_node *comparison = comparison_node(p, kind, result && !parser_is_python(p) ? result : left, right);
        result = result && parser_is_python(p) ? binary_node(AST_AND, result, comparison) : comparison;
        left = right;
    }
    return result;
}

/* binary(level) := unary | primary, followed by operators that bind at least as strongly as `level`:
 *     binary(level) sign binary(level of the sign + 1) | binary(level) "**" binary(level of "**") | comparisons */
static ast_node *parse_binary(parser *p, uint8_t level) {
    stack_check();
    const operator_row *row = FIND_OPERATOR(p, unary_operators);
    if (row && parser_is_python(p) && row->kind == AST_NOT && level > LEVEL_NOT)
        row = NULL;
    ast_node *left = row ? parse_unary(p, row) : parse_primary(p);
    uint32_t depth = p->depth;
    while ((row = FIND_OPERATOR(p, binary_operators)) && level_of(p, row) >= level) {
        uint8_t sign_level = level_of(p, row);
        if (row->kind == AST_NOT && parser_following(p) != TOKEN_IN)
            break;
        parser_enter(p); /* each sign makes the tree one level deeper */
        if (sign_level == LEVEL_COMPARISON) {
            left = parse_comparisons(p, left);
        } else {
            parser_advance(p);
            left = binary_node(row->kind, left, parse_binary(p, sign_level + (sign_level != LEVEL_POW)));
        }
    }
    p->depth = depth;
    return left;
}

/* lambda := "lambda" params ":" expression */
static ast_node *parse_lambda(parser *p) {
    token keyword = parser_advance(p);
    ast_node *node = ast_new(AST_DEF, parser_range(p, keyword.start, keyword.start + 1));
    ast_node *refused = parser_unsupported_with(p, node->range, "Lambda aren't supported", node);
    node->def = MEM_NEW(ast_def);
    node->def->name = intern("<lambda>");
    node->def->params = parser_params(p, TOKEN_COLON, false);
    parser_expect(p, TOKEN_COLON);
    ast_node *result = ast_new(AST_RETURN, node->range);
    result->operand = parser_expression(p);
    size_t body = parser_list_begin(p);
    parser_list_push(p, result);
    node->def->body = parser_list_end(p, body);
    return refused;
}

/* ternary := binary ["if" binary "else" expression] */
static ast_node *parse_ternary(parser *p) {
    ast_node *value = parse_binary(p, LEVEL_ANY);
    if (!parser_accept(p, TOKEN_IF))
        return value;
    ast_node *condition = parse_binary(p, LEVEL_ANY);
    parser_expect(p, TOKEN_ELSE);
    ast_node *node = ast_new(AST_TERNARY, condition->range);
    node->ternary.condition = condition;
    node->ternary.if_true = value;
    node->ternary.if_false = parser_expression(p);
    parser_cover(node, value);
    parser_cover(node, node->ternary.if_false);
    return node;
}

/* walrus := NAME ":=" expression                                             (running it at compile time needs both) */
static ast_node *parse_walrus(parser *p, ast_node *name, uint32_t start) {
    ast_node *assign = ast_new(AST_ASSIGN, name->range);
    size_t targets = parser_list_begin(p);
    parser_list_push(p, name);
    assign->assign.targets = parser_list_end(p, targets);
    ast_node *node =
        parser_unsupported_with(p, parser_range(p, start, start + 1), "NamedExpr aren't supported", assign);
    assign->assign.value = parser_expression(p);
    return node;
}

/* expression := lambda | walrus | ternary */
ast_node *parser_expression(parser *p) {
    stack_check();
    uint32_t start = p->token.start;
    parser_enter(p);
    ast_node *node = parser_at(p, TOKEN_LAMBDA) ? parse_lambda(p) : parse_ternary(p);
    if (parser_accept(p, TOKEN_WALRUS))
        node = parse_walrus(p, node, start);
    parser_leave(p);
    return node;
}

static ast_node *parse_bit_or(parser *p) {
    return parse_binary(p, LEVEL_BIT_OR);
}

static ast_node *parse_star(parser *p, ast_node *(*parse_operand)(parser *)) {
    token star = parser_advance(p);
    ast_node *node = parser_node(p, AST_STARRED, star.start, star.end);
    node->operand = parse_operand(p);
    parser_cover(node, node->operand);
    return node;
}

/* starred := ["*"] expression */
static ast_node *parse_starred(parser *p) {
    return parser_at(p, TOKEN_STAR) ? parse_star(p, parser_expression) : parser_expression(p);
}

/* ---- Lists of expressions ---- */

static bool starts_expression(const parser *p) {
    switch (p->token.kind) {
    case TOKEN_IDENT:
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_TRUE:
    case TOKEN_FALSE:
    case TOKEN_NONE:
    case TOKEN_DOTS:
    case TOKEN_NOT:
    case TOKEN_AWAIT:
    case TOKEN_LAMBDA:
    case TOKEN_MINUS:
    case TOKEN_PLUS:
    case TOKEN_TILDE:
    case TOKEN_STAR:
    case TOKEN_OPEN_PAREN:
    case TOKEN_OPEN_BRACKET:
    case TOKEN_OPEN_BRACE:
        return true;
    default:
        return false;
    }
}

/* A literal in brackets or a tuple: its range is its first byte and what it holds. */
static ast_node *sequence_node(const parser *p, ast_kind kind, uint32_t start, ast_list elements) {
    ast_node *node = parser_node(p, kind, start, start + 1);
    node->sequence = elements;
    parser_cover_list(node, elements);
    return node;
}

/* tuple := first ("," item)* [","]                                           (at the first comma) */
static ast_node *parse_tuple(parser *p, uint32_t start, ast_node *first, ast_node *(*parse_item)(parser *)) {
    size_t elements = parser_list_begin(p);
    parser_list_push(p, first);
    while (parser_accept(p, TOKEN_COMMA) && starts_expression(p))
        parser_list_push(p, parse_item(p));
    return sequence_node(p, AST_TUPLE, start, parser_list_end(p, elements));
}

/* expressions := starred ("," starred)* [","] */
ast_node *parser_expression_list(parser *p) {
    uint32_t start = p->token.start;
    ast_node *first = parse_starred(p);
    return parser_at(p, TOKEN_COMMA) ? parse_tuple(p, start, first, parse_starred) : first;
}

/* target := ["*"] binary                                                   (no comparison: `in` ends it) */
static ast_node *parse_target(parser *p) {
    return parser_at(p, TOKEN_STAR) ? parse_star(p, parse_bit_or) : parse_bit_or(p);
}

/* targets := target ("," target)* [","] */
ast_node *parser_target_list(parser *p) {
    uint32_t start = p->token.start;
    ast_node *first = parse_target(p);
    return parser_at(p, TOKEN_COMMA) ? parse_tuple(p, start, first, parse_target) : first;
}

/* yield := "yield" ["from" expression | expressions] */
ast_node *parser_expression_or_yield(parser *p) {
    if (!parser_at(p, TOKEN_YIELD))
        return parser_expression_list(p);
    token keyword = parser_advance(p);
    bool from = parser_accept(p, TOKEN_FROM);
    ast_node *node =
        parser_unsupported_form(p, parser_range(p, keyword.start, keyword.start + 1), from ? "YieldFrom" : "Yield");
    if (from)
        parser_expression(p);
    else if (starts_expression(p))
        parser_expression_list(p);
    return node;
}

/* ---- Displays and comprehensions ---- */

/* generator := "for" targets "in" binary */
static ast_node *parse_generator(parser *p) {
    token keyword = parser_expect(p, TOKEN_FOR);
    ast_node *node = parser_node(p, AST_FOR, keyword.start, keyword.end);
    node->loop.target = parser_target_list(p);
    parser_expect(p, TOKEN_IN);
    node->loop.iterable = parse_binary(p, LEVEL_ANY);
    return node;
}

/* comprehension := (generator ("if" binary)*)+
 * Only one `for` without `if` can be compiled. `key` is NULL except in a dict comprehension. */
static ast_node *parse_comprehension(parser *p, uint32_t start, ast_node *key, ast_node *element) {
    ast_node *node = parser_node(p, key ? AST_DICT_COMP : AST_LIST_COMP, start, start);
    size_t clauses = parser_list_begin(p);
    uint32_t generators = 0;
    while (parser_accept(p, TOKEN_ASYNC) || parser_at(p, TOKEN_FOR)) {
        ast_node *generator = parse_generator(p);
        if (generators++) {
            parser_list_push(p, generator);
        } else {
            node->comprehension.target = generator->loop.target;
            node->comprehension.iterable = generator->loop.iterable;
        }
        while (parser_accept(p, TOKEN_IF))
            parser_list_push(p, parse_binary(p, LEVEL_ANY));
    }
    node->comprehension.clauses = parser_list_end(p, clauses);
    node->comprehension.key = key;
    node->comprehension.element = element;
    if (node->comprehension.clauses.count)
        return parser_unsupported_with(p, parser_range(p, start, start),
                                       generators > 1 ? "Only a single generator is currently supported"
                                                      : "Comprehension ifs are not supported yet",
                                       node);
    parser_cover(node, key);
    parser_cover(node, element);
    parser_cover(node, node->comprehension.target);
    parser_cover(node, node->comprehension.iterable);
    return node;
}

static bool at_comprehension(const parser *p) {
    return parser_at(p, TOKEN_FOR) || parser_at(p, TOKEN_ASYNC);
}

/* parenthesized := "(" ")" | "(" yield ")" | "(" starred comprehension ")" | "(" expressions ")" */
static ast_node *parse_parenthesized(parser *p) {
    uint32_t start = parser_advance(p).start;
    ast_node *node;
    if (parser_at(p, TOKEN_CLOSE_PAREN))
        node = sequence_node(p, AST_TUPLE, start, (ast_list){0});
    else if (parser_at(p, TOKEN_YIELD))
        node = parser_expression_or_yield(p);
    else {
        node = parse_starred(p);
        if (at_comprehension(p))
            node = parse_comprehension(p, start, NULL, node);
        else if (parser_at(p, TOKEN_COMMA))
            node = parse_tuple(p, start, node, parse_starred);
    }
    parser_expect(p, TOKEN_CLOSE_PAREN);
    return node;
}

/* elements := [starred ("," starred)* [","]] end */
static ast_list parse_elements(parser *p, ast_node *first, token_kind end) {
    size_t elements = parser_list_begin(p);
    if (first)
        parser_list_push(p, first);
    while (parser_accept(p, TOKEN_COMMA) && !parser_at(p, end))
        parser_list_push(p, parse_starred(p));
    parser_expect(p, end);
    return parser_list_end(p, elements);
}

/* list := "[" starred comprehension "]" | "[" elements "]" */
static ast_node *parse_list(parser *p) {
    uint32_t start = parser_advance(p).start;
    ast_node *first = parser_at(p, TOKEN_CLOSE_BRACKET) ? NULL : parse_starred(p);
    if (!first || !at_comprehension(p))
        return sequence_node(p, AST_LIST, start, parse_elements(p, first, TOKEN_CLOSE_BRACKET));
    ast_node *node = parse_comprehension(p, start, NULL, first);
    parser_expect(p, TOKEN_CLOSE_BRACKET);
    return node;
}

/* set := "{" starred comprehension "}" | "{" elements "}"                    (at the end of the first element) */
static ast_node *parse_set(parser *p, uint32_t start, ast_node *first) {
    source_range range = parser_range(p, start, start + 1);
    if (!at_comprehension(p)) {
        ast_node *elements = ast_new(AST_LIST, range);
        elements->sequence = parse_elements(p, first, TOKEN_CLOSE_BRACE);
        return parser_unsupported_with(p, range, "Set aren't supported", elements);
    }
    ast_node *node = parser_unsupported_form(p, range, "SetComp");
    parse_comprehension(p, start, NULL, first);
    parser_expect(p, TOKEN_CLOSE_BRACE);
    return node;
}

static const char *dict_expansion_refusal(bool is_first) {
    const char *message = "Dict expansion (e.g. `{**dict}`) is not supported";
    return is_first ? message : parser_in_words(message, "'NoneType' object has no attribute 'lineno'");
}

/* pair := expression ":" expression | "**" binary                            (the second form cannot be compiled) */
static void parse_pair(parser *p, uint32_t start, bool is_first, ast_node **key, ast_node **value) {
    if (parser_is_python(p) && parser_accept(p, TOKEN_POW)) {
        *key = parser_unsupported(p, parser_range(p, start, start + 1), dict_expansion_refusal(is_first));
        *value = parse_binary(p, LEVEL_BIT_OR);
        return;
    }
    *key = parse_starred(p);
    if (parser_is_python(p) && !parser_at(p, TOKEN_COLON)) {
        *value = NULL;
        return;
    }
    parser_expect(p, TOKEN_COLON);
    *value = parser_expression(p);
}

/* dict := "{" "}" | "{" pair ("," pair)* [","] "}" | "{" pair comprehension "}" | set */
static ast_node *parse_dict(parser *p) {
    uint32_t start = parser_advance(p).start;
    ast_node *node = parser_node(p, AST_DICT, start, start + 1);
    ast_node **keys = NULL, *key, *value;
    size_t values = parser_list_begin(p);
    while (!parser_at(p, TOKEN_CLOSE_BRACE)) {
        parse_pair(p, start, !arrlenu(keys), &key, &value);
        if (!value && !arrlenu(keys))
            return parse_set(p, start, key);
        if (!value)
            parser_expected(p, ":");
        if (at_comprehension(p) && !arrlenu(keys)) {
            node = parse_comprehension(p, start, key, value);
            parser_expect(p, TOKEN_CLOSE_BRACE);
            return node;
        }
        arrput(keys, key);
        parser_list_push(p, value);
        if (!parser_accept(p, TOKEN_COMMA) && !parser_at(p, TOKEN_CLOSE_BRACE))
            parser_expected(p, "}");
    }
    parser_advance(p);
    node->dict.values = parser_list_end(p, values);
    node->dict.keys = (ast_list){keys, (uint32_t)arrlenu(keys)};
    parser_cover_list(node, node->dict.keys);
    parser_cover_list(node, node->dict.values);
    return node;
}

/* ---- Atoms ---- */

static ast_node *parse_leaf(parser *p, ast_kind kind) {
    token t = parser_advance(p);
    return parser_node(p, kind, t.start, t.end);
}

static ast_node *parse_variable(parser *p) {
    if (parser_token_is(p, p->token, "Ellipsis"))
        return parse_leaf(p, AST_DOTS);
    token t = parser_advance(p);
    const char *name = parser_name(p, t);
    if (parser_is_python(p) && !strncmp(name, "__jit", strlen("__jit")))
        return parser_unsupported(p, parser_token_range(p, t),
                                  "names of variables used in JIT-ed functions can't start with __jit");
    ast_node *node = parser_node(p, AST_VAR, t.start, t.end);
    node->name = name;
    return node;
}

/* atom := NAME | NUMBER | STRING+ | "True" | "False" | "None" | "..." | parenthesized | list | dict */
static ast_node *parse_atom(parser *p) {
    switch (p->token.kind) {
    case TOKEN_IDENT:
        return parse_variable(p);
    case TOKEN_NUMBER:
        return parser_number(p);
    case TOKEN_STRING:
        return parser_strings(p);
    case TOKEN_TRUE:
        return parse_leaf(p, AST_TRUE);
    case TOKEN_FALSE:
        return parse_leaf(p, AST_FALSE);
    case TOKEN_NONE:
        return parse_leaf(p, AST_NONE);
    case TOKEN_DOTS:
        return parse_leaf(p, AST_DOTS);
    case TOKEN_OPEN_PAREN:
        return parse_parenthesized(p);
    case TOKEN_OPEN_BRACKET:
        return parse_list(p);
    case TOKEN_OPEN_BRACE:
        return parse_dict(p);
    default:
        parser_expected(p, "ident");
    }
}

/* ---- Primaries ---- */

/* Where PyTorch's Python front end, whose tree has no position for it, takes the name of an attribute to be: behind one
 * character (the point) and blanks after the end of what it belongs to. Parentheses around that make it point at the
 * wrong place. */
static source_range guess_name_range(const parser *p, const ast_node *value, token name) {
    if (!parser_is_python(p))
        return parser_token_range(p, name);
    uint32_t at = value->range.end + 1;
    while (at < p->lex.limit && strchr(" \t\n\r\f\v", p->lex.file->text[at]) && p->lex.file->text[at])
        at++;
    return parser_range(p, at, at + (name.end - name.start));
}

/* select := primary "." NAME */
static ast_node *parse_select(parser *p, ast_node *value) {
    parser_expect(p, TOKEN_DOT);
    token name = parser_expect_any_name(p);
    ast_node *node = ast_new(AST_SELECT, value->range);
    node->select.value = value;
    node->select.name = parser_name(p, name);
    node->select.name_range = guess_name_range(p, value, name);
    node->range = source_range_join(node->range, node->select.name_range);
    return node;
}

static ast_node *parse_keyword_argument(parser *p) {
    token name = parser_advance(p);
    parser_expect(p, TOKEN_ASSIGN);
    ast_node *value = parser_expression(p);
    ast_node *node = ast_new(AST_ATTRIBUTE, value->range);
    node->attribute.name = parser_name(p, name);
    node->attribute.value = value;
    return node;
}

/* argument := NAME "=" expression | "**" expression | starred [comprehension]
 * `open` is where the parenthesis of the call stands, which counts as that of a generator. */
static ast_node *parse_argument(parser *p, uint32_t open) {
    bool names = parser_at(p, TOKEN_IDENT) || (!parser_is_python(p) && token_is_keyword(p->token.kind));
    if (names && parser_following(p) == TOKEN_ASSIGN)
        return parse_keyword_argument(p);
    if (parser_is_python(p) && parser_accept(p, TOKEN_POW)) {
        ast_node *value = parser_expression(p);
        ast_node *all = ast_new(AST_ATTRIBUTE, value->range);
        all->attribute.value = value;
        return parser_unsupported_with(p, value->range, "keyword-arg expansion is not supported", all);
    }
    ast_node *value = parse_starred(p);
    return at_comprehension(p) ? parse_comprehension(p, open, NULL, value) : value;
}

/* arguments := "(" [argument ("," argument)* [","]] ")" */
void parser_arguments(parser *p) {
    uint32_t open = parser_expect(p, TOKEN_OPEN_PAREN).start;
    while (!parser_at(p, TOKEN_CLOSE_PAREN)) {
        parser_list_push(p, parse_argument(p, open));
        if (!parser_at(p, TOKEN_CLOSE_PAREN) && !parser_accept(p, TOKEN_COMMA))
            parser_expected(p, ")");
    }
    parser_advance(p);
}

/* Takes the arguments of one sort from a list, in order. */
static ast_list select_arguments(parser *p, ast_list arguments, bool keyword) {
    size_t selected = parser_list_begin(p);
    for (uint32_t i = 0; i < arguments.count; i++)
        if ((arguments.items[i]->kind == AST_ATTRIBUTE) == keyword)
            parser_list_push(p, arguments.items[i]);
    return parser_list_end(p, selected);
}

/* apply := primary arguments */
static ast_node *parse_apply(parser *p, ast_node *callee) {
    ast_node *node = ast_new(AST_APPLY, callee->range);
    size_t begin = parser_list_begin(p);
    parser_arguments(p);
    ast_list arguments = parser_list_end(p, begin);
    node->apply.callee = callee;
    node->apply.inputs = select_arguments(p, arguments, false);
    node->apply.attributes = select_arguments(p, arguments, true);
    parser_cover_list(node, arguments);
    return node;
}

static ast_node *parse_slice_bound(parser *p) {
    bool absent = parser_at(p, TOKEN_COLON) || parser_at(p, TOKEN_COMMA) || parser_at(p, TOKEN_CLOSE_BRACKET);
    return absent ? NULL : parser_expression(p);
}

/* index := starred | [expression] ":" [expression] [":" [expression]] */
static ast_node *parse_index(parser *p, const ast_node *value) {
    ast_node *start = parser_at(p, TOKEN_COLON) ? NULL : parse_starred(p);
    if (!parser_accept(p, TOKEN_COLON))
        return start;
    ast_node *node = ast_new(AST_SLICE, value->range);
    node->slice.start = start;
    node->slice.stop = parse_slice_bound(p);
    if (parser_accept(p, TOKEN_COLON))
        node->slice.step = parse_slice_bound(p);
    parser_cover(node, node->slice.start);
    parser_cover(node, node->slice.stop);
    parser_cover(node, node->slice.step);
    return node;
}

/* subscript := primary "[" index ("," index)* [","] "]"                      (Python: `x[(1, 2)]` is `x[1, 2]`) */
static ast_node *parse_subscript(parser *p, ast_node *value) {
    parser_advance(p);
    size_t begin = parser_list_begin(p);
    do
        parser_list_push(p, parse_index(p, value));
    while (parser_accept(p, TOKEN_COMMA) && !parser_at(p, TOKEN_CLOSE_BRACKET));
    parser_expect(p, TOKEN_CLOSE_BRACKET);
    ast_list indices = parser_list_end(p, begin);
    ast_node *first = indices.items[0];
    if (parser_is_python(p) && indices.count == 1 && first->kind == AST_TUPLE) {
        if (first->sequence.count)
            indices = first->sequence;
        else
            first->range.end = first->range.start + 2;
    }
    ast_node *node = ast_new(AST_SUBSCRIPT, value->range);
    node->subscript.value = value;
    node->subscript.indices = indices;
    uint32_t last = indices.items[indices.count - 1]->range.end; /* PyTorch takes the bracket to follow directly */
    node->range = source_range_join(node->range, parser_range(p, last, last + 1));
    parser_cover_list(node, indices);
    return node;
}

/* primary := ["await"] atom (select | apply | subscript)* */
static ast_node *parse_primary(parser *p) {
    stack_check();
    if (parser_at(p, TOKEN_AWAIT)) {
        token keyword = parser_advance(p);
        ast_node *node = parser_unsupported_form(p, parser_range(p, keyword.start, keyword.start + 1), "Await");
        parser_enter(p);
        parse_primary(p);
        parser_leave(p);
        return node;
    }
    ast_node *node = parse_atom(p);
    for (uint32_t depth = p->depth;; parser_enter(p)) {
        if (parser_at(p, TOKEN_DOT))
            node = parse_select(p, node);
        else if (parser_at(p, TOKEN_OPEN_PAREN))
            node = parse_apply(p, node);
        else if (parser_at(p, TOKEN_OPEN_BRACKET))
            node = parse_subscript(p, node);
        else {
            p->depth = depth;
            return node;
        }
    }
}
