/* The inner loops for this machine, operators' loops by lane, and how kernels cut their work into tasks and tiles. */
#ifndef TSM_KERNELS_LOOPS_H
#define TSM_KERNELS_LOOPS_H

#include "runtime/kernels/simd/q8.h"
#include "runtime/kernels/simd/wide.h"
#include "runtime/tensor/iter.h"
#include "runtime/value/exec.h"

/* Most tasks that a loop is cut into; the cut depends on sizes only, so results do not depend on the number of threads.
 */
enum { LOOPS_MAX_TASKS = 8 };

/* The inner loops on 8-bit ints for this machine. */
static inline const tsm_q8_loops *loops_q8(tsm_exec *x) {
    if (!x->q8)
        x->q8 = tsm_q8_select(x->platform.features);
    return x->q8;
}

/* Bytes that a kernel asks of the buffer for one block of packed or gathered data. Where a formula of scratch memory is
 * stated, this is its L. (tsmc puts other targets' in the place of this machine's, to know what they need.) */
static inline size_t loops_scratch(tsm_exec *x) {
    return loops_f32(x)->scratch_limit;
}

/* Cuts [0, n) into at most LOOPS_MAX_TASKS ranges of whole grains and runs them through the platform's threads; without
 * them, or when n <= grain, one range on this thread. `scratch` points to scratch_bytes of the range's own (NULL when
 * 0). */
typedef void (*loops_range)(void *argument, void *scratch, size_t begin, size_t end);
tsm_status tsm_loops_parallel(tsm_exec *x, size_t n, size_t grain, size_t scratch_bytes, loops_range run,
                              void *argument);

static inline size_t loops_tiles(size_t m, size_t most) {
    return (m + most - 1) / most;
}
/* m rows cut into the fewest tiles of at most `most` rows, as even as can be: divided once, for 32-bit ARM divides by
 * functions. */
typedef struct {
    size_t tiles, rows, larger; /* the first `larger` tiles have a row more */
} loops_cut;
static inline loops_cut loops_cut_of(size_t m, size_t most) {
    const size_t tiles = loops_tiles(m, most), rows = tiles ? m / tiles : 0;
    return (loops_cut){tiles, rows, m - rows * tiles};
}
/* Rows of tile i; *first is its first. */
static inline size_t loops_cut_rows(const loops_cut *c, size_t i, size_t *first) {
    *first = i * c->rows + (i < c->larger ? i : c->larger);
    return c->rows + (i < c->larger);
}

/* Loops of one operator by lane of its operands; NULL where it has none. */
typedef struct tsm_loops {
    const char *name; /* for: "name" not implemented for 'Long' */
    tsm_loop loop[TSM_LANE_COUNT];
    bool is_general; /* also for uint16, uint32, uint64 (as ints that wrap) and float8, which most operators refuse */
    const struct tsm_loops *wide;
} tsm_loops;

/* TSM_LOOPS(name, text, {loops}) defines the table name_loops, TSM_LOOPS_GENERAL one for all element types. */
#define TSM_LOOPS(name, text, ...) TSM_LOOPS_OF(name, text, false, __VA_ARGS__)
#define TSM_LOOPS_GENERAL(name, text, ...) TSM_LOOPS_OF(name, text, true, __VA_ARGS__)
#define TSM_LOOPS_OF(name, text, is_general, ...)                                                                      \
    TSM_TABLE(static, tsm_loops, name##_loops, tsm_wide_##name, text, __VA_ARGS__, is_general)                         \
    TSM_LOOPS_NAMED(name, text, __VA_ARGS__)
/* In the second compilation kernels, which nobody calls there, name a table, too. */
#if defined(TSM_WIDE_LOOPS)
#define TSM_LOOPS_NAMED(name, text, ...)                                                                               \
    static const tsm_loops name##_loops __attribute__((unused)) = {text, __VA_ARGS__, false, NULL};
#else
#define TSM_LOOPS_NAMED(name, text, ...)
#endif

/* The operator's loop of a lane for this machine; NULL where it has none. */
tsm_loop tsm_loops_choose(tsm_exec *x, const tsm_loops *loops, tsm_lane lane);
/* The lane for arithmetic in `dtype`: that of the elements as they lie where the operator has a loop for it. */
tsm_lane tsm_loops_lane(tsm_exec *x, const tsm_loops *loops, tsm_dtype dtype);

/* The loop for arithmetic in `dtype`, in the lane of tsm_lane_of, or an error that says that there is none. */
tsm_status tsm_loops_find(tsm_exec *x, const tsm_loops *loops, tsm_dtype dtype, tsm_loop *out);
tsm_status tsm_loops_missing(tsm_exec *x, const char *name, tsm_dtype dtype);

#endif
