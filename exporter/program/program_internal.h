/* What the files that make up a program share. */
#ifndef TSMC_PROGRAM_PROGRAM_INTERNAL_H
#define TSMC_PROGRAM_PROGRAM_INTERNAL_H

#include "exporter/archive/archive.h"
#include "exporter/program/program.h"
#include "exporter/syntax/parser.h"

struct library_file; /* library.h */

/* One parsed file: its classes, functions and (of .py sources) other definitions by name. */
typedef struct code_file {
    const source_file *source;
    const ast_node *tree;
    const char *qualifier; /* what the names of its definitions begin with: "__torch__.model" */
    bool is_python;
    bool is_builtin; /* the compiler's own: never upgraded */
    struct {
        char *key;
        ast_node *value;
    } * definitions;
    const ast_def **overloads; /* declarations without a body, an stb_ds array */
} code_file;

/* An argument of a call whose arguments are known; `name` is NULL for positional ones. */
typedef struct {
    const char *name;
    ir_constant *value;
} constant_argument;

/* What a program needs from the layers above it: emission of graphs, and evaluation of Python code. */
typedef struct program_front_end {
    /* Emits f's body: AST -> graph. */
    void (*emit_function)(program *p, function *f);
    /* Emits a call of an operator ("aten::add") or a function with constants into a new graph; returns the node that
     * gives the results. */
    ir_node *(*emit_call)(program *p, const char *callee, const constant_argument *arguments, uint32_t count,
                          source_range range);
    /* What Python computes for a parameter's default value, as a constant of the type (NULL: any); NULL when it is of
     * another type. *mutable_type is set to the name of a type that no default value may have. NULL: programs without
     * code in Python. */
    ir_constant *(*evaluate_default)(program *p, const ast_node *value, const type *t, const char **mutable_type);
} program_front_end;

struct program {
    pt_archive *archive; /* NULL: not from an archive of torch.jit.save */
    int version;         /* of the operators' meaning */
    struct {
        char *key; /* qualifier */
        code_file *value;
    } * files;
    struct {
        char *key; /* qualified name */
        class_def *value;
    } * classes;
    struct {
        char *key; /* qualified name */
        function *value;
    } * functions;
    struct {
        char *key; /* operator and argument */
        function *value;
    } * derivatives; /* what builtin_derivative found, NULL where there is none */
    class_def **class_order;
    function **function_order;
    ir_constant *module;        /* NULL: the entry is a function */
    const code_file *main_file; /* of .py sources: the file whose code is being compiled; else NULL */
    function *entry;            /* of a .py source; NULL: it has a module */
    const program_front_end *front_end;
    operator_evaluator *evaluate; /* NULL: operators cannot be run */
    uint64_t graphs_version;
};

/* ---- program.c ---- */
/* An empty program. `evaluate` may be NULL: operators cannot be run. */
program *program_new(const program_front_end *front_end, operator_evaluator *evaluate);
/* Adds code of the compiler's own under a qualifier, unless it is there already. */
void program_add_source(program *p, const char *qualifier, const char *text);
code_file *program_add_file(program *p, const char *qualifier, const source_file *source, bool is_python);
/* Adds a file of the compiler's own Python code, unless it is there already. */
code_file *program_add_python_library(program *p, const struct library_file *file);
/* The class, def or other definition that a qualified name means, with its file; NULL when there is none. */
ast_node *program_find_definition(program *p, const char *name, code_file **file);
function *program_declare_function(program *p, const char *name, const ast_def *d, const code_file *file,
                                   class_def *owner);
/* The type that calls of f return; compiles f when the type follows from its return statements. */
const type *function_return_type(function *f);

/* The whole def, from its first word to its last statement. */
source_range ast_def_range(const ast_def *d);

/* ---- program_values.c ---- */
/* A value of a pickle as a constant of the wanted type (NULL: what the value itself says). */
ir_constant *program_constant(program *p, pkl_value *v, const type *wanted);
/* CONSTANTS.cN by its name "cN"; NULL when there is none. */
ir_constant *program_constant_named(program *p, const char *name);

/* ---- restore.c ---- */
/* Runs `__setstate__` of an object's class on its state, which sets the object's slots. */
void object_restore(program *p, ir_constant *object, function *setstate, ir_constant *state);

/* ---- literal.c ---- */
/* A literal of a default value or a constant attribute as a constant of the wanted type (NULL: what the literal says);
 * NULL when it is not one. */
ir_constant *program_literal(program *p, const ast_node *n, const type *wanted);
/* The names of floats that have no digits: inf, nan, infj, nanj; NULL for other names. */
ir_constant *program_named_number(const char *name);

#endif
