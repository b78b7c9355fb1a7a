/* The least, the greatest and the mean element of a tensor. */
#ifndef RUNNER_STATISTICS_H
#define RUNNER_STATISTICS_H

#include "tsmobile.h"

/* Of the finite elements. A complex number counts by its absolute value, a quantized one by its stored integer. */
typedef struct {
    double least, most, sum;
    size_t finite, nan, inf;
} statistics;

statistics statistics_of(const tsm_tensor_view *t);

#endif
