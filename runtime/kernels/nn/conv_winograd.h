/* Convolutions with kernels of 3x3, or 3x3 in each plane, and stride 1 by Winograd's minimal filtering F(4x4, 3x3):
 * A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015. Tiles of 4x4 output pixels are computed
 * from 6x6 input pixels with 36 multiplications for each pair of channels instead of 144:
 *
 *     Y = A^T [(G g G^T) * (B^T d B)] A
 *
 * The products over channels are 36 matrix products (tiles x channels) (channels x outputs). Weights are transformed
 * panel by panel at each call: with enough tiles that costs a few percent, and the file keeps one layout.
 *
 * A tile of a dilated convolution has every dilation-th pixel. A kernel of several planes has the channels of each as
 * rows of the same products, whatever its stride and dilation over planes.
 *
 * Scratch for each task, in bytes: 144 * tiles * (rows + 16) + 2368 * rows, where rows are channels * planes of the
 * kernel, with at most 1 MiB of transformed input (or 12 tiles); for a narrow weight 36,864 more. */
#ifndef TSM_KERNELS_NN_CONV_WINOGRAD_H
#define TSM_KERNELS_NN_CONV_WINOGRAD_H

#include "runtime/kernels/nn/conv_packed.h"

/* A microcontroller's buffer has no room for the transformed tiles: programs for it do without the code. */
enum { WINOGRAD_LEAST_SCRATCH = 64 * 1024, WINOGRAD_IS_THERE = LOOPS_SCRATCH_LIMIT >= WINOGRAD_LEAST_SCRATCH };

/* Whether this convolution can be computed so and is faster for it. Depends on shapes only, so that results do not
 * change with the buffer or the machine's load. */
bool tsm_winograd_pays(const packed_conv *c);
tsm_status tsm_winograd_run(tsm_exec *x, packed_conv *c);
/* Transforms a panel of a narrow weight into u; `room`: 9 * 64 * 16 floats. */
void tsm_winograd_narrow_weight(const packed_conv *c, size_t panel, float *u, float *room);

#endif
