/* The graph of an exported program as a graph of our IR: what the files of the translation share.
 *
 * A node is a call of an operator by its full name. Its arguments are named; those that equal their defaults may be
 * left out. An argument is an object of one member, whose name is the kind: {"as_tensor": {"name": "x"}}, {"as_ints":
 * [1, 2]}. Values are known by names, which are unique in their graph. */
#ifndef TSMC_EXPORT_TRANSLATE_H
#define TSMC_EXPORT_TRANSLATE_H

#include "exporter/base/json.h"
#include "exporter/export/locations.h"
#include "exporter/program/program_internal.h"

typedef struct {
    const char *key;
    ir_value *value;
} value_map;

/* A graph that is being translated: the program's, or one that a node holds (the branch of a cond). */
typedef struct translation {
    program *program;
    locations *locations;
    ir_node *at;            /* new nodes stand before this one */
    ir_place place;         /* of the exported node: where its author wrote it */
    value_map *values;      /* stb_ds hash map by name */
    json metas;             /* tensor_values of the graph whose nodes are translated: sizes and dtypes by name */
    int64_t autocast_dtype; /* in a region of autocast: the dtype of its products; else 0 */
} translation;

/* ---- arguments.c ---- */

/* The kind of an argument and its value: an object of one member. */
const char *argument_kind(json argument, json *value);
/* The value of an argument as an input that the type (NULL: any) accepts. */
ir_value *argument_value(translation *t, json argument, const type *wanted);
/* The value of that name; fails when there is none yet. */
ir_value *value_named(translation *t, json name);
/* Gives a value its name in the graph. */
void value_define(translation *t, json name, ir_value *v);
/* The name that an argument or result refers to; no value when it names none. */
json argument_name(json argument);

/* ---- Nodes ---- */

ir_value *insert_constant(translation *t, ir_constant *c);
/* A node of the kind with the inputs (stb_ds array) and one output of the type. */
ir_value *insert_single(translation *t, ir_kind kind, const type *made, ir_value *const *inputs);
/* A call of an operator, "aten::add", resolved by its arguments. */
ir_value *insert_call(translation *t, const char *name, ir_value *const *arguments, uint32_t count);
/* The value as an int, a float or a bool where it is a Scalar or another number. */
ir_value *convert_number(translation *t, ir_value *v, type_kind wanted);

/* ---- nodes.c ---- */

/* Translates the nodes of a Graph. */
void translate_nodes(translation *t, json graph);
/* Gives the results of a node their names. `outputs` is the list of the schema's Arguments. */
void define_outputs(translation *t, json outputs, ir_value *const *values, size_t count);

/* Inserts a call of an operator by its target with arguments by position (stb_ds array); returns its node. */
ir_node *insert_target(translation *t, const char *target, ir_value *const *arguments);
/* The same with arguments by name; those that the operator writes to are copied first. The copies are appended. */
ir_node *insert_target_on_copies(translation *t, const char *target, json inputs, ir_value ***copies);

/* ---- higher_order.c ---- */

/* Operators that take graphs: torch.ops.higher_order.cond. False: it is none. */
bool translate_higher_order(translation *t, const char *target, json node);

/* ---- symbolic.c ---- */

/* Calls of Python's operators on numbers: _operator.add, torch.sym_max. False: it is none. */
bool translate_symbolic(translation *t, const char *target, json node);

#endif
