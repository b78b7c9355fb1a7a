/* Keys, and sorting items with their positions: by bytes, introsort and heap selection. */
#include "runtime/kernels/reduce/ordering.h"

#include "runtime/tensor/tensor.h"

static bool order_before(const order_item *a, const order_item *b) {
    return a->key < b->key;
}

/* ---- Keys ---- */

static const int64_t NAN_KEY = INT64_MAX;

/* Floats are ordered as the ints of their patterns without the sign, negative ones the other way round. No branches, so
 * that loops over them become vectors. */
static inline int64_t key_of_f64(double v) {
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int64_t sign = bits < 0 ? -1 : 0, magnitude = bits & INT64_MAX;
    return magnitude > INT64_C(0x7ff0000000000000) ? NAN_KEY : (magnitude ^ sign) - sign;
}
static inline int32_t short_key_of_f32(float v) {
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int32_t sign = bits < 0 ? -1 : 0, magnitude = bits & INT32_MAX;
    return magnitude > 0x7f800000 ? INT32_MAX : (magnitude ^ sign) - sign;
}
/* In the upper half, so that the lower one needs no sorting. */
static inline int64_t key_of_short(int32_t key) {
    return key == INT32_MAX ? NAN_KEY : (int64_t)key * (INT64_C(1) << 32);
}

enum { KEY_BLOCK = 32 };

/* The keys of m elements of a line, from the i-th on. */
static void make_keys(const order_line *line, tsm_dim i, tsm_dim m, int64_t *keys) {
    const tsm_lane lane = tsm_lane_of(line->dtype);
    const int64_t flip = line->descending ? -1 : 0;
    tsm_lane_item block[KEY_BLOCK];
    const void *v = block;
    if (tsm_lane_is_native(lane, line->dtype) && line->stride == (tsm_dim)tsm_lane_size(lane))
        v = line->from + i * line->stride;
    else
        tsm_lane_load(lane, block, line->dtype, line->from + i * line->stride, line->stride, m);
    if (lane == TSM_LANE_I64)
        for (tsm_dim k = 0; k < m; k++)
            keys[k] = flip ^ ((const int64_t *)v)[k];
    else if (lane == TSM_LANE_F64)
        for (tsm_dim k = 0; k < m; k++)
            keys[k] = flip ^ key_of_f64(((const double *)v)[k]);
    else
        for (tsm_dim k = 0; k < m; k++)
            keys[k] = flip ^ key_of_short(short_key_of_f32(((const float *)v)[k]));
}

#if TSM_NARROW_LANES
static bool has_short_keys(tsm_dtype dtype) {
    return dtype == TSM_INT32 || tsm_lane_of(dtype) == TSM_LANE_F32;
}

tsm_dim tsm_order_key_size(tsm_dtype dtype) {
    return has_short_keys(dtype) ? (tsm_dim)sizeof(int32_t) : (tsm_dim)sizeof(int64_t);
}

static void make_short_keys(const order_line *line, int32_t *keys) {
    const int32_t flip = line->descending ? -1 : 0;
    if (line->dtype == TSM_INT32) {
        tsm_lane_load(TSM_LANE_I32, keys, line->dtype, line->from, line->stride, line->n);
        for (tsm_dim k = 0; k < line->n; k++)
            keys[k] ^= flip;
        return;
    }
    for (tsm_dim i = 0, m; i < line->n; i += m) {
        float block[KEY_BLOCK];
        m = tsm_dim_min(line->n - i, KEY_BLOCK);
        tsm_lane_load(TSM_LANE_F32, block, line->dtype, line->from + i * line->stride, line->stride, m);
        for (tsm_dim k = 0; k < m; k++)
            keys[i + k] = flip ^ short_key_of_f32(block[k]);
    }
}

void tsm_order_keys(const order_line *line, void *keys) {
    if (has_short_keys(line->dtype)) {
        make_short_keys(line, keys);
        return;
    }
    for (tsm_dim i = 0, m; i < line->n; i += m) {
        m = tsm_dim_min(line->n - i, KEY_BLOCK);
        make_keys(line, i, m, (int64_t *)keys + i);
    }
}
#endif

/* Items of the first n elements. */
static void make_items(order_item *items, const order_line *line, tsm_dim n) {
    for (tsm_dim i = 0, m; i < n; i += m) {
        int64_t keys[KEY_BLOCK];
        m = tsm_dim_min(n - i, KEY_BLOCK);
        make_keys(line, i, m, keys);
        for (tsm_dim k = 0; k < m; k++)
            items[i + k] = (order_item){keys[k], i + k};
    }
}

void tsm_order_make(order_item *items, const order_line *line) {
    make_items(items, line, line->n);
}

tsm_dim tsm_order_count_nan(const order_item *items, tsm_dim n) {
    tsm_dim count = 0;
    for (tsm_dim i = 0; i < n; i++)
        count += items[i].key == NAN_KEY;
    return count;
}

/* ---- Stable sorting ---- */

enum { SHORT_RUN = 8, LONG_ENOUGH = 256 };

static void insertion_sort(order_item *items, tsm_dim n) {
    for (tsm_dim i = 1; i < n; i++) {
        order_item held = items[i];
        tsm_dim at = i;
        for (; at > 0 && order_before(&held, &items[at - 1]); at--)
            items[at] = items[at - 1];
        items[at] = held;
    }
}

/* The same for few items, each of which goes where as many come before it: nothing is guessed of keys in no order. */
static void rank_sort(order_item *items, tsm_dim n) {
    order_item held[ORDER_KEPT];
    int64_t keys[ORDER_KEPT];
    for (tsm_dim i = 0; i < n; i++) {
        held[i] = items[i];
        keys[i] = items[i].key;
    }
    for (tsm_dim i = 0; i < n; i++) {
        tsm_dim rank = 0;
        for (tsm_dim k = 0; k < i; k++)
            rank += keys[k] <= keys[i];
        for (tsm_dim k = i + 1; k < n; k++)
            rank += keys[k] < keys[i];
        items[rank] = held[i];
    }
}

/* The bits in which keys differ from each other. */
static uint64_t different_bits(const order_item *items, tsm_dim n) {
    uint64_t differ = 0;
    for (tsm_dim i = 1; i < n; i++)
        differ |= (uint64_t)items[i].key ^ (uint64_t)items[0].key;
    return differ;
}

/* By bytes of the keys, the lowest first, without those in which no two keys differ. */
static order_item *sort_by_bytes(order_item *items, order_item *other, tsm_dim n) {
    const uint64_t differ = different_bits(items, n);
    for (int shift = 0; shift < 64; shift += 8) {
        tsm_dim place[256] = {0}, sum = 0;
        /* Signs are turned, so that negative keys come first. */
        const unsigned sign = shift == 56 ? 0x80 : 0;
        if (!(differ >> shift & 0xff))
            continue;
        for (tsm_dim i = 0; i < n; i++)
            place[((uint64_t)items[i].key >> shift & 0xff) ^ sign]++;
        for (int b = 0; b < 256; b++) {
            const tsm_dim count = place[b];
            place[b] = sum;
            sum += count;
        }
        for (tsm_dim i = 0; i < n; i++)
            other[place[((uint64_t)items[i].key >> shift & 0xff) ^ sign]++] = items[i];
        order_item *swap = items;
        items = other;
        other = swap;
    }
    return items;
}

order_item *tsm_order_stable(order_item *items, order_item *other, tsm_dim n) {
    if (n >= LONG_ENOUGH)
        return sort_by_bytes(items, other, n);
    for (tsm_dim from = 0; from < n; from += SHORT_RUN)
        rank_sort(items + from, tsm_dim_min(n - from, SHORT_RUN));
    for (tsm_dim run = SHORT_RUN; run < n; run *= 2) {
        for (tsm_dim from = 0; from < n; from += 2 * run) {
            tsm_dim middle = from + run < n ? from + run : n, to = middle + run < n ? middle + run : n, left = from,
                    right = middle;
            for (tsm_dim i = from; i < to; i++) {
                bool take_right = left == middle || (right < to && order_before(&items[right], &items[left]));
                other[i] = items[take_right ? right++ : left++];
            }
        }
        order_item *swap = items;
        items = other;
        other = swap;
    }
    return items;
}

static void ordering_exchange(order_item *a, order_item *b) {
    order_item held = *a;
    *a = *b;
    *b = held;
}

/* ---- Heaps whose first item comes last ---- */

/* Fills the hole at `at` of a heap of n items with `item`: the hole sinks to a leaf, and from there the item rises. */
static void fill_hole(order_item *heap, tsm_dim at, tsm_dim n, order_item item) {
    tsm_dim top = at;
    for (tsm_dim child; (child = 2 * at + 2) <= n;) {
        if (child == n || order_before(&heap[child], &heap[child - 1]))
            child--;
        heap[at] = heap[child];
        at = child;
    }
    for (; at > top && order_before(&heap[(at - 1) / 2], &item); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

static void make_heap(order_item *items, tsm_dim n) {
    for (tsm_dim i = n / 2; i-- > 0;)
        fill_hole(items, i, n, items[i]);
}

/* The first k items become a heap of those k that come first. */
static void heap_select(order_item *items, tsm_dim k, tsm_dim n) {
    make_heap(items, k);
    for (tsm_dim i = k; i < n; i++)
        if (order_before(&items[i], &items[0])) {
            order_item item = items[i];
            items[i] = items[0];
            fill_hole(items, 0, k, item);
        }
}

/* A heap becomes a sequence in order. */
static void sort_heap(order_item *items, tsm_dim k) {
    for (tsm_dim last = k - 1; last > 0; last--) {
        order_item item = items[last];
        items[last] = items[0];
        fill_hole(items, 0, last, item);
    }
}

/* Takes what comes before the top of a heap of k items from m elements, of which the i-th of the line is the first. */
static void take_before(order_item *heap, tsm_dim k, const order_line *line, tsm_dim i, tsm_dim m) {
    int64_t keys[KEY_BLOCK];
    make_keys(line, i, m, keys);
    for (tsm_dim b = 0; b < m; b++)
        if (keys[b] < heap[0].key)
            fill_hole(heap, 0, k, (order_item){keys[b], i + b});
}
/* The same for floats: compared by short keys, of which a vector has twice as many. */
static void take_floats_before(order_item *heap, tsm_dim k, const order_line *line, tsm_dim i, tsm_dim m) {
    const int32_t flip = line->descending ? -1 : 0;
    int32_t keys[KEY_BLOCK];
    tsm_lane_item block[KEY_BLOCK];
    const float *v = (const void *)block;
    tsm_lane_load(TSM_LANE_F32, block, line->dtype, line->from + i * line->stride, line->stride, m);
    for (tsm_dim b = 0; b < m; b++)
        keys[b] = flip ^ short_key_of_f32(v[b]);
    for (tsm_dim b = 0; b < m; b++)
        if (keys[b] < heap[0].key >> 32)
            fill_hole(heap, 0, k, (order_item){flip ^ key_of_short(flip ^ keys[b]), i + b});
}

/* As heap_select, but what leaves the heap, which nobody looks at again, is not kept. */
void tsm_order_first(order_item *items, tsm_dim k, const order_line *line) {
    const bool floats = tsm_lane_of(line->dtype) == TSM_LANE_F32;
    if (k == 0)
        return;
    make_items(items, line, k);
    make_heap(items, k);
    for (tsm_dim i = k, m; i < line->n; i += m) {
        m = tsm_dim_min(line->n - i, KEY_BLOCK);
        (floats ? take_floats_before : take_before)(items, k, line, i, m);
    }
    sort_heap(items, k);
}

/* ---- Partitions ---- */

/* Moves the median of the second, the middle and the last item to the front. */
static void choose_pivot(order_item *items, tsm_dim n) {
    order_item *a = items + 1, *b = items + n / 2, *c = items + n - 1;
    if (!order_before(a, b)) {
        order_item *swap = a;
        a = b;
        b = swap;
    }
    ordering_exchange(items, order_before(b, c) ? b : order_before(a, c) ? c : a);
}

#if TSM_NARROW_LANES
/* Of the items [first, end), makes the exchanges of two scans that meet, one from each side, while these are far apart:
 * which items of a block stand on the wrong side is counted without branches, which processors guess wrong every second
 * time. Moves both ends to what is left. */
static void exchange_in_blocks(order_item *items, int64_t pivot, tsm_dim *first, tsm_dim *end) {
    enum { BLOCK = 16 };
    uint8_t left[BLOCK], right[BLOCK]; /* distances from the ends, those from `l` and `r` on */
    int lefts = 0, rights = 0, l = 0, r = 0;
    while (*end - *first >= 2 * BLOCK) {
        order_item *from = items + *first, *to = items + *end - 1;
        if (l == lefts) {
            l = lefts = 0;
            for (int k = 0; k < BLOCK; k++) {
                left[lefts] = (uint8_t)k;
                lefts += from[k].key >= pivot;
            }
        }
        if (r == rights) {
            r = rights = 0;
            for (int k = 0; k < BLOCK; k++) {
                right[rights] = (uint8_t)k;
                rights += to[-k].key <= pivot;
            }
        }
        while (l < lefts && r < rights)
            ordering_exchange(&from[left[l++]], &to[-right[r++]]);
        *first += l == lefts ? BLOCK : 0;
        *end -= r == rights ? BLOCK : 0;
    }
    *first += l < lefts ? left[l] : 0;
    *end -= r < rights ? right[r] : 0;
}
#else
static void exchange_in_blocks(order_item *items, int64_t pivot, tsm_dim *first, tsm_dim *end) {
    (void)items;
    (void)pivot;
    (void)first;
    (void)end;
}
#endif

/* Returns where the items begin that do not come before the pivot, which stays in front. */
static tsm_dim partition(order_item *items, tsm_dim n) {
    tsm_dim first = 1, last = n;
    choose_pivot(items, n);
    exchange_in_blocks(items, items[0].key, &first, &last);
    for (;; first++) {
        while (order_before(&items[first], &items[0]))
            first++;
        do
            last--;
        while (order_before(&items[0], &items[last]));
        if (first >= last)
            return first;
        ordering_exchange(&items[first], &items[last]);
    }
}

static int partition_limit(tsm_dim n) {
    int bits = 0;
    while (n >>= 1)
        bits++;
    return 2 * bits;
}

void tsm_order_sort(order_item *items, tsm_dim n) {
    enum {
        SHORT = 16,
        MAX_WAITING = 2 * 8 * sizeof(tsm_dim)
    }; /* each part that waits has one partition less left than the one before, which bounds their number */
    struct {
        tsm_dim first, end;
        int left;
    } waiting[MAX_WAITING], part = {0, n, partition_limit(n)};
    int count = 0;
    if (n <= ORDER_KEPT) {
        rank_sort(items, n);
        return;
    }
    for (;;) {
        while (part.end - part.first > SHORT && part.left > 0) {
            tsm_dim cut = part.first + partition(items + part.first, part.end - part.first);
            part.left--;
            waiting[count] = part;
            waiting[count++].first = cut;
            part.end = cut;
        }
        if (part.end - part.first > SHORT) {
            make_heap(items + part.first, part.end - part.first);
            sort_heap(items + part.first, part.end - part.first);
        }
        if (!count)
            break;
        part = waiting[--count];
    }
    insertion_sort(items, n);
}

void tsm_order_nth(order_item *items, tsm_dim nth, tsm_dim n) {
    enum { SHORT = 3 };
    for (int left = partition_limit(n); n > SHORT; left--) {
        if (left == 0) {
            heap_select(items, nth + 1, n);
            ordering_exchange(items, items + nth);
            return;
        }
        tsm_dim cut = partition(items, n);
        if (cut <= nth) {
            items += cut;
            nth -= cut;
            n -= cut;
        } else
            n = cut;
    }
    insertion_sort(items, n);
}

/* The median of first, middle and last goes to the front, what does not come after it to the second place, what does
 * not come before it to the last: they stop the scans. */
static void choose_between(order_item *items, tsm_dim first, tsm_dim last) {
    ordering_exchange(&items[first + (last - first) / 2], &items[first + 1]);
    if (order_before(&items[last], &items[first + 1]))
        ordering_exchange(&items[first + 1], &items[last]);
    if (order_before(&items[last], &items[first]))
        ordering_exchange(&items[first], &items[last]);
    if (order_before(&items[first], &items[first + 1]))
        ordering_exchange(&items[first + 1], &items[first]);
}

void tsm_order_select(order_item *items, tsm_dim nth, tsm_dim n) {
    tsm_dim first = 0, last = n - 1;
    /* PyTorch has no limit: orders that make partitions small one after the other are common, not those made to be
     * slow. */
    for (tsm_dim left = tsm_dim_mul(2 * partition_limit(n), n); last > first + 1; left -= last - first) {
        if (left < 0) {
            heap_select(items + first, nth - first + 1, last - first + 1);
            ordering_exchange(items + first, items + nth);
            return;
        }
        choose_between(items, first, last);
        tsm_dim i = first + 2, j = last;
        exchange_in_blocks(items, items[first].key, &i, &j);
        for (;; i++) {
            while (order_before(&items[i], &items[first]))
                i++;
            do
                j--;
            while (order_before(&items[first], &items[j]));
            if (j < i)
                break;
            ordering_exchange(&items[i], &items[j]);
        }
        ordering_exchange(&items[first], &items[j]);
        if (j <= nth)
            first = i;
        if (j >= nth)
            last = j - 1;
    }
    if (last == first + 1 && order_before(&items[last], &items[first]))
        ordering_exchange(&items[first], &items[last]);
}

int64_t tsm_order_key_at(const order_item *items, order_item *other, tsm_dim nth, tsm_dim n) {
    if (n < LONG_ENOUGH) {
        memcpy(other, items, (size_t)n * sizeof *items);
        tsm_order_select(other, nth, n);
        return other[nth].key;
    }
    const uint64_t differ = different_bits(items, n);
    for (int shift = 56; shift >= 0 && n > 1; shift -= 8) {
        const unsigned sign = shift == 56 ? 0x80 : 0;
        if (!(differ >> shift & 0xff))
            continue;
        tsm_dim counts[256] = {0}, before = 0, kept = 0;
        unsigned byte = 0;
        for (tsm_dim i = 0; i < n; i++)
            counts[((uint64_t)items[i].key >> shift & 0xff) ^ sign]++;
        for (; counts[byte] <= nth - before; byte++)
            before += counts[byte];
        nth -= before;
        for (tsm_dim i = 0; i < n; i++) { /* without branches; items may be the others */
            const order_item item = items[i];
            other[kept] = item;
            kept += (((uint64_t)item.key >> shift & 0xff) ^ sign) == byte;
        }
        items = other;
        n = kept;
    }
    return items->key;
}
