/* The loops of svd_columns.c for x86-64 with AVX2 (runtime/kernels/loops.h, TSM_LOOPS). */
#if defined(__AVX2__)
#define TSM_WIDE_LOOPS
#include "runtime/kernels/linalg/svd_columns.c" // NOLINT(bugprone-suspicious-include): compiled once more
#else
typedef int tsm_svd_columns_avx2_is_for_x86_64;
#endif
