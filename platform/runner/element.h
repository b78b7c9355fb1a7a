/* One element of a tensor as a number, whatever its type. */
#ifndef RUNNER_ELEMENT_H
#define RUNNER_ELEMENT_H

#include "tsmobile.h"
#include <stdbool.h>

/* Integers and bools use i; floats use re; complex numbers re and im. */
typedef struct {
    int64_t i;
    double re, im;
} element;

typedef enum { ELEMENT_INT, ELEMENT_BOOL, ELEMENT_FLOAT, ELEMENT_COMPLEX } element_kind;

element_kind element_kind_of(tsm_dtype dtype);
element element_load(tsm_dtype dtype, const void *at);
/* Stores e; integers outside of the type's range make it return false. */
bool element_store(tsm_dtype dtype, void *at, element e);

/* Goes over a tensor's elements in row-major order, whatever its strides. */
typedef struct {
    const tsm_tensor_view *tensor;
    tsm_dim index[TSM_MAX_DIMS];
    const char *at; /* the current element */
} element_walk;
tsm_dim element_count(const tsm_tensor_view *tensor);
void element_walk_start(element_walk *walk, const tsm_tensor_view *tensor);
void element_walk_next(element_walk *walk);

#endif
