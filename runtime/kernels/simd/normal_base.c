/* For the instruction set that the library is compiled for. */
#include "runtime/kernels/simd/normal_loop.h"

void tsm_normal_group_base(float *y, float mean, float deviation) {
    normal_group(y, mean, deviation);
}
