/* The loops of pointwise_chain.c for x86-64 with AVX2 (runtime/kernels/loops.h, TSM_LOOPS). */
#if defined(__AVX2__)
#define TSM_WIDE_LOOPS
#include "runtime/kernels/pointwise/pointwise_chain.c" // NOLINT(bugprone-suspicious-include): compiled once more
#else
typedef int tsm_pointwise_chain_avx2_is_for_x86_64;
#endif
