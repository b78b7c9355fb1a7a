/* tests/unit/guarded.h where no page can be protected: bytes beside a block are compared when it is given back. What
 * only reads beyond is not seen here. */
#include "tests/unit/guarded.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/check.h"

enum { BESIDE = 64, MARK = 0x5a };

typedef struct {
    size_t bytes;
    uint8_t before[BESIDE];
} block;

void guarded_choose(guarded_side side) {
    (void)side;
}

void *guarded_alloc(size_t n) {
    block *b = malloc(sizeof *b + n + BESIDE);
    CHECK(b != NULL);
    if (!b)
        exit(3);
    b->bytes = n;
    memset(b->before, MARK, BESIDE);
    memset(b + 1, 0, n);
    memset((uint8_t *)(b + 1) + n, MARK, BESIDE);
    return b + 1;
}

void guarded_free(void *p) {
    block *b = p ? (block *)p - 1 : NULL;
    for (size_t i = 0; b && i < BESIDE; i++)
        if (b->before[i] != MARK || ((uint8_t *)p)[b->bytes + i] != MARK) {
            printf("a loop writes beside its block of %lu bytes\n", (unsigned long)b->bytes);
            exit(3);
        }
    free(b);
}
