/* Copies of values of a run, which outlive it, and their comparison. */
#ifndef TSMC_EXECUTE_SNAPSHOT_H
#define TSMC_EXECUTE_SNAPSHOT_H

#include "exporter/archive/pt_tensor.h"
#include "runtime/interpreter/instance.h"

typedef struct snapshot {
    tsm_tag tag;
    tsm_value number;        /* BOOL, INT, FLOAT, DEVICE */
    double re, im;           /* COMPLEX */
    const pt_tensor *tensor; /* TENSOR: contiguous; NULL when it is undefined, or too large */
    const char *text;        /* STR; OBJECT: the class; ENUM: the member */
    size_t length;
    struct snapshot **items; /* LIST, TUPLE, OBJECT: what it holds; DICT: key, value, ... (stb_ds array) */
} snapshot;

/* Containers are copied with what they hold, down to a depth of 32. */
snapshot *snapshot_of(tsm_instance *inst, tsm_value v);
size_t snapshot_bytes(const snapshot *s);

typedef struct {
    double tolerance;
    double largest;  /* the largest difference of two floating numbers that was met, NaN and infinite ones included */
    double greatest; /* the greatest absolute value of the wanted floating numbers, but for infinite ones */
    const char *why; /* where they differ, set with false */
} snapshot_comparison;

/* Whether `got` is `want`: structure, integers, texts and bools exactly; floating numbers to |got - want| <= tolerance
 * + tolerance * |want|, where the tolerance is at least two units in the last place of half and bfloat16 elements (NaN
 * equals NaN); stored integers of quantized tensors to one step. All elements are looked at. */
bool snapshot_same(const snapshot *got, const snapshot *want, snapshot_comparison *c);

#endif
