#include "runtime/kernels/nn/nn.h"

tsm_status nn_call(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *arguments, tsm_value *out) {
    enum { MAX = 24 };
    const tsm_value *in[MAX];
    if (n > MAX)
        return tsm_fail(x, TSM_INTERNAL, "%s: too many arguments of an inner call", tsm_op_name(x));
    for (int i = 0; i < n; i++)
        in[i] = &arguments[i];
    tsm_tensor *dest = x->dest;
    uint64_t dying = x->dying;
    uint32_t inputs = x->inputs;
    x->inputs = (uint32_t)n;
    x->dest = NULL;
    x->dying = 0;
    tsm_status status = kernel(x, in, out);
    x->inputs = inputs;
    x->dest = dest;
    x->dying = dying;
    return status;
}

typedef struct {
    nn_range run;
    void *argument;
    char *scratch;
    size_t scratch_bytes, n, grain, grains, tasks;
} range_job;

/* Where range `index` begins: the ranges differ by at most one grain. */
static size_t range_begin(const range_job *j, size_t index) {
    size_t each = j->grains / j->tasks, more = j->grains % j->tasks,
           at = (index * each + (index < more ? index : more)) * j->grain;
    return at < j->n ? at : j->n;
}

static void run_range(void *argument, size_t index) {
    const range_job *j = argument;
    size_t begin = range_begin(j, index), end = range_begin(j, index + 1);
    if (begin < end)
        j->run(j->argument, j->scratch_bytes ? j->scratch + index * j->scratch_bytes : NULL, begin, end);
}

tsm_status nn_parallel(tsm_exec *x, size_t n, size_t grain, size_t scratch_bytes, nn_range run, void *argument) {
    if (n == 0)
        return TSM_OK;
    size_t grains = (n + grain - 1) / grain, tasks = x->platform.parallel ? grains : 1;
    if (tasks > NN_MAX_TASKS)
        tasks = NN_MAX_TASKS;
    range_job j = {run, argument, NULL, (scratch_bytes + 63) & ~(size_t)63, n, grain, grains, tasks};
    if (j.scratch_bytes) {
        j.scratch = tsm_scratch(x, tasks * j.scratch_bytes);
        if (!j.scratch)
            return TSM_OUT_OF_MEMORY;
    }
    if (tasks == 1)
        run_range(&j, 0);
    else
        x->platform.parallel(x->platform.context, run_range, &j, tasks);
    tsm_scratch_free(x, j.scratch);
    return TSM_OK;
}

tsm_status nn_ints(tsm_exec *x, const tsm_value *const *in, int i, const char *name, int n, const tsm_dim *absent,
                   tsm_dim *v) {
    int given = arg_ints(x, in, i, v, n);
    if (given < 0)
        return TSM_RAISED;
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

tsm_dtype nn_compute_dtype(tsm_dtype dtype) {
    switch (dtype) {
    case TSM_FLOAT16:
    case TSM_BFLOAT16:
    case TSM_FLOAT32:
        return TSM_FLOAT32;
    case TSM_FLOAT64:
        return TSM_FLOAT64;
    case TSM_COMPLEX32:
    case TSM_COMPLEX64:
    case TSM_COMPLEX128:
        return TSM_COMPLEX128;
    default:
        return TSM_INT64;
    }
}

tsm_status nn_contiguous(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    if (t->dtype == dtype)
        return tsm_tensor_contiguous(x, t, out);
    tsm_tensor *made;
    TSM_TRY(tsm_tensor_make(x, dtype, t->dims, t->sizes, &made));
    tsm_status status = tsm_tensor_copy(x, made, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, made);
        return status;
    }
    *out = made;
    return TSM_OK;
}

tsm_status nn_contiguous_or_null(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    *out = NULL;
    return t ? nn_contiguous(x, t, dtype, out) : TSM_OK;
}

tsm_status nn_finish(tsm_exec *x, tsm_status status, tsm_tensor *t, tsm_dtype dtype, tsm_value *out) {
    if (status == TSM_OK && t->dtype != dtype) {
        tsm_tensor *converted;
        status = tsm_tensor_to(x, t, dtype, &converted);
        if (status == TSM_OK) {
            tsm_tensor_drop(x, t);
            t = converted;
        }
    }
    if (status != TSM_OK) {
        tsm_tensor_drop(x, t);
        return status;
    }
    return ret_tensor(out, t);
}

void nn_channels_last_strides(int dims, const tsm_dim *sizes, tsm_dim *strides) {
    tsm_dim stride = 1;
    strides[1] = 1;
    stride *= sizes[1];
    for (int d = dims - 1; d > 1; d--) {
        strides[d] = stride;
        stride *= sizes[d];
    }
    strides[0] = stride;
}

bool nn_follows_channels_last(const tsm_tensor *t) {
    return tsm_tensor_is_channels_last(t) && !tsm_tensor_is_contiguous(t);
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

/* Images of few channels are the usual input of a model; the general copy would turn them row by row. */
static bool interleave_images(tsm_exec *x, const tsm_tensor *t, tsm_tensor *made) {
    enum { FEW = 16 };
    if (t->dtype != TSM_FLOAT32 || t->sizes[1] > FEW || !tsm_tensor_is_contiguous(t) || t->elements == 0)
        return false;
    size_t image = (size_t)(t->elements / t->sizes[0]), channels = (size_t)t->sizes[1];
    for (tsm_dim n = 0; n < t->sizes[0]; n++) {
        float *to = (float *)made->data + (size_t)n * image;
        const float *from = (const float *)t->data + (size_t)n * image;
        if (channels == 3)
            nn_f32(x)->interleave_three(to, from, from + image / 3, from + image / 3 * 2, image / 3);
        else
            interleave(to, from, channels, image / channels);
    }
    return true;
}

tsm_status nn_channels_last(tsm_exec *x, tsm_tensor *t, tsm_tensor **out) {
    if (t->dtype == TSM_FLOAT32 && tsm_tensor_is_channels_last(t)) {
        tsm_hold(tsm_of_tensor(t));
        *out = t;
        return TSM_OK;
    }
    tsm_dim strides[TSM_MAX_DIMS];
    nn_channels_last_strides(t->dims, t->sizes, strides);
    tsm_tensor *made;
    TSM_TRY(tsm_tensor_make_strided(x, TSM_FLOAT32, t->dims, t->sizes, strides, &made));
    tsm_status status = interleave_images(x, t, made) ? TSM_OK : tsm_tensor_copy(x, made, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, made);
        return status;
    }
    *out = made;
    return TSM_OK;
}
