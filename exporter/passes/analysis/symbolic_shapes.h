/* Shapes whose sizes are formulas of the names that tsmc --shape gives to sizes of arguments: what follows from them
 * for the values of a graph, by a rule for each operator. What is said holds for every call whose arguments have the
 * named shapes; of operators without a rule, and of sizes that depend on elements, nothing is said. */
#ifndef TSMC_PASSES_ANALYSIS_SYMBOLIC_SHAPES_H
#define TSMC_PASSES_ANALYSIS_SYMBOLIC_SHAPES_H

#include "exporter/ir/ir.h"
#include "exporter/passes/analysis/symbolic_int.h"

enum { SYMBOLIC_MAX_DIMS = 8 };

typedef enum { SYMBOLIC_TENSOR, SYMBOLIC_INT, SYMBOLIC_SEQUENCE } symbolic_kind;

typedef struct symbolic_shape {
    symbolic_kind kind;
    int dims;                                     /* TENSOR */
    const symbolic_int *sizes[SYMBOLIC_MAX_DIMS]; /* TENSOR; NULL: not known */
    const symbolic_int *value;                    /* INT */
    const struct symbolic_shape **items;          /* SEQUENCE: an stb_ds array; NULL: not known */
} symbolic_shape;

/* An stb_ds hash map; values that are not in it are not known. */
typedef struct {
    const ir_value *key;
    const symbolic_shape *value;
} * symbolic_map;

/* Adds to `known`, which has the shapes of arguments, those of the block's values. */
void symbolic_shapes_learn(const ir_block *b, symbolic_map *known);

/* "(N, 3, H, W)" of a tensor, "(H*W)" of an int; NULL: nothing is known. */
const char *symbolic_description(const symbolic_shape *s);

#endif
