/* AST -> IR: what the files of the emitter share.
 *
 * Names mean `sugared` values: IR values, or things that exist only while compiling (namespaces, classes, functions, methods).
 * An environment maps the names of one block; blocks of prim::If and prim::Loop have environments of their own. */
#ifndef TSMC_FRONTEND_EMIT_H
#define TSMC_FRONTEND_EMIT_H

#include "exporter/frontend/program_internal.h"

typedef enum {
    SUGAR_VALUE,     /* value, declared type */
    SUGAR_TUPLE,     /* several values: the results of an operator, a tuple display on the right of an assignment */
    SUGAR_NAMESPACE, /* name: operators "aten", "prim", ... */
    SUGAR_OPS,       /* `ops`, the namespace of namespaces */
    SUGAR_OPERATOR,  /* name: "aten::relu"; self: bound first argument or NULL */
    SUGAR_PATH,      /* name: a dotted name that is neither class nor function yet */
    SUGAR_CLASS,     /* class_def */
    SUGAR_NEW,       /* C.__new__ */
    SUGAR_FUNCTION,  /* function */
    SUGAR_METHOD,    /* self, name */
    SUGAR_SPECIAL,   /* name: a form of the language: annotate, isinstance, ... */
    SUGAR_CONSTANTS, /* CONSTANTS */
    SUGAR_CLOSURE    /* a nested def */
} sugar_kind;

typedef struct sugared sugared;
struct sugared {
    sugar_kind kind;
    const char *name;
    ir_value *value;    /* VALUE; METHOD, OPERATOR: self */
    const type *type;   /* VALUE: what the variable is declared as, at least value->type */
    sugared *items;     /* TUPLE: stb_ds array */
    class_def *class_def;
    function *function;
    const ast_def *closure;
};

typedef struct environment {
    struct environment *outer;
    struct {
        char *key;
        sugared value;
    } *names;
} environment;

typedef struct {
    program *program;
    function *function;
    ir_graph *graph;
    ir_node *at; /* nodes are inserted before this one */
    environment *env;
    const type *return_type;
    bool returned;
} emitter;

/* ---- Names ---- */
sugared sugar_value(ir_value *v);
/* NULL when the name is not known. */
const sugared *env_find(const emitter *e, const char *name);
void env_set(emitter *e, const char *name, sugared s);

/* ---- Expressions: `hint` is the type wanted, or NULL ---- */
sugared emit_sugared(emitter *e, const ast_node *n, const type *hint);
ir_value *emit_value(emitter *e, const ast_node *n, const type *hint);
/* The IR value that a sugared one is; raises when it is none. */
ir_value *sugar_to_value(emitter *e, const sugared *s, source_range range);
sugared emit_apply(emitter *e, const ast_node *n, const type *hint);
ir_value *emit_subscript(emitter *e, const ast_node *n);
/* As a bool, for conditions. */
ir_value *emit_condition(emitter *e, const ast_node *n);
/* The values that `n` names are to be found in a value of tuple or list type. */
sugared *emit_unpack(emitter *e, ir_value *v, uint32_t count, source_range range);

/* Inserts a node with one output. */
ir_node *emit_node(emitter *e, ir_kind kind, source_range range, const type *t);
ir_value *emit_constant(emitter *e, ir_constant *c, source_range range);
/* An operator call with positional arguments. */
ir_node *emit_operator(emitter *e, const char *name, source_range range, ir_value *const *arguments, uint32_t count);

/* ---- Statements ---- */
void emit_statements(emitter *e, const ast_list *statements);

#endif
