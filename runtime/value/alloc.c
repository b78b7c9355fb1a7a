/* Two-level segregated fit; alloc_block.h shows the blocks. */
#include <string.h>

#include "runtime/value/alloc_block.h"

/* Under AddressSanitizer, memory of free blocks and the rounding behind used ones is poisoned, so that a kernel that
 * writes past its block or uses it after its end is caught although all blocks lie in one buffer. Everything behind a
 * block's head is poisoned, but what its owner may touch: what was asked for in a used block, links and address in a
 * free one. So a block costs what it holds itself, not what the free memory behind it holds. */
#if defined(__SANITIZE_ADDRESS__)
#define HEAP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_ASAN 1
#endif
#endif
#ifdef HEAP_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

/* Requests above this are refused before any arithmetic on them can wrap. */
#define MAX_REQUEST (SIZE_MAX / 4)
/* What lies behind these bytes of a region is not used: positions of blocks have 32 bits. */
#define MAX_REGION (UINT64_C(1) << 36)

/* Size of the block for a request. */
static size_t block_size_for(size_t bytes) {
    size_t size = (bytes + HEAD + GRANULE - 1) & ~(size_t)FLAGS;
    return size < MIN_BLOCK ? MIN_BLOCK : size;
}

static uint32_t rows_for(size_t bytes) {
    uint32_t row, list;
    list_of_size(bytes, &row, &list);
    return row + 1;
}

static void list_insert(tsm_heap *h, tsm_block *b) {
    uint32_t row, list;
    list_of_size(block_size(b), &row, &list);
    tsm_block *first = h->free_list[row][list];
    b->previous = NULL;
    b->next = first;
    if (first)
        first->previous = b;
    h->free_list[row][list] = b;
    h->sl_map[row] |= (uint16_t)(1u << list);
    h->fl_map |= 1u << row;
}

static void list_remove(tsm_heap *h, tsm_block *b) {
    uint32_t row, list;
    list_of_size(block_size(b), &row, &list);
    if (b->next)
        b->next->previous = b->previous;
    if (b->previous) {
        b->previous->next = b->next;
        return;
    }
    h->free_list[row][list] = b->next;
    if (!b->next) {
        h->sl_map[row] &= (uint16_t) ~(1u << list);
        if (!h->sl_map[row])
            h->fl_map &= ~(1u << row);
    }
}

/* Makes b (size and PREVIOUS_FREE set, all behind its head poisoned) a free block of the lists. Both neighbours are in
 * use. */
static void block_set_free(tsm_heap *h, tsm_block *b) {
    b->head |= FREE;
    block_right(b)->head |= PREVIOUS_FREE;
    UNPOISON(block_payload(b), 2 * sizeof(void *));
    UNPOISON(block_footer(b), sizeof(void *));
    *block_footer(b) = b;
    list_insert(h, b);
}

/* Takes a free block out of the lists; it counts as used from here on, with all behind its head poisoned. */
static void block_set_used(tsm_heap *h, tsm_block *b) {
    list_remove(h, b);
    b->head &= ~(size_t)FREE;
    block_right(b)->head &= ~(size_t)PREVIOUS_FREE;
    POISON(block_payload(b), 2 * sizeof(void *));
    POISON(block_footer(b), sizeof(void *));
}

/* Lets the used block b take in its free right neighbour. */
static void block_join(tsm_heap *h, tsm_block *b, tsm_block *right) {
    block_set_used(h, right);
    b->head += block_size(right);
    POISON(right, HEAD);
}

/* Gives everything of the used block b behind its first `size` bytes back (poisoned already), joined with the right
 * neighbour when that is free. */
static void block_trim(tsm_heap *h, tsm_block *b, size_t size) {
    size_t rest = block_size(b) - size;
    if (rest < MIN_BLOCK)
        return;
    b->head -= rest;
    tsm_block *tail = block_right(b);
    UNPOISON(tail, HEAD);
    tail->head = rest;
    tsm_block *right = block_right(tail);
    if (right->head & FREE)
        block_join(h, tail, right);
    block_set_free(h, tail);
}

static void count_used(tsm_heap *h, size_t taken) {
    h->used += taken;
    if (h->used > h->high_water)
        h->high_water = h->used;
}

/* A free block of at least `size` bytes, or NULL. Looks first where every block fits, so that no list is walked; the
 * list in which `size` itself stands is tried last (a few blocks only: bounded time). */
static tsm_block *find_block(const tsm_heap *h, size_t size) {
    uint32_t row, list;
    list_of_size(size, &row, &list);
    if (row >= h->rows)
        return NULL;
    tsm_block *b = h->free_list[row][list];
    for (int tries = 0; b && tries < EXACT_TRIES; b = b->next, tries++)
        if (block_size(b) >= size)
            return b;
    uint32_t above = h->sl_map[row] & ~((2u << list) - 1);
    if (!above) {
        uint32_t rows = h->fl_map & ~((2u << row) - 1);
        if (!rows)
            return NULL;
        row = (uint32_t)__builtin_ctz(rows);
        above = h->sl_map[row];
    }
    return h->free_list[row][__builtin_ctz(above)];
}

/* The request for a block of `size` bytes failed: what would the region have to have more? New bytes would join the
 * last block if that is free. */
static void *fail_for(tsm_heap *h, size_t size) {
    size_t spare = h->rows && h->last->head & PREVIOUS_FREE ? block_size(block_left(h->last)) : 0;
    h->missing = size - (spare < size ? spare : 0);
    return NULL;
}

size_t tsm_heap_overhead(size_t bytes) {
    size_t table = rows_for(bytes) * (TSM_HEAP_SL * TSM_WORD_BYTES + sizeof(uint16_t));
    return table + 2 * GRANULE + HEAD;
}

void tsm_heap_forget(void *start, size_t bytes) {
    UNPOISON(start, bytes);
}

void tsm_heap_init(tsm_heap *h, void *start, size_t bytes) {
    memset(h, 0, sizeof *h);
#if SIZE_MAX > UINT32_MAX
    if (bytes > MAX_REGION)
        bytes = MAX_REGION;
#endif
    UNPOISON(start, bytes);
    h->start = (uint8_t *)start;
    h->end = h->start + bytes;
    h->used = h->high_water = bytes;
    size_t skip = (size_t)(-(uintptr_t)start & (TSM_WORD_BYTES - 1));
    uint32_t rows = rows_for(bytes);
    size_t table = rows * TSM_HEAP_SL * TSM_WORD_BYTES, maps = rows * sizeof(uint16_t);
    if (bytes < tsm_heap_overhead(bytes) + MIN_BLOCK)
        return;
    h->rows = rows;
    h->free_list = (tsm_block * (*)[TSM_HEAP_SL])(void *)(h->start + skip);
    h->sl_map = (uint16_t *)(void *)(h->start + skip + table);
    memset(h->free_list, 0, table + maps);
    /* What the caller gets stands one head behind the block, and must stand on a granule. */
    uintptr_t first = (uintptr_t)(h->start + skip + table + maps) + HEAD;
    h->first =
        (tsm_block *)(void *)(h->start + (((first + GRANULE - 1) & ~(uintptr_t)FLAGS) - HEAD - (uintptr_t)h->start));
    h->first->head = ((size_t)(h->end - (uint8_t *)h->first) - HEAD) & ~(size_t)FLAGS;
    h->last = block_right(h->first);
    h->last->head = 0;
    h->used = h->high_water = bytes - block_size(h->first);
    POISON(block_payload(h->first), block_size(h->first) - HEAD);
    block_set_free(h, h->first);
}

/* Ends an allocation: b is in use and holds `size` bytes or more. */
static void *hand_out(tsm_heap *h, tsm_block *b, size_t size, size_t bytes) {
    block_trim(h, b, size);
    count_used(h, block_size(b));
    UNPOISON(block_payload(b), bytes);
    POISON((uint8_t *)block_payload(b) + bytes, block_size(b) - HEAD - bytes);
    return block_payload(b);
}

/* ---- Blocks kept aside ---- */

/* At most two of each size, linked through `next`. */
static bool keep_aside(tsm_heap *h, tsm_block *b) {
    size_t at = block_size(b) / GRANULE;
    if (at >= TSM_HEAP_RECENT || (h->recent[at] && h->recent[at]->next))
        return false;
    UNPOISON(block_payload(b), sizeof b->next);
    b->next = h->recent[at];
    h->recent[at] = b;
    b->head |= ASIDE;
    POISON((uint8_t *)b + offsetof(tsm_block, previous), block_size(b) - offsetof(tsm_block, previous));
    return true;
}

/* The block that was kept aside last in this place, NULL when there is none. */
static tsm_block *take_recent(tsm_heap *h, size_t at) {
    tsm_block *b = h->recent[at];
    if (b) {
        h->recent[at] = b->next;
        b->head &= ~(size_t)ASIDE;
    }
    return b;
}

static void *take_aside(tsm_heap *h, size_t size, size_t bytes) {
    size_t at = size / GRANULE;
    tsm_block *b = at < TSM_HEAP_RECENT ? take_recent(h, at) : NULL;
    if (!b)
        return NULL;
    UNPOISON(block_payload(b), bytes);
    POISON((uint8_t *)block_payload(b) + bytes, block_size(b) - HEAD - bytes);
    count_used(h, size);
    return block_payload(b);
}

static TSM_OUT_OF_LINE void block_free(tsm_heap *h, tsm_block *b);

uint32_t tsm_heap_position(const tsm_heap *h, const void *p) {
    return (uint32_t)((size_t)((const uint8_t *)p - h->start) / GRANULE);
}

/* Blocks are aligned, the start of the region need not be. */
void *tsm_heap_at(const tsm_heap *h, uint32_t position) {
    size_t at = (size_t)position * GRANULE;
    return h->start + at + (-((uintptr_t)h->start + at) & (GRANULE - 1));
}

void tsm_heap_settle(tsm_heap *h) {
    for (size_t i = 0; i < TSM_HEAP_RECENT; i++)
        for (tsm_block *b; (b = take_recent(h, i));)
            block_free(h, b);
}

/* find_block, with what was kept aside when there is nothing else. */
static tsm_block *find_or_join(tsm_heap *h, size_t size) {
    tsm_block *b = find_block(h, size);
    if (b)
        return b;
    tsm_heap_settle(h);
    return find_block(h, size);
}

static TSM_OUT_OF_LINE void *alloc_searching(tsm_heap *h, size_t size, size_t bytes) {
    tsm_block *b = find_or_join(h, size);
    if (!b)
        return fail_for(h, size);
    block_set_used(h, b);
    return hand_out(h, b, size, bytes);
}

void *tsm_heap_alloc(tsm_heap *h, size_t bytes) {
    if (bytes > MAX_REQUEST)
        return fail_for(h, bytes);
    size_t size = block_size_for(bytes);
    void *p = take_aside(h, size, bytes);
    return p ? p : alloc_searching(h, size, bytes);
}

/* How far into the free block b an aligned block can begin: 0, or room for a block of its own in front. */
static size_t aligned_gap(tsm_block *b, size_t align) {
    size_t gap = (size_t)(-(uintptr_t)block_payload(b) & (align - 1));
    return gap && gap < MIN_BLOCK ? gap + align : gap;
}

void *tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align) {
    if (align <= GRANULE)
        return tsm_heap_alloc(h, bytes);
    if (bytes > MAX_REQUEST)
        return fail_for(h, bytes);
    size_t size = block_size_for(bytes);
    tsm_block *b = find_block(h, size);
    if (!b || aligned_gap(b, align) + size > block_size(b))
        b = find_or_join(h, size + align + MIN_BLOCK - GRANULE);
    if (!b)
        return fail_for(h, size + align + MIN_BLOCK - GRANULE);
    block_set_used(h, b);
    size_t gap = aligned_gap(b, align);
    if (gap) {
        tsm_block *front = b;
        b = (tsm_block *)(void *)((uint8_t *)b + gap);
        UNPOISON(b, HEAD);
        b->head = block_size(front) - gap;
        front->head -= block_size(b);
        block_set_free(h, front);
    }
    return hand_out(h, b, size, bytes);
}

static void block_free(tsm_heap *h, tsm_block *b) {
    tsm_block *right = block_right(b);
    POISON(block_payload(b), block_size(b) - HEAD);
    if (right->head & FREE)
        block_join(h, b, right);
    if (b->head & PREVIOUS_FREE) {
        tsm_block *left = block_left(b);
        list_remove(h, left);
        POISON(block_footer(left), sizeof(void *));
        left->head += block_size(b);
        POISON(b, HEAD);
        b = left;
    }
    block_set_free(h, b);
}

void tsm_heap_free(tsm_heap *h, void *p) {
    if (!p)
        return;
    tsm_block *b = block_of(p);
    h->used -= block_size(b);
    if (!keep_aside(h, b))
        block_free(h, b);
}

/* Lets the used block b take in its free right neighbour, when both together hold `size` bytes. */
static bool block_extend(tsm_heap *h, tsm_block *b, size_t size) {
    tsm_block *right = block_right(b);
    if (!(right->head & FREE) || block_size(b) + block_size(right) < size)
        return false;
    block_join(h, b, right);
    return true;
}

void *tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes) {
    if (!p)
        return tsm_heap_alloc(h, bytes);
    if (bytes > MAX_REQUEST)
        return fail_for(h, bytes);
    size_t size = block_size_for(bytes);
    tsm_block *b = block_of(p);
    size_t old = block_size(b);
    if (old >= size || block_extend(h, b, size)) {
        if (old > size)
            POISON((uint8_t *)b + size, old - size);
        h->used -= old;
        return hand_out(h, b, size, bytes);
    }
    void *moved = tsm_heap_alloc(h, bytes);
    if (!moved)
        return NULL;
    UNPOISON(p, old - HEAD);
    memcpy(moved, p, old - HEAD);
    tsm_heap_free(h, p);
    return moved;
}
