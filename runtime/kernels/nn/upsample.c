/* Resizing of images: nearest, linear and cubic interpolation over one, two or three spatial dimensions.
 *
 * A line of the input is stretched to the output's width once, and kept for the output lines that are made of it.
 * Where it is made of one line, it is stretched in its place. Scratch: for each column of the output 12 bytes for each
 * of its taps, and 4 for each of several lines that an output line is made of. float64 takes 16 bytes for each tap, and
 * 8 for each line. Lines of channels-last images have columns of all channels. */
#include "runtime/kernels/nn/upsample.h"

#include "runtime/kernels/quantizer/quantized_tensor.h"

typedef enum { NEAREST, NEAREST_EXACT, LINEAR, CUBIC } interpolation;

typedef struct {
    tsm_dim in[3], out[3], planes;
    tsm_dim inner;   /* planes whose pixels lie together: all channels of a channels-last image, else 1 */
    double scale[3]; /* input positions for one output position */
    bool align_corners;
    bool is_double; /* float64 is computed as such, all else as float32 */
} resize;

/* Output sizes from `output_size`, or from scale factors; both as lists that may be None. */
static tsm_status read_sizes(tsm_exec *x, const tsm_value *const *in, const tsm_tensor *t, int n, int sizes_at,
                             int scales_at, resize *r) {
    tsm_dim sizes[3];
    bool by_scale = arg_is_none(in, sizes_at);
    const tsm_list *scales = scales_at && !arg_is_none(in, scales_at) ? arg_list(in, scales_at) : NULL;
    if (t->dims != n + 2)
        return TSM_RAISE(x, "It is expected input_size equals to %d, but got size %d", n + 2, t->dims);
    if (by_scale && (!scales || (int)scales->length != n))
        return TSM_RAISE(x, "Must specify exactly one of output_size and scale_factors");
    if (!by_scale)
        TSM_TRY(tsm_nn_ints(x, in, sizes_at, "output_size", n, NULL, sizes));
    r->planes = t->sizes[0] * t->sizes[1];
    for (int d = 0; d < 3; d++) {
        int k = d - (3 - n);
        r->in[d] = k >= 0 ? t->sizes[2 + k] : 1;
        double factor = k >= 0 && scales && (int)scales->length == n ? scales->items[k].as.f : 0;
        r->out[d] = k < 0 ? 1 : by_scale ? tsm_dim_of_double((double)r->in[d] * factor) : sizes[k];
        if (r->in[d] < 1 || r->out[d] < 1)
            return TSM_RAISE(x, "Input and output sizes should be greater than 0");
        r->scale[d] = r->align_corners ? (r->out[d] > 1 ? (double)(r->in[d] - 1) / (double)(r->out[d] - 1) : 0)
                      : factor > 0     ? 1 / factor
                                       : (double)r->in[d] / (double)r->out[d];
    }
    return TSM_OK;
}

/* The taps of one output position along one dimension: as many for all of its positions. */
typedef struct {
    tsm_dim at[4];
    double weight[4];
    int count;
} taps;

static inline tsm_dim inside(tsm_dim i, tsm_dim size) {
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/* What one operation on floats gives: that on doubles, rounded. */
static inline double upsample_rounded(const resize *r, double v) {
    return r->is_double ? v : (double)(float)v;
}
static inline double multiply_add(const resize *r, double a, double b, double c) {
    return upsample_rounded(r, upsample_rounded(r, a * b) + c);
}

/* Keys' cubic kernel with a = -0.75, as PyTorch's. */
static double cubic_near(const resize *r, double t) {
    const double slope = upsample_rounded(r, multiply_add(r, 1.25, t, -2.25) * t);
    return multiply_add(r, slope, t, 1);
}
static double cubic_far(const resize *r, double t) {
    return multiply_add(r, multiply_add(r, multiply_add(r, -0.75, t, 3.75), t, -6), t, 3);
}

static taps nearest_tap(const resize *r, interpolation how, int d, tsm_dim o) {
    const float position = (float)o + (how == NEAREST ? 0 : 0.5f);
    const tsm_dim at = inside(tsm_dim_of_double(floorf(position * (float)r->scale[d])), r->in[d]);
    return (taps){.count = 1, .weight = {1}, .at = {at}};
}

/* The first of two taps and the second's weight. */
typedef struct {
    tsm_dim at;
    double weight;
} linear_tap;
static inline linear_tap linear_tap_from(const resize *r, double source, tsm_dim size) {
    source = source < 0 && !r->align_corners ? 0 : source;
    const tsm_dim first = inside(tsm_dim_of_double(source), size);
    const double part = upsample_rounded(r, source - (double)first);
    return (linear_tap){first, part < 0 ? 0 : part > 1 ? 1 : part};
}

/* The position in the input that output `o` is made of. */
static inline double resize_source_of(const resize *r, int d, tsm_dim o) {
    const double scale = upsample_rounded(r, r->scale[d]), position = upsample_rounded(r, (double)o);
    return r->align_corners ? upsample_rounded(r, position * scale)
                            : multiply_add(r, upsample_rounded(r, position + 0.5), scale, -0.5);
}
static inline linear_tap linear_tap_at(const resize *r, int d, tsm_dim o) {
    return linear_tap_from(r, resize_source_of(r, d, o), r->in[d]);
}

static taps linear_taps(const resize *r, double source, tsm_dim size) {
    const linear_tap p = linear_tap_from(r, source, size);
    return (taps){
        .count = 2, .at = {p.at, inside(p.at + 1, size)}, .weight = {upsample_rounded(r, 1 - p.weight), p.weight}};
}

static taps cubic_taps(const resize *r, double source, tsm_dim size) {
    const double first = floor(source), t = upsample_rounded(r, source - first), rest = upsample_rounded(r, 1 - t);
    taps p = {.count = 4,
              .weight = {cubic_far(r, upsample_rounded(r, t + 1)), cubic_near(r, t), cubic_near(r, rest),
                         cubic_far(r, upsample_rounded(r, 2 - t))}};
    for (int i = 0; i < 4; i++)
        p.at[i] = inside(tsm_dim_of_double(first - 1 + i), size);
    return p;
}

static taps taps_at(const resize *r, interpolation how, int d, tsm_dim o) {
    const tsm_dim size = r->in[d];
    if (size == 1)
        return (taps){.count = 1, .weight = {1}};
    if (how == NEAREST || how == NEAREST_EXACT)
        return nearest_tap(r, how, d, o);
    const double source = resize_source_of(r, d, o);
    return how == LINEAR ? linear_taps(r, source, size) : cubic_taps(r, source, size);
}

/* ---- Planes ---- */

enum { MOST_LINES = 4 };

/* to = the sum of two lines or more by their weights. */
static void blend_f32(const tsm_f32_loops *f32, float *to, const float *const *lines, const float *weights, int count,
                      tsm_dim n) {
    TSM_F32(f32, weigh_rows, to, 0, lines, weights, (size_t)count, (size_t)n);
}
/* Two lines at a time. */
static void blend_f64(const tsm_f32_loops *f32, double *restrict to, const double *const *lines, const double *weights,
                      int count, tsm_dim n) {
    (void)f32;
    for (int k = 0; k < count; k += 2) {
        const double *restrict a = lines[k], *restrict b = lines[k + 1], v = weights[k], w = weights[k + 1];
        for (tsm_dim i = 0; i < n; i++)
            to[i] = (k == 0 ? 0 : to[i]) + (v * a[i] + w * b[i]);
    }
}

#define ELEMENT float
#define NAME(f) f##_f32
#include "runtime/kernels/nn/upsample_planes.h"
#define ELEMENT double
#define NAME(f) f##_f64
#include "runtime/kernels/nn/upsample_planes.h"

/* The image's elements as they lie, without gaps: channels-last, or row-major. */
static tsm_status image_as_it_lies(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    tsm_tensor *converted;
    *out = NULL;
    TSM_TRY(tsm_tensor_to(x, t, dtype, &converted));
    const tsm_status status = tsm_tensor_closed(x, converted, out);
    tsm_tensor_drop(x, converted);
    return status;
}

static tsm_status interpolate(tsm_exec *x, tsm_tensor *t, resize *r, interpolation how, int n, tsm_value *out) {
    tsm_tensor *image = NULL, *y = NULL;
    bool copies = (how == NEAREST || how == NEAREST_EXACT) && t->dtype == TSM_UINT8;
    if (n == 2 && t->dtype == TSM_UINT8 && !copies && t->elements) {
        byte_resize b = {.out = {r->out[1], r->out[2]},
                         .scale = {r->scale[1], r->scale[2]},
                         .is_cubic = how == CUBIC,
                         .align_corners = r->align_corners};
        return tsm_nn_upsample_bytes(x, t, &b, out);
    }
    if (!tsm_dtype_is_floating((tsm_dtype)t->dtype) && !copies)
        return TSM_RAISE(x, "upsampling is not implemented for '%s'", tsm_dtype_name((tsm_dtype)t->dtype));
    tsm_dim sizes[5] = {t->sizes[0], t->sizes[1]};
    for (int k = 0; k < n; k++)
        sizes[2 + k] = r->out[3 - n + k];
    const tsm_dtype dtype = r->is_double ? TSM_FLOAT64 : TSM_FLOAT32;
    const bool follows = how != CUBIC && tsm_tensor_suggests_channels_last(t);
    tsm_dim strides[5];
    (follows ? tsm_strides_channels_last : tsm_strides_contiguous)(n + 2, sizes, strides);
    r->inner = follows ? t->sizes[1] : 1;
    tsm_status status = (follows ? image_as_it_lies : tsm_kernel_contiguous)(x, t, dtype, &image);
    if (status == TSM_OK)
        status = tsm_tensor_make_strided(x, dtype, n + 2, sizes, strides, &y);
    if (status == TSM_OK && r->is_double)
        status = stretch_planes_f64(x, r, how, image->data, y->data);
    else if (status == TSM_OK)
        status = stretch_planes_f32(x, r, how, image->data, y->data);
    tsm_tensor_drop(x, image);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)t->dtype, out);
}

/* Dimensions that are not there have one input and one output position, where every kernel of taps is the identity. */
static tsm_status upsample(tsm_exec *x, const tsm_value *const *in, interpolation how, int n, bool vec,
                           tsm_value *out) {
    bool aligns = how == LINEAR || how == CUBIC;
    resize r = {.align_corners = aligns && arg_bool(in, 2), .is_double = arg_tensor(in, 0)->dtype == TSM_FLOAT64};
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_through_steps(x, in, out);
    TSM_TRY(read_sizes(x, in, arg_tensor(in, 0), n, 1, vec ? (aligns ? 3 : 2) : 0, &r));
    for (int k = 0; !vec && k < n; k++) { /* scales one by one */
        int at = (aligns ? 3 : 2) + k;
        if (!r.align_corners && !arg_is_none(in, at) && arg_float(in, at) > 0)
            r.scale[3 - n + k] = 1 / arg_float(in, at);
    }
    for (int d = 0; d < 3; d++)
        if (how == LINEAR && r.in[d] == r.out[d])
            r.scale[d] = 1; /* PyTorch copies then, whatever the factor that the size was made by */
    return interpolate(x, arg_tensor(in, 0), &r, how, n, out);
}

TSM_KERNEL(aten_upsample_nearest1d_vec) {
    return upsample(x, in, NEAREST, 1, true, out);
}
TSM_KERNEL(aten_upsample_nearest2d_vec) {
    return upsample(x, in, NEAREST, 2, true, out);
}
TSM_KERNEL(aten_upsample_nearest3d_vec) {
    return upsample(x, in, NEAREST, 3, true, out);
}
TSM_KERNEL(aten_upsample_nearest1d) {
    return upsample(x, in, NEAREST, 1, false, out);
}
TSM_KERNEL(aten_upsample_nearest2d) {
    return upsample(x, in, NEAREST, 2, false, out);
}
TSM_KERNEL(aten_upsample_nearest3d) {
    return upsample(x, in, NEAREST, 3, false, out);
}
TSM_KERNEL(aten__upsample_nearest_exact1d_vec) {
    return upsample(x, in, NEAREST_EXACT, 1, true, out);
}
TSM_KERNEL(aten__upsample_nearest_exact2d_vec) {
    return upsample(x, in, NEAREST_EXACT, 2, true, out);
}
TSM_KERNEL(aten__upsample_nearest_exact3d_vec) {
    return upsample(x, in, NEAREST_EXACT, 3, true, out);
}
TSM_KERNEL(aten__upsample_nearest_exact1d) {
    return upsample(x, in, NEAREST_EXACT, 1, false, out);
}
TSM_KERNEL(aten__upsample_nearest_exact2d) {
    return upsample(x, in, NEAREST_EXACT, 2, false, out);
}
TSM_KERNEL(aten__upsample_nearest_exact3d) {
    return upsample(x, in, NEAREST_EXACT, 3, false, out);
}
TSM_KERNEL(aten_upsample_linear1d_vec) {
    return upsample(x, in, LINEAR, 1, true, out);
}
TSM_KERNEL(aten_upsample_bilinear2d_vec) {
    return upsample(x, in, LINEAR, 2, true, out);
}
TSM_KERNEL(aten_upsample_trilinear3d_vec) {
    return upsample(x, in, LINEAR, 3, true, out);
}
TSM_KERNEL(aten_upsample_linear1d) {
    return upsample(x, in, LINEAR, 1, false, out);
}
TSM_KERNEL(aten_upsample_bilinear2d) {
    return upsample(x, in, LINEAR, 2, false, out);
}
TSM_KERNEL(aten_upsample_trilinear3d) {
    return upsample(x, in, LINEAR, 3, false, out);
}
TSM_KERNEL(aten_upsample_bicubic2d_vec) {
    return upsample(x, in, CUBIC, 2, true, out);
}
TSM_KERNEL(aten_upsample_bicubic2d) {
    return upsample(x, in, CUBIC, 2, false, out);
}
