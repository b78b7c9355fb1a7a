/* Blocks for tests of inner loops, with pages beside them that nobody may touch: a loop that reads or writes beyond the
 * side that lies at such a page ends with a signal, whatever instructions it uses, with and without sanitizers. */
#ifndef TESTS_UNIT_GUARDED_H
#define TESTS_UNIT_GUARDED_H

#include <stddef.h>

typedef enum { GUARDED_END, GUARDED_START } guarded_side;

/* The side at which blocks lie from now on; at first their end. */
void guarded_choose(guarded_side side);

/* A block of n bytes, zeros or what an earlier block left. At the end, it is as aligned as n is. */
void *guarded_alloc(size_t n);
void guarded_free(void *p);

#endif
