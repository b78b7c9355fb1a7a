/* Tables of loops, and which of them this machine takes.
 *
 * On x86-64 a file of loops is compiled once more, with TSM_WIDE_LOOPS, for AVX2 (files ending in _avx2.c): there it
 * defines what the first one's tables lead to. Results are the same bits but for those of elementary functions, whose
 * products and sums are single steps there (vm_ma, vd_ma). */
#ifndef TSM_SIMD_WIDE_H
#define TSM_SIMD_WIDE_H

#include "runtime/kernels/simd/f32.h"
#include "runtime/value/exec.h"

/* The inner loops on floats for this machine. */
static inline const tsm_f32_loops *loops_f32(tsm_exec *x) {
    if (!x->f32)
        x->f32 = tsm_f32_select();
    return x->f32;
}

/* Whether this machine takes the loops that are compiled for vectors of 256 bits. */
static inline bool loops_are_wide(tsm_exec *x) {
#if defined(TSM_TABLES_X86_64) && !defined(TSM_PLAIN)
    return loops_f32(x)->lanes >= 8;
#else
    (void)x;
    return false;
#endif
}

/* Whether narrow elements are calculated and converted as they lie. (tsmc puts other targets' answer in the place of
 * this machine's: blocks in which they are converted are memory that a target needs.) */
static inline bool loops_are_narrow(tsm_exec *x) {
#if TSM_NARROW_LANES
    return loops_f32(x)->is_narrow;
#else
    (void)x;
    return false;
#endif
}

/* TSM_TABLE(LINKAGE, TYPE, NAME, WIDE, members) defines a table whose last member is a pointer to the one for wide
 * vectors, which has the name WIDE. */
#if defined(TSM_WIDE_LOOPS)
#define TSM_TABLE(LINKAGE, TYPE, NAME, WIDE, ...)                                                                      \
    extern const TYPE WIDE;                                                                                            \
    const TYPE WIDE = {__VA_ARGS__, NULL};
#elif defined(TSM_TABLES_X86_64) && !defined(TSM_PLAIN)
#define TSM_TABLE(LINKAGE, TYPE, NAME, WIDE, ...)                                                                      \
    extern const TYPE WIDE;                                                                                            \
    LINKAGE const TYPE NAME = {__VA_ARGS__, &WIDE};
#else
#define TSM_TABLE(LINKAGE, TYPE, NAME, WIDE, ...) LINKAGE const TYPE NAME = {__VA_ARGS__, NULL};
#endif

/* TSM_TABLE_CHOSEN(TYPE, name, initializer) defines tables of any type, and name_for(x), which gives this machine's. */
#if defined(TSM_WIDE_LOOPS)
#define TSM_TABLE_CHOSEN(TYPE, name, ...)                                                                              \
    extern const TYPE tsm_wide_##name;                                                                                 \
    const TYPE tsm_wide_##name = __VA_ARGS__;
#elif defined(TSM_TABLES_X86_64) && !defined(TSM_PLAIN)
#define TSM_TABLE_CHOSEN(TYPE, name, ...)                                                                              \
    extern const TYPE tsm_wide_##name;                                                                                 \
    static const TYPE *name##_for(tsm_exec *x) {                                                                       \
        static const TYPE plain = __VA_ARGS__;                                                                         \
        return loops_are_wide(x) ? &tsm_wide_##name : &plain;                                                          \
    }
#else
#define TSM_TABLE_CHOSEN(TYPE, name, ...)                                                                              \
    static const TYPE *name##_for(tsm_exec *x) {                                                                       \
        static const TYPE plain = __VA_ARGS__;                                                                         \
        (void)x;                                                                                                       \
        return &plain;                                                                                                 \
    }
#endif

#endif
