/* Tensors in containers that autodiff cannot follow item by item - dicts, lists that shrink, that loops carry or read
 * at any index - get numbers: each is stored together with one, as a tuple, and is taken out with it. A list that has a
 * gradient for each number is added to where a tensor was taken out, and read where it was stored. */
#ifndef TSMC_PASSES_LOWER_NUMBER_ITEMS_H
#define TSMC_PASSES_LOWER_NUMBER_ITEMS_H

#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/program/program.h"

typedef struct numbered_items numbered_items;

/* Numbers the items of all containers of the request's graph that need it, where something in them depends on what f
 * was marked with, and `outputs`, which the request derives, on them. NULL: there are none. Raises a compile error
 * where such a container would bring gradients from one turn of a loop around the request to the next. */
numbered_items *number_items(program *p, const ir_node *request, ir_value *const *outputs, const gradient_flow *f);

/* The list with a gradient for each number. */
ir_value *numbered_gradients(const numbered_items *n);
/* The number of a tensor that was taken out, the numbers of a list that was; NULL: v was not. */
ir_value *numbered_read(const numbered_items *n, const ir_value *v);
/* The tensor that is stored with the number that a node gives, or a list of tensors that are stored with the numbers
 * from there on; NULL: the node gives none. */
ir_value *numbered_store(const numbered_items *n, const ir_node *node);
/* Whether v is a container whose items have numbers. */
bool numbered_holds(const numbered_items *n, const ir_value *v);
/* What now stands for a tensor that was taken out of a container under the name v; else v. */
ir_value *numbered_name(const numbered_items *n, ir_value *v);

#endif
