/* The layout of packed int8 weights: what the loops of simd/q8.h read, and what the exporter writes into the file.
 *
 * W[o][k] of O outputs by K inputs is cut into panels of 16 outputs; a panel holds, for each group of four neighbouring
 * k, the four weights of each of the 16 outputs: a block of 64 bytes. The blocks of the last panel have only as many
 * fours of outputs as there are. Outputs past O and inputs past K are zeros:
 *
 *     packed[o / 16 * ceil(K / 4) * 64 + k / 4 * (o's panel is the last ? last block : 64) + o % 16 * 4 + k % 4]
 *         = W[o][k]
 *
 * Loops may load 64 bytes of each block, so the end is followed by what the last one lacks.
 *
 * linear: W is the weight [O, I] itself, K = I.
 * Convolution [O, I/groups, kD, kH, kW]: k = tap * I/groups + i, tap = (z * kH + y) * kW + x. Each group is a run of
 * panels of its own. Depthwise convolution (I/groups = O/groups = 1): all panels are whole; in a panel, for each x,
 * ceil(kD * kH / 4) blocks, the four weights of a channel being those of four kernel rows, one above the other.
 *
 * As a tensor a packed weight is int8 and contiguous, of sizes [bytes], or, where all panels are whole (those of
 * depthwise convolutions, and all that tsmc 0.2 wrote), [panels, blocks in a panel, 16, 4]. */
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

/* Blocks of a panel. */
static inline size_t quantized_blocks(const quantized_weight_form *f) {
    return quantized_is_depthwise(f) ? (f->rows + TSM_Q8_GROUP - 1) / TSM_Q8_GROUP * f->width
                                     : (f->depth * f->rows * f->width + TSM_Q8_GROUP - 1) / TSM_Q8_GROUP;
}

typedef struct {
    size_t runs, panels; /* panels of a run */
    size_t panel_bytes;  /* of a whole panel */
    size_t last_block;   /* bytes of a block of a run's last panel */
    size_t run_bytes, bytes;
} quantized_layout;

/* Where the parts lie; `is_whole`: the last panels have blocks of 64 bytes too. */
quantized_layout tsm_quantized_layout_of(const quantized_weight_form *f, bool is_whole);

/* Packs a contiguous weight [outputs, depth, rows, width], and sums the weights of each output. */
void tsm_quantized_pack(int8_t *packed, int32_t *sums, const int8_t *w, const quantized_weight_form *f);

#endif
