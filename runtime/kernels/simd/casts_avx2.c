/* The conversions of casts.c for x86-64 with AVX2 and F16C; runtime/CMakeLists.txt compiles this file with -mavx2
 * -mf16c. */
#if defined(__AVX2__)
#define TSM_WIDE_LOOPS
#include "runtime/kernels/simd/casts.c" // NOLINT(bugprone-suspicious-include): compiled once more
#else
typedef int tsm_casts_avx2_is_for_x86_64;
#endif
