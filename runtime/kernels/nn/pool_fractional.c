/* Fractional max pooling (Graham, 2014): windows of one size whose distances vary; where they begin follows from a
 * random number for each plane and dimension, which is an argument. Two dimensions are computed as three. */
#include "runtime/kernels/nn/pool.h"

typedef struct {
    tsm_dim in[3], out[3], kernel[3];
} fractional_shape;

/* Where window i of a dimension begins; samples are in [0, 1), others count as 0. */
static tsm_dim window_start(const fractional_shape *s, int d, tsm_dim i, double sample) {
    if (i == s->out[d] - 1)
        return s->in[d] - s->kernel[d];
    double step = (double)(s->in[d] - s->kernel[d]) / (double)(s->out[d] - 1);
    if (!(sample >= 0 && sample < 1))
        sample = 0;
    tsm_dim start = (tsm_dim)(((double)i + sample) * step) - (tsm_dim)(sample * step);
    return tsm_dim_max(0, tsm_dim_min(start, s->in[d] - s->kernel[d]));
}

/* The place of the greatest number of the box that begins at `start`; NaN is greater than all. */
static tsm_dim greatest(const fractional_shape *s, const double *plane, const tsm_dim *start) {
    tsm_dim best = (start[0] * s->in[1] + start[1]) * s->in[2] + start[2];
    for (tsm_dim z = start[0]; z < start[0] + s->kernel[0]; z++)
        for (tsm_dim y = start[1]; y < start[1] + s->kernel[1]; y++)
            for (tsm_dim i = start[2]; i < start[2] + s->kernel[2]; i++) {
                tsm_dim at = (z * s->in[1] + y) * s->in[2] + i;
                if (plane[at] > plane[best] || (plane[at] != plane[at] && plane[best] == plane[best]))
                    best = at;
            }
    return best;
}

static void pool_plane(const fractional_shape *s, const double *plane, const double *samples, double *y,
                       int64_t *places) {
    tsm_dim o[3], start[3];
    for (o[0] = 0; o[0] < s->out[0]; o[0]++)
        for (o[1] = 0; o[1] < s->out[1]; o[1]++)
            for (o[2] = 0; o[2] < s->out[2]; o[2]++) {
                for (int d = 0; d < 3; d++)
                    start[d] = window_start(s, d, o[d], samples[d]);
                *places = greatest(s, plane, start);
                *y++ = plane[*places++];
            }
}

static tsm_status pool_planes(tsm_exec *x, const fractional_shape *s, tsm_tensor *a, tsm_tensor *samples, int n,
                              tsm_tensor *y, tsm_tensor *places) {
    tsm_tensor *image, *random;
    TSM_TRY(tsm_kernel_contiguous(x, a, TSM_FLOAT64, &image));
    tsm_status status = tsm_kernel_contiguous(x, samples, TSM_FLOAT64, &random);
    if (status == TSM_OK) {
        tsm_dim in = s->in[0] * s->in[1] * s->in[2], out = s->out[0] * s->out[1] * s->out[2];
        for (tsm_dim p = 0; p < y->elements / out; p++) {
            const double *given = (const double *)random->data + p * n;
            /* PyTorch's samples: for two dimensions width first, for three depth first */
            double each[3] = {n == 3 ? given[0] : 0, given[1], n == 3 ? given[2] : given[0]};
            pool_plane(s, (const double *)image->data + p * in, each, (double *)y->data + p * out,
                       (int64_t *)places->data + p * out);
        }
        tsm_tensor_drop(x, random);
    }
    tsm_tensor_drop(x, image);
    return status;
}

static tsm_status fractional(tsm_exec *x, const tsm_value *const *in, int n, tsm_value *out) {
    tsm_tensor *a = arg_tensor(in, 0), *samples = arg_tensor(in, 3), *y = NULL, *places = NULL;
    tsm_dim kernel[3], size[3], sizes[5];
    fractional_shape s = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    if (tsm_dtype_is_complex((tsm_dtype)a->dtype))
        return TSM_RAISE(x, "\"fractional_max_pool%dd\" not implemented for '%s'", n,
                         tsm_dtype_class_name((tsm_dtype)a->dtype));
    TSM_TRY(tsm_nn_ints(x, in, 1, "kernel_size", n, NULL, kernel));
    TSM_TRY(tsm_nn_ints(x, in, 2, "output_size", n, NULL, size));
    int lead = a->dims - n;
    if (lead != 1 && lead != 2)
        return TSM_RAISE(x, "fractional_max_pool%dd(): Expected %dD or %dD tensor, but got %dD", n, n + 1, n + 2,
                         a->dims);
    tsm_dim planes = a->sizes[0] * (lead == 2 ? a->sizes[1] : 1);
    memcpy(sizes, a->sizes, (size_t)lead * sizeof *sizes);
    for (int d = 0; d < n; d++) {
        int at = d + 3 - n;
        s.in[at] = a->sizes[lead + d];
        s.kernel[at] = kernel[d];
        s.out[at] = sizes[lead + d] = size[d];
        if (kernel[d] < 1 || size[d] < 1 || size[d] + kernel[d] - 1 + (n == 3) > s.in[at])
            return TSM_RAISE(x, "fractional_max_pool%dd(): pool size %zd too large relative to input size %zd", n,
                             (ptrdiff_t)kernel[d], (ptrdiff_t)s.in[at]);
    }
    if (samples->dims != 3 || samples->sizes[2] != n || samples->elements < planes * n)
        return TSM_RAISE(x, "Expect _random_samples to have a row of %d numbers for each of at least %zd planes", n,
                         (ptrdiff_t)planes);
    uint64_t window = tsm_work(tsm_work((uint64_t)s.kernel[0], (uint64_t)s.kernel[1]), (uint64_t)s.kernel[2]),
             windows = tsm_work(tsm_work((uint64_t)s.out[0], (uint64_t)s.out[1]), (uint64_t)s.out[2]);
    TSM_TRY(tsm_charge_product(x, window, windows, (uint64_t)planes));
    TSM_TRY(tsm_tensor_make(x, TSM_FLOAT64, a->dims, sizes, &y));
    tsm_status status = tsm_tensor_make(x, TSM_INT64, a->dims, sizes, &places);
    if (status == TSM_OK)
        status = pool_planes(x, &s, a, samples, n, y, places);
    status = tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
    if (status == TSM_OK)
        out[1] = tsm_of_tensor(places);
    else
        tsm_tensor_drop(x, places);
    return status;
}
TSM_KERNEL(aten_fractional_max_pool2d) {
    return fractional(x, in, 2, out);
}
TSM_KERNEL(aten_fractional_max_pool3d) {
    return fractional(x, in, 3, out);
}
