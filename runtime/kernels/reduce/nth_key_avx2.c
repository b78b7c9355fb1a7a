/* The loops of nth_key.c for x86-64 with AVX2 (runtime/kernels/loops.h, TSM_LOOPS). */
#if defined(__AVX2__)
#define TSM_WIDE_LOOPS
#include "runtime/kernels/reduce/nth_key.c" // NOLINT(bugprone-suspicious-include): compiled once more
#else
typedef int tsm_nth_key_avx2_is_for_x86_64;
#endif
