/* Classes of values of a graph: union-find. What puts two values into one class is the caller's to say. */
#ifndef TSMC_PASSES_ANALYSIS_VALUE_CLASSES_H
#define TSMC_PASSES_ANALYSIS_VALUE_CLASSES_H

#include "exporter/ir/ir.h"

typedef struct value_classes value_classes;

/* Values that do not take part are in a class of their own, whatever they are joined with. */
value_classes *value_classes_new(bool (*takes_part)(const ir_value *));

/* The class of a value: one of its members. It changes when values are joined. */
const ir_value *value_class(value_classes *c, const ir_value *v);

void value_classes_join(value_classes *c, const ir_value *a, const ir_value *b);
/* Joins all inputs and outputs of n. */
void value_classes_join_all(value_classes *c, const ir_node *n);
/* Joins the names that a value has inside of a branch or loop with those that it has outside. */
void value_classes_join_blocks(value_classes *c, const ir_node *n);

#endif
