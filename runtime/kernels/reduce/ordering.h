/* Arrangements of keys with their places, for sort, topk, kthvalue and median.
 *
 * Where keys are equal, the order of their places is visible in results, so each arrangement makes the same exchanges
 * as the one that PyTorch uses on CPUs: the introspective sort and selection of the C++ library (Musser 1997: median of
 * three, runs of at most 16 and 3 elements left to insertion, heaps when partitions stay unbalanced) and Hoare's
 * selection with the median of three. Nothing recurses; memory is the caller's. */
#ifndef TSM_KERNELS_REDUCE_ORDERING_H
#define TSM_KERNELS_REDUCE_ORDERING_H

#include "runtime/tensor/lanes.h"

typedef struct {
    tsm_lane_item key;
    int64_t index;
} order_item;

typedef struct {
    tsm_lane lane; /* TSM_LANE_I64 or TSM_LANE_F64 */
    bool descending;
} item_order;

/* A stable sort: items with equal keys keep their order. `other` has room for n items; returns the array that holds the
 * result. */
order_item *order_stable(const item_order *o, order_item *items, order_item *other, tsm_dim n);

void order_sort(const item_order *o, order_item *items, tsm_dim n);

/* The first k of n items become the k that come first, in order. */
void order_partial(const item_order *o, order_item *items, tsm_dim k, tsm_dim n);

/* Item `nth` of n becomes the one that would stand there; none that comes before it stands behind. */
void order_nth(const item_order *o, order_item *items, tsm_dim nth, tsm_dim n);

/* The same by Hoare's selection. */
void order_select(const item_order *o, order_item *items, tsm_dim nth, tsm_dim n);

#endif
