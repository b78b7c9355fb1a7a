/* Images sampled at points of a grid, in which -1 and 1 are their sides: the kernels. Scratch: a block of points for
 * each task (12 KiB for float32, 19 for float64; a quarter of it where there are no vectors), and copies of what does
 * not lie as the loops want it. */
#include "runtime/kernels/nn/sample.h"

#include "runtime/kernels/nn/nn.h"

enum { SAMPLE_TASK_WORK = 1 << 15 };

static tsm_status check_sample(tsm_exec *x, const tsm_tensor *image, const tsm_tensor *grid, int dims) {
    char of_image[128], of_grid[128];
    const int n = image->dims;
    tsm_shape_text(of_image, sizeof of_image, n, image->sizes);
    tsm_shape_text(of_grid, sizeof of_grid, grid->dims, grid->sizes);
    if (n && grid->dims && image->sizes[0] != grid->sizes[0])
        return TSM_RAISE(x,
                         "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
                         "%s and grid with sizes %s",
                         of_image, of_grid);
    if (grid->dims && n >= 2 && grid->sizes[grid->dims - 1] != n - 2)
        return TSM_RAISE(x,
                         "grid_sampler(): expected grid to have size %d in last dimension, but got grid with sizes %s",
                         n - 2, of_grid);
    for (int d = 2; d < n; d++)
        if (image->sizes[d] == 0)
            return TSM_RAISE(x,
                             "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                             "%s with dimension %d being empty",
                             of_image, d);
    if (n != dims + 2 || grid->dims != n)
        return TSM_RAISE(x,
                         "grid_sampler(): expected %dD input and grid with same number of dimensions, but got input "
                         "with sizes %s and grid with sizes %s",
                         dims + 2, of_image, of_grid);
    if (!tsm_dtype_is_floating((tsm_dtype)image->dtype))
        return tsm_loops_missing(x, dims == 2 ? "grid_sampler_2d_cpu" : "grid_sampler3d_cpu", (tsm_dtype)image->dtype);
    if (grid->dtype != image->dtype)
        return TSM_RAISE(x, "expected scalar type %s but found %s", tsm_dtype_class_name((tsm_dtype)image->dtype),
                         tsm_dtype_class_name((tsm_dtype)grid->dtype));
    return TSM_OK;
}

/* t of this dtype, contiguous from dimension `first` on: itself with one more count, or a copy. */
static tsm_status sample_dense(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, int first, tsm_tensor **out) {
    tsm_dim step = 1;
    bool dense = (tsm_dtype)t->dtype == dtype;
    for (int d = t->dims - 1; d >= first; d--) {
        dense = dense && (t->sizes[d] <= 1 || t->strides[d] == step);
        step *= t->sizes[d];
    }
    if (!dense)
        return tsm_kernel_contiguous(x, t, dtype, out);
    *out = t;
    (void)tsm_hold(tsm_of_tensor(t));
    return TSM_OK;
}

static tsm_status sample_blocks(tsm_exec *x, const sample_job *j, tsm_dim batch, tsm_dtype dtype, uint64_t taps) {
    const sample_loops *loops = tsm_nn_sample_loops(x);
    const size_t blocks = (size_t)batch * (((size_t)j->points + loops->points - 1) / loops->points);
    const size_t work = loops->points * ((size_t)j->channels + 1) * (size_t)taps;
    const bool is_double = dtype == TSM_FLOAT64;
    return tsm_loops_parallel(x, blocks, SAMPLE_TASK_WORK / work + 1,
                              is_double ? loops->scratch_f64 : loops->scratch_f32, is_double ? loops->f64 : loops->f32,
                              (void *)j);
}

static tsm_status sample_grid(tsm_exec *x, const tsm_value *const *in, int dims, tsm_value *out) {
    tsm_tensor *image = arg_tensor(in, 0), *grid = arg_tensor(in, 1);
    const int64_t how = arg_int(in, 2), padding = arg_int(in, 3);
    TSM_TRY(check_sample(x, image, grid, dims));
    if (how < 0 || how > 2 || padding < 0 || padding > 2)
        return TSM_RAISE(x, "grid_sampler(): interpolation_mode %ld with padding_mode %ld is not supported", how,
                         padding);
    sample_job j = {.dims = dims,
                    .channels = image->sizes[1],
                    .points = 1,
                    .how = how == 1   ? SAMPLE_NEAREST
                           : how == 2 ? SAMPLE_CUBIC
                                      : SAMPLE_LINEAR,
                    .padding = padding == 1   ? SAMPLE_BORDER
                               : padding == 2 ? SAMPLE_REFLECTED
                                              : SAMPLE_ZEROS,
                    .align_corners = arg_bool(in, 4)};
    if (j.how == SAMPLE_CUBIC && dims == 3)
        return TSM_RAISE(x, "grid_sampler(): bicubic interpolation only supports 4D input");
    tsm_dim sizes[SAMPLE_DIMS + 2] = {image->sizes[0], j.channels}, plane = 1;
    j.in[0] = 1;
    for (int d = 0; d < dims; d++) {
        const tsm_dim size = image->sizes[d + 2];
        j.in[SAMPLE_DIMS - dims + d] = size;
        plane = tsm_dim_mul(plane, size);
        sizes[d + 2] = grid->sizes[d + 1];
        j.points = tsm_dim_mul(j.points, sizes[d + 2]);
    }
    if (plane > SAMPLE_MOST_PLANE)
        return TSM_RAISE(x, "grid_sampler(): images of more than %d numbers are not supported", SAMPLE_MOST_PLANE);
    const tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)image->dtype);
    const uint64_t taps = j.how == SAMPLE_NEAREST ? 1 : j.how == SAMPLE_CUBIC ? 16 : dims == 3 ? 8 : 4;
    tsm_tensor *y, *dense_image = NULL, *dense_grid = NULL;
    TSM_TRY(tsm_tensor_make(x, dtype, dims + 2, sizes, &y));
    tsm_status status = tsm_charge_product(x, (uint64_t)y->elements, taps, 1);
    if (status == TSM_OK && y->elements)
        status = sample_dense(x, image, dtype, 2, &dense_image);
    if (status == TSM_OK && y->elements)
        status = sample_dense(x, grid, dtype, 1, &dense_grid);
    if (status == TSM_OK && y->elements) {
        j.image = dense_image->data;
        j.grid = dense_grid->data;
        j.y = y->data;
        j.image_batch = dense_image->strides[0];
        j.image_channel = dense_image->strides[1];
        j.grid_batch = dense_grid->strides[0];
        status = sample_blocks(x, &j, sizes[0], dtype, taps);
    }
    tsm_tensor_drop(x, dense_image);
    tsm_tensor_drop(x, dense_grid);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)image->dtype, out);
}

/* aten::grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners): a point's last coordinate is
 * that along lines. */
TSM_KERNEL(aten_grid_sampler_2d) {
    return sample_grid(x, in, 2, out);
}

TSM_KERNEL(aten_grid_sampler_3d) {
    return sample_grid(x, in, 3, out);
}

TSM_KERNEL(aten_grid_sampler) {
    return sample_grid(x, in, arg_tensor(in, 0)->dims == 5 ? 3 : 2, out);
}
