/* Comparing and sorting items with their positions: introsort and heap selection. */
#include "runtime/kernels/reduce/ordering.h"

/* a must stand before b. NaN counts as greater than everything. */
static bool order_before(const item_order *o, const order_item *a, const order_item *b) {
    if (o->descending) {
        const order_item *swap = a;
        a = b;
        b = swap;
    }
    if (o->lane == TSM_LANE_I64)
        return a->key.i < b->key.i;
    return a->key.f64 < b->key.f64 || (b->key.f64 != b->key.f64 && a->key.f64 == a->key.f64);
}

order_item *order_stable(const item_order *o, order_item *items, order_item *other, tsm_dim n) {
    for (tsm_dim run = 1; run < n; run *= 2) {
        for (tsm_dim from = 0; from < n; from += 2 * run) {
            tsm_dim middle = from + run < n ? from + run : n, to = middle + run < n ? middle + run : n, left = from,
                    right = middle;
            for (tsm_dim i = from; i < to; i++) {
                bool take_right = left == middle || (right < to && order_before(o, &items[right], &items[left]));
                other[i] = items[take_right ? right++ : left++];
            }
        }
        order_item *swap = items;
        items = other;
        other = swap;
    }
    return items;
}

static void exchange(order_item *a, order_item *b) {
    order_item held = *a;
    *a = *b;
    *b = held;
}

static void insertion_sort(const item_order *o, order_item *items, tsm_dim n) {
    for (tsm_dim i = 1; i < n; i++) {
        order_item held = items[i];
        tsm_dim at = i;
        for (; at > 0 && order_before(o, &held, &items[at - 1]); at--)
            items[at] = items[at - 1];
        items[at] = held;
    }
}

/* ---- Heaps whose first item comes last ---- */

/* Fills the hole at `at` of a heap of n items with `item`: the hole sinks to a leaf, and from there the item rises. */
static void fill_hole(const item_order *o, order_item *heap, tsm_dim at, tsm_dim n, order_item item) {
    tsm_dim top = at;
    for (tsm_dim child; (child = 2 * at + 2) <= n;) {
        if (child == n || order_before(o, &heap[child], &heap[child - 1]))
            child--;
        heap[at] = heap[child];
        at = child;
    }
    for (; at > top && order_before(o, &heap[(at - 1) / 2], &item); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

static void make_heap(const item_order *o, order_item *items, tsm_dim n) {
    for (tsm_dim i = n / 2; i-- > 0;)
        fill_hole(o, items, i, n, items[i]);
}

/* The first k items become a heap of those k that come first. */
static void heap_select(const item_order *o, order_item *items, tsm_dim k, tsm_dim n) {
    make_heap(o, items, k);
    for (tsm_dim i = k; i < n; i++)
        if (order_before(o, &items[i], &items[0])) {
            order_item item = items[i];
            items[i] = items[0];
            fill_hole(o, items, 0, k, item);
        }
}

void order_partial(const item_order *o, order_item *items, tsm_dim k, tsm_dim n) {
    if (k == 0)
        return;
    heap_select(o, items, k, n);
    for (tsm_dim last = k - 1; last > 0; last--) {
        order_item item = items[last];
        items[last] = items[0];
        fill_hole(o, items, 0, last, item);
    }
}

/* ---- Partitions ---- */

/* Moves the median of the second, the middle and the last item to the front. */
static void choose_pivot(const item_order *o, order_item *items, tsm_dim n) {
    order_item *a = items + 1, *b = items + n / 2, *c = items + n - 1;
    if (!order_before(o, a, b)) {
        order_item *swap = a;
        a = b;
        b = swap;
    }
    exchange(items, order_before(o, b, c) ? b : order_before(o, a, c) ? c : a);
}

/* Returns where the items begin that do not come before the pivot, which stays in front. */
static tsm_dim partition(const item_order *o, order_item *items, tsm_dim n) {
    choose_pivot(o, items, n);
    for (tsm_dim first = 1, last = n;; first++) {
        while (order_before(o, &items[first], &items[0]))
            first++;
        do
            last--;
        while (order_before(o, &items[0], &items[last]));
        if (first >= last)
            return first;
        exchange(&items[first], &items[last]);
    }
}

static int partition_limit(tsm_dim n) {
    int bits = 0;
    while (n >>= 1)
        bits++;
    return 2 * bits;
}

void order_sort(const item_order *o, order_item *items, tsm_dim n) {
    enum {
        SHORT = 16,
        MAX_WAITING = 2 * 8 * sizeof(tsm_dim)
    }; /* each part that waits has one partition less left than the one before, which bounds their number */
    struct {
        tsm_dim first, end;
        int left;
    } waiting[MAX_WAITING], part = {0, n, partition_limit(n)};
    int count = 0;
    for (;;) {
        while (part.end - part.first > SHORT && part.left > 0) {
            tsm_dim cut = part.first + partition(o, items + part.first, part.end - part.first);
            part.left--;
            waiting[count] = part;
            waiting[count++].first = cut;
            part.end = cut;
        }
        if (part.end - part.first > SHORT)
            order_partial(o, items + part.first, part.end - part.first, part.end - part.first);
        if (!count)
            break;
        part = waiting[--count];
    }
    insertion_sort(o, items, n);
}

void order_nth(const item_order *o, order_item *items, tsm_dim nth, tsm_dim n) {
    enum { SHORT = 3 };
    for (int left = partition_limit(n); n > SHORT; left--) {
        if (left == 0) {
            heap_select(o, items, nth + 1, n);
            exchange(items, items + nth);
            return;
        }
        tsm_dim cut = partition(o, items, n);
        if (cut <= nth) {
            items += cut;
            nth -= cut;
            n -= cut;
        } else
            n = cut;
    }
    insertion_sort(o, items, n);
}

/* The median of first, middle and last goes to the front, what does not come after it to the second place, what does
 * not come before it to the last: they stop the scans. */
static void choose_between(const item_order *o, order_item *items, tsm_dim first, tsm_dim last) {
    exchange(&items[first + (last - first) / 2], &items[first + 1]);
    if (order_before(o, &items[last], &items[first + 1]))
        exchange(&items[first + 1], &items[last]);
    if (order_before(o, &items[last], &items[first]))
        exchange(&items[first], &items[last]);
    if (order_before(o, &items[first], &items[first + 1]))
        exchange(&items[first + 1], &items[first]);
}

void order_select(const item_order *o, order_item *items, tsm_dim nth, tsm_dim n) {
    tsm_dim first = 0, last = n - 1;
    for (int left = 4 * partition_limit(n); last > first + 1; left--) {
        if (!left) { /* too many unbalanced partitions, as in inputs made to be slow */
            heap_select(o, items + first, nth - first + 1, last - first + 1);
            exchange(items + first, items + nth);
            return;
        }
        choose_between(o, items, first, last);
        tsm_dim i = first + 1, j = last;
        for (;;) {
            do
                i++;
            while (order_before(o, &items[i], &items[first]));
            do
                j--;
            while (order_before(o, &items[first], &items[j]));
            if (j < i)
                break;
            exchange(&items[i], &items[j]);
        }
        exchange(&items[first], &items[j]);
        if (j <= nth)
            first = i;
        if (j >= nth)
            last = j - 1;
    }
    if (last == first + 1 && order_before(o, &items[last], &items[first]))
        exchange(&items[first], &items[last]);
}
