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

struct program {
    pt_archive *archive; /* NULL: from source */
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
    class_def **class_order;
    function **function_order;
    ir_constant *module;          /* NULL: from source */
    const code_file *main_file;   /* of .py sources: the file whose code is being compiled; else NULL */
    function *entry;              /* of a .py source */
    operator_evaluator *evaluate; /* NULL: operators cannot be run */
};

/* ---- program.c ---- */
/* Adds code of the compiler's own under a qualifier, unless it is there already. */
void program_add_source(program *p, const char *qualifier, const char *text);
code_file *program_add_file(program *p, const char *qualifier, const source_file *source, bool is_python);
/* Adds a file of the compiler's own Python code, unless it is there already. */
code_file *program_add_python_library(program *p, const struct library_file *file);
/* The class, def or other definition that a qualified name means, with its file; NULL when there is none. */
ast_node *program_find_definition(program *p, const char *name, code_file **file);
function *program_declare_function(program *p, const char *name, const ast_def *d, const code_file *file,
                                   class_def *owner);
/* What calls of f yield; compiles it when its return statements tell. */
const type *function_return_type(function *f);

/* The whole def, from its first word to its last statement. */
source_range ast_def_range(const ast_def *d);

/* ---- source_class.c: classes of .py sources ---- */
/* Raises an error about a class that is to be compiled for itself and has other bases than object. */
void source_class_refuse_bases(program *p, const ast_class *syntax);
type_kind source_class_kind(program *p, const ast_class *syntax);
bool source_class_is_exception(program *p, const ast_class *syntax);
/* The def itself, or, where a decorator says that it stays in Python, one that raises. */
const ast_def *source_def_to_compile(const ast_def *d);
/* What an expression, or auto(), gives a member of an enum; NULL when it is no constant. */
ir_constant *source_enum_value(program *p, const class_def *c, const ast_node *value);
/* Raises an error about an enum that TorchScript cannot have. */
void source_enum_check(const class_def *c);
/* Whether the first parameter of a method is its class. */
bool source_def_is_classmethod(const ast_def *d);
/* Notes that a function or a module's method stays in Python, when the decorators of its def say so. */
void source_mark_dropped(function *f, const ast_def *d);
void source_class_define(program *p, class_def *c, const code_file *file);
/* NAME = namedtuple(...), NAME = NamedTuple(...); NULL when the assignment makes no class. */
class_def *source_class_from_call(program *p, const char *name, const ast_node *n, const code_file *file);

/* ---- program_values.c ---- */
/* A value of a pickle as a constant of the wanted type (NULL: what the value itself says). */
ir_constant *program_constant(program *p, pkl_value *v, const type *wanted);
/* CONSTANTS.cN, by number and by its name "cN"; NULL when there is none. */
ir_constant *program_archive_constant(program *p, uint32_t n);
ir_constant *program_constant_named(program *p, const char *name);

/* ---- restore.c ---- */
/* Runs `__setstate__` of an object's class on its state, which sets the object's slots. */
void object_restore(program *p, ir_constant *object, function *setstate, ir_constant *state);

/* ---- emit.c, emit_expr.c ---- */
/* Emits f's body: AST -> graph. */
void emit_function(program *p, function *f);
/* A literal of a default value or a constant attribute as a constant; NULL when it is not one. */
ir_constant *emit_literal(program *p, const ast_node *e, const type *wanted);

#endif
