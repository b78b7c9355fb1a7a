/* The layout of packed weights: what the inner loops read, and what the exporter writes into the file.
 *
 * One layout serves linear layers and convolutions of any number of groups. The weight is seen as a matrix W[o][k] of O
 * outputs (features, channels) by K inputs. Outputs are cut into panels of 16 (TSM_PANEL); a panel holds, for k = 0, 1,
 * ..., the 16 numbers W[16p .. 16p+15][k] one behind the other; outputs past O are zeros:
 *
 *     packed[((o / 16) * K + k) * 16 + o % 16] = W[o][k]
 *
 * linear: W is the weight [O, I] itself, K = I.
 * Convolution with weight [O, I/groups, kD, kH, kW]: k = tap * I/groups + i, tap = (z * kH + y) * kW + x; so the
 * channels of one kernel position lie together, as in a channels-last image. Each group begins with a panel of its own;
 * only in a depthwise convolution (I/groups = O/groups = 1) panels run over all channels.
 *
 * As a tensor, a packed weight is float32, contiguous, 64-byte aligned in the file, with sizes
 *     linear       [ceil(O / 16), I, 16]
 *     convolution  [groups * ceil(O / groups / 16), kD, kH, kW, I/groups, 16]   (as many k as spatial dimensions)
 *     depthwise    [ceil(O / 16), kD, kH, kW, 1, 16]
 * and the operator carries O.
 *
 * Transposed convolution with weight [I, O/groups, kD, kH, kW]: as a convolution that is not depthwise, with its taps
 * in another order. An output takes those taps of a dimension whose place (k * dilation) has one remainder by the
 * stride: these lie together, by ascending remainders, and from the last to the first, so that the inputs under them
 * ascend; remainders of the first dimension vary slowest, then those of the others, then the taps of one remainder in
 * each dimension (tsm_phase_of).
 *
 * A narrow weight has the same layout in half floats, in bfloat16, or in int8 with a float32 scale for each output,
 * outputs past O included (nn/narrow.h). */
#ifndef TSM_KERNELS_SIMD_PACK_H
#define TSM_KERNELS_SIMD_PACK_H

#include <stddef.h>

#include "runtime/kernels/simd/f32.h"

static inline size_t tsm_pack_panels(size_t outputs) {
    return (outputs + TSM_PANEL - 1) / TSM_PANEL;
}
/* Floats of a packed weight. */
static inline size_t tsm_pack_floats(size_t outputs, size_t inputs) {
    return tsm_pack_panels(outputs) * inputs * TSM_PANEL;
}

/* The taps of one dimension of a transposed convolution's kernel that have one remainder. */
typedef struct {
    size_t count, before; /* how many there are, and how many have smaller remainders */
    size_t first, step;   /* taps first, first + step, ... */
} tsm_phase;

static inline tsm_phase tsm_phase_of(size_t kernel, size_t stride, size_t dilation, size_t remainder) {
    tsm_phase p = {0, 0, 0, 1};
    const size_t step = dilation % stride;
    size_t at = 0; /* k * dilation % stride */
    for (size_t k = 0; k < kernel; k++) {
        if (at < remainder)
            p.before++;
        if (at == remainder && p.count++ == 0)
            p.first = k;
        else if (at == remainder && p.count == 2)
            p.step = k - p.first;
        at += step;
        at -= at >= stride ? stride : 0;
    }
    return p;
}

/* A narrow weight, which becomes floats block by block on its way into the loops. */
typedef struct narrow_weight {
    const void *data; /* packed */
    tsm_narrow_elements elements;
    const float *scales; /* of int8: one for each output */
    size_t inputs;       /* K: rows of a panel */
    /* Makes rows [k, k + rows) of `panel` floats. */
    void (*widen)(const tsm_f32_loops *f32, const struct narrow_weight *w, size_t panel, size_t k, size_t rows,
                  float *to);
    /* y[j] += the product of x, K floats, with column j of `panel`. */
    void (*multiply_row)(const tsm_f32_loops *f32, const struct narrow_weight *w, size_t panel, const float *x,
                         float *y);
} narrow_weight;

/* Packs `outputs` rows of W: element (o, k) is at w[o * output_stride + k * input_stride]. */
void tsm_pack_matrix(float *packed, const float *w, size_t outputs, size_t inputs, ptrdiff_t output_stride,
                     ptrdiff_t input_stride);

/* Packs outputs [first, first + outputs) of a contiguous convolution weight [O, depth, taps]; `first` is a multiple
 * of 16. */
void tsm_pack_convolution(float *packed, const float *w, size_t first, size_t outputs, size_t depth, size_t taps);

/* Packs a convolution weight [outputs, depth, taps] whose taps lie together. */
void tsm_pack_taps(float *packed, const float *w, size_t outputs, size_t depth, size_t taps, ptrdiff_t output_stride,
                   ptrdiff_t depth_stride);

/* n floats as half floats; as bfloat16. */
void tsm_pack_halves(uint16_t *to, const float *x, size_t n);
void tsm_pack_bfloat16s(uint16_t *to, const float *x, size_t n);

#endif
