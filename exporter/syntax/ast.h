/* The syntax tree of TorchScript, in the shape of PyTorch's own tree views.
 *
 * Both dialects give the same tree. What is only another spelling is already written out: chained comparisons are
 * joined by `and`, `x not in y` is `not (x in y)`, an f-string is a call of str.format, a generator expression is a
 * list comprehension, types in comments are those of the parameters. A form that Python has and TorchScript has not
 * becomes an UNSUPPORTED node, which is an error only when the function around it is compiled (see ast_def.error). */
#ifndef TSMC_SYNTAX_AST_H
#define TSMC_SYNTAX_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exporter/base/mem.h"
#include "exporter/syntax/source.h"

typedef enum {
#define AST_KIND(kind, name, shape) AST_##kind,
#include "exporter/syntax/ast_kinds.def"
#undef AST_KIND
    AST_KIND_COUNT
} ast_kind;

typedef struct ast_node ast_node;

/* The error of `a //= b` and `a @= b`, in the words of PyTorch 2 and of PyTorch 1; each takes the operator's name. */
#define AST_BAD_AUG_ASSIGN                                                                                             \
    "unsupported kind of augmented assignment: %s:\nunsupported kind of augumented assignment: %s"

/* A list of nodes; `items` is NULL when `count` is 0. */
typedef struct {
    ast_node **items;
    uint32_t count;
} ast_list;

/* A text that may hold any byte; `bytes` is zero-terminated besides. */
typedef struct {
    const char *bytes;
    size_t length;
} ast_text;

/* A module-level import; each name bound is one `ast_import_name`. */
typedef struct {
    const char *module; /* dotted; for `from` imports the module the name is taken from, leading dots included */
    const char *name;   /* `from module import name`, "*" for all of them; NULL for `import module` */
    const char *bound;  /* the name it gets; for `import a.b` without `as`, "a" */
} ast_import_name;

typedef struct {
    const char *name;
    source_range name_range; /* of the word `def` in .py sources, of the name in serialized code */
    source_range decl_range; /* of the signature, up to the last parameter or the return type */
    ast_list params;         /* PARAM, the keyword-only ones last */
    ast_node *return_type;   /* NULL: not stated */
    ast_list body;
    ast_list decorators; /* expressions; .py sources only */
    ast_node *error;     /* the UNSUPPORTED node to report instead of compiling this function, NULL: none */
    bool is_overload;    /* made of a function for one of its overloads */
} ast_def;

typedef struct {
    const char *name;
    ast_list bases;      /* expressions; keyword arguments of the class statement are ATTRIBUTE */
    ast_list body;       /* DEF, ASSIGN and whatever else stands there */
    ast_list decorators; /* expressions */
} ast_class;

/* Strings called `name` are interned: equal names have equal pointers. Node pointers that may be absent say so. */
struct ast_node {
    ast_kind kind;
    source_range range;
    union {
        const char *name; /* VAR */
        struct {
            ast_text text; /* as PyTorch shows it */
            union {
                int64_t integer;
                double real; /* FLOAT; for IMAGINARY the imaginary part */
            };
        } number;
        ast_text string;   /* STRING: the bytes it means */
        ast_list sequence; /* TUPLE, LIST: elements; DELETE: targets; GLOBAL: VAR; FILE: statements */
        struct {
            ast_list keys, values;
        } dict;
        struct {
            ast_node *key; /* DICT_COMP only, else NULL */
            ast_node *element;
            ast_node *target;
            ast_node *iterable;
            ast_list clauses; /* behind UNSUPPORTED only: what follows, FOR without a body and conditions of `if` */
        } comprehension;
        struct {
            ast_node *value;
            const char *name;
            source_range name_range;
        } select;
        struct {
            ast_node *value;
            ast_list indices; /* expressions, SLICE, DOTS */
        } subscript;
        struct {
            ast_node *start, *stop, *step; /* each NULL when absent */
        } slice;
        struct {
            ast_node *callee;
            ast_list inputs;     /* positional arguments; `*x` is STARRED */
            ast_list attributes; /* ATTRIBUTE: keyword arguments */
        } apply;
        struct {
            const char *name;
            ast_node *value;
        } attribute;
        /* STARRED, operators; EXPR_STMT; RETURN: NONE when no value was written; RAISE: the exception */
        ast_node *operand;
        struct {
            ast_node *left, *right;
        } binary;
        struct {
            ast_node *condition, *if_true, *if_false;
        } ternary;
        struct {
            ast_list targets; /* several for `a = b = value` */
            ast_node *value;  /* NULL for an annotation without value (class bodies) */
            ast_node *type;   /* NULL: no annotation */
        } assign;
        struct {
            ast_node *target;
            ast_kind op; /* ADD, SUB, ... */
            ast_node *value;
        } aug_assign;
        struct {
            ast_node *condition;
            ast_node *message; /* NULL: none */
        } assertion;
        struct {
            ast_node *condition;
            ast_list if_true, if_false; /* `elif` is an IF alone in if_false */
        } branch;
        struct {
            ast_node *condition; /* WHILE only, else NULL */
            ast_node *target;    /* FOR only, as `iterable` */
            ast_node *iterable;
            ast_list body;
        } loop;
        struct {
            ast_list items; /* WITH_ITEM */
            ast_list body;
        } with;
        struct {
            ast_node *value;
            ast_node *target; /* NULL: no `as` */
        } with_item;
        struct {
            ast_import_name *names;
            uint32_t count;
        } import;
        ast_def *def;
        struct {
            const char *name;
            ast_node *type;          /* NULL: not stated */
            ast_node *default_value; /* NULL: none */
            bool keyword_only;
            uint8_t stars; /* 1: takes all further arguments, 2: those by keyword; only where the def has an error */
        } param;
        ast_class *class_def;
        struct {
            const char *message; /* "try blocks aren't supported" */
            /* What running it needs: of a `try` the statements that run without an exception; a nested DEF or CLASS;
             * the DEF that a lambda is; a comprehension with further clauses; of `**value` in a call ATTRIBUTE without
             * a name; of a set its elements as a LIST; `a //= b` as AUG_ASSIGN; of `self.x: T = v` outside of
             * __init__ ASSIGN; of `x: T` PASS. */
            ast_list parts;
            ast_list handlers; /* of a `try` the statements of its handlers, one behind the other */
        } unsupported;
    };
};

/* A zeroed node. */
ast_node *ast_new(ast_kind kind, source_range range);

/* The kind's name in tree dumps. */
const char *ast_kind_name(ast_kind kind);

/* Appends the tree in PyTorch's dump format, without a line end:
 *     (def
 *       (ident f)
 *       (decl (list) (option))
 *       (list (return (None)))) */
void ast_print(const ast_node *node, strbuf *out);

/* The dotted text of a name or of attributes of a name ("a.b.c"); NULL for any other expression. */
const char *ast_dotted_name(const ast_node *node);

/* Whether a def or class has a decorator of the name, whatever package it is written with, called or not. */
bool ast_has_decorator(const ast_list *decorators, const char *name);

#endif
