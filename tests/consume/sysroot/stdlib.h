/* What clang's own headers for x86 (mm_malloc.h) want of stdlib.h; libtsmobile calls nothing of it. */
#ifndef SYSROOT_STDLIB_H
#define SYSROOT_STDLIB_H

#include <stddef.h>

void *malloc(size_t);
void free(void *);

#endif
