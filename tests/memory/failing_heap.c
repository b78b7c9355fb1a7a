/* Requests for memory that fail where a test says so. */
#include "tests/memory/failing_heap.h"

#include "runtime/value/alloc.h"

void *__real_tsm_heap_alloc(tsm_heap *h, size_t bytes);
void *__real_tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align);
void *__real_tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes);
void *__wrap_tsm_heap_alloc(tsm_heap *h, size_t bytes);
void *__wrap_tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align);
void *__wrap_tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes);

failing_requests failing_heap = {.failing = FAILING_NEVER, .fails = failing_heap_next};

void failing_heap_at(uint64_t number) {
    failing_heap.requests = 0;
    failing_heap.failing = number;
}

bool failing_heap_next(void) {
    const uint64_t number = failing_heap.requests++;
    return number == failing_heap.failing || (number > failing_heap.failing && failing_heap.all_behind);
}

static bool fails(tsm_heap *h, size_t bytes) {
    if (!failing_heap.fails())
        return false;
    h->missing = bytes;
    return true;
}

void *__wrap_tsm_heap_alloc(tsm_heap *h, size_t bytes) {
    return fails(h, bytes) ? NULL : __real_tsm_heap_alloc(h, bytes);
}

void *__wrap_tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align) {
    return fails(h, bytes) ? NULL : __real_tsm_heap_alloc_aligned(h, bytes, align);
}

void *__wrap_tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes) {
    return fails(h, bytes) ? NULL : __real_tsm_heap_realloc(h, p, bytes);
}
