/* The loop of normal.h, for one instruction set: without branches, so that compilers make vectors of it.
 *
 * The logarithm and the sine and cosine are the polynomials of S. Moshier's Cephes library, each step fused. */
#include "runtime/kernels/simd/normal.h"

static inline float float_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t bits_of_float(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Of a normal number up to 1. */
static inline float normal_log(float u) {
    uint32_t bits = bits_of_float(u);
    float m = float_of_bits((bits & 0x7fffff) | 0x3f000000); /* from [0.5, 1) */
    float is_low = m < 0.707106781186547524f ? 1.0f : 0.0f;
    float e = (float)((int32_t)(bits >> 23) - 126) - is_low, x = m - 1 + m * is_low;
    float z = x * x, y = 7.0376836292e-2f;
    y = tsm_fused(y, x, -1.1514610310e-1f);
    y = tsm_fused(y, x, 1.1676998740e-1f);
    y = tsm_fused(y, x, -1.2420140846e-1f);
    y = tsm_fused(y, x, 1.4249322787e-1f);
    y = tsm_fused(y, x, -1.6668057665e-1f);
    y = tsm_fused(y, x, 2.0000714765e-1f);
    y = tsm_fused(y, x, -2.4999993993e-1f);
    y = tsm_fused(y, x, 3.3333331174e-1f);
    y = tsm_fused(y * x, z, e * -2.12194440e-4f) - z * 0.5f;
    return tsm_fused(e, 0.693359375f, x + y);
}

static inline void normal_sincos(float angle, float *sine, float *cosine) {
    int32_t octant = ((int32_t)(angle * 1.27323954473516f) + 1) & ~1;
    float k = (float)octant, x = tsm_fused(k, -0.78515625f, angle);
    x = tsm_fused(k, -2.4187564849853515625e-4f, x);
    x = tsm_fused(k, -3.77489497744594108e-8f, x);
    float z = x * x;
    float c = tsm_fused(2.443315711809948e-5f, z, -1.388731625493765e-3f);
    c = tsm_fused(c, z, 4.166664568298827e-2f) * z;
    c = tsm_fused(c, z, -(z * 0.5f)) + 1;
    float s = tsm_fused(-1.9515295891e-4f, z, 8.3321608736e-3f);
    s = tsm_fused(s, z, -1.6666654611e-1f) * z;
    s = tsm_fused(s, x, x);
    uint32_t quarter = (uint32_t)octant, is_odd = -(quarter >> 1 & 1); /* all bits: sine and cosine change places */
    uint32_t s_bits = bits_of_float(s), c_bits = bits_of_float(c), swap = (s_bits ^ c_bits) & is_odd;
    *sine = float_of_bits((s_bits ^ swap) ^ (quarter & 4) << 29);
    *cosine = float_of_bits((c_bits ^ swap) ^ (~(quarter - 2) & 4) << 29);
}

static inline void normal_group(float *y, float mean, float deviation) {
    enum { PAIRS = TSM_NORMAL_GROUP / 2 };
    for (int i = 0; i < PAIRS; i++) {
        float radius = sqrtf(-2 * normal_log(1 - y[i])), sine, cosine;
        normal_sincos(6.283185307179586f * y[i + PAIRS], &sine, &cosine);
        y[i] = tsm_fused(radius * cosine, deviation, mean);
        y[i + PAIRS] = tsm_fused(radius * sine, deviation, mean);
    }
}
