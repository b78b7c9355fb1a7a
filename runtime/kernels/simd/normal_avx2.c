/* For x86-64 with AVX2 and FMA; runtime/CMakeLists.txt compiles this file with -mavx2 -mfma. */
#include "runtime/kernels/simd/normal_loop.h"

#if defined(__AVX2__)
void tsm_normal_group_avx2(float *y, float mean, float deviation) {
    normal_group(y, mean, deviation);
}
#endif
