/* The loop of softmax_rows.c for x86-64 with AVX2 (runtime/kernels/loops.h, TSM_LOOPS). */
#if defined(__AVX2__)
#define TSM_WIDE_LOOPS
#include "runtime/kernels/nn/softmax_rows.c" // NOLINT(bugprone-suspicious-include): compiled once more
#else
typedef int tsm_softmax_rows_avx2_is_for_x86_64;
#endif
