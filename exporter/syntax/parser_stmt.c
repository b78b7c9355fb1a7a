/* Parser of statements. */
#include <string.h>

#include "exporter/syntax/parser_internal.h"

/* ---- Simple statements ---- */

static ast_node *keyword_node(parser *p, ast_kind kind) {
    token keyword = parser_advance(p);
    return parser_node(p, kind, keyword.start, keyword.end);
}

/* return := "return" [expressions] */
static ast_node *parse_return(parser *p) {
    ast_node *node = keyword_node(p, AST_RETURN);
    node->operand = parser_at(p, TOKEN_NEWLINE) || parser_at(p, TOKEN_SEMICOLON) ? ast_new(AST_NONE, node->range)
                                                                                 : parser_expression_list(p);
    parser_cover(node, node->operand);
    return node;
}

/* raise := "raise" [expression ["from" expression]]                          (the cause is not kept) */
static ast_node *parse_raise(parser *p) {
    ast_node *node = keyword_node(p, AST_RAISE);
    if (parser_is_python(p) && (parser_at(p, TOKEN_NEWLINE) || parser_at(p, TOKEN_SEMICOLON)))
        return parser_unsupported(p, node->range,
                                  parser_in_words("raise statements without an exception aren't supported",
                                                  "'NoneType' object has no attribute 'lineno'"));
    node->operand = parser_expression(p);
    parser_cover(node, node->operand);
    if (parser_accept(p, TOKEN_FROM))
        parser_expression(p);
    return node;
}

/* assert := "assert" expression ["," expression] */
static ast_node *parse_assert(parser *p) {
    ast_node *node = keyword_node(p, AST_ASSERT);
    node->assertion.condition = parser_expression(p);
    if (parser_accept(p, TOKEN_COMMA))
        node->assertion.message = parser_expression(p);
    parser_cover(node, node->assertion.condition);
    parser_cover(node, node->assertion.message);
    return node;
}

/* del := "del" expression ("," expression)* [","] */
static ast_node *parse_del(parser *p) {
    ast_node *node = keyword_node(p, AST_DELETE);
    size_t targets = parser_list_begin(p);
    do
        parser_list_push(p, parser_expression(p));
    while (parser_accept(p, TOKEN_COMMA) && !parser_at(p, TOKEN_NEWLINE));
    node->sequence = parser_list_end(p, targets);
    parser_cover_list(node, node->sequence);
    return node;
}

/* global := ("global" | "nonlocal") NAME ("," NAME)* */
static ast_node *parse_global(parser *p) {
    bool nonlocal = parser_at(p, TOKEN_NONLOCAL);
    ast_node *node = keyword_node(p, AST_GLOBAL);
    size_t names = parser_list_begin(p);
    do {
        token name = parser_expect(p, TOKEN_IDENT);
        ast_node *var = parser_node(p, AST_VAR, name.start, name.end);
        var->name = parser_name(p, name);
        parser_list_push(p, var);
    } while (parser_accept(p, TOKEN_COMMA));
    node->sequence = parser_list_end(p, names);
    if (parser_is_python(p))
        return parser_unsupported_form(p, node->range, nonlocal ? "nonlocal variables" : "global variables");
    parser_cover_list(node, node->sequence);
    return node;
}

/* PyTorch's Python front end has no words for two of the operators; it points at the end of the sign. */
static ast_node *refuse_aug_assign(parser *p, token sign, ast_node *node) {
    const char *op = node->aug_assign.op == AST_FLOOR_DIV ? "FloorDiv" : "MatMult";
    return parser_unsupported_with(p, parser_range(p, sign.end - 2, sign.end), mem_printf(AST_BAD_AUG_ASSIGN, op, op),
                                   node);
}

/* aug_assign := expressions ("+=" | "-=" | ...) expressions */
static ast_node *parse_aug_assign(parser *p, ast_node *target) {
    static const struct {
        token_kind sign;
        ast_kind op;
    } signs[] = {
        {TOKEN_ADD_ASSIGN, AST_ADD},       {TOKEN_SUB_ASSIGN, AST_SUB},       {TOKEN_MUL_ASSIGN, AST_MUL},
        {TOKEN_DIV_ASSIGN, AST_DIV},       {TOKEN_MOD_ASSIGN, AST_MOD},       {TOKEN_POW_ASSIGN, AST_POW},
        {TOKEN_AND_ASSIGN, AST_BIT_AND},   {TOKEN_OR_ASSIGN, AST_BIT_OR},     {TOKEN_XOR_ASSIGN, AST_BIT_XOR},
        {TOKEN_LSHIFT_ASSIGN, AST_LSHIFT}, {TOKEN_RSHIFT_ASSIGN, AST_RSHIFT}, {TOKEN_FLOOR_DIV_ASSIGN, AST_FLOOR_DIV},
        {TOKEN_MATMUL_ASSIGN, AST_MATMUL},
    };
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (!parser_at(p, signs[i].sign))
            continue;
        token sign = parser_advance(p);
        ast_node *value = parser_expression_or_yield(p);
        ast_node *node = ast_new(AST_AUG_ASSIGN, target->range);
        node->aug_assign.target = target;
        node->aug_assign.op = signs[i].op;
        node->aug_assign.value = value;
        parser_cover(node, value);
        if (signs[i].op == AST_FLOOR_DIV || signs[i].op == AST_MATMUL)
            return refuse_aug_assign(p, sign, node);
        return node;
    }
    return NULL;
}

/* assign := expressions ("=" expressions)+ */
static ast_node *parse_assign(parser *p, ast_node *first) {
    size_t parts = parser_list_begin(p);
    parser_list_push(p, first);
    while (parser_accept(p, TOKEN_ASSIGN))
        parser_list_push(p, parser_expression_or_yield(p));
    ast_list list = parser_list_end(p, parts);
    ast_node *node = ast_new(AST_ASSIGN, first->range);
    parser_cover_list(node, list);
    list.count--;
    node->assign.value = list.items[list.count];
    node->assign.targets = list;
    return node;
}

/* Attributes get their types in __init__ only. */
static ast_node *refuse_attribute_type(parser *p, uint32_t start, ast_node *assign) {
    const ast_node *target = assign->assign.targets.items[0], *type = assign->assign.type;
    size_t length = strlen("self.") + strlen(target->select.name);
    if (type->kind == AST_VAR)
        length += strlen(": ") + strlen(type->name);
    return parser_unsupported_with(
        p, parser_range(p, start, start + (uint32_t)length),
        mem_printf("Type annotations on instance attributes must be declared in __init__, not '%s': SourceRange at",
                   p->scope.function),
        assign);
}

static bool is_attribute_of_self(const ast_node *target) {
    return target->kind == AST_SELECT && target->select.value->kind == AST_VAR &&
           !strcmp(target->select.value->name, "self");
}

/* annotated_assign := expression ":" expression ["=" expressions] */
static ast_node *parse_annotated(parser *p, ast_node *target, uint32_t start) {
    parser_expect(p, TOKEN_COLON);
    ast_node *type = parser_expression(p);
    ast_node *value = parser_accept(p, TOKEN_ASSIGN) ? parser_expression_or_yield(p) : NULL;
    bool in_function = parser_is_python(p) && p->scope.function;
    if (in_function && !value)
        return parser_unsupported_with(p, parser_range(p, start, start + 1),
                                       "annotated assignments without assigned value aren't supported",
                                       ast_new(AST_PASS, target->range));
    ast_node *node = ast_new(AST_ASSIGN, target->range);
    size_t targets = parser_list_begin(p);
    parser_list_push(p, target);
    node->assign.targets = parser_list_end(p, targets);
    node->assign.value = value;
    node->assign.type = type;
    parser_cover(node, value);
    parser_cover(node, type);
    if (in_function && is_attribute_of_self(target) && strcmp(p->scope.function, "__init__"))
        return refuse_attribute_type(p, start, node);
    return node;
}

/* expression_statement := expressions | assign | annotated_assign | aug_assign */
static ast_node *parse_expression_statement(parser *p) {
    uint32_t start = p->token.start;
    ast_node *first = parser_expression_or_yield(p);
    if (parser_at(p, TOKEN_ASSIGN))
        return parse_assign(p, first);
    if (parser_at(p, TOKEN_COLON))
        return parse_annotated(p, first, start);
    ast_node *node = parse_aug_assign(p, first);
    if (node)
        return node;
    node = ast_new(AST_EXPR_STMT, first->range);
    node->operand = first;
    return node;
}

static ast_node *parse_simple_statement(parser *p) {
    switch (p->token.kind) {
    case TOKEN_RETURN:
        return parse_return(p);
    case TOKEN_RAISE:
        return parse_raise(p);
    case TOKEN_ASSERT:
        return parse_assert(p);
    case TOKEN_DEL:
        return parse_del(p);
    case TOKEN_GLOBAL:
    case TOKEN_NONLOCAL:
        return parse_global(p);
    case TOKEN_IMPORT:
    case TOKEN_FROM:
        return parser_import(p);
    case TOKEN_PASS:
        return keyword_node(p, AST_PASS);
    case TOKEN_BREAK:
        return keyword_node(p, AST_BREAK);
    case TOKEN_CONTINUE:
        return keyword_node(p, AST_CONTINUE);
    default:
        return parse_expression_statement(p);
    }
}

/* `type` is a name except before another name. */
static bool at_type_alias(parser *p) {
    return parser_is_python(p) && parser_token_is(p, p->token, "type") && parser_following(p) == TOKEN_IDENT;
}

/* type_alias := "type" NAME [type_parameters] "=" expression                 (TorchScript does not know the name) */
static ast_node *parse_type_alias(parser *p) {
    token keyword = parser_advance(p);
    parser_expect(p, TOKEN_IDENT);
    parser_type_parameters(p);
    parser_expect(p, TOKEN_ASSIGN);
    parser_expression(p);
    return parser_unsupported_form(p, parser_range(p, keyword.start, keyword.start + 1), "TypeAlias");
}

/* simple_statements := (type_alias | simple_statement) (";" simple_statement)* [";"] NEWLINE */
static void parse_simple_statements(parser *p) {
    do
        parser_list_push(p, at_type_alias(p) ? parse_type_alias(p) : parse_simple_statement(p));
    while (parser_accept(p, TOKEN_SEMICOLON) && !parser_at(p, TOKEN_NEWLINE));
    parser_expect(p, TOKEN_NEWLINE);
}

/* ---- Compound statements ---- */

/* if := "if" expression block ("elif" expression block)* ["else" block] */
static ast_node *parse_if(parser *p) {
    size_t chain = parser_list_begin(p);
    uint32_t depth = p->depth;
    do {
        parser_enter(p);
        token keyword = parser_advance(p);
        ast_node *node = parser_node(p, AST_IF, keyword.start, keyword.start + 2);
        parser_list_push(p, node);
        node->branch.condition = parser_expression(p);
        node->branch.if_true = parser_block(p);
    } while (parser_at(p, TOKEN_ELIF));
    p->depth = depth;
    ast_list otherwise = {0};
    if (parser_accept(p, TOKEN_ELSE))
        otherwise = parser_block(p);
    ast_list links = parser_list_end(p, chain);
    for (uint32_t i = links.count; i-- > 0;) {
        ast_node *node = links.items[i];
        node->branch.if_false = otherwise;
        parser_cover(node, node->branch.condition);
        parser_cover_list(node, node->branch.if_true);
        parser_cover_list(node, otherwise);
        otherwise = (ast_list){&links.items[i], 1};
    }
    return links.items[0];
}

/* How PyTorch fails when it makes a node of parts that the node cannot have. */
#define INCOMPATIBLE_ARGUMENTS                                                                                         \
    "__init__(): incompatible constructor arguments. The following argument types are supported:"

/* while := "while" expression block ["else" block] */
static ast_node *parse_while(parser *p) {
    ast_node *node = keyword_node(p, AST_WHILE), *earlier = parser_noted(p);
    source_range keyword = node->range;
    node->loop.condition = parser_expression(p);
    node->loop.body = parser_block(p);
    parser_cover(node, node->loop.condition);
    parser_cover_list(node, node->loop.body);
    if (!parser_is_python(p) || !parser_accept(p, TOKEN_ELSE))
        return node;
    node = parser_unsupported_whole(
        p, earlier, keyword, parser_in_words("else branches of while loops aren't supported", INCOMPATIBLE_ARGUMENTS));
    parser_block(p);
    return node;
}

/* for := "for" targets "in" expressions block ["else" block] */
static ast_node *parse_for(parser *p) {
    ast_node *node = keyword_node(p, AST_FOR), *earlier = parser_noted(p);
    source_range keyword = node->range;
    node->loop.target = parser_target_list(p);
    parser_expect(p, TOKEN_IN);
    node->loop.iterable = parser_expression_list(p);
    node->loop.body = parser_block(p);
    parser_cover(node, node->loop.target);
    parser_cover(node, node->loop.iterable);
    parser_cover_list(node, node->loop.body);
    if (!parser_is_python(p) || !parser_accept(p, TOKEN_ELSE))
        return node;
    node = parser_unsupported_whole(p, earlier, keyword, "else branches of for loops aren't supported");
    parser_block(p);
    return node;
}

/* with_item := expression ["as" target] */
static ast_node *parse_with_item(parser *p) {
    uint32_t start = p->token.start;
    ast_node *value = parser_expression(p);
    /* PyTorch's Python front end takes the length of "with statements" for the item's. */
    uint32_t end = parser_is_python(p) ? start + (uint32_t)strlen("with statements") : p->last_end;
    ast_node *node = parser_node(p, AST_WITH_ITEM, start, end);
    node->with_item.value = value;
    ast_node *earlier = parser_noted(p);
    if (parser_accept(p, TOKEN_AS))
        node->with_item.target = parser_expression(p);
    if (parser_is_python(p) && node->with_item.target && node->with_item.target->kind != AST_VAR)
        parser_unsupported_whole(p, earlier, parser_range(p, start, end),
                                 parser_in_words("'with' binds variables only", INCOMPATIBLE_ARGUMENTS));
    parser_cover(node, node->with_item.value);
    parser_cover(node, node->with_item.target);
    return node;
}

/* Do the parentheses at the parser's token hold all the items of a `with`? They do when a colon follows. */
static bool has_parenthesized_items(const parser *p) {
    if (!parser_is_python(p) || !parser_at(p, TOKEN_OPEN_PAREN))
        return false;
    parser ahead = *p;
    uint32_t open = p->lex.brackets;
    do
        parser_advance(&ahead);
    while (ahead.lex.brackets >= open && !parser_at(&ahead, TOKEN_EOF));
    return parser_at(&ahead, TOKEN_CLOSE_PAREN) && parser_following(&ahead) == TOKEN_COLON;
}

/* with := "with" (with_item ("," with_item)* | "(" with_item ("," with_item)* [","] ")") block */
static ast_node *parse_with(parser *p) {
    ast_node *node = keyword_node(p, AST_WITH);
    bool parenthesized = has_parenthesized_items(p);
    size_t items = parser_list_begin(p);
    if (parenthesized)
        parser_advance(p);
    do
        parser_list_push(p, parse_with_item(p));
    while (parser_accept(p, TOKEN_COMMA) && !(parenthesized && parser_at(p, TOKEN_CLOSE_PAREN)));
    if (parenthesized)
        parser_expect(p, TOKEN_CLOSE_PAREN);
    node->with.items = parser_list_end(p, items);
    node->with.body = parser_block(p);
    parser_cover_list(node, node->with.items);
    parser_cover_list(node, node->with.body);
    return node;
}

static void push_block(parser *p) {
    ast_list block = parser_block(p);
    for (uint32_t i = 0; i < block.count; i++)
        parser_list_push(p, block.items[i]);
}

/* try := "try" block ("except" ["*"] [expressions ["as" NAME]] block)* ["else" block] ["finally" block] */
static ast_node *parse_try(parser *p) {
    token keyword = parser_advance(p);
    ast_node *earlier = parser_noted(p),
             *node = parser_unsupported_form(p, parser_token_range(p, keyword), "try blocks");
    size_t parts = parser_list_begin(p);
    ast_node **handlers = NULL;
    push_block(p);
    while (parser_accept(p, TOKEN_EXCEPT)) {
        if (parser_accept(p, TOKEN_STAR))
            node = parser_unsupported_whole(p, earlier, parser_range(p, keyword.start, keyword.start + 1),
                                            "TryStar aren't supported");
        if (!parser_at(p, TOKEN_COLON))
            parser_expression_list(p);
        if (parser_accept(p, TOKEN_AS))
            parser_expect(p, TOKEN_IDENT);
        ast_list block = parser_block(p);
        for (uint32_t i = 0; i < block.count; i++)
            arrput(handlers, block.items[i]);
    }
    if (parser_accept(p, TOKEN_ELSE))
        push_block(p);
    if (parser_accept(p, TOKEN_FINALLY))
        push_block(p);
    node->unsupported.parts = parser_list_end(p, parts);
    node->unsupported.handlers = (ast_list){handlers, (uint32_t)arrlenu(handlers)};
    return node;
}

/* async := "async" (for | with)                                             (`async def` is parsed as a function) */
static ast_node *parse_async(parser *p) {
    token async = parser_advance(p);
    bool is_for = parser_at(p, TOKEN_FOR);
    if (!is_for && !parser_at(p, TOKEN_WITH))
        parser_expected(p, "def");
    ast_node *node = parser_unsupported_form(p, parser_range(p, async.start, p->token.end),
                                             is_for ? "async for loops" : "async with statements");
    if (is_for)
        parse_for(p);
    else
        parse_with(p);
    return node;
}

/* `match` is a name except at the head of a block of cases. */
static bool at_match(const parser *p) {
    if (!parser_is_python(p) || !parser_token_is(p, p->token, "match"))
        return false;
    parser ahead = *p;
    token_kind last = TOKEN_EOF;
    while (!parser_at(&ahead, TOKEN_NEWLINE) && !parser_at(&ahead, TOKEN_EOF))
        last = parser_advance(&ahead).kind;
    return last == TOKEN_COLON && parser_accept(&ahead, TOKEN_NEWLINE) && parser_accept(&ahead, TOKEN_INDENT) &&
           parser_token_is(&ahead, ahead.token, "case");
}

/* match := "match" token* ":" NEWLINE INDENT token* DEDENT                   (patterns have a grammar of their own) */
static ast_node *parse_match(parser *p) {
    uint32_t start = p->token.start;
    uint32_t blocks = 0;
    do {
        token t = parser_advance(p);
        blocks += t.kind == TOKEN_INDENT;
        blocks -= t.kind == TOKEN_DEDENT;
        if (t.kind == TOKEN_DEDENT && !blocks)
            break;
    } while (!parser_at(p, TOKEN_EOF));
    return parser_unsupported_form(p, parser_range(p, start, start + 1), "Match");
}

static ast_node *parse_compound_statement(parser *p) {
    switch (p->token.kind) {
    case TOKEN_IF:
        return parse_if(p);
    case TOKEN_WHILE:
        return parse_while(p);
    case TOKEN_FOR:
        return parse_for(p);
    case TOKEN_WITH:
        return parse_with(p);
    case TOKEN_TRY:
        return parse_try(p);
    case TOKEN_DEF:
    case TOKEN_CLASS:
    case TOKEN_AT:
        return parser_def_or_class(p);
    case TOKEN_ASYNC:
        return parser_following(p) == TOKEN_DEF ? parser_def_or_class(p) : parse_async(p);
    default:
        return at_match(p) ? parse_match(p) : NULL;
    }
}

/* statement := compound_statement | simple_statements */
void parser_statement(parser *p) {
    stack_check();
    ast_node *node = parse_compound_statement(p);
    if (node)
        parser_list_push(p, node);
    else
        parse_simple_statements(p);
}

/* statements := (statement | NEWLINE)* end
 * A line that is joined to an empty one ends without holding anything. */
ast_list parser_statements(parser *p, token_kind end) {
    size_t statements = parser_list_begin(p);
    while (!parser_accept(p, end))
        if (!parser_accept(p, TOKEN_NEWLINE))
            parser_statement(p);
    return parser_list_end(p, statements);
}

/* block := ":" (simple_statements | NEWLINE INDENT statement statements(DEDENT)) */
ast_list parser_block(parser *p) {
    parser_expect(p, TOKEN_COLON);
    parser_enter(p);
    ast_list block;
    if (parser_accept(p, TOKEN_NEWLINE)) {
        parser_expect(p, TOKEN_INDENT);
        block = parser_statements(p, TOKEN_DEDENT);
    } else {
        size_t statements = parser_list_begin(p);
        parse_simple_statements(p);
        block = parser_list_end(p, statements);
    }
    parser_leave(p);
    return block;
}
