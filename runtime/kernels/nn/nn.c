/* Sizes of windows as arguments, and images with their channels together. */
#include "runtime/kernels/nn/nn.h"

tsm_status tsm_nn_ints(tsm_exec *x, const tsm_value *const *in, int i, const char *name, int n, const tsm_dim *absent,
                       tsm_dim *v) {
    int given = tsm_arg_ints(x, in, i, v, n);
    if (given < 0)
        return TSM_RAISED;
    for (int k = 0; k < given; k++)
        if (v[k] > NN_MOST_INT || v[k] < -NN_MOST_INT)
            return TSM_RAISE(x, "%s: %s is out of range: %ld", tsm_op_name(x), name, (int64_t)v[k]);
    if (given == 0 && absent) {
        memcpy(v, absent, (size_t)n * sizeof *v);
        return TSM_OK;
    }
    if (given == 1)
        for (int k = 1; k < n; k++)
            v[k] = v[0];
    else if (given != n)
        return TSM_RAISE(x, "%s: %s must be a list of 1 or %d ints, but has %d", tsm_op_name(x), name, n, given);
    return TSM_OK;
}

/* Planes of `pixels` numbers each, one after the other, become `channels` numbers for each pixel. */
static void interleave(float *to, const float *from, size_t channels, size_t pixels) {
    enum { TILE = 64 }; /* pixels whose lines of the result stay in the first cache while all planes pass */
    for (size_t p = 0; p < pixels; p += TILE)
        for (size_t c = 0; c < channels; c++) {
            size_t n = pixels - p < TILE ? pixels - p : TILE;
            const float *plane = from + c * pixels + p;
            float *pixel = to + p * channels + c;
            for (size_t i = 0; i < n; i++)
                pixel[i * channels] = plane[i];
        }
}

/* Images of few channels are the usual input of a model; the general copy turns more of them at once. */
static bool interleave_images(tsm_exec *x, const tsm_tensor *t, tsm_tensor *made) {
    enum { FEW = 7 };
    if (t->dtype != TSM_FLOAT32 || t->sizes[1] > FEW || !tsm_tensor_is_contiguous(t) || t->elements == 0)
        return false;
    size_t image = (size_t)(t->elements / t->sizes[0]), channels = (size_t)t->sizes[1];
    for (tsm_dim n = 0; n < t->sizes[0]; n++) {
        float *to = (float *)made->data + (size_t)n * image;
        const float *from = (const float *)t->data + (size_t)n * image;
        if (channels == 3)
            TSM_F32(loops_f32(x), interleave_three, to, from, from + image / 3, from + image / 3 * 2, image / 3);
        else
            interleave(to, from, channels, image / channels);
    }
    return true;
}

tsm_status tsm_nn_channels_last(tsm_exec *x, tsm_tensor *t, tsm_tensor **out) {
    if (tsm_tensor_is_channels_last(t)) {
        tsm_hold(tsm_of_tensor(t));
        *out = t;
        return TSM_OK;
    }
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_strides_channels_last(t->dims, t->sizes, strides);
    tsm_tensor *made;
    TSM_TRY(tsm_tensor_make_strided(x, TSM_FLOAT32, t->dims, t->sizes, strides, &made));
    if (!interleave_images(x, t, made))
        tsm_tensor_fill(made, t);
    *out = made;
    return TSM_OK;
}
