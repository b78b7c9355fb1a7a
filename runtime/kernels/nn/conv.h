/* The shapes of a convolution, shared by its kernels. */
#ifndef TSM_KERNELS_NN_CONV_H
#define TSM_KERNELS_NN_CONV_H

#include "runtime/kernels/nn/nn.h"

/* What a call says: the weight's shape [outputs, depth, kernel...] and the numbers for each of the `spatial`
 * dimensions. */
typedef struct {
    int spatial; /* 1 to 3 */
    tsm_dim outputs, depth, groups;
    const tsm_dim *kernel;
    tsm_dim stride[3], padding[3], dilation[3];
} conv_form;

/* The same with the input's sizes, always three-dimensional: missing dimensions are of size 1 and come first. */
typedef struct {
    tsm_dim stride[3], padding[3], dilation[3];
    tsm_dim groups;
    tsm_dim in[3], out[3], kernel[3]; /* spatial sizes */
    tsm_dim batch, channels, outputs; /* channels of input, of output */
} conv_geometry;

static inline tsm_dim conv_plane(const tsm_dim sizes[3]) {
    return sizes[0] * sizes[1] * sizes[2];
}
/* Positions of the kernel. */
static inline tsm_dim conv_taps(const conv_geometry *g) {
    return conv_plane(g->kernel);
}

/* Where the line of a plane of these sizes begins that belongs to element `at` of the other plane and taps (k[0], k[1],
 * *): of the input for an output element, in a transposed convolution of the output for an input element. -1: outside.
 */
static inline tsm_dim conv_line(const conv_geometry *g, const tsm_dim sizes[3], const tsm_dim at[3],
                                const tsm_dim k[2]) {
    tsm_dim line = 0;
    for (int d = 0; d < 2; d++) {
        tsm_dim i = at[d] * g->stride[d] - g->padding[d] + k[d] * g->dilation[d];
        if (i < 0 || i >= sizes[d])
            return -1;
        line = line * sizes[d] + i;
    }
    return line * sizes[2];
}

/* Reads stride, padding and dilation from three consecutive arguments. */
tsm_status tsm_conv_read_form(tsm_exec *x, const tsm_value *const *in, int first, int spatial, int64_t groups,
                              conv_form *f);

/* Checks that an input [N, C, spatial...] or [C, spatial...] fits, and computes the output's sizes; raises PyTorch's
 * texts. */
tsm_status tsm_conv_read_geometry(tsm_exec *x, const tsm_tensor *a, const conv_form *f, conv_geometry *g);

/* Charges the multiplications of a convolution whose kernel lies at so many positions in each dimension. */
tsm_status tsm_conv_charge(tsm_exec *x, const conv_geometry *g, const tsm_dim positions[3]);

/* The sizes of a transposed convolution of `a`, of which batch, channels, outputs and groups are known; raises
 * PyTorch's texts. `extra`: output_padding. */
tsm_status tsm_conv_transpose_sizes(tsm_exec *x, const tsm_tensor *a, const conv_form *f, const tsm_dim extra[3],
                                    conv_geometry *g);

/* A transposed convolution with the arguments of aten::_convolution. */
tsm_status tsm_conv_transpose_of_convolution(tsm_exec *x, const tsm_value *const *in, int spatial, tsm_value *out);

#endif
