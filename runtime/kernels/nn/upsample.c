/* Resizing of images: nearest, linear and cubic interpolation over one, two or three spatial dimensions.
 *
 * A line of the input is stretched to the output's width once, and kept for the output lines that are made of it.
 * Scratch: for each column of the output 12 bytes for each of its taps, and 4 for each line that an output line is made
 * of. float64 takes 16 bytes for each tap. */
#include "runtime/kernels/nn/upsample.h"

#include "runtime/kernels/quantizer/quantized_tensor.h"

typedef enum { NEAREST, NEAREST_EXACT, LINEAR, CUBIC } interpolation;

typedef struct {
    tsm_dim in[3], out[3], planes;
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
        r->out[d] = k < 0 ? 1 : by_scale ? (tsm_dim)((double)r->in[d] * factor) : sizes[k];
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

static tsm_dim inside(tsm_dim i, tsm_dim size) {
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/* What one operation on floats gives: that on doubles, rounded. */
static double upsample_rounded(const resize *r, double v) {
    return r->is_double ? v : (double)(float)v;
}
static double multiply_add(const resize *r, double a, double b, double c) {
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
    return (taps){.count = 1, .weight = {1}, .at = {inside((tsm_dim)floorf(position * (float)r->scale[d]), r->in[d])}};
}

static taps linear_taps(const resize *r, double source, tsm_dim size) {
    source = source < 0 && !r->align_corners ? 0 : source;
    const tsm_dim first = inside((tsm_dim)source, size);
    const double part = upsample_rounded(r, source - (double)first), w = part < 0 ? 0 : part > 1 ? 1 : part;
    return (taps){.count = 2, .at = {first, inside(first + 1, size)}, .weight = {upsample_rounded(r, 1 - w), w}};
}

static taps cubic_taps(const resize *r, double source, tsm_dim size) {
    const tsm_dim first = (tsm_dim)floor(source);
    const double t = upsample_rounded(r, source - (double)first), rest = upsample_rounded(r, 1 - t);
    taps p = {.count = 4,
              .weight = {cubic_far(r, upsample_rounded(r, t + 1)), cubic_near(r, t), cubic_near(r, rest),
                         cubic_far(r, upsample_rounded(r, 2 - t))}};
    for (int i = 0; i < 4; i++)
        p.at[i] = inside(first - 1 + i, size);
    return p;
}

static taps taps_at(const resize *r, interpolation how, int d, tsm_dim o) {
    const tsm_dim size = r->in[d];
    const double scale = upsample_rounded(r, r->scale[d]), position = upsample_rounded(r, (double)o);
    if (size == 1)
        return (taps){.count = 1, .weight = {1}};
    if (how == NEAREST || how == NEAREST_EXACT)
        return nearest_tap(r, how, d, o);
    const double source = r->align_corners ? upsample_rounded(r, position * scale)
                                           : multiply_add(r, upsample_rounded(r, position + 0.5), scale, -0.5);
    return how == LINEAR ? linear_taps(r, source, size) : cubic_taps(r, source, size);
}

/* ---- float64 ---- */

/* Columns of the output: tap k of column i is at[k * width + i], weights in the same order. */
typedef struct {
    tsm_dim width, *at;
    double *weights;
    int count;
} double_columns;

/* to = (or +=) factor times a line of the input, stretched. */
static void stretch_doubles(const double_columns *c, double *restrict to, const double *restrict line, double factor,
                            bool adds) {
    const tsm_dim n = c->width, *restrict at = c->at;
    const double *restrict w = c->weights;
    for (tsm_dim i = 0; i < n; i++) {
        double sum = c->count == 1 ? line[at[i]] : w[i] * line[at[i]];
        for (int k = 1; k < c->count; k++)
            sum += w[k * n + i] * line[at[k * n + i]];
        to[i] = factor * sum + (adds ? to[i] : 0);
    }
}

static void interpolate_planes(const resize *r, interpolation how, const double_columns *c, const double *from,
                               double *to) {
    for (tsm_dim p = 0; p < r->planes; p++, from += r->in[0] * r->in[1] * r->in[2])
        for (tsm_dim oz = 0; oz < r->out[0]; oz++) {
            const taps z = taps_at(r, how, 0, oz);
            for (tsm_dim oy = 0; oy < r->out[1]; oy++, to += r->out[2]) {
                const taps v = taps_at(r, how, 1, oy);
                for (int i = 0; i < z.count; i++)
                    for (int j = 0; j < v.count; j++)
                        stretch_doubles(c, to, from + (z.at[i] * r->in[1] + v.at[j]) * r->in[2],
                                        z.weight[i] * v.weight[j], i + j > 0);
            }
        }
}

static tsm_status interpolate_doubles(tsm_exec *x, const resize *r, interpolation how, const double *from, double *to) {
    double_columns c = {.width = r->out[2], .count = taps_at(r, how, 2, 0).count};
    const size_t taps_in_all = (size_t)c.width * (size_t)c.count;
    c.weights = tsm_scratch(x, taps_in_all * (sizeof *c.at + sizeof *c.weights));
    if (!c.weights)
        return TSM_OUT_OF_MEMORY;
    c.at = (tsm_dim *)(void *)(c.weights + taps_in_all);
    for (tsm_dim i = 0; i < c.width; i++) {
        const taps h = taps_at(r, how, 2, i);
        for (int k = 0; k < c.count; k++) {
            c.at[k * c.width + i] = h.at[k];
            c.weights[k * c.width + i] = h.weight[k];
        }
    }
    interpolate_planes(r, how, &c, from, to);
    tsm_scratch_free(x, c.weights);
    return TSM_OK;
}

/* ---- float32 ---- */

enum { MOST_LINES = 4 };

/* Interpolation of planes, one after the other. */
typedef struct {
    const resize *r;
    interpolation how;
    int count;   /* taps of a column: 1, 2 or 4 */
    int lines;   /* input lines of an output line */
    tsm_dim *at; /* tap k of column i: at[k * width + i], weights in the same order */
    float *weights, *kept;
    tsm_dim in_line[MOST_LINES]; /* which line of the plane stands stretched in kept[k * width], or -1 */
} stretching;

static void prepare_columns(stretching *s) {
    const tsm_dim width = s->r->out[2];
    for (tsm_dim i = 0; i < width; i++) {
        const taps h = taps_at(s->r, s->how, 2, i);
        for (int k = 0; k < s->count; k++) {
            s->at[k * width + i] = h.at[k];
            s->weights[k * width + i] = (float)h.weight[k];
        }
    }
}

static void stretch(const stretching *s, float *restrict to, const float *restrict line) {
    const tsm_dim n = s->r->out[2], *restrict at = s->at;
    const float *restrict w = s->weights;
    if (s->count == 1)
        for (tsm_dim i = 0; i < n; i++)
            to[i] = line[at[i]];
    else if (s->count == 2)
        for (tsm_dim i = 0; i < n; i++)
            to[i] = w[i] * line[at[i]] + w[n + i] * line[at[n + i]];
    else
        for (tsm_dim i = 0; i < n; i++)
            to[i] = w[i] * line[at[i]] + w[n + i] * line[at[n + i]] + w[2 * n + i] * line[at[2 * n + i]] +
                    w[3 * n + i] * line[at[3 * n + i]];
}

/* Input line (z, y) of a plane, stretched. Slots are chosen so that neighbouring lines do not push each other out. */
static const float *stretched_line(stretching *s, const float *plane, int i, int taps_of_y, tsm_dim z, tsm_dim y) {
    const int slot = i * taps_of_y + (int)(y % taps_of_y);
    const tsm_dim line = z * s->r->in[1] + y;
    float *kept = s->kept + slot * s->r->out[2];
    if (s->in_line[slot] != line) {
        stretch(s, kept, plane + line * s->r->in[2]);
        s->in_line[slot] = line;
    }
    return kept;
}

/* to = the sum of lines by their weights; two lines at a time. */
static void blend(float *restrict to, const float *const *lines, const float *weights, int count, tsm_dim n) {
    if (count == 1) {
        memcpy(to, lines[0], (size_t)n * sizeof *to);
        return;
    }
    for (int k = 0; k < count; k += 2) {
        const float *restrict a = lines[k], *restrict b = lines[k + 1], v = weights[k], w = weights[k + 1];
        if (k == 0)
            for (tsm_dim i = 0; i < n; i++)
                to[i] = v * a[i] + w * b[i];
        else
            for (tsm_dim i = 0; i < n; i++)
                to[i] = to[i] + (v * a[i] + w * b[i]);
    }
}

static void stretch_plane(stretching *s, const float *plane, float *to) {
    const resize *r = s->r;
    if (r->out[0] == 1 && r->out[1] == 1 && s->lines == 1) {
        stretch(s, to, plane + (taps_at(r, s->how, 0, 0).at[0] * r->in[1] + taps_at(r, s->how, 1, 0).at[0]) * r->in[2]);
        return;
    }
    for (int k = 0; k < s->lines; k++)
        s->in_line[k] = -1;
    for (tsm_dim oz = 0; oz < r->out[0]; oz++) {
        const taps z = taps_at(r, s->how, 0, oz);
        for (tsm_dim oy = 0; oy < r->out[1]; oy++, to += r->out[2]) {
            const taps v = taps_at(r, s->how, 1, oy);
            const float *lines[MOST_LINES];
            float weights[MOST_LINES];
            int count = 0;
            for (int i = 0; i < z.count; i++)
                for (int j = 0; j < v.count; j++, count++) {
                    lines[count] = stretched_line(s, plane, i, v.count, z.at[i], v.at[j]);
                    weights[count] = (float)z.weight[i] * (float)v.weight[j];
                }
            blend(to, lines, weights, count, r->out[2]);
        }
    }
}

static tsm_status stretch_planes(tsm_exec *x, const resize *r, interpolation how, const float *from, float *to) {
    stretching s = {.r = r, .how = how, .count = taps_at(r, how, 2, 0).count};
    s.lines = taps_at(r, how, 0, 0).count * taps_at(r, how, 1, 0).count;
    const size_t width = (size_t)r->out[2], taps = width * (size_t)s.count;
    s.at = tsm_scratch(x, taps * (sizeof *s.at + sizeof *s.weights) + width * (size_t)s.lines * sizeof *s.kept);
    if (!s.at)
        return TSM_OUT_OF_MEMORY;
    s.weights = (float *)(void *)(s.at + taps);
    s.kept = s.weights + taps;
    prepare_columns(&s);
    for (tsm_dim p = 0; p < r->planes; p++)
        stretch_plane(&s, from + p * (r->in[0] * r->in[1] * r->in[2]), to + p * (r->out[0] * r->out[1] * r->out[2]));
    tsm_scratch_free(x, s.at);
    return TSM_OK;
}

static tsm_status interpolate(tsm_exec *x, tsm_tensor *t, const resize *r, interpolation how, int n, tsm_value *out) {
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
    tsm_status status = tsm_kernel_contiguous(x, t, dtype, &image);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, dtype, n + 2, sizes, &y);
    if (status == TSM_OK && r->is_double)
        status = interpolate_doubles(x, r, how, image->data, y->data);
    else if (status == TSM_OK)
        status = stretch_planes(x, r, how, image->data, y->data);
    tsm_tensor_drop(x, image);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)t->dtype, out);
}

/* Dimensions that are not there have one input and one output position, where every kernel of taps is the identity. */
static tsm_status upsample(tsm_exec *x, const tsm_value *const *in, interpolation how, int n, bool vec,
                           tsm_value *out) {
    bool aligns = how == LINEAR || how == CUBIC;
    resize r = {.align_corners = aligns && arg_bool(in, 2), .is_double = arg_tensor(in, 0)->dtype == TSM_FLOAT64};
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_through_steps(x, in, quantized_zero_point(arg_tensor(in, 0)), out);
    TSM_TRY(read_sizes(x, in, arg_tensor(in, 0), n, 1, vec ? (aligns ? 3 : 2) : 0, &r));
    for (int k = 0; !vec && k < n; k++) { /* scales one by one */
        int at = (aligns ? 3 : 2) + k;
        if (!r.align_corners && !arg_is_none(in, at) && arg_float(in, at) > 0)
            r.scale[3 - n + k] = 1 / arg_float(in, at);
    }
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
