/* Convolutions whose weight is packed at the call. */
#include "runtime/kernels/nn/conv_packing.h"

#include "runtime/kernels/nn/finish.h"
#include "runtime/kernels/simd/pack.h"

/* A contiguous tensor around borrowed memory, in no storage. */
typedef struct {
    tsm_tensor tensor;
    tsm_dim sizes[5], strides[5];
} borrowed_images;

static void borrow_images(borrowed_images *b, int spatial, tsm_dim count, tsm_dim channels, const tsm_dim plane[3],
                          float *data) {
    memset(b, 0, sizeof *b);
    b->sizes[0] = count;
    b->sizes[1] = channels;
    for (int d = 0; d < spatial; d++)
        b->sizes[2 + d] = plane[3 - spatial + d];
    tsm_strides_contiguous(spatial + 2, b->sizes, b->strides);
    b->tensor.header.references = 1;
    b->tensor.dtype = TSM_FLOAT32;
    b->tensor.dims = (uint8_t)(spatial + 2);
    b->tensor.data = data;
    b->tensor.sizes = b->sizes;
    b->tensor.strides = b->strides;
    b->tensor.elements = count * channels * plane[0] * plane[1] * plane[2];
}

/* The images are those from number n on, which lie as the tensor does. */
static void take_strides(borrowed_images *b, int spatial, const tsm_tensor *image, tsm_dim n) {
    const int first = image->dims - spatial - 2; /* -1: an image without a batch */
    for (int d = 0; d < spatial + 2; d++)
        b->strides[d] = first + d < 0 ? 0 : image->strides[first + d];
    b->tensor.data = (float *)image->data + n * b->strides[0];
}

/* All channels share panels. */
static bool packs_depthwise(const conv_geometry *g) {
    return g->groups > 1 && g->groups == g->channels && g->groups == g->outputs;
}

bool tsm_conv_packing_pays(tsm_exec *x, const conv_geometry *g, bool follows) {
    enum { FEWEST_CHANNELS = 16, FEWEST_TAPS = 4, FEWEST_PIXELS = 64 };
    if (follows && packs_depthwise(g))
        return true;
    return loops_scratch(x) >= WINOGRAD_LEAST_SCRATCH && g->channels / g->groups >= FEWEST_CHANNELS &&
           g->outputs / g->groups >= FEWEST_CHANNELS && conv_taps(g) >= FEWEST_TAPS &&
           tsm_dim_mul(g->batch, conv_plane(g->out)) >= FEWEST_PIXELS;
}

bool tsm_conv_packing_takes(const tsm_tensor *weight) {
    tsm_dim step = 1;
    for (int d = weight->dims - 1; d > 1; step *= weight->sizes[d--])
        if (weight->sizes[d] != 1 && weight->strides[d] != step)
            return false;
    return true;
}

static float *pack_argument(tsm_exec *x, const conv_geometry *g, const tsm_tensor *weight) {
    const size_t groups = packs_depthwise(g) ? 1 : (size_t)g->groups, depth = (size_t)(g->channels / g->groups),
                 outputs = (size_t)g->outputs / groups, taps = (size_t)conv_taps(g),
                 floats = tsm_pack_floats(outputs, depth * taps);
    float *packed = tsm_scratch(x, groups * floats * sizeof *packed);
    for (size_t i = 0; packed && i < groups; i++)
        tsm_pack_taps(packed + i * floats, (const float *)weight->data + (tsm_dim)(i * outputs) * weight->strides[0],
                      outputs, depth, taps, weight->strides[0], weight->strides[1]);
    return packed;
}

static tsm_dim images_at_once(tsm_exec *x, const conv_geometry *g) {
    const tsm_dim floats = g->channels * conv_plane(g->in) + g->outputs * conv_plane(g->out),
                  fit = (tsm_dim)(4 * loops_scratch(x) / sizeof(float)) / tsm_dim_max(1, floats);
    return tsm_dim_min(g->batch, tsm_dim_max(1, fit));
}

/* The packed weight, or NULL where memory is short; and what is done to sums: the bias is added. */
static float *begin_packing(tsm_exec *x, const conv_geometry *g, const tsm_tensor *weight, const float *bias,
                            fused_finish *f) {
    memset(f, 0, sizeof *f);
    f->finish.column_bias = bias;
    return pack_argument(x, g, weight);
}

tsm_status tsm_conv_packing(tsm_exec *x, const conv_geometry *g, int spatial, const tsm_tensor *image,
                            const tsm_tensor *weight, const float *bias, float *y) {
    fused_finish f;
    float *packed = begin_packing(x, g, weight, bias, &f);
    if (!packed)
        return TSM_OUT_OF_MEMORY;
    tsm_status status = TSM_OK;
    const tsm_dim most = images_at_once(x, g);
    for (tsm_dim n = 0, count; n < g->batch && status == TSM_OK; n += count) {
        count = tsm_dim_min(most, g->batch - n);
        conv_geometry part = *g;
        part.batch = count;
        borrowed_images in, out;
        borrow_images(&in, spatial, count, g->channels, g->in, image->data);
        take_strides(&in, spatial, image, n);
        borrow_images(&out, spatial, count, g->outputs, g->out, y + n * g->outputs * conv_plane(g->out));
        tsm_value result;
        status = tsm_conv_packed(x, &part, spatial, &in.tensor, packed, &f, &result);
        if (status == TSM_OK) {
            tsm_tensor_fill(&out.tensor, tsm_as_tensor(result));
            tsm_drop(x, result);
        }
    }
    tsm_scratch_free(x, packed);
    return status;
}

tsm_status tsm_conv_packing_follow(tsm_exec *x, const conv_geometry *g, int spatial, tsm_tensor *image,
                                   const tsm_tensor *weight, const float *bias, tsm_value *out) {
    fused_finish f;
    float *packed = begin_packing(x, g, weight, bias, &f);
    if (!packed)
        return TSM_OUT_OF_MEMORY;
    const tsm_status status = tsm_conv_packed(x, g, spatial, image, packed, &f, out);
    tsm_scratch_free(x, packed);
    return status;
}
