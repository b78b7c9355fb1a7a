/* Half precision (IEEE 754 binary16) and bfloat16 to float and back, rounded to nearest even. */
#ifndef TSM_VALUE_HALF_H
#define TSM_VALUE_HALF_H

#include <stdint.h>
#include <string.h>

static inline float tsm_float_of_bits(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint32_t tsm_bits_of_float(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float tsm_float_of_half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
    if (rest >= 0x7c00u)
        return tsm_float_of_bits(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    if (rest >= 0x400u)
        return tsm_float_of_bits(sign | ((rest << 13) + ((127u - 15u) << 23)));
    float tiny = (float)rest * 0x1p-24f;
    return sign ? -tiny : tiny;
}

static inline uint16_t tsm_half_of_float(float f) {
    uint32_t u = tsm_bits_of_float(f), sign = u >> 16 & 0x8000u, rest = u & 0x7fffffffu;
    if (rest > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u);
    if (rest >= 0x477ff000u) /* rounds to 65536 or more */
        return (uint16_t)(sign | 0x7c00u);
    if (rest < 0x38800000u) { /* subnormal: let an addition do the rounding, its unit in the last place is 2^-24 */
        float shifted = tsm_float_of_bits(rest) + 0.5f;
        return (uint16_t)(sign | (tsm_bits_of_float(shifted) - tsm_bits_of_float(0.5f)));
    }
    uint32_t odd = rest >> 13 & 1u;
    return (uint16_t)(sign | ((rest - ((127u - 15u) << 23) + 0xfffu + odd) >> 13));
}

static inline float tsm_float_of_bfloat16(uint16_t b) {
    return tsm_float_of_bits((uint32_t)b << 16);
}

static inline uint16_t tsm_bfloat16_of_float(float f) {
    uint32_t u = tsm_bits_of_float(f);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return 0x7fc0u;
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

#endif
