/* Arrangements of keys with their places, for sort, topk, kthvalue and median.
 *
 * Where keys are equal, the order of their places is visible in results, so each arrangement makes the same exchanges
 * as the one that PyTorch uses on CPUs: the introspective sort and selection of the C++ library (Musser 1997: median of
 * three, runs of at most 16 and 3 elements left to insertion, heaps when partitions stay unbalanced) and Hoare's
 * selection with the median of three. Nothing recurses; memory is the caller's. */
#ifndef TSM_KERNELS_REDUCE_ORDERING_H
#define TSM_KERNELS_REDUCE_ORDERING_H

#include "runtime/tensor/lanes.h"

/* The key orders: items with the lesser key come first. */
typedef struct {
    int64_t key, index;
} order_item;

/* Elements on a line, `stride` bytes apart. Their keys are in the order of the numbers, or the opposite; both zeros
 * have one key, and all NaN, which count as greater than everything. */
typedef struct {
    tsm_dtype dtype;
    const char *from;
    tsm_dim stride, n;
    bool descending;
} order_line;

#if TSM_NARROW_LANES
/* Bytes of a key alone: 4 (int32_t) or 8 (int64_t). NaN of a floating type has the greatest of them. */
tsm_dim tsm_order_key_size(tsm_dtype dtype);
/* The keys of all elements of a line. */
void tsm_order_keys(const order_line *line, void *keys);
#endif

/* Makes items of all elements of a line, numbered from 0. */
void tsm_order_make(order_item *items, const order_line *line);

/* How many of n items are NaN of a floating type, made in ascending order. */
tsm_dim tsm_order_count_nan(const order_item *items, tsm_dim n);

/* A stable sort: items with equal keys keep their order. `other` has room for n items; returns the array that holds the
 * result. */
order_item *tsm_order_stable(order_item *items, order_item *other, tsm_dim n);

/* Up to ORDER_KEPT items with equal keys keep their order, too. */
enum { ORDER_KEPT = 16 };
void tsm_order_sort(order_item *items, tsm_dim n);

/* Makes items of the k elements of a line that come first, in order. Fast where k is small. */
void tsm_order_first(order_item *items, tsm_dim k, const order_line *line);

/* Item `nth` of n becomes the one that would stand there; none that comes before it stands behind. */
void tsm_order_nth(order_item *items, tsm_dim nth, tsm_dim n);

/* The same by Hoare's selection. */
void tsm_order_select(order_item *items, tsm_dim nth, tsm_dim n);

/* The key of the item that would stand there. `other` has room for n items; items stay. */
int64_t tsm_order_key_at(const order_item *items, order_item *other, tsm_dim nth, tsm_dim n);

#endif
