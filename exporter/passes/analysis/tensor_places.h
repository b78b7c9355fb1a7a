/* Where tensors are: of what was made in the graph each is, through which views. Other than memory_classes, which says
 * what may be, this says what is. */
#ifndef TSMC_PASSES_ANALYSIS_TENSOR_PLACES_H
#define TSMC_PASSES_ANALYSIS_TENSOR_PLACES_H

#include "exporter/passes/analysis/gradient_flow.h"

typedef struct tensor_places tensor_places;

typedef struct {
    const ir_value *root; /* NULL: it is not known */
    ir_node **views;      /* an stb_ds array: the first is one of the root, each other one of that before it */
} tensor_place;

/* Answers are those for the graph as it was when they were first asked for. */
tensor_places *tensor_places_new(const gradient_flow *flow);

/* Roots are new tensors of operators, what operators give that copy where they must (reshape, contiguous), and what
 * branches and loops give out of several of those: tensors that no name of before can tell any more when they are used
 * in its place. */
tensor_place tensor_place_of(tensor_places *p, const ir_value *v);

/* Whether the root is made of new tensors only, whatever way the program takes. */
bool tensor_root_is_new(tensor_places *p, const ir_value *root);

/* The loop that the root is a variable of, in its body; NULL: none. */
const ir_node *tensor_root_loop(const ir_value *root);

/* Whether an operator gives a view, or its input itself, where it can, else a copy. */
bool tensor_may_copy(const ir_node *n);

#endif
