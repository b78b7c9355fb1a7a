/* The element types of 8 bits with a sign, an exponent and a mantissa, as floats and back, rounded to nearest even.
 *
 * float8_e5m2 is the upper half of float16. float8_e4m3fn has no infinities, and NaN only where all bits of exponent
 * and mantissa are set. The types ...fnuz have neither infinities nor a negative zero, whose bits are their only NaN.
 */
#ifndef TSM_VALUE_FLOAT8_H
#define TSM_VALUE_FLOAT8_H

#include "runtime/include/tsmobile.h"
#include "runtime/value/half.h"

typedef struct {
    uint8_t mantissa; /* bits */
    uint8_t bias;     /* of exponents */
    uint8_t greatest; /* finite number */
    uint8_t beyond;   /* what numbers become that are greater */
    uint8_t nan;
} tsm_float8_format;

static inline const tsm_float8_format *tsm_float8_format_of(tsm_dtype dtype) {
    static const tsm_float8_format formats[] = {
        {2, 15, 0x7b, 0x7c, 0x7f}, /* e5m2 */
        {3, 7, 0x7e, 0x7f, 0x7f},  /* e4m3fn */
        {2, 16, 0x7f, 0x80, 0x80}, /* e5m2fnuz */
        {3, 8, 0x7f, 0x80, 0x80},  /* e4m3fnuz */
    };
    return &formats[dtype - TSM_FLOAT8_E5M2];
}

/* The distance of the least numbers. */
static inline float tsm_float8_step(const tsm_float8_format *f) {
    return tsm_float_of_bits((127u + 1 - f->bias - f->mantissa) << 23);
}

static inline float tsm_float_of_float8(tsm_dtype dtype, uint8_t bits) {
    const tsm_float8_format *f = tsm_float8_format_of(dtype);
    const uint32_t sign = (uint32_t)(bits & 0x80u) << 24, rest = bits & 0x7fu;
    if (bits == f->nan || rest > f->greatest)
        return tsm_float_of_bits(sign | (rest == 0x7c ? 0x7f800000u : 0x7fc00000u));
    if (rest >> f->mantissa == 0)
        return tsm_float_of_bits(sign | tsm_bits_of_float((float)rest * tsm_float8_step(f)));
    return tsm_float_of_bits(sign | ((rest << (23 - f->mantissa)) + ((127u - f->bias) << 23)));
}

/* What is greater than the greatest number becomes infinite, or NaN where there is no infinity. */
static inline uint8_t tsm_float8_of_float(tsm_dtype dtype, float number) {
    const tsm_float8_format *f = tsm_float8_format_of(dtype);
    const uint32_t u = tsm_bits_of_float(number), rest = u & 0x7fffffffu, sign = u >> 24 & 0x80u;
    const unsigned cut = 23u - f->mantissa;
    uint32_t made;
    if (rest > 0x7f800000u)
        return (uint8_t)(f->nan | sign);
    if (rest < (128u - f->bias) << 23) { /* an addition does the rounding: the unit of its sum is the least step */
        const float rounder = tsm_float8_step(f) * 0x1p23f;
        made = tsm_bits_of_float(tsm_float_of_bits(rest) + rounder) - tsm_bits_of_float(rounder);
    } else {
        made = (rest - ((127u - f->bias) << 23) + (1u << (cut - 1)) - 1 + (rest >> cut & 1)) >> cut;
    }
    if (made > f->greatest)
        return (uint8_t)(f->beyond | sign);
    return (uint8_t)(made || f->nan != 0x80 ? made | sign : 0);
}

#endif
