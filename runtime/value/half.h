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

/* All cases are calculated and one is chosen, without branches, so that compilers vectorize loops of these. Nothing
 * depends on subnormal floats, which a program may have told its processor to take for 0. */
static inline float tsm_float_of_half(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    const int32_t rest = h & 0x7fff; /* vectors compare signed ints best */
    const uint32_t shifted = (uint32_t)rest << 13, normal = shifted + ((127u - 15u) << 23),
                   tiny = tsm_bits_of_float((float)rest * 0x1p-24f);
    const uint32_t finite = rest < 0x400 ? tiny : normal;
    const uint32_t quiet = rest > 0x7c00 ? 0x7fc00000u : 0x7f800000u; /* as arithmetic leaves a NaN */
    return tsm_float_of_bits(sign | (rest >= 0x7c00 ? quiet | shifted : finite));
}

static inline uint16_t tsm_half_of_float(float f) {
    const uint32_t u = tsm_bits_of_float(f), sign = u >> 16 & 0x8000u;
    const int32_t rest = (int32_t)(u & 0x7fffffffu), odd = rest >> 13 & 1; /* vectors compare signed ints best */
    const uint32_t normal = (uint32_t)(rest - ((127 - 15) << 23) + 0xfff + odd) >> 13;
    /* Subnormal halves: an addition does the rounding, the unit in the last place of its sum is 2^-24. */
    const uint32_t small = rest < 0x38800000 ? (uint32_t)rest : 0;
    const uint32_t tiny = tsm_bits_of_float(tsm_float_of_bits(small) + 0.5f) - 0x3f000000u;
    const uint32_t finite = rest < 0x38800000 ? tiny : normal;
    const uint32_t bounded = rest >= 0x477ff000 ? 0x7c00u : finite; /* rounds to 65536 or more */
    return (uint16_t)(sign | (rest > 0x7f800000 ? 0x7e00u : bounded));
}

static inline float tsm_float_of_bfloat16(uint16_t b) {
    return tsm_float_of_bits((uint32_t)b << 16);
}

static inline uint16_t tsm_bfloat16_of_float(float f) {
    const uint32_t u = tsm_bits_of_float(f), rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
    return (uint16_t)((int32_t)(u & 0x7fffffffu) > 0x7f800000 ? 0x7fc0u : rounded);
}

#endif
