/* Steps of reductions (fold.h) over items that lie side by side, as tables by lane: what most time of a reduction goes
 * into. On x86-64 steps.c is compiled once more for AVX2 (loops.h, TSM_LOOPS says how). Results are the same bits. */
#ifndef TSM_KERNELS_REDUCE_STEPS_H
#define TSM_KERNELS_REDUCE_STEPS_H

#include "runtime/kernels/loops.h"
#include "runtime/kernels/reduce/fold.h"

typedef struct fold_steps {
    fold_step step[TSM_LANE_COUNT]; /* NULL where the operator has none */
    const struct fold_steps *wide;  /* the same for vectors of 256 bits, or NULL */
} fold_steps;

/* The step of a lane for this machine. */
fold_step tsm_fold_choose(tsm_exec *x, const fold_steps *steps, tsm_lane lane);

/* s->f (s->i with int64 items, wrapping; s->c with complex64 ones) += items. Floats are added in float for at most
 * FOLD_BLOCK items, then in double. */
extern const fold_steps tsm_fold_sum;
/* The same of the items that are not NaN. Of floats and doubles. */
extern const fold_steps tsm_fold_sum_of_numbers;
/* s->f (s->i) *= items. Floats are multiplied in float by each of the chains, as PyTorch does; what chains give, in
 * double. */
extern const fold_steps tsm_fold_product;
/* s->f += squares of items, added as sums are. */
extern const fold_steps tsm_fold_squares;
/* s->f (s->i) = the greatest (least) of items, and of what it was if s->seen; s->seen += n. NaN is better than any
 * number. */
extern const fold_steps tsm_fold_greatest, tsm_fold_least;
/* s->at = the position of the first item that equals the context's f (i), or is NaN, unless there is one; s->seen += n.
 */
extern const fold_steps tsm_fold_find;
/* s->f += exp(item - top), where the context is the double top. Of floats and doubles. */
extern const fold_steps tsm_fold_exponentials;

/* Where item i of a row is better than best[i], it becomes that, and at[i] the row's number. A NaN is better than any
 * number, but not than a NaN. */
typedef void (*fold_row)(void *best, int32_t *at, const void *items, int32_t row, tsm_dim n);
/* NULL: none for this lane. */
fold_row tsm_fold_choose_row(tsm_exec *x, bool largest, tsm_lane lane);

/* Adds rows of n items, `stride` items apart, to totals (all items, those that are not NaN, or squares), or multiplies
 * these by them, or takes what is greater or less. A sum of masks says whether any is true, a product whether all are.
 */
typedef enum {
    JOIN_SUMS,
    JOIN_SUMS_OF_NUMBERS,
    JOIN_PRODUCTS,
    JOIN_SUMS_OF_SQUARES,
    JOIN_GREATEST,
    JOIN_LEAST,
    FOLD_JOINS
} fold_join;
typedef void (*fold_join_rows)(void *totals, const void *items, tsm_dim stride, tsm_dim rows, tsm_dim n);
/* NULL: none for this lane. */
fold_join_rows tsm_fold_choose_join_rows(tsm_exec *x, fold_join join, tsm_lane lane);
/* The same of the n items of each of `rows` rows, at least FOLD_ALONG bytes of them, with the row's own total. */
enum { FOLD_ALONG = 32 };
fold_join_rows tsm_fold_choose_join_along(tsm_exec *x, fold_join join, tsm_lane lane);
/* sum[i] += e^(v[i] - top[i]) */
typedef void (*fold_exponentials_row)(float *sum, const float *v, const float *top, tsm_dim n);
fold_exponentials_row tsm_fold_choose_exponentials_row(tsm_exec *x);

#endif
