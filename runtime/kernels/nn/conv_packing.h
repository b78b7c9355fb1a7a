/* float32 convolutions whose weight is an argument: it is packed at the call.
 *
 * With enough channels and pixels the loops over packed weights (conv_packed.c) are twice as fast as a product with
 * gathered columns, also when the weight is packed, and images change their layout twice, for one call.
 *
 * Images of two dimensions whose channels lie together need no change of layout, and the result lies as they do, as
 * PyTorch's does. Then a depthwise convolution is always computed so.
 *
 * Scratch: the packed weight; as tensors, the images at hand with their channels together, and the results so. Images
 * are taken several at once while these have at most 4 * scratch_limit bytes. */
#ifndef TSM_KERNELS_NN_CONV_PACKING_H
#define TSM_KERNELS_NN_CONV_PACKING_H

#include "runtime/kernels/nn/conv_winograd.h"

/* As for Winograd's filtering: microcontrollers have no room for it. */
enum { CONV_PACKING_IS_THERE = WINOGRAD_IS_THERE };

/* Whether packing is worth it; `follows`: for tsm_conv_packing_follow. Depends on shapes, and on the target, only. */
bool tsm_conv_packing_pays(tsm_exec *x, const conv_geometry *g, bool follows);

/* Whether the weight is packed as it lies: its taps have to lie together. */
bool tsm_conv_packing_takes(const tsm_tensor *weight);

/* The convolution of an image, however it lies, into y, contiguous; bias may be NULL. `spatial` dimensions are those of
 * the call. */
tsm_status tsm_conv_packing(tsm_exec *x, const conv_geometry *g, int spatial, const tsm_tensor *image,
                            const tsm_tensor *weight, const float *bias, float *y);

/* The same of a float32 image with a batch that is channels-last, into a channels-last result. */
tsm_status tsm_conv_packing_follow(tsm_exec *x, const conv_geometry *g, int spatial, tsm_tensor *image,
                                   const tsm_tensor *weight, const float *bias, tsm_value *out);

#endif
