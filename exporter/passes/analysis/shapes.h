/* What is known of values when a program is specialized to an example: types and sizes of tensors.
 *
 * A run of the example shows what every operator gives. That it always gives the same is known where nothing but the
 * inputs' types, sizes and constants decides: then questions about sizes have constant answers. What depends on
 * elements (aten::nonzero) is not known, nor is what follows from it. */
#ifndef TSMC_PASSES_ANALYSIS_SHAPES_H
#define TSMC_PASSES_ANALYSIS_SHAPES_H

#include "exporter/passes/analysis/mutation.h"

enum { SHAPE_MAX_DIMS = 8 };

typedef enum { SHAPE_NONE, SHAPE_TENSOR, SHAPE_SEQUENCE } shape_kind;

typedef struct shape {
    shape_kind kind;
    int dtype, dims; /* TENSOR: dtype is PyTorch's ScalarType number */
    int64_t sizes[SHAPE_MAX_DIMS];
    bool has_strides; /* strides are known; callers' tensors may have any */
    int64_t strides[SHAPE_MAX_DIMS];
    const struct shape **items; /* SEQUENCE, of lists and tuples: an stb_ds array; NULL items are not known */
} shape;

/* An stb_ds hash map; NULL values: seen in more than one shape. */
typedef struct {
    const ir_value *key;
    const shape *value;
} * shape_map;

/* Adds what was seen of v; what was seen before must be the same, or nothing is known. */
void shape_see(shape_map *seen, const ir_value *v, const shape *s);
/* What was seen of v holds for its copy too. */
void shape_copy(shape_map *seen, const ir_value *v, const ir_value *copy);
/* The shape of a constant; NULL when it has none. */
const shape *shape_of_constant(const ir_constant *c);
/* The shape, and nothing of strides. */
const shape *shape_without_strides(const shape *s);

/* The answer to a question about a tensor's sizes or type as a constant; NULL when n is none, or raises. */
ir_constant *shape_answer(const ir_node *n, const shape *s);

typedef struct {
    mutation *mutation;
    shape_map given; /* values of the outside, which hold inside of the block */
    shape_map seen;  /* outputs of operators, from the run */
} shape_facts;

/* Answers questions about sizes, dimensions and types of tensors in the block by constants, and makes constants of
 * unwritten lists of constants. Returns whether anything changed: the answers may decide more once they are folded. */
bool fold_shapes(ir_block *b, const shape_facts *facts);

/* What is known of the values in the block. */
shape_map shapes_known(ir_block *b, const shape_facts *facts);

/* The first node of the block that may allocate what does not follow from what is known; NULL: there is none. */
const ir_node *shapes_unsettled(const ir_block *b, const shape_facts *facts);

#endif
