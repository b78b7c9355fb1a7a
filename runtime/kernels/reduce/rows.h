/* Reductions whose results lie side by side in the operand, as when a channels-last image is reduced to its channels,
 * or points to their coordinates: whole rows of elements are joined with rows of totals. */
#ifndef TSM_KERNELS_REDUCE_ROWS_H
#define TSM_KERNELS_REDUCE_ROWS_H

#include "runtime/kernels/reduce/steps.h"

/* Whether results lie side by side. */
bool tsm_rows_are(const reduction *r);

/* Columns that are reduced at a time. So many rows are added one after the other in float that rounding does not matter
 * yet; then what these gave is added. */
enum { ROWS_COLUMNS = 64, ROWS_BLOCK = 4096 };

/* How the elements of t become items of the lane, and how these are joined. Of results that are made of few elements
 * each, as of the coordinates of each point, the first elements are a row, the second ones, and so on: these are `step`
 * apart. */
typedef struct {
    const tsm_tensor *t;
    const reduction *r;
    tsm_lane lane;
    tsm_dim step;
    /* To items, and back. NULL: elements are items, or no conversion has loops of its own. */
    tsm_cast cast, store;
    fold_join how;
    fold_join_rows join, along; /* along: each result's elements, which lie side by side; NULL: not so */
} rows_job;

/* False where results lie in another way and are made of many elements, or no loop joins items of this lane. */
bool tsm_rows_plan(tsm_exec *x, const tsm_tensor *t, const reduction *r, tsm_lane lane, fold_join how, rows_job *job);

/* How many results go together from number i on, at most ROWS_COLUMNS. */
tsm_dim tsm_rows_columns(const rows_job *job, tsm_dim i);

/* n elements, a step apart, from element `at` on: as they lie where they are items side by side, else converted into
 * `items`. */
const void *tsm_rows_items(const rows_job *job, tsm_dim at, void *items, tsm_dim n);

/* As many rows of n items as there is room for, at most `rows`: the first row's first element is `at`, each row is
 * `stride` behind the one before. Returns how many. */
typedef int64_t rows_room[TSM_NARROW_LANES ? 4 * ROWS_COLUMNS : ROWS_COLUMNS];
tsm_dim tsm_rows_gather(const rows_job *job, tsm_dim at, tsm_dim stride, tsm_dim rows, rows_room items, tsm_dim n);

/* Joins the elements of n results from number i on, which lie in one row, with `totals`. */
void tsm_rows_join(const rows_job *job, tsm_dim i, void *totals, tsm_dim n);

/* n totals become results of y from number i on. */
void tsm_rows_store(const rows_job *job, tsm_tensor *y, tsm_dim i, const void *totals, tsm_dim n);

/* Sums or products into y, divided by `divisor`, which is 1 of others than floats and doubles. False, and nothing done,
 * where tsm_rows_plan says no. */
bool tsm_rows_total(tsm_exec *x, const tsm_tensor *t, const reduction *r, tsm_lane lane, fold_join how, double divisor,
                    tsm_tensor *y);

/* Sums of floats into y, or their means. */
void tsm_rows_sum_f32(tsm_exec *x, const tsm_tensor *t, const reduction *r, float *y, bool mean);

#endif
