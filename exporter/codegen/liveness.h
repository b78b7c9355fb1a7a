/* Where values die.
 *
 * Control flow is structured, so the end of a value's life can be read off the tree of blocks: in the block that
 * defines it, it dies in the last node that uses it, directly or in a nested block. In a nested prim::If every branch
 * ends the life at its own last use, or at its start when it has none; a value used inside a loop that it was not
 * defined in lives until the loop ends. */
#ifndef TSMC_CODEGEN_LIVENESS_H
#define TSMC_CODEGEN_LIVENESS_H

#include "exporter/ir/ir.h"

typedef struct {
    const ir_node *key;
    ir_value **value; /* stb_ds array */
} liveness_node_map;

typedef struct {
    const ir_block *key;
    ir_value **value; /* stb_ds array */
} liveness_block_map;

typedef struct {
    liveness_node_map
        *at; /* values whose last use is as an input of the node (block results: of the block's result node) */
    liveness_node_map
        *after; /* values that die when the node is done without being its input: used in its loop body, or never */
    liveness_block_map *at_start; /* values that are dead in this branch from its start on */
} liveness;

liveness liveness_compute(const ir_graph *g);

ir_value **liveness_at(const liveness *l, const ir_node *n);
ir_value **liveness_after(const liveness *l, const ir_node *n);
ir_value **liveness_at_start(const liveness *l, const ir_block *b);

/* Whether v's life ends as an input of n. */
bool liveness_dies_at(const liveness *l, const ir_node *n, const ir_value *v);

#endif
