/* The layout of packed int8 weights: what the loops of simd/q8.h read, and what the exporter writes into the file.
 *
 * W[o][k] of O outputs by K inputs is cut into panels of 16 outputs; a panel holds, for each group of four neighbouring
 * k, the four weights of each of the 16 outputs: 64 bytes. Outputs past O and inputs past K are zeros:
 *
 *     packed[(o / 16 * ceil(K / 4) + k / 4) * 64 + o % 16 * 4 + k % 4] = W[o][k]
 *
 * linear: W is the weight [O, I] itself, K = I.
 * Convolution [O, I/groups, kD, kH, kW]: k = tap * I/groups + i, tap = (z * kH + y) * kW + x. Each group begins with a
 * panel of its own. Depthwise convolution (I/groups = O/groups = 1): in a panel, for each x, ceil(kD * kH / 4) times 64
 * bytes, the four weights of a channel being those of four kernel rows, one above the other.
 *
 * As a tensor a packed weight is int8, contiguous, of sizes [panels, groups of four in a panel, 16, 4]. */
#ifndef TSM_KERNELS_QUANTIZED_QUANTIZED_PACK_H
#define TSM_KERNELS_QUANTIZED_QUANTIZED_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/simd/q8.h"

/* What a weight looks like before it is packed; a linear layer has one group and one tap. */
typedef struct {
    size_t outputs, depth, groups; /* depth: inputs of a group */
    size_t rows, width;            /* of the kernel: depth times height, and width */
} quantized_weight_form;

static inline bool quantized_is_depthwise(const quantized_weight_form *f) {
    return f->depth == 1 && f->groups == f->outputs && f->groups > 1;
}

/* Panels of all groups; groups of four in a panel; bytes of the whole. */
static inline size_t quantized_panels(const quantized_weight_form *f) {
    size_t runs = quantized_is_depthwise(f) ? 1 : f->groups;
    return runs * ((f->outputs / runs + TSM_Q8_PANEL - 1) / TSM_Q8_PANEL);
}
static inline size_t quantized_panel_groups(const quantized_weight_form *f) {
    return quantized_is_depthwise(f) ? (f->rows + TSM_Q8_GROUP - 1) / TSM_Q8_GROUP * f->width
                                     : (f->depth * f->rows * f->width + TSM_Q8_GROUP - 1) / TSM_Q8_GROUP;
}
static inline size_t quantized_packed_bytes(const quantized_weight_form *f) {
    return quantized_panels(f) * quantized_panel_groups(f) * TSM_Q8_BLOCK;
}

/* Packs a contiguous weight [outputs, depth, rows, width], and sums the weights of each output. */
void tsm_quantized_pack(int8_t *packed, int32_t *sums, const int8_t *w, const quantized_weight_form *f);

#endif
