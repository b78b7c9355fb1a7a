/* The discrete Fourier transform of real and complex tensors along any dimensions, in the precision of the input: the
 * three operators that all of torch.fft, stft and istft come down to. Scratch: three complex numbers a point of the
 * line, 17 for short lines that go together (fft_lines.h); twelve to twenty for lengths with a large prime
 * factor. */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/linalg/fft_lines.h"

/* The whole operator: dimensions in the order in which they are transformed. */
typedef struct {
    tsm_tensor *in;
    int dims[TSM_MAX_DIMS], count;
    bool is_double;
    double scale;
} fft;

static tsm_status fft_arguments(tsm_exec *x, const tsm_value *const *in, bool wants_complex, fft *f) {
    f->in = arg_tensor(in, 0);
    tsm_dtype dtype = (tsm_dtype)f->in->dtype;
    f->is_double = dtype == TSM_FLOAT64 || dtype == TSM_COMPLEX128;
    bool fits = wants_complex ? dtype == TSM_COMPLEX64 || dtype == TSM_COMPLEX128
                              : dtype == TSM_FLOAT32 || dtype == TSM_FLOAT64;
    if (!fits)
        return TSM_RAISE(x, "Unsupported dtype %s", tsm_dtype_class_name(dtype));
    tsm_dim dims[TSM_MAX_DIMS];
    f->count = tsm_arg_ints(x, in, 1, dims, TSM_MAX_DIMS);
    if (f->count < 0)
        return TSM_RAISED;
    uint32_t seen = 0;
    for (int i = 0; i < f->count; i++) {
        TSM_TRY(tsm_wrap_dim_or_scalar(x, dims[i], f->in->dims, &f->dims[i]));
        if (f->in->dims == 0 || seen & 1u << f->dims[i])
            return TSM_RAISE(x, "FFT dims must be unique");
        seen |= 1u << f->dims[i];
    }
    return TSM_OK;
}

/* PyTorch's fft_norm_mode: none, by the root of the number of points, by the number of points. */
static tsm_status read_scale(tsm_exec *x, int64_t mode, double points, double *scale) {
    if (mode < 0 || mode > 2)
        return TSM_RAISE(x, "Unsupported normalization type %ld", mode);
    *scale = mode == 0 || points == 0 ? 1 : mode == 1 ? 1 / sqrt(points) : 1 / points;
    return TSM_OK;
}

static double points_along(const tsm_tensor *t, const fft *f) {
    double n = 1;
    for (int i = 0; i < f->count; i++)
        n *= (double)t->sizes[f->dims[i]];
    return n;
}

/* One dimension of `from` into `to`, which may be the same tensor. */
static tsm_status transform_dim(tsm_exec *x, const fft *f, fft_job *j, const tsm_tensor *from, tsm_tensor *to,
                                int dim) {
    j->from = from->data;
    j->to = to->data;
    j->from_complex = tsm_dtype_is_complex((tsm_dtype)from->dtype);
    j->to_complex = tsm_dtype_is_complex((tsm_dtype)to->dtype);
    j->given = j->to_complex ? j->n : j->n / 2 + 1;
    j->wanted = to->sizes[dim];
    j->from_step = from->strides[dim];
    j->to_step = to->strides[dim];
    tsm_dim_lines l = tsm_dim_lines_of(from, to, dim);
    if (!l.count || !j->wanted)
        return TSM_OK;
    if (!j->n)
        return TSM_RAISE(x, "Invalid number of data points (0) specified");
    TSM_TRY(tsm_charge_product(x, (uint64_t)l.count, tsm_work_sorting((uint64_t)j->n), 4));
    j->is_together = tsm_fft_goes_together(x, j);
    const size_t item = f->is_double ? sizeof(double) : sizeof(float);
    void *scratch = tsm_scratch(x, (size_t)tsm_fft_scratch_items(j) * item);
    if (!scratch)
        return TSM_OUT_OF_MEMORY;
    tsm_fft_lines_choose(x, f->is_double)(j, &l, scratch);
    tsm_scratch_free(x, scratch);
    return TSM_OK;
}

/* Complex to complex along the dimensions [first, f->count): the first from `from`, the others in place. */
static tsm_status transform_complex(tsm_exec *x, const fft *f, bool backward, double scale, const tsm_tensor *from,
                                    tsm_tensor *to, int first) {
    for (int i = first; i < f->count; i++) {
        fft_job j = {.backward = backward, .n = from->sizes[f->dims[i]], .scale = scale};
        TSM_TRY(transform_dim(x, f, &j, from, to, f->dims[i]));
        from = to;
        scale = 1;
    }
    return TSM_OK;
}

static tsm_status fft_finish(tsm_exec *x, tsm_status status, tsm_tensor *y, tsm_value *out) {
    if (status == TSM_OK)
        return ret_tensor(out, y);
    tsm_tensor_drop(x, y);
    return status;
}

/* _fft_c2c(self, dim, normalization, forward) */
TSM_KERNEL(aten__fft_c2c) {
    fft f;
    tsm_tensor *y;
    double scale;
    TSM_TRY(fft_arguments(x, in, true, &f));
    TSM_TRY(read_scale(x, arg_int(in, 2), points_along(f.in, &f), &scale));
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)f.in->dtype, f.in->dims, f.in->sizes, &y));
    tsm_status status = f.count ? TSM_OK : tsm_tensor_copy(x, y, f.in);
    if (status == TSM_OK)
        status = transform_complex(x, &f, !arg_bool(in, 3), scale, f.in, y, 0);
    return fft_finish(x, status, y, out);
}

/* _fft_r2c(self, dim, normalization, onesided): forwards; the last dimension given is the one that may be half. */
TSM_KERNEL(aten__fft_r2c) {
    fft f;
    tsm_tensor *y;
    double scale;
    tsm_dim sizes[TSM_MAX_DIMS];
    TSM_TRY(fft_arguments(x, in, false, &f));
    if (!f.count)
        return TSM_RAISE(x, "FFT needs a dimension to transform");
    TSM_TRY(read_scale(x, arg_int(in, 2), points_along(f.in, &f), &scale));
    int last = f.dims[--f.count];
    memcpy(sizes, f.in->sizes, (size_t)f.in->dims * sizeof *sizes);
    if (arg_bool(in, 3))
        sizes[last] = sizes[last] / 2 + 1;
    TSM_TRY(tsm_tensor_make(x, f.is_double ? TSM_COMPLEX128 : TSM_COMPLEX64, f.in->dims, sizes, &y));
    fft_job j = {.n = f.in->sizes[last], .scale = scale};
    tsm_status status = transform_dim(x, &f, &j, f.in, y, last);
    if (status == TSM_OK)
        status = transform_complex(x, &f, false, 1, y, y, 0);
    return fft_finish(x, status, y, out);
}

/* _fft_c2r(self, dim, normalization, last_dim_size): backwards; the last dimension given is a Hermitian half. */
TSM_KERNEL(aten__fft_c2r) {
    fft f;
    double scale;
    tsm_dim sizes[TSM_MAX_DIMS], n = arg_dim(in, 3);
    TSM_TRY(fft_arguments(x, in, true, &f));
    if (!f.count)
        return TSM_RAISE(x, "FFT needs a dimension to transform");
    int last = f.dims[--f.count];
    if (n < 1 || f.in->sizes[last] < n / 2 + 1)
        return TSM_RAISE(x, "Invalid number of data points (%ld) specified", (int64_t)n);
    TSM_TRY(read_scale(x, arg_int(in, 2), points_along(f.in, &f) * (double)n, &scale));
    tsm_tensor *half = f.in, *made = NULL, *y;
    tsm_status status = TSM_OK;
    if (f.count) {
        TSM_TRY(tsm_tensor_make(x, (tsm_dtype)f.in->dtype, f.in->dims, f.in->sizes, &made));
        status = transform_complex(x, &f, true, 1, f.in, made, 0);
        half = made;
    }
    memcpy(sizes, f.in->sizes, (size_t)f.in->dims * sizeof *sizes);
    sizes[last] = n;
    y = NULL;
    if (status == TSM_OK)
        status = tsm_tensor_make(x, f.is_double ? TSM_FLOAT64 : TSM_FLOAT32, f.in->dims, sizes, &y);
    fft_job j = {.backward = true, .n = n, .scale = scale};
    if (status == TSM_OK)
        status = transform_dim(x, &f, &j, half, y, last);
    tsm_tensor_drop(x, made);
    return fft_finish(x, status, y, out);
}
