/* Requests for memory that fail. Programs that link failing_heap give the library this allocator: the linker (--wrap)
 * directs tsm_heap_alloc, tsm_heap_alloc_aligned and tsm_heap_realloc to failing_heap.c. */
#ifndef TSM_TESTS_FAILING_HEAP_H
#define TSM_TESTS_FAILING_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#define FAILING_NEVER UINT64_MAX

typedef struct {
    uint64_t requests;   /* so far */
    uint64_t failing;    /* the number of the one that fails, counted from 0 */
    bool all_behind;     /* and all behind it */
    bool (*fails)(void); /* asked of every request of the library; a test may put one of its own here */
} failing_requests;

extern failing_requests failing_heap;

/* Counts from 0 again; the request of this number will fail. */
void failing_heap_at(uint64_t number);

/* Counts a request. True: it is to fail. */
bool failing_heap_next(void);

#endif
