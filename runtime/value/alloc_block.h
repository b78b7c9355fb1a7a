/* How the allocator lays out its blocks: for alloc.c, and for the tests that walk them.
 *
 *   block:  | head: size | flags | next free | previous free | ... | address of this block |
 *             ^ one word           ^ what the caller gets             ^ last word
 *
 * A used block owns everything behind its head, the last word included: the address is written there only when the
 * block becomes free, for its right neighbour to find it (the PREVIOUS_FREE flag in that neighbour's head says that it
 * is there). */
#ifndef TSM_VALUE_ALLOC_BLOCK_H
#define TSM_VALUE_ALLOC_BLOCK_H

#include "runtime/value/alloc.h"
#include "runtime/value/wide.h"

struct tsm_block {
    size_t head;
    TSM_WIDER(4)
    tsm_block *next, *previous; /* in the free list; only while the block is free */
};

enum {
    GRANULE = 16,
    HEAD = TSM_WORD_BYTES,
    FREE = 1,          /* flags in head: this block is free */
    PREVIOUS_FREE = 2, /* the left neighbour is free, its address stands in the word before this head */
    ASIDE = 4,         /* kept aside: neither in use nor in a list */
    FLAGS = GRANULE - 1,
    SL_BITS = 4,
    /* Row 0 holds sizes below 256 bytes, one list a granule; row r holds [2^(r+7), 2^(r+8)) in 16 equal steps. */
    ROW_0_BITS = 8,
    /* Head, two links and the block's address, in whole granules. */
    MIN_BLOCK = (4 * TSM_WORD_BYTES + GRANULE - 1) / GRANULE * GRANULE,
    /* Blocks tried in the list in which some fit and others do not, before a larger block is broken. */
    EXACT_TRIES = 8,
};

static inline int highest_bit(size_t n) {
#if SIZE_MAX > UINT32_MAX
    return 63 - __builtin_clzll(n);
#else
    return 31 - __builtin_clz(n);
#endif
}

static inline size_t block_size(const tsm_block *b) {
    return b->head & ~(size_t)FLAGS;
}
static inline void *block_payload(tsm_block *b) {
    return (uint8_t *)b + HEAD;
}
static inline tsm_block *block_of(void *payload) {
    return (tsm_block *)(void *)((uint8_t *)payload - HEAD);
}
static inline tsm_block *block_right(tsm_block *b) {
    return (tsm_block *)(void *)((uint8_t *)b + block_size(b));
}
static inline tsm_block **block_footer(tsm_block *b) {
    return (tsm_block **)(void *)((uint8_t *)b + block_size(b)) - 1;
}
static inline tsm_block *block_left(tsm_block *b) {
    return ((tsm_block **)(void *)b)[-1];
}

/* The free list in which blocks of a size stand. */
static inline void list_of_size(size_t size, uint32_t *row, uint32_t *list) {
    if (size < (size_t)1 << ROW_0_BITS) {
        *row = 0;
        *list = (uint32_t)(size / GRANULE);
    } else {
        int top = highest_bit(size);
        *row = (uint32_t)(top - ROW_0_BITS + 1);
        *list = (uint32_t)(size >> (top - SL_BITS)) & (TSM_HEAP_SL - 1);
    }
}

#endif
