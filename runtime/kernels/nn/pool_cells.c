/* The largest elements of cells that cut planes evenly: adaptive maximum pooling. Scratch: for each element of a line 8
 * bytes for float32 and 16 for float64, and a copy of what is not contiguous. */
#include "runtime/kernels/nn/pool_cells.h"

#include "runtime/kernels/nn/nn.h"

enum { CELLS_TASK_WORK = 1 << 15 };

static tsm_status read_cells(tsm_exec *x, const tsm_value *const *in, int n, cells_job *j) {
    const tsm_tensor *a = arg_tensor(in, 0);
    tsm_dim wanted[3];
    char shape[128];
    tsm_shape_text(shape, sizeof shape, a->dims, a->sizes);
    TSM_TRY(tsm_nn_ints(x, in, 1, "output_size", n, NULL, wanted));
    if (a->dims != n + 1 && a->dims != n + 2)
        return TSM_RAISE(x, "adaptive_max_pool%dd(): Expected %dD or %dD tensor, but got %s", n, n + 1, n + 2, shape);
    for (int d = 1; d < a->dims; d++)
        if (!a->sizes[d])
            return TSM_RAISE(x,
                             "adaptive_max_pool%dd(): Expected input to have non-zero size for non-batch dimensions, "
                             "but input has sizes %s with dimension %d being empty",
                             n, shape, d);
    for (int d = 0; d < 3; d++) {
        const int k = d - (3 - n);
        j->in[d] = k >= 0 ? a->sizes[a->dims - n + k] : 1;
        j->out[d] = k >= 0 ? wanted[k] : 1;
        if (j->out[d] < 0)
            return TSM_RAISE(x, "adaptive_max_pool%dd(): elements of output_size must be greater than or equal to 0",
                             n);
    }
    if (!tsm_dtype_is_floating((tsm_dtype)a->dtype))
        return TSM_RAISE(x, "\"adaptive_max_pool%dd_cpu\" not implemented for '%s'", n,
                         tsm_dtype_class_name((tsm_dtype)a->dtype));
    if (tsm_dim_mul(j->in[0], j->in[1]) > INT32_MAX)
        return TSM_RAISE(x, "adaptive_max_pool%dd(): planes of more than %d lines are not supported", n, INT32_MAX);
    return TSM_OK;
}

/* tsm::largest_of_cells(self, output_size): the last dimensions, as many as there are sizes, are cut; NaN is the
 * largest. Places are counted in a plane. */
TSM_KERNEL(tsm_largest_of_cells) {
    tsm_tensor *a = arg_tensor(in, 0), *image = NULL, *y = NULL, *at = NULL;
    const int n = (int)tsm_dim_min((tsm_dim)arg_list(in, 1)->length, 3);
    const tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    cells_job j = {.image = NULL};
    tsm_dim sizes[TSM_MAX_DIMS];
    if (!n)
        return TSM_RAISE(x, "adaptive_max_pool(): expected one to three sizes");
    TSM_TRY(read_cells(x, in, n, &j));
    memcpy(sizes, a->sizes, (size_t)a->dims * sizeof *sizes);
    memcpy(sizes + a->dims - n, j.out + 3 - n, (size_t)n * sizeof *sizes);
    TSM_TRY(tsm_tensor_make(x, dtype, a->dims, sizes, &y));
    tsm_status status = tsm_tensor_make(x, TSM_INT64, a->dims, sizes, &at);
    /* Cells overlap by an element at each side, at most. */
    uint64_t work = 1;
    for (int d = 0; d < a->dims; d++)
        work = tsm_work(work, (uint64_t)a->sizes[d] + (d < a->dims - n ? 0 : 2 * (uint64_t)sizes[d]));
    if (status == TSM_OK && y->elements)
        status = tsm_charge(x, work);
    if (status == TSM_OK && y->elements)
        status = tsm_kernel_contiguous(x, a, dtype, &image);
    if (status == TSM_OK && y->elements) {
        const cells_loops *loops = tsm_nn_cells_loops(x);
        const bool is_double = dtype == TSM_FLOAT64;
        const size_t bands = (size_t)(y->elements / j.out[2]), width = (size_t)j.in[2];
        const size_t each = (size_t)(work / bands) + 1;
        j.image = image->data;
        j.values = y->data;
        j.places = at->data;
        status = tsm_loops_parallel(x, bands, CELLS_TASK_WORK / each + 1,
                                    width * (is_double ? loops->scratch_f64 : loops->scratch_f32),
                                    is_double ? loops->f64 : loops->f32, &j);
    }
    tsm_tensor_drop(x, image);
    status = tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
    if (status == TSM_OK)
        out[1] = tsm_of_tensor(at);
    else
        tsm_tensor_drop(x, at);
    return status;
}
