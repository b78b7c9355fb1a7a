/* Reductions over dimensions, and scans along one. */
#include "runtime/kernels/reduce/reduce.h"

#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/loops.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/reduce/mean_quantized.h"
#include "runtime/tensor/iter.h"

/* ---- Which dimensions ---- */

/* Dimensions to reduce as a set of bits; an empty or absent list means all. */
static tsm_status read_dims(tsm_exec *x, const tsm_value *const *in, int i, const tsm_tensor *t, unsigned *set) {
    tsm_dim list[TSM_MAX_DIMS];
    int n = i < 0 || arg_is_none(in, i) ? 0 : arg_ints(x, in, i, list, TSM_MAX_DIMS);
    if (n < 0)
        return TSM_RAISED;
    *set = n ? 0 : (1u << t->dims) - 1;
    for (int k = 0; k < n; k++) {
        int d;
        TSM_TRY(tsm_wrap_dim_or_scalar(x, list[k], t->dims, &d));
        if (*set >> d & 1)
            return TSM_RAISE(x, "dim %d appears multiple times in the list of dims", d);
        *set |= 1u << d;
    }
    return TSM_OK;
}

/* The reduced tensor's sizes, and for walking: outer dimensions first, then reduced ones. */
typedef struct {
    int dims; /* of the result */
    tsm_dim sizes[TSM_MAX_DIMS];
    int outer, inner;                                               /* kept and reduced dimensions */
    tsm_dim outer_sizes[TSM_MAX_DIMS], outer_strides[TSM_MAX_DIMS]; /* strides in elements of the operand */
    tsm_dim inner_sizes[TSM_MAX_DIMS], inner_strides[TSM_MAX_DIMS];
    tsm_dim count, results; /* elements reduced into one; elements of the result */
} reduction;

static reduction plan(const tsm_tensor *t, unsigned set, bool keep) {
    reduction r = {.count = 1, .results = 1};
    for (int d = 0; d < t->dims; d++) {
        if (set >> d & 1) {
            r.inner_sizes[r.inner] = t->sizes[d];
            r.inner_strides[r.inner++] = t->strides[d];
            r.count = tsm_dim_mul(r.count, t->sizes[d]);
            if (keep)
                r.sizes[r.dims++] = 1;
        } else {
            r.outer_sizes[r.outer] = t->sizes[d];
            r.outer_strides[r.outer++] = t->strides[d];
            r.results = tsm_dim_mul(r.results, t->sizes[d]);
            r.sizes[r.dims++] = t->sizes[d];
        }
    }
    return r;
}

/* The offset, in elements, of linear position i over sizes (row-major). */
static tsm_dim offset_of(int dims, const tsm_dim *sizes, const tsm_dim *strides, tsm_dim i) {
    tsm_dim at = 0;
    for (int d = dims - 1; d >= 0; d--) {
        at += i % sizes[d] * strides[d];
        i /= sizes[d];
    }
    return at;
}

/* ---- Folding ---- */

/* What is computed over the elements of one result, in lanes: blocks of items come in order of memory position. */
typedef struct {
    double f, f2, compensation;
    tsm_complex c;
    int64_t i, at, seen;
    double mean, m2;
    bool nan;
} fold_state;

typedef void (*fold_step)(fold_state *s, const void *context, const void *items, tsm_dim n);

enum { BLOCK = 256 };

/* Runs `step` over all elements that go into result `index`, in row-major order, as items of `lane`. */
static void fold(const tsm_tensor *t, const reduction *r, tsm_dim index, tsm_lane lane, fold_step step,
                 const void *context, fold_state *s) {
    union {
        tsm_lane_item align;
        char bytes[BLOCK * sizeof(tsm_lane_item)];
    } block;
    size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    tsm_dim base = offset_of(r->outer, r->outer_sizes, r->outer_strides, index);
    tsm_dim run = r->inner ? r->inner_sizes[r->inner - 1] : 1, stride = r->inner ? r->inner_strides[r->inner - 1] : 1;
    for (tsm_dim i = 0; i < r->count; i += run) {
        tsm_dim at = base + (r->inner ? offset_of(r->inner - 1, r->inner_sizes, r->inner_strides, i / run) : 0);
        const char *from = (const char *)t->data + at * (tsm_dim)size;
        for (tsm_dim k = 0; k < run; k += BLOCK) {
            tsm_dim n = run - k < BLOCK ? run - k : BLOCK;
            const char *first = from + k * stride * (tsm_dim)size;
            if (stride == 1 && tsm_lane_is_native(lane, (tsm_dtype)t->dtype))
                step(s, context, first, n);
            else {
                tsm_lane_load(lane, block.bytes, (tsm_dtype)t->dtype, first, stride * (tsm_dim)size, n);
                step(s, context, block.bytes, n);
            }
        }
    }
}

/* Eight running sums of floats, added in double at the block's end: accurate and fast to vectorize. */
static void sum_f32(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    const float *a = items;
    float part[8] = {0};
    tsm_dim i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            part[k] += a[i + k];
    double sum = 0;
    for (int k = 0; k < 8; k++)
        sum += (double)part[k];
    for (; i < n; i++)
        sum += (double)a[i];
    s->f += sum;
}
static void sum_f64(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++)
        s->f += ((const double *)items)[i];
}
static void sum_i64(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++)
        s->i = (int64_t)((uint64_t)s->i + (uint64_t)((const int64_t *)items)[i]);
}
static void sum_c128(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    const tsm_complex *a = items;
    for (tsm_dim i = 0; i < n; i++) {
        s->c.re += a[i].re;
        s->c.im += a[i].im;
    }
}

static void store_result(tsm_tensor *y, tsm_dim index, tsm_lane lane, const void *item) {
    tsm_lane_store((tsm_dtype)y->dtype, (char *)y->data + index * (tsm_dim)tsm_dtype_size((tsm_dtype)y->dtype), 0, lane,
                   item, 1);
}

/* Whether the reduction adds up contiguous rows of the operand, as when a channels-last image is reduced to its
 * channels. More rows than MOST_ROWS are left to the loops that sum in double. */
static bool are_rows(const tsm_tensor *t, const reduction *r, tsm_dtype dtype) {
    enum { MOST_ROWS = 4096 };
    return t->dtype == TSM_FLOAT32 && dtype == TSM_FLOAT32 && r->inner > 0 && r->outer > 0 &&
           r->outer_strides[r->outer - 1] == 1 && r->outer_sizes[r->outer - 1] > 1 && r->count > 0 &&
           r->count <= MOST_ROWS;
}

static void sum_rows(tsm_exec *x, const tsm_tensor *t, const reduction *r, float *y, bool mean) {
    enum { ROWS = 32 };
    const tsm_f32_loops *f32 = loops_f32(x);
    tsm_dim n = r->outer_sizes[r->outer - 1];
    for (tsm_dim i = 0; i < r->results / n; i++, y += n) {
        const float *base = (const float *)t->data + offset_of(r->outer - 1, r->outer_sizes, r->outer_strides, i),
                    *rows[ROWS];
        memset(y, 0, (size_t)n * sizeof *y);
        for (tsm_dim k = 0, count; k < r->count; k += count) {
            count = tsm_dim_min(r->count - k, ROWS);
            for (tsm_dim row = 0; row < count; row++)
                rows[row] = base + offset_of(r->inner, r->inner_sizes, r->inner_strides, k + row);
            f32->add_rows(y, rows, (size_t)count, (size_t)n);
        }
        if (mean)
            f32->affine(y, y, (size_t)n, 1.0f / (float)r->count, 0.0f);
    }
}

static tsm_status sum_like(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, tsm_dtype dtype, bool mean,
                           tsm_value *out) {
    reduction r = plan(t, set, keep);
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make(x, dtype, r.dims, r.sizes, &y));
    tsm_lane lane = tsm_lane_of(dtype == TSM_BOOL ? TSM_INT64 : dtype);
    if (are_rows(t, &r, dtype)) {
        sum_rows(x, t, &r, y->data, mean);
        return ret_tensor(out, y);
    }
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        double n = mean ? (double)r.count : 1;
        switch (lane) {
        case TSM_LANE_F32:
            fold(t, &r, i, lane, sum_f32, NULL, &s);
            s.f /= n;
            store_result(y, i, TSM_LANE_F64, &s.f);
            break;
        case TSM_LANE_F64:
            fold(t, &r, i, lane, sum_f64, NULL, &s);
            s.f /= n;
            store_result(y, i, TSM_LANE_F64, &s.f);
            break;
        case TSM_LANE_C128:
            fold(t, &r, i, lane, sum_c128, NULL, &s);
            s.c.re /= n;
            s.c.im /= n;
            store_result(y, i, TSM_LANE_C128, &s.c);
            break;
        default:
            fold(t, &r, i, TSM_LANE_I64, sum_i64, NULL, &s);
            store_result(y, i, TSM_LANE_I64, &s.i);
        }
    }
    return ret_tensor(out, y);
}

static tsm_dtype sum_dtype(const tsm_value *const *in, int i, const tsm_tensor *t) {
    return arg_dtype(in, i, tsm_dtype_is_integral((tsm_dtype)t->dtype) ? TSM_INT64 : (tsm_dtype)t->dtype);
}

tsm_status reduce_sum(tsm_exec *x, tsm_tensor *t, unsigned dims, tsm_value *out) {
    return sum_like(x, t, dims, false, tsm_dtype_is_integral((tsm_dtype)t->dtype) ? TSM_INT64 : (tsm_dtype)t->dtype,
                    false, out);
}

TSM_KERNEL(aten_sum) {
    return sum_like(x, arg_tensor(in, 0), ~0u, false, sum_dtype(in, 1, arg_tensor(in, 0)), false, out);
}
TSM_KERNEL(aten_sum_dim_IntList) {
    unsigned set;
    TSM_TRY(read_dims(x, in, 1, arg_tensor(in, 0), &set));
    return sum_like(x, arg_tensor(in, 0), set, arg_bool(in, 2), sum_dtype(in, 3, arg_tensor(in, 0)), false, out);
}

/* Sums what broadcasting to this shape would have repeated. */
TSM_KERNEL(aten_sum_to_size) {
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims = arg_ints(x, in, 1, sizes, TSM_MAX_DIMS);
    if (dims < 0)
        return TSM_RAISED;
    unsigned set = 0;
    bool fits = dims <= t->dims;
    for (int d = 0; fits && d < t->dims; d++) {
        int to = d - (t->dims - dims);
        if (to < 0 || (sizes[to] == 1 && t->sizes[d] != 1))
            set |= 1u << d;
        else
            fits = sizes[to] == t->sizes[d];
    }
    if (!fits) {
        char from_text[128], to_text[128];
        tsm_shape_text(from_text, sizeof from_text, t->dims, t->sizes);
        tsm_shape_text(to_text, sizeof to_text, dims, sizes);
        return TSM_RAISE(x, "size {%s} is not expandable to size {%s}.", to_text, from_text);
    }
    if (!set && dims) {
        *out = tsm_hold(*in[0]);
        return TSM_OK;
    }
    tsm_value summed;
    bool counts = tsm_dtype_is_integral((tsm_dtype)t->dtype) || t->dtype == TSM_BOOL;
    TSM_TRY(sum_like(x, t, set, true, counts ? TSM_INT64 : (tsm_dtype)t->dtype, false, &summed));
    tsm_tensor *y = tsm_as_tensor(summed), *view;
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_strides_contiguous(dims, sizes, strides);
    tsm_status status = tsm_tensor_view_of(x, y, dims, sizes, strides, 0, &view);
    tsm_tensor_drop(x, y);
    return status == TSM_OK ? ret_tensor(out, view) : status;
}

static tsm_status mean(tsm_exec *x, const tsm_value *const *in, unsigned set, bool keep, int dtype_at, tsm_value *out) {
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_dtype dtype = arg_dtype(in, dtype_at, (tsm_dtype)t->dtype);
    if (t->quantizer && mean_quantized_fits(t) && set == (1u << t->dims) - 4) /* all dimensions but the first two */
        return mean_quantized(x, t, keep, out);
    if (t->quantizer)
        return quantized_through_floats(x, in, out);
    if (tsm_dtype_is_integral(dtype))
        return TSM_RAISE(x,
                         "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
                         "dtype. Got: %s",
                         tsm_dtype_name(dtype));
    return sum_like(x, t, set, keep, dtype, true, out);
}
TSM_KERNEL(aten_mean) {
    return mean(x, in, ~0u, false, 1, out);
}
TSM_KERNEL(aten_mean_dim) {
    unsigned set;
    TSM_TRY(read_dims(x, in, 1, arg_tensor(in, 0), &set));
    return mean(x, in, set, arg_bool(in, 2), 3, out);
}

/* ---- Products, any, all ---- */

static void prod_f64(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++)
        s->f *= ((const double *)items)[i];
}
static void prod_i64(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++)
        s->i = (int64_t)((uint64_t)s->i * (uint64_t)((const int64_t *)items)[i]);
}
static void prod_c128(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++)
        s->c = cx_mul(s->c, ((const tsm_complex *)items)[i]);
}
static tsm_status product(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, tsm_dtype dtype, tsm_value *out) {
    reduction r = plan(t, set, keep);
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make(x, dtype, r.dims, r.sizes, &y));
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {.f = 1, .i = 1, .c = {1, 0}};
        if (tsm_dtype_is_complex(dtype)) {
            fold(t, &r, i, TSM_LANE_C128, prod_c128, NULL, &s);
            store_result(y, i, TSM_LANE_C128, &s.c);
        } else if (tsm_dtype_is_integral(dtype)) {
            fold(t, &r, i, TSM_LANE_I64, prod_i64, NULL, &s);
            store_result(y, i, TSM_LANE_I64, &s.i);
        } else {
            fold(t, &r, i, TSM_LANE_F64, prod_f64, NULL, &s);
            store_result(y, i, TSM_LANE_F64, &s.f);
        }
    }
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_prod) {
    return product(x, arg_tensor(in, 0), ~0u, false, sum_dtype(in, 1, arg_tensor(in, 0)), out);
}
TSM_KERNEL(aten_prod_dim_int) {
    int d;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), arg_tensor(in, 0)->dims, &d));
    return product(x, arg_tensor(in, 0), 1u << d, arg_bool(in, 2), sum_dtype(in, 3, arg_tensor(in, 0)), out);
}

static void count_true(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++)
        s->i += ((const uint8_t *)items)[i] != 0;
}
/* How many elements are not zero, as `any`, `all` or the count. */
typedef enum { QUESTION_ANY, QUESTION_ALL, QUESTION_COUNT } question;
static tsm_status ask(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, question q, tsm_value *out) {
    reduction r = plan(t, set, keep);
    tsm_tensor *y;
    tsm_dtype dtype = q == QUESTION_COUNT ? TSM_INT64 : t->dtype == TSM_UINT8 ? TSM_UINT8 : TSM_BOOL;
    TSM_TRY(tsm_tensor_make(x, dtype, r.dims, r.sizes, &y));
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        fold(t, &r, i, TSM_LANE_MASK, count_true, NULL, &s);
        int64_t answer = q == QUESTION_COUNT ? s.i : q == QUESTION_ANY ? s.i > 0 : s.i == r.count;
        store_result(y, i, TSM_LANE_I64, &answer);
    }
    return ret_tensor(out, y);
}
static tsm_status ask_dim(tsm_exec *x, const tsm_value *const *in, question q, tsm_value *out) {
    int d;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), arg_tensor(in, 0)->dims, &d));
    return ask(x, arg_tensor(in, 0), 1u << d, arg_bool(in, 2), q, out);
}
TSM_KERNEL(aten_any) {
    return ask(x, arg_tensor(in, 0), ~0u, false, QUESTION_ANY, out);
}
TSM_KERNEL(aten_all) {
    return ask(x, arg_tensor(in, 0), ~0u, false, QUESTION_ALL, out);
}
TSM_KERNEL(aten_any_dim) {
    return ask_dim(x, in, QUESTION_ANY, out);
}
TSM_KERNEL(aten_all_dim) {
    return ask_dim(x, in, QUESTION_ALL, out);
}
TSM_KERNEL(aten_count_nonzero_dim_IntList) {
    unsigned set;
    TSM_TRY(read_dims(x, in, 1, arg_tensor(in, 0), &set));
    return ask(x, arg_tensor(in, 0), set, false, QUESTION_COUNT, out);
}

/* ---- Variance (Welford, 1962) ---- */

static void welford(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++) {
        double v = ((const double *)items)[i], delta = v - s->mean;
        s->seen++;
        s->mean += delta / (double)s->seen;
        s->m2 += delta * (v - s->mean);
    }
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
static tsm_status variance(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, double correction, bool root,
                           tsm_value *out, tsm_value *mean_out) {
    reduction r = plan(t, set, keep);
    tsm_tensor *y, *m = NULL;
    bool complex = tsm_dtype_is_complex((tsm_dtype)t->dtype);
    if (!complex && !tsm_dtype_is_floating((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "std and var only support floating point and complex dtypes");
    TSM_TRY(tsm_tensor_make(x, tsm_real_dtype((tsm_dtype)t->dtype), r.dims, r.sizes, &y));
    if (mean_out) {
        tsm_status status = tsm_tensor_make(x, (tsm_dtype)t->dtype, r.dims, r.sizes, &m);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, y);
            return status;
        }
    }
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        fold(t, &r, i, complex ? TSM_LANE_C128 : TSM_LANE_F64, complex ? welford_c128 : welford, NULL, &s);
        double n = (double)r.count - correction, v = s.m2 / (n > 0 ? n : 0);
        v = root ? sqrt(v) : v;
        store_result(y, i, TSM_LANE_F64, &v);
        if (m)
            store_result(m, i, complex ? TSM_LANE_C128 : TSM_LANE_F64,
                         complex ? (const void *)&s.c : (const void *)&s.mean);
    }
    if (m)
        *mean_out = tsm_of_tensor(m);
    return ret_tensor(out, y);
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
    TSM_TRY(read_dims(x, in, 1, arg_tensor(in, 0), &set));                                                             \
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

/* ---- Extremes ---- */

#define EXTREME_STEP(T, name, FIELD, BETTER)                                                                           \
    static void name(fold_state *s, const void *context, const void *items, tsm_dim n) {                               \
        (void)context;                                                                                                 \
        const T *a = items;                                                                                            \
        for (tsm_dim i = 0; i < n; i++, s->seen++)                                                                     \
            if (!s->nan && (!s->seen || a[i] BETTER(T) s->FIELD || a[i] != a[i])) {                                    \
                s->FIELD = a[i];                                                                                       \
                s->at = s->seen;                                                                                       \
                s->nan = a[i] != a[i];                                                                                 \
            }                                                                                                          \
    }
#define GREATER(T) > (T)
#define LESS(T) < (T)
EXTREME_STEP(double, max_f64, f, GREATER)
EXTREME_STEP(int64_t, max_i64, i, GREATER)
EXTREME_STEP(double, min_f64, f, LESS)
EXTREME_STEP(int64_t, min_i64, i, LESS)

/* Values, positions, or both; `values` or `positions` may be NULL. Positions count along the reduced elements. */
static tsm_status extreme(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, bool largest, const char *name,
                          tsm_value *values, tsm_value *positions) {
    reduction r = plan(t, set, keep);
    if (!r.count && r.results)
        return TSM_RAISE(x,
                         "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                         "dim with the 'dim' "
                         "argument.",
                         name);
    if (tsm_dtype_is_complex((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "%s is not implemented for complex tensors", name);
    tsm_tensor *y = NULL, *at = NULL;
    tsm_status status = values ? tsm_tensor_make(x, (tsm_dtype)t->dtype, r.dims, r.sizes, &y) : TSM_OK;
    if (status == TSM_OK && positions)
        status = tsm_tensor_make(x, TSM_INT64, r.dims, r.sizes, &at);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    bool whole = tsm_dtype_is_integral((tsm_dtype)t->dtype);
    fold_step step = whole ? (largest ? max_i64 : min_i64) : largest ? max_f64 : min_f64;
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        fold(t, &r, i, whole ? TSM_LANE_I64 : TSM_LANE_F64, step, NULL, &s);
        if (y)
            store_result(y, i, whole ? TSM_LANE_I64 : TSM_LANE_F64, whole ? (const void *)&s.i : (const void *)&s.f);
        if (at)
            store_result(at, i, TSM_LANE_I64, &s.at);
    }
    if (values)
        *values = tsm_of_tensor(y);
    if (positions)
        *positions = tsm_of_tensor(at);
    return TSM_OK;
}
TSM_KERNEL(aten_max) {
    return extreme(x, arg_tensor(in, 0), ~0u, false, true, "max", out, NULL);
}
TSM_KERNEL(aten_min) {
    return extreme(x, arg_tensor(in, 0), ~0u, false, false, "min", out, NULL);
}
static tsm_status extreme_dim(tsm_exec *x, const tsm_value *const *in, bool largest, const char *name, tsm_value *out) {
    int d;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), arg_tensor(in, 0)->dims, &d));
    return extreme(x, arg_tensor(in, 0), arg_tensor(in, 0)->dims ? 1u << d : 0, arg_bool(in, 2), largest, name, out,
                   out + 1);
}
TSM_KERNEL(aten_max_dim) {
    return extreme_dim(x, in, true, "max", out);
}
TSM_KERNEL(aten_min_dim) {
    return extreme_dim(x, in, false, "min", out);
}
static tsm_status extreme_of(tsm_exec *x, const tsm_value *const *in, bool largest, const char *name, tsm_value *out) {
    unsigned set;
    TSM_TRY(read_dims(x, in, 1, arg_tensor(in, 0), &set));
    return extreme(x, arg_tensor(in, 0), set, arg_bool(in, 2), largest, name, out, NULL);
}
TSM_KERNEL(aten_amax) {
    return extreme_of(x, in, true, "amax", out);
}
TSM_KERNEL(aten_amin) {
    return extreme_of(x, in, false, "amin", out);
}
static tsm_status position_of(tsm_exec *x, const tsm_value *const *in, bool largest, const char *name, tsm_value *out) {
    tsm_tensor *t = arg_tensor(in, 0);
    if (arg_is_none(in, 1))
        return extreme(x, t, ~0u, arg_bool(in, 2), largest, name, NULL, out);
    int d;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), t->dims, &d));
    return extreme(x, t, t->dims ? 1u << d : 0, arg_bool(in, 2), largest, name, NULL, out);
}
TSM_KERNEL(aten_argmax) {
    return position_of(x, in, true, "argmax", out);
}
TSM_KERNEL(aten_argmin) {
    return position_of(x, in, false, "argmin", out);
}

/* ---- Norms ---- */

static void add_power(fold_state *s, double p, double v) {
    s->f += p == 2 ? v * v : p == 1 ? v : p == 0 ? v != 0 : pow(v, p);
    s->f2 = v > s->f2 || v != v ? v : s->f2;
    s->mean = !s->seen++ || v < s->mean ? v : s->mean;
}
static void square_sum(fold_state *s, const void *context, const void *items, tsm_dim n) {
    const double *v = items;
    (void)context;
    for (tsm_dim i = 0; i < n; i++)
        s->f += v[i] * v[i];
}
static void power_sum(fold_state *s, const void *context, const void *items, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++)
        add_power(s, *(const double *)context, fabs(((const double *)items)[i]));
}
static void power_sum_c128(fold_state *s, const void *context, const void *items, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++)
        add_power(s, *(const double *)context, cx_abs(((const tsm_complex *)items)[i]));
}
static tsm_status norm(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, double p, tsm_value *out) {
    reduction r = plan(t, set, keep);
    tsm_tensor *y;
    bool complex = tsm_dtype_is_complex((tsm_dtype)t->dtype);
    if (!complex && !tsm_dtype_is_floating((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "norm(): input dtype should be either floating point or complex. Got %s instead.",
                         tsm_dtype_name((tsm_dtype)t->dtype));
    TSM_TRY(tsm_tensor_make(x, tsm_real_dtype((tsm_dtype)t->dtype), r.dims, r.sizes, &y));
    fold_step step = complex ? power_sum_c128 : p == 2 ? square_sum : power_sum;
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        fold(t, &r, i, complex ? TSM_LANE_C128 : TSM_LANE_F64, step, &p, &s);
        double v = p == (double)INFINITY    ? s.f2
                   : p == -(double)INFINITY ? s.mean
                   : p == 2                 ? sqrt(s.f)
                   : p == 1 || p == 0       ? s.f
                                            : pow(s.f, 1 / p);
        store_result(y, i, TSM_LANE_F64, &v);
    }
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_norm_Scalar) {
    TSM_TRY(kernel_check_real(x, in));
    return norm(x, arg_tensor(in, 0), ~0u, false, arg_float(in, 1), out);
}
static tsm_status norm_dims(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    unsigned set;
    TSM_TRY(kernel_check_real(x, in));
    TSM_TRY(read_dims(x, in, 2, arg_tensor(in, 0), &set));
    return norm(x, arg_tensor(in, 0), set, arg_bool(in, 3), arg_is_none(in, 1) ? 2 : arg_float(in, 1), out);
}
TSM_KERNEL(aten_norm_ScalarOpt_dim) {
    return norm_dims(x, in, out);
}
TSM_KERNEL(aten_linalg_vector_norm) {
    unsigned set;
    tsm_tensor *t;
    TSM_TRY(kernel_check_real(x, in));
    TSM_TRY(read_dims(x, in, 2, arg_tensor(in, 0), &set));
    TSM_TRY(tsm_tensor_to(x, arg_tensor(in, 0), arg_dtype(in, 4, (tsm_dtype)arg_tensor(in, 0)->dtype), &t));
    tsm_status status = norm(x, t, set, arg_bool(in, 3), arg_float(in, 1), out);
    tsm_tensor_drop(x, t);
    return status;
}

TSM_KERNEL(aten_logsumexp) {
    tsm_tensor *t = arg_tensor(in, 0), *y;
    unsigned set;
    TSM_TRY(read_dims(x, in, 1, t, &set));
    reduction r = plan(t, set, arg_bool(in, 2));
    TSM_TRY(tsm_tensor_make(x, tsm_dtype_is_integral((tsm_dtype)t->dtype) ? TSM_FLOAT32 : (tsm_dtype)t->dtype, r.dims,
                            r.sizes, &y));
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        fold(t, &r, i, TSM_LANE_F64, max_f64, NULL, &s);
        double top = s.f - s.f == 0 ? s.f : 0, sum = 0;
        for (tsm_dim k = 0; k < r.count; k++) {
            tsm_dim at = offset_of(r.outer, r.outer_sizes, r.outer_strides, i) +
                         offset_of(r.inner, r.inner_sizes, r.inner_strides, k);
            double v;
            tsm_lane_load(TSM_LANE_F64, &v, (tsm_dtype)t->dtype,
                          (const char *)t->data + at * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype), 0, 1);
            sum += exp(v - top);
        }
        double v = log(sum) + top;
        store_result(y, i, TSM_LANE_F64, &v);
    }
    return ret_tensor(out, y);
}

/* ---- Scans ---- */

/* Adds one number to the running sum, or multiplies the running product by it. */
static void accumulate(tsm_lane lane, bool products, const tsm_lane_item *v, tsm_lane_item *sum) {
    if (lane == TSM_LANE_I64)
        sum->i = (int64_t)(products ? (uint64_t)sum->i * (uint64_t)v->i : (uint64_t)sum->i + (uint64_t)v->i);
    else if (lane == TSM_LANE_C128)
        sum->c = products ? cx_mul(sum->c, v->c) : cx_add(sum->c, v->c);
    else
        sum->f64 = products ? sum->f64 * v->f64 : sum->f64 + v->f64;
}

static tsm_status scan(tsm_exec *x, tsm_tensor *t, int64_t dim, tsm_dtype dtype, bool products, tsm_value *out) {
    int d;
    tsm_tensor *y;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, dim, t->dims, &d));
    TSM_TRY(tsm_tensor_make(x, dtype, t->dims, t->sizes, &y));
    reduction from = plan(t, t->dims ? 1u << d : 0, false), to = plan(y, t->dims ? 1u << d : 0, false);
    tsm_lane lane = tsm_dtype_is_integral(dtype)  ? TSM_LANE_I64
                    : tsm_dtype_is_complex(dtype) ? TSM_LANE_C128
                                                  : TSM_LANE_F64;
    size_t in_size = tsm_dtype_size((tsm_dtype)t->dtype), out_size = tsm_dtype_size(dtype);
    tsm_dim step = from.inner ? from.inner_strides[0] : 0, out_step = to.inner ? to.inner_strides[0] : 0;
    for (tsm_dim i = 0; i < from.results && t->elements; i++) {
        tsm_dim a = offset_of(from.outer, from.outer_sizes, from.outer_strides, i),
                b = offset_of(to.outer, to.outer_sizes, to.outer_strides, i);
        tsm_lane_item v, sum = tsm_lane_item_of(lane, tsm_int(products));
        for (tsm_dim k = 0; k < from.count; k++) {
            tsm_lane_load(lane, &v, (tsm_dtype)t->dtype, (const char *)t->data + (a + k * step) * (tsm_dim)in_size, 0,
                          1);
            accumulate(lane, products, &v, &sum);
            tsm_lane_store(dtype, (char *)y->data + (b + k * out_step) * (tsm_dim)out_size, 0, lane, &sum, 1);
        }
    }
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_cumsum) {
    return scan(x, arg_tensor(in, 0), arg_int(in, 1), sum_dtype(in, 2, arg_tensor(in, 0)), false, out);
}
TSM_KERNEL(aten_cumprod) {
    return scan(x, arg_tensor(in, 0), arg_int(in, 1), sum_dtype(in, 2, arg_tensor(in, 0)), true, out);
}
