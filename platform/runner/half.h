/* Doubles as float16 and bfloat16, rounded to nearest even. */
#ifndef RUNNER_HALF_H
#define RUNNER_HALF_H

#include <stdint.h>

uint16_t half_from_double(double x);
uint16_t bfloat_from_double(double x);

#endif
