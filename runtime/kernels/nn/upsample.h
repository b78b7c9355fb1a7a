/* Resizing of images of bytes. */
#ifndef TSM_KERNELS_NN_UPSAMPLE_H
#define TSM_KERNELS_NN_UPSAMPLE_H

#include "runtime/kernels/nn/nn.h"

/* How the last two dimensions of an image are resized: `scale` input positions for one output position. */
typedef struct {
    tsm_dim out[2];
    double scale[2];
    bool is_cubic, antialias, align_corners;
} byte_resize;

/* t uint8 of four dimensions that are not empty. As in PyTorch 2 the weights are whole numbers, and columns are rounded
 * to bytes before rows are made of them. Scratch: the weights, 2 bytes each, of one output line. */
tsm_status tsm_nn_upsample_bytes(tsm_exec *x, tsm_tensor *t, const byte_resize *r, tsm_value *out);

#endif
