/* Arguments that are narrow weights (pack.h). */
#ifndef TSM_KERNELS_NN_NARROW_H
#define TSM_KERNELS_NN_NARROW_H

#include "runtime/kernels/nn/nn.h"
#include "runtime/kernels/simd/pack.h"

/* Of functions that operators with packed floats and those with narrow weights share: each has a copy, so that programs
 * without narrow weights are no larger for them. */
#define NARROW_INLINE static inline __attribute__((always_inline))

/* Reads a packed weight of any sizes: half floats, or int8 with scales (NULL: none), or TSM_BAD_FILE. */
tsm_status tsm_narrow_read(tsm_exec *x, const tsm_tensor *weight, const tsm_tensor *scales, narrow_weight *w);

#endif
