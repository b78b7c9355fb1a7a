/* What the files that make up a program share. */
#ifndef TSMC_FRONTEND_PROGRAM_INTERNAL_H
#define TSMC_FRONTEND_PROGRAM_INTERNAL_H

#include "exporter/archive/archive.h"
#include "exporter/frontend/program.h"

/* One parsed code file: its classes and functions by name. */
typedef struct {
    const source_file *source;
    struct {
        char *key;
        ast_node *value;
    } *definitions;
} code_file;

struct program {
    pt_archive *archive;
    int version; /* of the operators' meaning */
    struct {
        char *key; /* qualifier */
        code_file *value;
    } *files;
    struct {
        char *key; /* qualified name */
        class_def *value;
    } *classes;
    struct {
        char *key; /* qualified name */
        function *value;
    } *functions;
    class_def **class_order;
    function **function_order;
    ir_constant *module;
    ir_constant **constants; /* CONSTANTS.c0, ... */
};

/* The program that a function belongs to (for emission). */
program *program_of(const function *f);

/* A value of a pickle as a constant of the wanted type (NULL: what the value itself says). */
ir_constant *program_constant(program *p, pkl_value *v, const type *wanted);

/* CONSTANTS.cN. */
ir_constant *program_archive_constant(program *p, uint32_t n);

/* Emits f's body: AST -> graph. */
void emit_function(program *p, function *f);

/* A literal of a default value or a constant attribute as a constant; NULL when it is not one. */
ir_constant *emit_literal(program *p, const ast_node *e, const type *wanted);

#endif
