/* The allocator inside the caller's buffer: two-level segregated fit (Masmano et al., "TLSF: a new dynamic memory
 * allocator for real-time systems", 2004): constant time for both calls, immediate coalescing.
 *
 * Every block costs one word in front of what the caller gets; sizes are multiples of 16 bytes. The table of free lists
 * lies at the start of the buffer and has only as many rows as a buffer of this size can need. */
#ifndef TSM_VALUE_ALLOC_H
#define TSM_VALUE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes of small blocks, in granules, of which the two blocks freed last are kept aside: what loops take and give back
 * at every turn then costs neither coalescing nor a search. Not more, so that giving all back when memory is short
 * takes constant time. */
enum { TSM_HEAP_RECENT = 22 };

/* Second-level lists in each row: free blocks of one list differ by less than 1/16 of their size. */
enum { TSM_HEAP_SL = 16 };

/* Keeps a function that is seldom called, or that needs many registers, out of the bodies of its callers. */
#if defined(__GNUC__)
#define TSM_OUT_OF_LINE __attribute__((noinline))
#else
#define TSM_OUT_OF_LINE
#endif

typedef struct tsm_block tsm_block;

typedef struct {
    uint8_t *start, *end;    /* the whole region, table of lists included */
    size_t used, high_water; /* bytes, heads and table included */
    size_t missing;          /* how much larger the region should have been for the last failed request */
    uint32_t fl_map;         /* bit r: row r has a free block */
    uint32_t rows;
    uint16_t *sl_map;                     /* of every row: bit s: list s is not empty */
    tsm_block *(*free_list)[TSM_HEAP_SL]; /* of every row */
    tsm_block *first, *last;              /* first block; the end mark, a block of size 0 */
    tsm_block *recent[TSM_HEAP_RECENT];   /* kept aside, by size; they count as free */
} tsm_heap;

/* Lets a sanitizer forget what an earlier heap in [start, start+bytes) marked as unused; otherwise nothing. */
void tsm_heap_forget(void *start, size_t bytes);
/* Bytes of a region that tsm_heap_init keeps for itself: the table, the end mark and rounding. */
size_t tsm_heap_overhead(size_t bytes);
/* Makes [start, start+bytes) one free block. A region smaller than its own table makes a heap in which nothing fits; of
 * one larger than 64 GiB the rest is not used. */
void tsm_heap_init(tsm_heap *h, void *start, size_t bytes);
/* Aligned to 16 bytes; NULL when nothing fits (h->missing says by how much). Not cleared. */
void *tsm_heap_alloc(tsm_heap *h, size_t bytes);
/* The same, aligned to `align` (a power of two, 16 to 4096). */
void *tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align);
/* Grows or shrinks in place when the neighbour allows, else moves. NULL (p untouched) when nothing fits. */
void *tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes);
/* p may be NULL. */
void tsm_heap_free(tsm_heap *h, void *p);
/* Where a used block lies, as a number (the region has at most 64 GiB), and back. */
uint32_t tsm_heap_position(const tsm_heap *h, const void *p);
void *tsm_heap_at(const tsm_heap *h, uint32_t position);
/* Joins the blocks that are kept aside with their neighbours, so that equal requests find an equal heap. */
void tsm_heap_settle(tsm_heap *h);

#endif
