/* The loops of gemm_plain.c for x86-64 with AVX2 (runtime/kernels/loops.h, TSM_LOOPS). */
#if defined(__AVX2__)
#define TSM_WIDE_LOOPS
#include "runtime/kernels/linalg/gemm_plain.c" // NOLINT(bugprone-suspicious-include): compiled once more
#else
typedef int tsm_gemm_plain_avx2_is_for_x86_64;
#endif
