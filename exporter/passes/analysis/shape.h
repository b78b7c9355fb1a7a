/* Types and sizes of tensors, as far as they are known, and those of lists and tuples of tensors. */
#ifndef TSMC_PASSES_ANALYSIS_SHAPE_H
#define TSMC_PASSES_ANALYSIS_SHAPE_H

#include "exporter/ir/ir.h"

enum { SHAPE_MAX_DIMS = 8 };

typedef enum { SHAPE_NONE, SHAPE_TENSOR, SHAPE_SEQUENCE } shape_kind;

typedef struct shape {
    shape_kind kind;
    int dtype, dims; /* TENSOR: dtype is PyTorch's ScalarType number */
    int64_t sizes[SHAPE_MAX_DIMS];
    bool has_strides; /* strides are known; callers' tensors may have any */
    int64_t strides[SHAPE_MAX_DIMS];
    int without;                /* TENSOR: flags (TSM_TENSOR_REQUIRES_GRAD, ...) that it is known not to have */
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
/* Whether dtypes and sizes are equal; false when either is NULL. */
bool shape_equal(const shape *a, const shape *b);
/* What is known of a value that has the one shape or the other: a itself, where b says the same. */
const shape *shape_of_either(const shape *a, const shape *b);
/* The shape, and nothing of strides. */
const shape *shape_without_strides(const shape *s);
/* Whether strides are known of all tensors in it; NULL: of none. */
bool shape_has_strides(const shape *s);
/* What is known of a caller's tensor like c that has none of these flags but what c has itself: it may have any
 * strides. NULL when c has no shape. */
const shape *shape_of_similar(const ir_constant *c, int without);

/* The answer to a question about a tensor's sizes or type as a constant; NULL when n is none, or raises. */
ir_constant *shape_answer(const ir_node *n, const shape *s);

#endif
