/* Arguments that are narrow weights (pack.h). */
#ifndef TSM_KERNELS_NN_NARROW_H
#define TSM_KERNELS_NN_NARROW_H

#include "runtime/kernels/nn/nn.h"
#include "runtime/kernels/simd/pack.h"

/* Of functions that operators with packed floats and those with narrow weights share: each has a copy, so that programs
 * without narrow weights are no larger for them. */
#define NARROW_INLINE static inline __attribute__((always_inline))

/* Reads a packed weight of any sizes: half floats, bfloat16, or int8 with scales (NULL: none), or TSM_BAD_FILE. */
tsm_status tsm_narrow_read(tsm_exec *x, const tsm_tensor *weight, const tsm_tensor *scales, narrow_weight *w);

/* A layer whose input, weight and result are of one dtype of 16 bits: it is calculated as a layer of floats with a
 * narrow weight, and rounded once. */
typedef struct {
    tsm_dtype dtype;
    tsm_value input; /* as floats */
    const tsm_value *in[12];
} half_layer;

/* l->in: the arguments `in` as the layer of floats takes them. Argument 0 is the input, and 1 the weight, of the same
 * dtype. */
tsm_status tsm_half_begin(tsm_exec *x, const tsm_value *const *in, int count, half_layer *l);
/* `status` and *out are those of the layer of floats. */
tsm_status tsm_half_end(tsm_exec *x, tsm_status status, half_layer *l, tsm_value *out);

#endif
