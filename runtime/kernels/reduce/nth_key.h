/* The key that stands at a place of a long line in order, found without items: from a sample of keys follow two between
 * which it must lie, and what lies there is gathered and sampled again (after Floyd and Rivest, 1975). On x86-64
 * nth_key.c is compiled once more for AVX2. */
#ifndef TSM_KERNELS_REDUCE_NTH_KEY_H
#define TSM_KERNELS_REDUCE_NTH_KEY_H

#include "runtime/kernels/reduce/ordering.h"

#if TSM_NARROW_LANES
/* Keys of one line (tsm_order_keys), of 4 or 8 bytes, and room for as many. */
typedef struct {
    const void *keys;
    tsm_dim n, size;
    void *room;
} nth_keys;

/* How many are `key`, which has their size. */
tsm_dim tsm_nth_key_count(tsm_exec *x, const nth_keys *k, int64_t key);

/* The place in the line of the element that would stand at `nth` if equal ones kept their order; -1: not found in a
 * few steps, as where many are equal. */
tsm_dim tsm_nth_key_place(tsm_exec *x, const nth_keys *k, tsm_dim nth);
#endif

#endif
