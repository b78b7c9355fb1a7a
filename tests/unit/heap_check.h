/* The allocator's invariants. */
#ifndef TESTS_HEAP_CHECK_H
#define TESTS_HEAP_CHECK_H

#include "runtime/value/alloc.h"

/* Walks all blocks and lists of a heap; false when one is not as it must be. */
bool heap_check(const tsm_heap *h);

#endif
