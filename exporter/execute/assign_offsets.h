/* Offsets for blocks of memory whose sizes and lifetimes are known. */
#ifndef TSMC_EXECUTE_ASSIGN_OFFSETS_H
#define TSMC_EXECUTE_ASSIGN_OFFSETS_H

#include <stddef.h>
#include <stdint.h>

/* Alive in the steps [from, to). */
typedef struct {
    uint32_t size, from, to;
    uint32_t offset; /* set by assign_offsets */
} memory_block;

/* The largest sum of the sizes of blocks that are alive at once: no assignment needs less. */
uint32_t assign_offsets_bound(const memory_block *blocks, size_t n);

/* Gives every block its offset, so that blocks that are alive at once do not overlap; returns the end of the last.
 * Blocks are placed greedily, each at the lowest or in the tightest gap, in several orders; while the best result is
 * above the bound, the blocks that stand out on top are placed earlier, a limited number of times. */
uint32_t assign_offsets(memory_block *blocks, size_t n);

#endif
