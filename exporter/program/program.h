/* A program under compilation: what names mean, the functions, the classes, and the module with its attributes. */
#ifndef TSMC_PROGRAM_PROGRAM_H
#define TSMC_PROGRAM_PROGRAM_H

#include "exporter/ir/class.h"
#include "exporter/schema/schema.h"
#include "exporter/syntax/ast.h"

/* Runs one operator node on constants; false when it cannot. */
typedef bool operator_evaluator(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs);

/* The module (an OBJECT); NULL when the program's entry is a function. */
ir_constant *program_module(program *p);

/* The functions that can be called from outside: the module's methods (of a .py source only forward and exported ones),
 * or the entry function. An stb_ds array. */
function **program_entries(program *p);

/* Counts the changes of graphs by passes. An analysis records the count when it is made, and is out of date when the
 * count differs. */
uint64_t program_graphs_version(const program *p);
void program_graphs_changed(program *p);

/* Looks up by qualified name, compiling what is needed; NULL when there is none. */
class_def *program_find_class(program *p, const char *name);
function *program_find_function(program *p, const char *name);

/* Compiles a function's body unless it is compiled already; returns its graph. Raises compile errors. */
ir_graph *function_graph(function *f);
/* Inserts a call of f before `at`, with the range and scope of that; returns its result. */
ir_value *function_insert_call(ir_node *at, function *f, ir_value *const *inputs, size_t count);

/* All classes defined so far, an stb_ds array in order of definition. */
class_def **program_classes(program *p);

/* A function made by the compiler (body of a fork, upgrader, pass). */
function *program_new_function(program *p, const char *name, ir_graph *graph, op_schema *schema);

#endif
