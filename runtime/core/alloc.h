/* The allocator inside the caller's buffer: two-level segregated fit (Masmano et al., "TLSF: a new dynamic memory allocator for
 * real-time systems", 2004): constant time for both calls, immediate coalescing. */
#ifndef TSM_CORE_ALLOC_H
#define TSM_CORE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TSM_HEAP_FL = 32, TSM_HEAP_SL = 16 };

typedef struct tsm_block tsm_block;

typedef struct {
    uint8_t *start, *end;
    size_t used, high_water; /* bytes, heads included */
    size_t missing;          /* bytes that the last failed request lacked */
    uint32_t fl_map;
    uint32_t sl_map[TSM_HEAP_FL];
    tsm_block *free_list[TSM_HEAP_FL][TSM_HEAP_SL];
} tsm_heap;

/* Makes [start, start+bytes) one free block. */
void tsm_heap_init(tsm_heap *h, void *start, size_t bytes);
/* Aligned to 16 bytes; NULL when nothing fits (h->missing says by how much). Not cleared. */
void *tsm_heap_alloc(tsm_heap *h, size_t bytes);
/* The same, aligned to `align` (a power of two, 16 to 4096). */
void *tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align);
/* Grows or shrinks in place when the neighbour allows, else moves. NULL (p untouched) when nothing fits. */
void *tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes);
void tsm_heap_free(tsm_heap *h, void *p);
/* For tests: walks all blocks and checks every invariant. */
bool tsm_heap_check(const tsm_heap *h);

#endif
