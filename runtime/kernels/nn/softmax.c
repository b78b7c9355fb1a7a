/* softmax and log_softmax along one dimension: exp(a - max) / sum, and its logarithm. Scratch: 8 bytes for each element
 * along it. */
#include "runtime/kernels/nn/nn.h"
#include "runtime/kernels/nn/softmax_rows.h"
#include "runtime/kernels/simd/casts.h"
#include "runtime/tensor/dim_lines.h"
#include "runtime/tensor/iter.h"

/* ---- bfloat16, with the roundings that PyTorch makes on the way ---- */

/* PyTorch takes this many neighbouring lines at once; those that are left over keep their exponentials in bfloat16. */
enum { LINES_AT_ONCE = 16 };

static float softmax_rounded(float v) {
    uint16_t half;
    tsm_lane_store(TSM_BFLOAT16, &half, 0, TSM_LANE_F32, &v, 1);
    tsm_lane_load(TSM_LANE_F32, &v, TSM_BFLOAT16, &half, 0, 1);
    return v;
}

/* The exponentials' sum and its logarithm are kept in bfloat16. */
static float log_softmax_rounded(double sum) {
    return softmax_rounded(logf(softmax_rounded((float)sum)));
}
static void log_softmax_half(tsm_exec *x, float *row, tsm_dim n) {
    tsm_nn_log_softmax_row_f32(x, row, row, n, log_softmax_rounded);
}

static void softmax_half(tsm_exec *x, float *row, tsm_dim n) {
    (void)x;
    float top = row[0], sum = 0;
    for (tsm_dim k = 1; k < n; k++)
        top = row[k] > top ? row[k] : top;
    for (tsm_dim k = 0; k < n; k++) {
        float e = expf(row[k] - top);
        sum += e;
        row[k] = softmax_rounded(e);
    }
    for (tsm_dim k = 0; k < n; k++)
        row[k] /= sum;
}

static float log_softmax_plain(double sum) {
    return logf((float)sum);
}
static void log_softmax_row_f32(tsm_exec *x, float *y, const float *v, tsm_dim n) {
    tsm_nn_log_softmax_row_f32(x, y, v, n, log_softmax_plain);
}
static void softmax_row_f32(tsm_exec *x, float *y, const float *v, tsm_dim n) {
    TSM_F32(loops_f32(x), softmax, y, v, (size_t)n);
}

/* What softmax and log_softmax do each in its own way. */
typedef struct {
    char name[12];
    bool is_log;
    void (*rows)(tsm_exec *x, float *y, const float *v, tsm_dim count, tsm_dim width);
    void (*row_f32)(tsm_exec *x, float *y, const float *v, tsm_dim n);
    void (*row_f64)(tsm_exec *x, double *row, tsm_dim n);
    void (*half)(tsm_exec *x, float *row, tsm_dim n);
} softmax_kind;

static const softmax_kind plain_softmax = {
    "softmax", false, tsm_nn_softmax_rows, softmax_row_f32, tsm_nn_softmax_row_f64, softmax_half};
static const softmax_kind log_softmax = {
    "log_softmax", true, tsm_nn_log_softmax_rows, log_softmax_row_f32, tsm_nn_log_softmax_row_f64, log_softmax_half};

typedef struct {
    tsm_tensor *t, *y;
    const softmax_kind *kind;
    tsm_dim n, step, out_step;
    tsm_cast load, store; /* to a line of floats and back; NULL where it is converted by lanes */
    tsm_dim inner; /* neighbouring lines: elements of the dimensions behind the one at hand; 0 where there are none */
} softmax_job;

/* Whether line number `line` is one of those whose exponentials, or their sum, PyTorch rounds. */
static bool rounds_between(const softmax_job *j, tsm_dim line) {
    if (j->y->dtype != TSM_BFLOAT16)
        return false;
    if (j->kind->is_log || !j->inner)
        return j->kind->is_log && !j->inner;
    return line % j->inner >= j->inner - j->inner % LINES_AT_ONCE;
}

static void run_line(tsm_exec *x, const softmax_job *j, const tsm_dim_lines *l, tsm_dim line, void *row) {
    tsm_dtype in = (tsm_dtype)j->t->dtype, out = (tsm_dtype)j->y->dtype;
    tsm_dim in_size = (tsm_dim)tsm_dtype_size(in), out_size = (tsm_dim)tsm_dtype_size(out);
    const char *a = (const char *)j->t->data + l->from_offset * in_size;
    char *b = (char *)j->y->data + l->to_offset * out_size;
    tsm_lane lane = out == TSM_FLOAT64 ? TSM_LANE_F64 : TSM_LANE_F32;
    bool plain = in == TSM_FLOAT32 && out == TSM_FLOAT32 && j->step == 1 && j->out_step == 1;
    if (plain) {
        j->kind->row_f32(x, (float *)(void *)b, (const float *)(const void *)a, j->n);
        return;
    }
    if (in == TSM_FLOAT64 && out == TSM_FLOAT64 && j->step == 1 && j->out_step == 1) {
        if (a != b)
            memcpy(b, a, (size_t)j->n * sizeof(double));
        j->kind->row_f64(x, (double *)(void *)b, j->n);
        return;
    }
    if (j->load)
        j->load(row, a, j->n);
    else
        tsm_lane_load(lane, row, in, a, j->step * in_size, j->n);
    if (lane == TSM_LANE_F64)
        j->kind->row_f64(x, row, j->n);
    else if (rounds_between(j, line))
        j->kind->half(x, row, j->n);
    else
        j->kind->row_f32(x, row, row, j->n);
    if (j->store)
        j->store(b, row, j->n);
    else
        tsm_lane_store(out, b, j->out_step * out_size, lane, row, j->n);
}

#if TSM_NARROW_LANES
/* Short lines that lie one behind the other are converted together. */
enum { SOFTMAX_TOGETHER = 256 };
static bool lines_are_converted(const softmax_job *j) {
    return j->load && j->store && !j->inner && 2 * j->n <= SOFTMAX_TOGETHER && tsm_tensor_is_contiguous(j->t);
}
static void run_converted(tsm_exec *x, const softmax_job *j) {
    const tsm_dim in_size = (tsm_dim)tsm_dtype_size((tsm_dtype)j->t->dtype),
                  out_size = (tsm_dim)tsm_dtype_size((tsm_dtype)j->y->dtype),
                  all = SOFTMAX_TOGETHER - SOFTMAX_TOGETHER % j->n;
    const bool rounds = rounds_between(j, 0);
    for (tsm_dim at = 0, m; at < j->y->elements; at += m) {
        float v[SOFTMAX_TOGETHER], made[SOFTMAX_TOGETHER]; /* apart: stores that loads overlap would be waited for */
        m = tsm_dim_min(j->y->elements - at, all);
        j->load(v, (const char *)j->t->data + at * in_size, m);
        for (tsm_dim i = 0; i < m; i += j->n)
            if (rounds)
                j->kind->half(x, v + i, j->n);
            else
                j->kind->row_f32(x, made + i, v + i, j->n);
        j->store((char *)j->y->data + at * out_size, rounds ? v : made, m);
    }
}
#else
#define lines_are_converted(j) false
#define run_converted(x, j) (void)0
#endif

static tsm_status softmax(tsm_exec *x, tsm_tensor *t, int64_t dim, tsm_dtype dtype, const softmax_kind *kind,
                          tsm_value *out) {
    int d;
    tsm_tensor *y;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, dim, t->dims, &d));
    if (!tsm_dtype_is_floating(dtype))
        return TSM_RAISE(x, "\"%s_lastdim_kernel_impl\" not implemented for '%s'", kind->name,
                         tsm_dtype_class_name(dtype));
    TSM_TRY(tsm_tensor_make(x, dtype, t->dims, t->sizes, &y));
    softmax_job j = {
        t,    y,    kind,           t->dims ? t->sizes[d] : 1, t->dims ? t->strides[d] : 1, t->dims ? y->strides[d] : 1,
        NULL, NULL, d + 1 < t->dims};
    for (int k = d + 1; k < t->dims; k++)
        j.inner *= t->sizes[k];
    /* Elements that lie otherwise than those of the result are brought into its order first; not on small processors,
     * where there are no vectors to gain and code counts. */
    if (TSM_NARROW_LANES && (dtype == TSM_FLOAT32 || dtype == TSM_FLOAT64) && (j.inner > 1 || j.step != 1) &&
        !(tsm_tensor_is_contiguous(t) && t->dtype == dtype)) {
        const tsm_status status = tsm_tensor_copy(x, y, t);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, y);
            return status;
        }
        j.t = t = y;
        j.step = j.out_step;
    }
    if (t->dtype == TSM_FLOAT32 && dtype == TSM_FLOAT32 && j.inner > 1 && tsm_tensor_is_contiguous(t) && y->elements) {
        for (tsm_dim i = 0; i < y->elements; i += j.n * j.inner)
            kind->rows(x, (float *)y->data + i, (const float *)t->data + i, j.n, j.inner);
        return ret_tensor(out, y);
    }
    if (TSM_NARROW_LANES && tsm_lane_of(dtype) == TSM_LANE_F32) {
        j.load = j.step == 1 ? tsm_cast_find(x, (tsm_dtype)t->dtype, TSM_FLOAT32) : NULL;
        j.store = j.out_step == 1 ? tsm_cast_find(x, TSM_FLOAT32, dtype) : NULL;
    }
    if (lines_are_converted(&j) && y->elements) {
        run_converted(x, &j);
        return ret_tensor(out, y);
    }
    void *row = tsm_scratch(x, (size_t)j.n * sizeof(double));
    if (!row) {
        tsm_tensor_drop(x, y);
        return TSM_OUT_OF_MEMORY;
    }
    tsm_dim_lines l = tsm_dim_lines_of(t, y, d);
    for (tsm_dim i = 0; i < l.count && j.n; i++, tsm_dim_lines_next(&l))
        run_line(x, &j, &l, i, row);
    tsm_scratch_free(x, row);
    return ret_tensor(out, y);
}
static tsm_dtype softmax_dtype(const tsm_value *const *in, int i) {
    return arg_dtype(in, i, (tsm_dtype)arg_tensor(in, 0)->dtype);
}
TSM_KERNEL(aten_softmax_int) {
    return softmax(x, arg_tensor(in, 0), arg_int(in, 1), softmax_dtype(in, 2), &plain_softmax, out);
}
TSM_KERNEL(aten_log_softmax_int) {
    return softmax(x, arg_tensor(in, 0), arg_int(in, 1), softmax_dtype(in, 2), &log_softmax, out);
}
TSM_KERNEL(aten__softmax) {
    return softmax(x, arg_tensor(in, 0), arg_int(in, 1), (tsm_dtype)arg_tensor(in, 0)->dtype, &plain_softmax, out);
}
TSM_KERNEL(aten__log_softmax) {
    return softmax(x, arg_tensor(in, 0), arg_int(in, 1), (tsm_dtype)arg_tensor(in, 0)->dtype, &log_softmax, out);
}
