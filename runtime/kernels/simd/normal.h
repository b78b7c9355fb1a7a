/* Normal numbers in groups of 16, the same bits on every machine: those that PyTorch makes with AVX2. */
#ifndef TSM_KERNELS_SIMD_NORMAL_H
#define TSM_KERNELS_SIMD_NORMAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { TSM_NORMAL_GROUP = 16 };

/* Turns uniform numbers from [0, 1) into normal ones: number i gives the radius and number i + 8 the angle of results i
 * and i + 8. */
void tsm_normal_group_base(float *y, float mean, float deviation);
void tsm_normal_group_avx2(float *y, float mean, float deviation); /* x86-64 */

/* a * b + c, rounded once. Where the machine cannot do that in one step, a double holds the product, and its sum rounds
 * as it should unless it lies halfway between two floats. */
static inline float tsm_fused(float a, float b, float c) {
#if !defined(FP_FAST_FMAF)
    enum { DROPPED_BITS = 29 };
    double sum = (double)a * (double)b + (double)c;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if ((bits & ((UINT64_C(1) << DROPPED_BITS) - 1)) != UINT64_C(1) << (DROPPED_BITS - 1))
        return (float)sum;
#endif
    return fmaf(a, b, c);
}

#endif
