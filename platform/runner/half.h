/* float16 and bfloat16, the element types that C has no name for: conversions to and from float, rounding to nearest
 * even. */
#ifndef RUNNER_HALF_H
#define RUNNER_HALF_H

#include <stdint.h>

float half_to_float(uint16_t bits);
uint16_t half_from_double(double x);
float bfloat_to_float(uint16_t bits);
uint16_t bfloat_from_double(double x);

#endif
