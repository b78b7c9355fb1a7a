/* Doubles as float16 and bfloat16, rounded once: not by way of float, which would round twice. */
#include "platform/runner/half.h"

#include <math.h>
#include <string.h>

/* Rounds |x| to a float with `fraction` bits of fraction and exponents from `min_exponent` up, given as its bit pattern
 * without sign; patterns continue from the largest finite number into infinity. Works by scaling x to units of the last
 * place, where rint rounds to nearest even. */
static uint32_t narrow(double x, int fraction, int min_exponent, uint32_t infinity) {
    if (isnan(x))
        return infinity | (uint32_t)1 << (fraction - 1);
    x = fabs(x);
    if (isinf(x) || x == 0)
        return x == 0 ? 0 : infinity;
    int exponent;
    frexp(x, &exponent);
    exponent--;
    if (exponent < min_exponent)
        exponent = min_exponent;
    const double units = rint(ldexp(x, fraction - exponent));
    const double pattern = units + (double)(exponent - min_exponent) * ldexp(1, fraction);
    return pattern < infinity ? (uint32_t)pattern : infinity;
}

static uint16_t sign_of(double x) {
    return signbit(x) ? 0x8000 : 0;
}

uint16_t half_from_double(double x) {
    return (uint16_t)(sign_of(x) | narrow(x, 10, -14, 0x7C00));
}

uint16_t bfloat_from_double(double x) {
    return (uint16_t)(sign_of(x) | narrow(x, 7, -126, 0x7F80));
}
