/* Tensors with a number beside each, as tuples: types of containers that hold such, and the nodes that make and take
 * them apart. */
#ifndef TSMC_PASSES_LOWER_PAIRS_H
#define TSMC_PASSES_LOWER_PAIRS_H

#include "exporter/ir/ir.h"

/* The type with a number beside each tensor. */
const type *pair_type(const type *t);
/* The tuple of a tensor and its number, before `at`. */
ir_value *pair_insert(ir_node *at, ir_value *tensor, ir_value *number);
/* The parts of a tuple, before `at`. */
ir_node *pair_insert_unpack(ir_node *at, ir_value *pair);
/* Uses of `from`, but those by `except`, become uses of `to`. */
void pair_replace_uses(ir_value *from, ir_value *to, const ir_node *except);

#endif
