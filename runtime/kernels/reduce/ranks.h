/* Short lines put in order many at once, without moving an element: each stands where as many of its line come before
 * it. On x86-64 ranks.c is compiled once more for AVX2. */
#ifndef TSM_KERNELS_REDUCE_RANKS_H
#define TSM_KERNELS_REDUCE_RANKS_H

#include "runtime/kernels/reduce/ordering.h"

enum { RANKS_MOST = 32, RANKS_LINES = 64, RANKS_KEY_BYTES = 2048 };

/* Lines side by side, and what is found of each; `at` numbers the elements of a line. */
typedef struct {
    order_line first;             /* its n elements, at most RANKS_MOST; `stride` bytes apart */
    tsm_dim apart, lines;         /* bytes from one line to the next; at most tsm_ranks_lines of them */
    bool wants_mode;              /* not the order, but the place that torch.mode takes */
    tsm_dim width;                /* lines with those that fill the last vector */
    uint8_t equal[RANKS_LINES];   /* not 0: two elements of the line are equal, or two are NaN */
    uint8_t missing[RANKS_LINES]; /* how many elements are NaN */
    uint8_t mode[RANKS_LINES];    /* the last place of the most frequent number, of the least of such */
    uint8_t
        rank[RANKS_KEY_BYTES / sizeof(int32_t)]; /* [at * width + line]: its place in order; equal ones keep theirs */
} ranks_block;

/* How many lines of n elements one block takes. */
tsm_dim tsm_ranks_lines(tsm_dtype dtype, tsm_dim n);
/* Fills in what stands behind `wants_mode`. */
void tsm_ranks_find(tsm_exec *x, ranks_block *b);

#endif
