/* Types, nodes and blocks that take no memory of the buffer, whatever the values are. */
#ifndef TSMC_PASSES_ANALYSIS_NO_MEMORY_H
#define TSMC_PASSES_ANALYSIS_NO_MEMORY_H

#include "exporter/ir/ir.h"

/* Whether values of the type lie in registers. */
bool type_takes_no_memory(const type *t);

/* Whether n only gives what is there another name. */
bool node_only_hands_on(const ir_node *n);

/* Whether n makes a dict whose size follows from its keys, which are constants. */
bool node_has_constant_keys(const ir_node *n);

/* Whether the block calculates with numbers alone, or only raises; also a text that is made of numbers where messages
 * stand. raises: whether it does. */
bool block_takes_nothing(const ir_block *b, bool *raises);

#endif
