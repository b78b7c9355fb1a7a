/* The loops for x86-64 with AVX2 and FMA; runtime/CMakeLists.txt compiles this file with -mavx2 -mfma. */
#if defined(__AVX2__) && defined(__FMA__)
#define TSM_F32_TABLE tsm_f32_avx2
#define TSM_F32_NAME "avx2"
#include "runtime/kernels/simd/f32_loops.h"
#else
typedef int tsm_f32_avx2_is_for_x86_64;
#endif
