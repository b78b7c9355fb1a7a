/* A float32 convolution over packed weights, channels-last: what its ways of computing share. */
#ifndef TSM_KERNELS_NN_CONV_PACKED_H
#define TSM_KERNELS_NN_CONV_PACKED_H

#include "runtime/kernels/nn/conv.h"
#include "runtime/kernels/nn/finish.h"
#include "runtime/kernels/simd/pack.h"

typedef struct packed_conv {
    const conv_geometry *g;
    const tsm_f32_loops *f32;
    const float *image;
    ptrdiff_t batch_step, step[3], pixel_step; /* of the image, in floats; pixel_step is step[2] */
    const float *weight, *zeros;
    const narrow_weight *narrow; /* in the place of `weight`; NULL: none */
    /* Of a narrow weight: transforms a panel (tsm_winograd_narrow_weight). */
    void (*transform)(const struct packed_conv *c, size_t panel, float *u, float *room);
    size_t taps, depth; /* kernel positions; channels of a group */
    float *out;
    const tsm_finish *finish;
    bool runs_merge;    /* a kernel row is one run of numbers */
    bool is_lone_pixel; /* the result has one pixel */
    bool is_even; /* a kernel of 1, and neighbouring output pixels are neighbouring input pixels, over all lines and
                     images */
    bool depthwise;
    tsm_status (*run)(tsm_exec *x, struct packed_conv *c);
} packed_conv;

/* A convolution of a float32 image whose geometry was read, over a weight in panels; the result is channels-last. */
tsm_status tsm_conv_packed(tsm_exec *x, const conv_geometry *g, int spatial, tsm_tensor *a, const float *w,
                           const fused_finish *f, tsm_value *out);

/* All of the image's channels by themselves. */
tsm_status tsm_conv_depthwise(tsm_exec *x, packed_conv *c);

#endif
