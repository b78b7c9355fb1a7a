/* Exact decimal numbers. */
#include "runtime/value/decimal.h"

static const uint32_t powers_of_ten[TSM_DECIMAL_LIMB_DIGITS] = {1,      10,      100,      1000,     10000,
                                                                100000, 1000000, 10000000, 100000000};

static void decimal_multiply(tsm_decimal *d, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < d->limbs; i++) {
        carry += (uint64_t)d->limb[i] * factor;
        d->limb[i] = (uint32_t)(carry % TSM_DECIMAL_BASE);
        carry /= TSM_DECIMAL_BASE;
    }
    for (; carry; carry /= TSM_DECIMAL_BASE)
        d->limb[d->limbs++] = (uint32_t)(carry % TSM_DECIMAL_BASE);
}

/* Multiplies by base^n, where step_power = base^step is the largest power that fits in 32 bits. */
static void decimal_multiply_power(tsm_decimal *d, uint32_t base, int n, uint32_t step_power, int step) {
    for (; n >= step; n -= step)
        decimal_multiply(d, step_power);
    uint32_t rest = 1;
    while (n-- > 0)
        rest *= base;
    decimal_multiply(d, rest);
}

void tsm_decimal_make(tsm_decimal *d, uint64_t m, int e) {
    if (!m)
        e = 0;
    while (e < 0 && !(m & 1)) {
        m >>= 1;
        e++;
    }
    d->limbs = 0;
    do {
        d->limb[d->limbs++] = (uint32_t)(m % TSM_DECIMAL_BASE);
        m /= TSM_DECIMAL_BASE;
    } while (m);
    d->exponent = e < 0 ? e : 0;
    if (e < 0)
        decimal_multiply_power(d, 5, -e, 1220703125, 13);
    else
        decimal_multiply_power(d, 2, e, 1u << 30, 30);
    d->digits = TSM_DECIMAL_LIMB_DIGITS * (d->limbs - 1) + 1;
    for (int i = 1; i < TSM_DECIMAL_LIMB_DIGITS && d->limb[d->limbs - 1] >= powers_of_ten[i]; i++)
        d->digits++;
}

unsigned tsm_decimal_digit(const tsm_decimal *d, int i) {
    int from_end = d->digits - 1 - i;
    return from_end < 0
               ? 0
               : d->limb[from_end / TSM_DECIMAL_LIMB_DIGITS] / powers_of_ten[from_end % TSM_DECIMAL_LIMB_DIGITS] % 10;
}
