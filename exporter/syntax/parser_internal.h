/* What the parts of the parser share: the state, tokens, building nodes. */
#ifndef TSMC_SYNTAX_PARSER_INTERNAL_H
#define TSMC_SYNTAX_PARSER_INTERNAL_H

#include "exporter/syntax/parser.h"

/* Where in the file the parser is. */
typedef struct {
    const source_file *file; /* which the ranges of new nodes are in */
    ast_node **error;        /* where the first unsupported form of the function is noted; NULL outside of functions */
    const char *function;    /* its name, NULL outside of functions */
    uint32_t margin_start;   /* where the line of the outermost function's `def` begins, in a .py file, */
    uint32_t function_start; /* and where the `def` does */
    bool in_class;           /* directly in a class */
} parser_scope;

typedef struct {
    lexer lex;
    token token;     /* the one to be parsed next */
    token following; /* the one after it, once parser_following was called */
    bool has_following;
    uint32_t last_end; /* where the last visible token before `token` ended */
    parser_scope scope;
    uint32_t depth;          /* how many expressions and blocks are open */
    uint32_t negated_number; /* where a number stands that follows a minus sign directly */
    ast_node **scratch;      /* stb_ds: nodes of the lists that are being collected */
} parser;

/* Starts a parser on an expression in bytes [start, limit) of a file. */
void parser_init_expression(parser *p, const source_file *file, dialect d, uint32_t start, uint32_t limit);

/* Tokens */
bool parser_is_python(const parser *p);
bool parser_at(const parser *p, token_kind kind);
token_kind parser_following(parser *p);
token parser_advance(parser *p); /* returns the token passed */
bool parser_accept(parser *p, token_kind kind);
token parser_expect(parser *p, token_kind kind);
/* Passes a name; in serialized code, which names attributes as it likes, a keyword too. */
token parser_expect_any_name(parser *p);
_Noreturn void parser_expected(parser *p, const char *what); /* "expected WHAT but found 'for' here" */
source_range parser_token_range(const parser *p, token t);
const char *parser_name(const parser *p, token t); /* its text, interned */
bool parser_token_is(const parser *p, token t, const char *text);

/* Refuses what nests deeper than LIMIT_EXPRESSION_DEPTH. Every `enter` has its `leave`. */
void parser_enter(parser *p);
void parser_leave(parser *p);

/* Ranges and nodes */
source_range parser_range(const parser *p, uint32_t start, uint32_t end);
ast_node *parser_node(const parser *p, ast_kind kind, uint32_t start, uint32_t end);
/* Widens the range of `node` to cover `part`, which may be NULL. */
void parser_cover(ast_node *node, const ast_node *part);
void parser_cover_list(ast_node *node, ast_list parts);

/* Collecting a list: begin, push..., end. Lists that are collected meanwhile lie in between. */
size_t parser_list_begin(const parser *p);
void parser_list_push(parser *p, ast_node *node);
ast_list parser_list_end(parser *p, size_t begin);

/* A form that cannot be compiled; noted as the function's error when it is the first. `message` is kept. */
ast_node *parser_unsupported(parser *p, source_range range, const char *message);

/* The same for a form that is refused before its parts are looked at, though they were parsed already: `earlier` is
 * what was noted before them. */
ast_node *parser_noted(const parser *p);
ast_node *parser_unsupported_whole(parser *p, ast_node *earlier, source_range range, const char *message);

/* The same with the one part that running it at compile time needs. */
ast_node *parser_unsupported_with(parser *p, source_range range, const char *message, ast_node *part);

/* A message about what PyTorch's own front end trips over, with the words of the Python error that it ends in. */
const char *parser_in_words(const char *message, const char *words);

/* "X aren't supported" */
ast_node *parser_unsupported_form(parser *p, source_range range, const char *form);

/* parser.c */
ast_node *parser_import(parser *p);

/* parser_def.c */
void parser_type_parameters(parser *p);   /* those of a function, class or type alias, if there are any */
ast_node *parser_def_or_class(parser *p); /* from its first decorator on */
ast_list parser_params(parser *p, token_kind end, bool annotated);

/* parser_stmt.c */
void parser_statement(parser *p);                      /* pushes one statement, or those of one line */
ast_list parser_statements(parser *p, token_kind end); /* up to the token `end` and with it */
ast_list parser_block(parser *p);                      /* the statements of a compound statement, from its colon on */

/* parser_expr.c */
ast_node *parser_expression(parser *p);
ast_node *parser_expression_list(parser *p);     /* a TUPLE when there is a comma */
ast_node *parser_expression_or_yield(parser *p); /* an expression list or a `yield` */
ast_node *parser_target_list(parser *p);         /* what stands between `for` and `in` */
void parser_arguments(parser *p);                /* a call's parentheses and arguments; pushes the arguments */

/* parser_literal.c */
ast_node *parser_number(parser *p);
ast_node *parser_strings(parser *p); /* adjacent string tokens */
/* Folds a minus sign at `sign_start` into a number; false when the node is none. */
bool parser_negate_number(parser *p, ast_node *node, uint32_t sign_start);

#endif
