/* What is known of values when a program is specialized to an example: types and sizes of tensors.
 *
 * A run of the example shows what every operator gives. That it always gives the same is known where nothing but the
 * inputs' types, sizes and constants decides: then questions about sizes have constant answers. What depends on
 * elements (aten::nonzero) is not known, nor is what follows from it. */
#ifndef TSMC_PASSES_ANALYSIS_SHAPES_H
#define TSMC_PASSES_ANALYSIS_SHAPES_H

#include "exporter/passes/analysis/mutation.h"
#include "exporter/passes/analysis/shape.h"

typedef struct {
    mutation *mutation;
    shape_map given; /* values of the outside, which hold inside of the block */
    shape_map seen;  /* outputs of operators, from the run */
} shape_facts;

/* The flags of tensors that operators of the block ask for: whether they require gradients, or are nested. */
int shapes_asked_flags(const ir_block *b);

/* Answers questions about sizes, dimensions and types of tensors in the block by constants, and makes constants of
 * unwritten lists of constants. Returns whether anything changed: the answers may decide more once they are folded. */
bool fold_shapes(ir_block *b, const shape_facts *facts);

/* What is known of the values in the block. */
shape_map shapes_known(ir_block *b, const shape_facts *facts);

/* The first node of the block that may allocate what does not follow from what is known; NULL: there is none. */
const ir_node *shapes_unsettled(const ir_block *b, const shape_facts *facts);

#endif
