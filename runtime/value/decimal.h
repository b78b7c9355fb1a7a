/* Doubles as exact decimal numbers, for writing them and for settling what a text means.
 *
 * A double is m * 2^e with m < 2^53. For e >= 0 it is an integer; for e < 0 it is (m * 5^-e) * 10^e. So one operation,
 * multiplying a number in base 10^9 by a small factor, gives every decimal digit there is. */
#ifndef TSM_VALUE_DECIMAL_H
#define TSM_VALUE_DECIMAL_H

#include <stdint.h>
#include <string.h>

enum {
    TSM_DECIMAL_BASE = 1000000000, /* of a limb */
    TSM_DECIMAL_LIMB_DIGITS = 9,
    /* The longest number needed is half-way between two subnormals: (2^54 - 1) * 5^1075, 768 digits. */
    TSM_DECIMAL_LIMBS = 86,
    TSM_DOUBLE_FRACTION_BITS = 52,
    TSM_DOUBLE_EXPONENT_ALL_ONES = 0x7ff,
    TSM_DOUBLE_LOWEST_EXPONENT = -1074, /* of the last bit of subnormals */
};

/* value = (limbs, least first) * 10^exponent */
typedef struct {
    uint32_t limb[TSM_DECIMAL_LIMBS];
    int limbs;    /* in use; at least one; the top one is not 0 unless the value is */
    int digits;   /* decimal digits of the limbs */
    int exponent; /* <= 0 */
} tsm_decimal;

/* d = m * 2^e */
void tsm_decimal_make(tsm_decimal *d, uint64_t m, int e);
/* Digit i from the top; 0 past the last one. */
unsigned tsm_decimal_digit(const tsm_decimal *d, int i);

static inline uint64_t tsm_double_bits(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline double tsm_double_of_bits(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Splits a finite |v| into m * 2^e. */
static inline uint64_t tsm_double_split(uint64_t bits, int *e) {
    int biased = (int)(bits >> TSM_DOUBLE_FRACTION_BITS & TSM_DOUBLE_EXPONENT_ALL_ONES);
    uint64_t fraction = bits & ((UINT64_C(1) << TSM_DOUBLE_FRACTION_BITS) - 1);
    *e = TSM_DOUBLE_LOWEST_EXPONENT + (biased ? biased - 1 : 0);
    return biased ? fraction | UINT64_C(1) << TSM_DOUBLE_FRACTION_BITS : fraction;
}

#endif
