/* The ratio in which losses are stated. */
#include "exporter/passes/analysis/quantization.h"

#include <math.h>

double quantization_ratio(quantization_loss l) {
    return l.noise > 0 ? 10 * log10(l.signal / l.noise) : INFINITY;
}
