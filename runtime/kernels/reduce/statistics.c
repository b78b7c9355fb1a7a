/* Variance, standard deviation, norms, logsumexp. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/reduce/rows.h"
#include "runtime/kernels/simd/vmath.h"

/* ---- Variance ---- */

/* Sums in eight parts, which compilers turn into vectors. */
enum { PARTS = 8 };
static double sum_parts(const double *part) {
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}
static double statistics_sum(const double *v, tsm_dim n) {
    double part[PARTS] = {0}, rest = 0;
    tsm_dim i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int k = 0; k < PARTS; k++)
            part[k] += v[i + k];
    for (; i < n; i++)
        rest += v[i];
    return sum_parts(part) + rest;
}
static double sum_squares(const double *v, tsm_dim n, double mean) {
    double part[PARTS] = {0}, rest = 0;
    tsm_dim i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int k = 0; k < PARTS; k++)
            part[k] += (v[i + k] - mean) * (v[i + k] - mean);
    for (; i < n; i++)
        rest += (v[i] - mean) * (v[i] - mean);
    return sum_parts(part) + rest;
}

/* Mean and squared differences of a block, joined with those of the blocks before (Chan, Golub, LeVeque, 1979). */

static void welford(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    const double *v = items, m = (double)n;
    const double mean = statistics_sum(v, n) / m, delta = mean - s->mean, before = (double)s->seen;
    s->seen += n;
    s->mean += delta * (m / (double)s->seen);
    s->m2 += sum_squares(v, n, mean) + delta * delta * (before * m / (double)s->seen);
}
/* The variance of complex numbers is that of their real parts plus that of their imaginary ones; `c` holds the mean. */
static void welford_c128(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++) {
        tsm_complex v = ((const tsm_complex *)items)[i];
        double re = v.re - s->c.re, im = v.im - s->c.im;
        s->seen++;
        s->c.re += re / (double)s->seen;
        s->c.im += im / (double)s->seen;
        s->m2 += re * (v.re - s->c.re) + im * (v.im - s->c.im);
    }
}
/* The variance of t is made in the dtype `made`. */
static tsm_status variance_as(tsm_exec *x, const tsm_tensor *t, tsm_dtype made, unsigned set, bool keep,
                              double correction, bool root, tsm_value *out, tsm_value *mean_out) {
    reduction r = tsm_fold_plan_in_any_order(t, set, keep);
    tsm_tensor *y, *m = NULL;
    bool complex = tsm_dtype_is_complex((tsm_dtype)t->dtype);
    TSM_TRY(tsm_tensor_make(x, made, r.dims, r.sizes, &y));
    if (mean_out) {
        tsm_status status = tsm_tensor_make(x, (tsm_dtype)t->dtype, r.dims, r.sizes, &m);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, y);
            return status;
        }
    }
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        tsm_fold(x, t, &r, i, complex ? TSM_LANE_C128 : TSM_LANE_F64, complex ? welford_c128 : welford, NULL, &s);
        double n = (double)r.count - correction, v = s.m2 / (n > 0 ? n : 0);
        v = root ? sqrt(v) : v;
        tsm_fold_store(y, i, TSM_LANE_F64, &v);
        if (isinf(s.mean))
            s.mean = (double)NAN; /* what PyTorch's sums of differences make of an infinite element */
        if (!r.count) {
            s.mean = (double)NAN;
            s.c = (tsm_complex){(double)NAN, (double)NAN};
        }
        if (m)
            tsm_fold_store(m, i, complex ? TSM_LANE_C128 : TSM_LANE_F64,
                           complex ? (const void *)&s.c : (const void *)&s.mean);
    }
    if (m)
        *mean_out = tsm_of_tensor(m);
    return ret_tensor(out, y);
}

/* Into a destination of another dtype the variance is that of elements of its dtype. */
static tsm_status variance(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, double correction, bool root,
                           tsm_value *out, tsm_value *mean_out) {
    const bool complex = tsm_dtype_is_complex((tsm_dtype)t->dtype);
    if (!complex && !tsm_dtype_is_floating((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "%s only support floating point and complex dtypes", mean_out ? "var_mean" : "std and var");
    const tsm_dtype own = tsm_real_dtype((tsm_dtype)t->dtype), asked = x->dest ? (tsm_dtype)x->dest->dtype : own;
    if (tsm_dtype_is_complex(asked))
        return TSM_RAISE(x, "\"std_cpu\" not implemented for '%s'", tsm_dtype_class_name(asked));
    const tsm_dtype made = tsm_dtype_is_floating(asked) ? asked : own;
    if (complex || made == own)
        return variance_as(x, t, made, set, keep, correction, root, out, mean_out);
    tsm_tensor *as_asked;
    TSM_TRY(tsm_kernel_contiguous(x, t, made, &as_asked));
    const tsm_status status = variance_as(x, as_asked, made, set, keep, correction, root, out, mean_out);
    tsm_tensor_drop(x, as_asked);
    return status;
}

static double correction_of(const tsm_value *const *in, int i) {
    return arg_is_none(in, i) ? 1 : arg_float(in, i);
}
TSM_KERNEL(aten_var) {
    return variance(x, arg_tensor(in, 0), ~0u, false, arg_bool(in, 1), false, out, NULL);
}
TSM_KERNEL(aten_std) {
    return variance(x, arg_tensor(in, 0), ~0u, false, arg_bool(in, 1), true, out, NULL);
}
#define VARIANCE_DIMS(correction, keep, root, mean_out)                                                                \
    unsigned set;                                                                                                      \
    TSM_TRY(tsm_fold_read_dims(x, in, 1, arg_tensor(in, 0), &set));                                                    \
    return variance(x, arg_tensor(in, 0), set, keep, correction, root, out, mean_out)
TSM_KERNEL(aten_var_dim) {
    VARIANCE_DIMS(arg_bool(in, 2), arg_bool(in, 3), false, NULL);
}
TSM_KERNEL(aten_std_dim) {
    VARIANCE_DIMS(arg_bool(in, 2), arg_bool(in, 3), true, NULL);
}
TSM_KERNEL(aten_var_correction) {
    VARIANCE_DIMS(correction_of(in, 2), arg_bool(in, 3), false, NULL);
}
TSM_KERNEL(aten_std_correction) {
    VARIANCE_DIMS(correction_of(in, 2), arg_bool(in, 3), true, NULL);
}
TSM_KERNEL(aten_var_mean_dim) {
    VARIANCE_DIMS(arg_bool(in, 2), arg_bool(in, 3), false, out + 1);
}
TSM_KERNEL(aten_var_mean_correction) {
    VARIANCE_DIMS(correction_of(in, 2), arg_bool(in, 3), false, out + 1);
}

/* ---- Norms ---- */

static void add_power(fold_state *s, double p, double v) {
    s->f += p == 2 ? v * v : p == 1 ? v : p == 0 ? v != 0 : pow(v, p);
    s->f2 = v > s->f2 || v != v ? v : s->f2;
    s->mean = !s->seen++ || v < s->mean || v != v ? v : s->mean;
}
static void power_sum(fold_state *s, const void *context, const void *items, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++)
        add_power(s, *(const double *)context, fabs(((const double *)items)[i]));
}
/* The same for powers that need none. */
static void power_sum_1(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    const double *v = items;
    double part[PARTS] = {0};
    tsm_dim i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int k = 0; k < PARTS; k++)
            part[k] += fabs(v[i + k]);
    for (; i < n; i++)
        part[0] += fabs(v[i]);
    s->f += sum_parts(part);
}
static void power_sum_3(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    const double *v = items;
    double part[PARTS] = {0};
    tsm_dim i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int k = 0; k < PARTS; k++)
            part[k] += fabs(v[i + k] * v[i + k] * v[i + k]);
    for (; i < n; i++)
        part[0] += fabs(v[i] * v[i] * v[i]);
    s->f += sum_parts(part);
}
/* A NaN is greater than any number, and stays. */
static void greatest_size(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    const double *v = items;
    double part[PARTS] = {0}, nan[PARTS] = {0};
    tsm_dim i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int k = 0; k < PARTS; k++) {
            const double size = fabs(v[i + k]);
            part[k] = size > part[k] ? size : part[k];
            nan[k] = size == size ? nan[k] : size;
        }
    for (; i < n; i++) {
        part[0] = fabs(v[i]) > part[0] ? fabs(v[i]) : part[0];
        nan[0] = v[i] == v[i] ? nan[0] : v[i];
    }
    for (int k = 0; k < PARTS; k++) {
        s->f2 = part[k] > s->f2 ? part[k] : s->f2;
        s->f2 = nan[k] != nan[k] ? nan[k] : s->f2;
    }
}
static fold_step power_step(double p) {
    return p == 1 ? power_sum_1 : p == 3 ? power_sum_3 : p == (double)INFINITY ? greatest_size : power_sum;
}
static void power_sum_c128(fold_state *s, const void *context, const void *items, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++)
        add_power(s, *(const double *)context, cx_abs(((const tsm_complex *)items)[i]));
}
/* n of them from number i on, added in float; false where one of the sums says that squares may have got too large or
 * too small for that. */
static bool norms_of_floats(const rows_job *job, tsm_dim i, tsm_dim n, tsm_tensor *y) {
    float sums[ROWS_COLUMNS] = {0};
    int fits = 1;
    tsm_rows_join(job, i, sums, n);
    for (tsm_dim k = 0; k < n; k++)
        fits &= (sums[k] > 1e-25F) & (sums[k] < 1e37F);
    for (tsm_dim k = 0; k < n; k++)
        sums[k] = sqrtf(sums[k]);
    if (fits)
        tsm_rows_store(job, y, i, sums, n);
    return fits;
}
/* Norms of columns, or of few numbers each: roots of sums of squares. */
static bool norms_of_rows(tsm_exec *x, const tsm_tensor *t, const reduction *r, tsm_tensor *y) {
    rows_job job, floats;
    const bool narrow = TSM_NARROW_LANES && tsm_lane_of((tsm_dtype)t->dtype) == TSM_LANE_F32 &&
                        r->count <= ROWS_BLOCK && tsm_rows_plan(x, t, r, TSM_LANE_F32, JOIN_SUMS_OF_SQUARES, &floats);
    if (!tsm_rows_plan(x, t, r, TSM_LANE_F64, JOIN_SUMS_OF_SQUARES, &job) && !narrow)
        return false;
    for (tsm_dim i = 0, n; i < r->results; i += n) {
        double totals[ROWS_COLUMNS] = {0};
        n = tsm_rows_columns(narrow ? &floats : &job, i);
        if (narrow && norms_of_floats(&floats, i, n, y))
            continue;
        tsm_rows_join(&job, i, totals, n);
        for (tsm_dim k = 0; k < n; k++)
            totals[k] = sqrt(totals[k]);
        tsm_rows_store(&job, y, i, totals, n);
    }
    return true;
}

static tsm_status norm(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, double p, tsm_value *out) {
    reduction r = tsm_fold_plan_in_any_order(t, set, keep);
    tsm_tensor *y;
    bool complex = tsm_dtype_is_complex((tsm_dtype)t->dtype);
    if (!complex && !tsm_dtype_is_floating((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "norm(): input dtype should be either floating point or complex. Got %s instead.",
                         tsm_dtype_class_name((tsm_dtype)t->dtype));
    TSM_TRY(tsm_tensor_make(x, tsm_real_dtype((tsm_dtype)t->dtype), r.dims, r.sizes, &y));
    if (p == 2 && !complex && norms_of_rows(x, t, &r, y))
        return ret_tensor(out, y);
    const tsm_lane lane = p == 2 ? tsm_lane_of((tsm_dtype)t->dtype) : complex ? TSM_LANE_C128 : TSM_LANE_F64;
    const fold_step step = complex  ? power_sum_c128
                           : p == 2 ? tsm_fold_choose(x, &tsm_fold_squares, lane)
                                    : power_step(p);
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        tsm_fold(x, t, &r, i, lane, step, &p, &s);
        double v = p == (double)INFINITY    ? s.f2
                   : p == -(double)INFINITY ? s.mean
                   : p == 2                 ? sqrt(s.f)
                   : p == 1 || p == 0       ? s.f
                   : r.count                ? pow(s.f, 1 / p)
                                            : 0;
        tsm_fold_store(y, i, TSM_LANE_F64, &v);
    }
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_norm_Scalar) {
    TSM_TRY(tsm_kernel_check_real(x, in));
    return norm(x, arg_tensor(in, 0), ~0u, false, arg_float(in, 1), out);
}
static tsm_status norm_dims(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    unsigned set;
    TSM_TRY(tsm_kernel_check_real(x, in));
    TSM_TRY(tsm_fold_read_dims(x, in, 2, arg_tensor(in, 0), &set));
    return norm(x, arg_tensor(in, 0), set, arg_bool(in, 3), arg_is_none(in, 1) ? 2 : arg_float(in, 1), out);
}
TSM_KERNEL(aten_norm_ScalarOpt_dim) {
    return norm_dims(x, in, out);
}
/* Raises where no elements have no norm: there is no least size, no greatest, nor one of powers below 0. */
static tsm_status check_identity(tsm_exec *x, const tsm_tensor *a, unsigned set, double p) {
    if (a->elements || !(p < 0 || p == (double)INFINITY))
        return TSM_OK;
    if (set == (1u << a->dims) - 1)
        return TSM_RAISE(x,
                         "linalg.vector_norm cannot compute the %s norm on an empty tensor because the operation does "
                         "not have an identity",
                         tsm_kernel_number(p).text);
    for (int i = 0; i < a->dims; i++)
        if (set >> i & 1 && !a->sizes[i])
            return TSM_RAISE(x,
                             "linalg.vector_norm cannot compute the %s norm on the dimension %dbecause this dimension "
                             "is empty and the operation does not have an identity",
                             tsm_kernel_number(p).text, i);
    return TSM_OK;
}

TSM_KERNEL(aten_linalg_vector_norm) {
    unsigned set;
    tsm_tensor *a = arg_tensor(in, 0), *t;
    const tsm_dtype dtype = (tsm_dtype)a->dtype;
    if (!tsm_dtype_is_complex(dtype) && !tsm_dtype_is_floating(dtype))
        return TSM_RAISE(x, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s",
                         tsm_dtype_class_name(dtype));
    TSM_TRY(tsm_kernel_check_real(x, in));
    TSM_TRY(tsm_fold_read_dims(x, in, 2, a, &set));
    TSM_TRY(check_identity(x, a, set, arg_float(in, 1)));
    TSM_TRY(tsm_tensor_to(x, a, arg_dtype(in, 4, dtype), &t));
    tsm_status status = norm(x, t, set, arg_bool(in, 3), arg_float(in, 1), out);
    tsm_tensor_drop(x, t);
    return status;
}

/* ---- logsumexp ---- */

/* Of complex numbers the greatest real part. */
static void greatest_c128(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++) {
        const double v = ((const tsm_complex *)items)[i].re;
        s->f = !s->seen++ || v > s->f || v != v ? v : s->f;
    }
}
static void exponentials_c128(fold_state *s, const void *context, const void *items, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++) {
        tsm_complex v = ((const tsm_complex *)items)[i];
        s->c = cx_add(s->c, tsm_cx_exp(cx(v.re - *(const double *)context, v.im)));
    }
}
/* Of floats, in blocks of results: those that lie side by side are joined where they lie, others are gathered. */
static void logsumexp_rows(tsm_exec *x, const tsm_tensor *t, const reduction *r, float *y) {
    enum { COLUMNS = 64 };
    const fold_join_rows greatest = tsm_fold_choose_join_rows(x, JOIN_GREATEST, TSM_LANE_F32);
    const fold_exponentials_row add = tsm_fold_choose_exponentials_row(x);
    const tsm_dim side = r->outer_sizes[r->outer - 1], apart = r->outer_strides[r->outer - 1];
    for (tsm_dim i = 0, n; i < r->results; i += n) {
        const float *base = (const float *)t->data + tsm_fold_offset(r->outer, r->outer_sizes, r->outer_strides, i);
        float top[COLUMNS], sum[COLUMNS] = {0}, gathered[COLUMNS];
        n = tsm_dim_min(COLUMNS, side - i % side);
        for (int pass = 0; pass < 2; pass++) {
            for (tsm_dim k = 0; k < r->count; k++) {
                const float *row = base + tsm_fold_offset(r->inner, r->inner_sizes, r->inner_strides, k);
                for (tsm_dim c = 0; c < n && apart != 1; c++)
                    gathered[c] = row[c * apart];
                row = apart == 1 ? row : gathered;
                if (pass)
                    add(sum, row, top, n);
                else if (k)
                    greatest(top, row, n, 1, n);
                else
                    memcpy(top, row, (size_t)n * sizeof *top);
            }
            for (tsm_dim k = 0; k < n && !pass; k++)
                top[k] = top[k] - top[k] == 0 ? top[k] : 0;
        }
        for (tsm_dim k = 0; k < n; k++)
            y[i + k] = vm_log(sum[k]) + top[k];
    }
}

TSM_KERNEL(aten_logsumexp) {
    tsm_tensor *t = arg_tensor(in, 0), *y;
    unsigned set;
    TSM_TRY(tsm_fold_read_dims(x, in, 1, t, &set));
    if (tsm_dtype_is_quantized((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "logsumexp(): Expected floating point type for result tensor, but got: %s",
                         tsm_dtype_class_name((tsm_dtype)t->dtype));
    reduction r = tsm_fold_plan_in_any_order(t, set, arg_bool(in, 2));
    TSM_TRY(tsm_tensor_make(x, tsm_dtype_is_integral((tsm_dtype)t->dtype) ? TSM_FLOAT32 : (tsm_dtype)t->dtype, r.dims,
                            r.sizes, &y));
    const tsm_lane lane = tsm_dtype_is_integral((tsm_dtype)t->dtype) ? TSM_LANE_F64 : tsm_lane_of((tsm_dtype)t->dtype);
    const bool complex = lane == TSM_LANE_C128;
    const fold_step greatest = complex ? greatest_c128 : tsm_fold_choose(x, &tsm_fold_greatest, lane),
                    exponentials = complex ? exponentials_c128 : tsm_fold_choose(x, &tsm_fold_exponentials, lane);
    /* Counts that are summed in float, side by side and gathered; of few results each is joined by itself. */
    enum { MOST_ROWS = 4096, MOST_GATHERED = 64, FEW_RESULTS = 8 };
    const bool lie_beside =
        r.outer && r.outer_strides[r.outer - 1] == 1 && r.inner && r.inner_strides[r.inner - 1] != 1;
    const bool are_rows =
        t->dtype == TSM_FLOAT32 && r.outer && r.count > 0 &&
        (lie_beside ? r.count <= MOST_ROWS : r.count <= MOST_GATHERED && r.outer_sizes[r.outer - 1] >= FEW_RESULTS);
    if (are_rows)
        logsumexp_rows(x, t, &r, y->data);
    for (tsm_dim i = 0; i < r.results && !are_rows; i++) {
        fold_state s = {0}, sum = {0};
        tsm_fold(x, t, &r, i, lane, greatest, NULL, &s);
        double top = s.f - s.f == 0 ? s.f : 0;
        tsm_fold(x, t, &r, i, lane, exponentials, &top, &sum);
        tsm_lane_item v = {.f64 = log(sum.f) + top};
        if (complex)
            v.c = cx_add(tsm_cx_log(sum.c), cx(top, 0));
        tsm_fold_store(y, i, complex ? lane : TSM_LANE_F64, &v);
    }
    return ret_tensor(out, y);
}
