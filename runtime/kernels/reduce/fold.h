/* Folding: what reductions share. Which dimensions they reduce, and a walk over the elements of each result. */
#ifndef TSM_KERNELS_REDUCE_FOLD_H
#define TSM_KERNELS_REDUCE_FOLD_H

#include "runtime/kernels/kernel.h"
#include "runtime/kernels/simd/casts.h"
#include "runtime/tensor/lanes.h"

/* The dimensions of t in int[] input i, as a set of bits; an empty or absent list (also i < 0) means all. */
tsm_status tsm_fold_read_dims(tsm_exec *x, const tsm_value *const *in, int i, const tsm_tensor *t, unsigned *set);

/* Raises where one of these dimensions is of size 0, or, where `set` is ~0u (none was named), t has no elements: for
 * reductions that have no answer then. */
tsm_status tsm_fold_check_sizes(tsm_exec *x, const tsm_tensor *t, unsigned set, const char *name);

/* The reduced tensor's sizes, and for walking: outer dimensions first, then reduced ones, joined where they continue
 * each other. */
typedef struct {
    int dims; /* of the result */
    tsm_dim sizes[TSM_MAX_DIMS];
    int outer, inner;                                               /* kept and reduced dimensions that are walked */
    tsm_dim outer_sizes[TSM_MAX_DIMS], outer_strides[TSM_MAX_DIMS]; /* strides in elements of the operand */
    tsm_dim inner_sizes[TSM_MAX_DIMS], inner_strides[TSM_MAX_DIMS];
    tsm_dim count, results; /* elements reduced into one; elements of the result */
    tsm_cast cast;          /* to the lane's type, where it was looked for before (tsm_fold_prepare); else NULL */
} reduction;

reduction tsm_fold_plan(const tsm_tensor *t, unsigned set, bool keep);
/* The same for reductions to which the order of elements is nothing: in the order of memory, in runs as long as can be.
 */
reduction tsm_fold_plan_in_any_order(const tsm_tensor *t, unsigned set, bool keep);

/* Looks for how elements become items once for many results. */
void tsm_fold_prepare(tsm_exec *x, const tsm_tensor *t, tsm_lane lane, reduction *r);

/* The offset, in elements, of linear position i over sizes (row-major). */
tsm_dim tsm_fold_offset(int dims, const tsm_dim *sizes, const tsm_dim *strides, tsm_dim i);

/* What is computed over the elements of one result, in lanes: blocks of items come in order of memory position. */
typedef struct {
    double f, f2;
    tsm_complex c;
    int64_t i, at, seen;
    double mean, m2;
    bool nan;
} fold_state;

typedef void (*fold_step)(fold_state *s, const void *context, const void *items, tsm_dim n);

enum { FOLD_BLOCK = 256 };

/* Runs `step` over all elements that go into result `index`, in row-major order, as items of `lane`: runs of elements
 * that are the lane's own, and others converted, at most FOLD_BLOCK at a time. */
void tsm_fold(tsm_exec *x, const tsm_tensor *t, const reduction *r, tsm_dim index, tsm_lane lane, fold_step step,
              const void *context, fold_state *s);

/* Element `index` of the contiguous y. */
void tsm_fold_store(tsm_tensor *y, tsm_dim index, tsm_lane lane, const void *item);

#endif
