/* Checks the allocator's invariants by walking its blocks and its lists. */
#include "tests/unit/heap_check.h"

#include "runtime/value/alloc_block.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

/* Whether AddressSanitizer guards a free block's memory between its links and its last word, where its address stands;
 * looks at about 64 bytes of it. */
static bool is_closed(const tsm_block *b) {
#ifdef __SANITIZE_ADDRESS__
    const size_t step = (block_size(b) / 64 & ~(size_t)FLAGS) + GRANULE / 2;
    for (size_t at = sizeof *b; at < block_size(b) - sizeof(void *); at += step)
        if (!__asan_address_is_poisoned((const uint8_t *)b + at))
            return false;
#else
    (void)b;
#endif
    return true;
}

static bool is_listed(const tsm_heap *h, const tsm_block *b) {
    uint32_t row, list;
    list_of_size(block_size(b), &row, &list);
    if (row >= h->rows || !(h->fl_map >> row & 1) || !(h->sl_map[row] >> list & 1))
        return false;
    const tsm_block *at = h->free_list[row][list];
    while (at && at != b)
        at = at->next;
    return at == b && (b->previous ? b->previous->next == b : h->free_list[row][list] == b);
}

/* Blocks on all free lists; every map bit must stand for a list that is not empty. SIZE_MAX when one does not. */
static size_t count_listed(const tsm_heap *h) {
    size_t n = 0;
    for (uint32_t row = 0; row < h->rows; row++) {
        if (!(h->fl_map >> row & 1) != !h->sl_map[row])
            return SIZE_MAX;
        for (uint32_t list = 0; list < TSM_HEAP_SL; list++) {
            if (!(h->sl_map[row] >> list & 1) != !h->free_list[row][list])
                return SIZE_MAX;
            for (const tsm_block *b = h->free_list[row][list]; b; b = b->next)
                n++;
        }
    }
    return n;
}

bool heap_check(const tsm_heap *h) {
    if (!h->rows)
        return h->fl_map == 0 && h->used == (size_t)(h->end - h->start);
    size_t free_bytes = 0, free_blocks = 0;
    bool left_free = false;
    tsm_block *b = h->first;
    for (; b < h->last; b = block_right(b)) {
        bool is_free = b->head & FREE;
        if (block_size(b) < MIN_BLOCK || ((uintptr_t)block_payload(b) & FLAGS) != 0)
            return false;
        if (!(b->head & PREVIOUS_FREE) == left_free || (is_free && left_free))
            return false;
        if (is_free && (*block_footer(b) != b || !is_listed(h, b) || !is_closed(b)))
            return false;
        free_bytes += is_free || b->head & ASIDE ? block_size(b) : 0;
        free_blocks += is_free;
        left_free = is_free;
    }
    return b == h->last && block_size(b) == 0 && !(b->head & PREVIOUS_FREE) != left_free &&
           count_listed(h) == free_blocks && h->used + free_bytes == (size_t)(h->end - h->start) &&
           h->used <= h->high_water;
}
