/* Blocks between pages without access, used again for the next block of as many pages. */
#include "tests/unit/guarded.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, MOST_PAGES = 256 };

/* Lies in a page of its own in front of the first page without access. */
typedef struct block {
    struct block *next;
    size_t pages;
} block;

static block *unused[MOST_PAGES + 1];
static guarded_side chosen;

void guarded_choose(guarded_side side) {
    chosen = side;
}

static void stop(const char *what) {
    perror(what);
    exit(3);
}

/* Pages: the head, one without access, the content, one without access. */
static block *map_block(size_t pages) {
    char *start = mmap(NULL, (pages + 3) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        stop("mmap");
    if (mprotect(start, PAGE, PROT_READ | PROT_WRITE) ||
        mprotect(start + 2 * PAGE, pages * PAGE, PROT_READ | PROT_WRITE))
        stop("mprotect");
    block *b = (block *)start;
    b->pages = pages;
    return b;
}

void *guarded_alloc(size_t n) {
    const size_t pages = n ? (n + PAGE - 1) / PAGE : 1;
    if (pages > MOST_PAGES)
        stop("a guarded block is too large");
    block *b = unused[pages];
    if (b)
        unused[pages] = b->next;
    else
        b = map_block(pages);
    char *content = (char *)b + 2 * PAGE;
    return chosen == GUARDED_START || n == 0 ? content : content + pages * PAGE - n;
}

void guarded_free(void *p) {
    /* A block begins in the first of its pages, wherever it lies in them. */
    block *b = (block *)(((uintptr_t)p & ~(uintptr_t)(PAGE - 1)) - 2 * PAGE);
    b->next = unused[b->pages];
    unused[b->pages] = b;
}
