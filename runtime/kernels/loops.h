/* The inner loops for this machine, and how kernels cut their work into tasks and tiles. */
#ifndef TSM_KERNELS_LOOPS_H
#define TSM_KERNELS_LOOPS_H

#include "runtime/kernels/simd/f32.h"
#include "runtime/kernels/simd/q8.h"
#include "runtime/value/exec.h"

/* Bytes that a kernel asks of the buffer for one block of packed or gathered data. Where a formula of scratch memory is
 * stated, this is its L: 256 KiB, on microcontrollers 16 KiB. */
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
enum { LOOPS_SCRATCH_LIMIT = 16 * 1024 };
#else
enum { LOOPS_SCRATCH_LIMIT = 256 * 1024 };
#endif

/* Most tasks that a loop is cut into; the cut depends on sizes only, so results do not depend on the number of threads.
 */
enum { LOOPS_MAX_TASKS = 8 };

/* The inner loops for this machine. */
static inline const tsm_f32_loops *loops_f32(tsm_exec *x) {
    if (!x->f32)
        x->f32 = tsm_f32_select();
    return x->f32;
}
static inline const tsm_q8_loops *loops_q8(tsm_exec *x) {
    if (!x->q8)
        x->q8 = tsm_q8_select(x->platform.features);
    return x->q8;
}

/* Cuts [0, n) into at most LOOPS_MAX_TASKS ranges of whole grains and runs them through the platform's threads; without
 * them, or when n <= grain, one range on this thread. `scratch` points to scratch_bytes of the range's own (NULL when
 * 0). */
typedef void (*loops_range)(void *argument, void *scratch, size_t begin, size_t end);
tsm_status loops_parallel(tsm_exec *x, size_t n, size_t grain, size_t scratch_bytes, loops_range run, void *argument);

static inline size_t loops_tiles(size_t m, size_t most) {
    return (m + most - 1) / most;
}
/* Rows of tile `i` when m rows are cut into the fewest tiles of at most `most` rows, as even as can be; *first is its
 * first. */
static inline size_t loops_tile_rows(size_t m, size_t most, size_t i, size_t *first) {
    size_t tiles = loops_tiles(m, most), rows = m / tiles, larger = m % tiles;
    *first = i * rows + (i < larger ? i : larger);
    return rows + (i < larger);
}

#endif
