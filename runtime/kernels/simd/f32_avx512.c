/* The loops for x86-64 with AVX-512; runtime/CMakeLists.txt compiles this file with -mavx512f and its companions. */
#if defined(__AVX512F__)
#define TSM_F32_TABLE tsm_f32_avx512
#define TSM_F32_NAME "avx512"
#include "runtime/kernels/simd/f32_loops.h"
#else
typedef int tsm_f32_avx512_is_for_x86_64;
#endif
