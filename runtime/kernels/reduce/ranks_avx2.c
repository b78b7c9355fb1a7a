/* The loops of ranks.c for x86-64 with AVX2 (runtime/kernels/loops.h, TSM_LOOPS). */
#if defined(__AVX2__)
#define TSM_WIDE_LOOPS
#include "runtime/kernels/reduce/ranks.c" // NOLINT(bugprone-suspicious-include): compiled once more
#else
typedef int tsm_ranks_avx2_is_for_x86_64;
#endif
