/* Running sums, products, logarithms of sums of exponentials, and extremes along a dimension. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/reduce/fold.h"

/* ---- Walking ---- */

/* The lines of a tensor along one dimension, and those of results of its shape. Neighbouring lines go together where
 * their elements lie side by side, else a line comes in blocks. */
enum { SCAN_BLOCK = 64 };
typedef struct {
    tsm_dim count, step, lines; /* elements of a line and the distance between them; lines */
    reduction r;
} scan_walk;

static scan_walk walk_of(const tsm_tensor *t, int d) {
    scan_walk w = {.r = tsm_fold_plan(t, t->dims ? 1u << d : 0, false)};
    w.count = w.r.count;
    w.lines = t->elements ? w.r.results : 0;
    w.step = w.r.inner ? w.r.inner_strides[0] : 0;
    return w;
}

/* The offset of a line's first element. */
static tsm_dim scan_line_of(const scan_walk *w, tsm_dim line) {
    return tsm_fold_offset(w->r.outer, w->r.outer_sizes, w->r.outer_strides, line);
}

/* How many lines of w from this one on lie side by side. */
static tsm_dim lines_beside(const scan_walk *w, tsm_dim line) {
    const int last = w->r.outer - 1;
    if (last < 0 || w->r.outer_strides[last] != 1 || w->step == 1)
        return 1;
    return w->r.outer_sizes[last] - line % w->r.outer_sizes[last];
}

/* How many lines from this one on go together: side by side in both tensors, which may lie differently. */
static tsm_dim lines_together(const scan_walk *from, const scan_walk *to, tsm_dim line) {
    return tsm_dim_min(SCAN_BLOCK, tsm_dim_min(lines_beside(from, line), lines_beside(to, line)));
}

static char *scan_element(const tsm_tensor *t, tsm_dim offset) {
    return (char *)t->data + offset * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
}

/* ---- Sums and products ---- */

typedef enum { SUMS, PRODUCTS, LOG_SUMS /* of exponentials */ } scan_kind;

static double log_add_exp(double a, double b) {
    double low = a < b || a != a ? a : b, high = a < b || a != a ? b : a;
    return low == high && isinf(low) ? low : log1p(exp(low - high)) + high;
}

/* Each of n items becomes the sum (or product) of itself and what came before: of the items of `sum` at the same place,
 * or with `along` of the first of them and of the items before it. y may be v. */
#define ACCUMULATE(TYPE, COMBINED)                                                                                     \
    do {                                                                                                               \
        TYPE *s = sum, *to = y;                                                                                        \
        const TYPE *from = v;                                                                                          \
        if (along) {                                                                                                   \
            ACCUMULATE_ALONG(TYPE, COMBINED);                                                                          \
        } else                                                                                                         \
            for (tsm_dim i = 0; i < n; i++) {                                                                          \
                const TYPE a = s[i], b = from[i];                                                                      \
                to[i] = s[i] = COMBINED;                                                                               \
            }                                                                                                          \
    } while (0)
#define ACCUMULATE_ALONG(TYPE, COMBINED)                                                                               \
    TYPE a = *s;                                                                                                       \
    for (tsm_dim i = 0; i < n; i++) {                                                                                  \
        const TYPE b = from[i];                                                                                        \
        a = COMBINED;                                                                                                  \
        to[i] = a;                                                                                                     \
    }                                                                                                                  \
    *s = a
static void accumulate(tsm_lane lane, scan_kind kind, void *y, const void *v, tsm_dim n, void *sum, bool along) {
    const bool products = kind == PRODUCTS;
    if (kind == LOG_SUMS && lane == TSM_LANE_F64)
        ACCUMULATE(double, log_add_exp(b, a));
    else if (kind == LOG_SUMS)
        ACCUMULATE(tsm_complex, tsm_cx_log_add_exp(b, a));
    else if (lane == TSM_LANE_I64 && products)
        ACCUMULATE(uint64_t, a * b);
    else if (lane == TSM_LANE_I64)
        ACCUMULATE(uint64_t, a + b);
    else if (lane == TSM_LANE_F64 && products)
        ACCUMULATE(double, a *b);
    else if (lane == TSM_LANE_F64)
        ACCUMULATE(double, a + b);
    else if (products)
        ACCUMULATE(tsm_complex, cx_mul(a, b));
    else
        ACCUMULATE(tsm_complex, cx_add(a, b));
}

#undef ACCUMULATE_ALONG

/* The same of floats, which are added and multiplied in double, as they lie: items of LINES lines together, each a
 * `step` from the one before, where lines are chains of their own; and of items side by side. */
enum { SCAN_LINES = 4 };
typedef struct {
    float *to[SCAN_LINES];
    const float *from[SCAN_LINES];
    tsm_dim to_step, from_step;
} float_lines;
#define FLOATS_ALONG(LINES, OP)                                                                                        \
    do {                                                                                                               \
        double a[LINES];                                                                                               \
        for (int j = 0; j < (LINES); j++)                                                                              \
            a[j] = sum[j];                                                                                             \
        for (tsm_dim i = 0; i < n; i++)                                                                                \
            for (int j = 0; j < (LINES); j++) {                                                                        \
                a[j] = a[j] OP(double) l->from[j][i * l->from_step];                                                   \
                l->to[j][i * l->to_step] = (float)a[j];                                                                \
            }                                                                                                          \
        for (int j = 0; j < (LINES); j++)                                                                              \
            sum[j] = a[j];                                                                                             \
    } while (0)
static void floats_along(bool products, const float_lines *l, int count, tsm_dim n, double *sum) {
    if (products && count == SCAN_LINES)
        FLOATS_ALONG(SCAN_LINES, *);
    else if (count == SCAN_LINES)
        FLOATS_ALONG(SCAN_LINES, +);
    else if (products)
        FLOATS_ALONG(1, *);
    else
        FLOATS_ALONG(1, +);
}
static void floats_beside(bool products, float *restrict to, const float *restrict from, tsm_dim n,
                          double *restrict sum) {
    for (tsm_dim i = 0; i < n && products; i++) {
        sum[i] *= (double)from[i];
        to[i] = (float)sum[i];
    }
    for (tsm_dim i = 0; i < n && !products; i++) {
        sum[i] += (double)from[i];
        to[i] = (float)sum[i];
    }
}

/* A block of floats in place. */
static void accumulate_floats(bool products, float *v, tsm_dim n, double *sum, bool along) {
    const float_lines l = {.to = {v}, .from = {v}, .to_step = 1, .from_step = 1};
    float from[SCAN_BLOCK];
    if (along) {
        floats_along(products, &l, 1, n, sum);
        return;
    }
    memcpy(from, v, (size_t)n * sizeof *v);
    floats_beside(products, v, from, n, sum);
}

static void scan_floats(const tsm_tensor *t, tsm_tensor *y, const scan_walk *from, const scan_walk *to, bool products) {
    const float *v = t->data;
    float *w = y->data;
    for (tsm_dim line = 0, width; line < from->lines; line += width) {
        const tsm_dim a = scan_line_of(from, line), b = scan_line_of(to, line);
        width = lines_together(from, to, line);
        double sum[SCAN_BLOCK];
        for (tsm_dim i = 0; i < tsm_dim_max(width, SCAN_LINES); i++)
            sum[i] = products;
        if (width > 1) {
            for (tsm_dim k = 0; k < from->count; k++)
                floats_beside(products, w + b + k * to->step, v + a + k * from->step, width, sum);
            continue;
        }
        float_lines l = {.to_step = to->step, .from_step = from->step};
        for (; width <= SCAN_LINES && line + width <= from->lines; width++) {
            l.from[width - 1] = v + scan_line_of(from, line + width - 1);
            l.to[width - 1] = w + scan_line_of(to, line + width - 1);
        }
        width = width > SCAN_LINES ? SCAN_LINES : 1;
        floats_along(products, &l, (int)width, from->count, sum);
    }
}

static tsm_status scan(tsm_exec *x, tsm_tensor *t, int64_t dim, tsm_dtype dtype, scan_kind kind, tsm_value *out) {
    int d;
    tsm_tensor *y;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, dim, t->dims, &d));
    TSM_TRY(tsm_tensor_make(x, dtype, t->dims, t->sizes, &y));
    if (t->dtype != (int)dtype) { /* converted first, as the dtype asked for says */
        const tsm_status status = tsm_tensor_copy(x, y, t);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, y);
            return status;
        }
        t = y;
    }
    const tsm_lane lane = tsm_dtype_is_integral(dtype)  ? TSM_LANE_I64
                          : tsm_dtype_is_complex(dtype) ? TSM_LANE_C128
                                                        : TSM_LANE_F64;
    const bool halves = kind != LOG_SUMS && tsm_lane_of(dtype) == TSM_LANE_F32; /* their sums are doubles, too */
    const scan_walk from = walk_of(t, d), to = walk_of(y, d);
    const tsm_dim in_size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype), out_size = (tsm_dim)tsm_dtype_size(dtype);
    const bool is_native = tsm_lane_is_native(lane, dtype);
    const bool straight = is_native && t->dtype == (int)dtype && from.step == 1 && to.step == 1;
    if (dtype == TSM_FLOAT32 && t->dtype == TSM_FLOAT32 && kind != LOG_SUMS) {
        scan_floats(t, y, &from, &to, kind == PRODUCTS);
        return ret_tensor(out, y);
    }
    tsm_lane_item v[SCAN_BLOCK], sum[SCAN_BLOCK];
    for (tsm_dim line = 0, width; line < from.lines; line += width) {
        width = lines_together(&from, &to, line);
        const bool along = width == 1;
        const tsm_dim n = along ? SCAN_BLOCK : 1, a = scan_line_of(&from, line), b = scan_line_of(&to, line);
        tsm_lane_fill(lane, sum, kind == LOG_SUMS ? tsm_float(-(double)INFINITY) : tsm_int(kind == PRODUCTS), width);
        if (straight && along) {
            accumulate(lane, kind, scan_element(y, b), scan_element(t, a), from.count, sum, true);
            continue;
        }
        for (tsm_dim k = 0; k < from.count; k += n) {
            const tsm_dim m = along ? tsm_dim_min(n, from.count - k) : width;
            const tsm_lane items = halves ? TSM_LANE_F32 : lane;
            tsm_lane_load(items, v, (tsm_dtype)t->dtype, scan_element(t, a + k * from.step),
                          along ? from.step * in_size : in_size, m);
            if (halves)
                accumulate_floats(kind == PRODUCTS, (float *)(void *)v, m, (double *)(void *)sum, along);
            else
                accumulate(lane, kind, v, v, m, sum, along);
            tsm_lane_store(dtype, scan_element(y, b + k * to.step), along ? to.step * out_size : out_size, items, v, m);
        }
    }
    return ret_tensor(out, y);
}
static tsm_status cumulative(tsm_exec *x, const tsm_value *const *in, scan_kind kind, tsm_value *out) {
    tsm_tensor *t = arg_tensor(in, 0);
    const tsm_dtype same = tsm_dtype_is_integral((tsm_dtype)t->dtype) ? TSM_INT64 : (tsm_dtype)t->dtype;
    const tsm_dtype dtype = tsm_kernel_dtype_asked(x, in, 2, same);
    if (dtype == TSM_BOOL && t->dims && t->elements)
        return TSM_RAISE(x, "\"%s_out_cpu\" not implemented for 'Bool'", kind == PRODUCTS ? "cumprod" : "cumsum");
    return scan(x, t, arg_int(in, 1), dtype, kind, out);
}
TSM_KERNEL(aten_cumsum) {
    return cumulative(x, in, SUMS, out);
}
TSM_KERNEL(aten_cumprod) {
    return cumulative(x, in, PRODUCTS, out);
}
TSM_KERNEL(aten_logcumsumexp) {
    tsm_dtype dtype = (tsm_dtype)arg_tensor(in, 0)->dtype;
    if (tsm_dtype_is_integral(dtype))
        return TSM_RAISE(x, "\"logcumsumexp_out_cpu\" not implemented for '%s'", tsm_dtype_class_name(dtype));
    return scan(x, arg_tensor(in, 0), arg_int(in, 1), dtype, LOG_SUMS, out);
}

/* ---- Extremes ---- */

/* The best of a line so far and its position, the last of equal ones; a NaN is better than any number. Before the first
 * item `at` is -1. */
typedef struct {
    tsm_lane_item best;
    int64_t at;
} running_best;

/* Items first .. first + n - 1 of a line: y[i * step] becomes the best up to there, at[i * at_step] its position. y may
 * be the items, which are `from` apart. */
#define RUN_STEP(T, name, FIELD, COMPARE)                                                                              \
    static void name(running_best *r, void *results, tsm_dim step, const void *items, tsm_dim from, int64_t *at,       \
                     tsm_dim at_step, tsm_dim first, tsm_dim n) {                                                      \
        const T *v = items;                                                                                            \
        T *y = results, best = r->best.FIELD;                                                                          \
        int64_t where = r->at;                                                                                         \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            const T now = v[i * from];                                                                                 \
            if (where < 0 || now COMPARE best || now != now) {                                                         \
                best = now;                                                                                            \
                where = first + i;                                                                                     \
            }                                                                                                          \
            y[i * step] = best;                                                                                        \
            at[i * at_step] = where;                                                                                   \
        }                                                                                                              \
        r->best.FIELD = best;                                                                                          \
        r->at = where;                                                                                                 \
    }
typedef void (*run_step)(running_best *r, void *results, tsm_dim step, const void *items, tsm_dim from, int64_t *at,
                         tsm_dim at_step, tsm_dim first, tsm_dim n);
RUN_STEP(float, greatest_f32, f32, >=)
RUN_STEP(float, least_f32, f32, <=)
RUN_STEP(double, greatest_f64, f64, >=)
RUN_STEP(double, least_f64, f64, <=)
RUN_STEP(int64_t, greatest_i64, i, >=)
RUN_STEP(int64_t, least_i64, i, <=)

static tsm_status running_extremes(tsm_exec *x, const tsm_value *const *in, bool largest, tsm_value *out) {
    int d;
    tsm_tensor *t = arg_tensor(in, 0), *values, *positions;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), t->dims, &d));
    if (!tsm_dtype_is_ordered((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "%s is not implemented for complex and uint64 tensors", tsm_op_name(x));
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, &values));
    tsm_status status = tsm_tensor_make(x, TSM_INT64, t->dims, t->sizes, &positions);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, values);
        return status;
    }
    static const run_step steps[TSM_LANE_COUNT][2] = {[TSM_LANE_I64] = {least_i64, greatest_i64},
                                                      [TSM_LANE_F32] = {least_f32, greatest_f32},
                                                      [TSM_LANE_F64] = {least_f64, greatest_f64}};
    const tsm_lane own = tsm_lane_of((tsm_dtype)t->dtype), lane = own == TSM_LANE_MASK ? TSM_LANE_I64 : own;
    const run_step step = steps[lane][largest];
    const scan_walk from = walk_of(t, d), to = walk_of(values, d);
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    const bool is_native = tsm_lane_is_native(lane, (tsm_dtype)t->dtype);
    for (tsm_dim line = 0; line < from.lines; line++) {
        const tsm_dim a = scan_line_of(&from, line), b = scan_line_of(&to, line);
        running_best best = {{.i = 0}, -1};
        if (is_native) {
            step(&best, scan_element(values, b), to.step, scan_element(t, a), from.step, (int64_t *)positions->data + b,
                 to.step, 0, from.count);
            continue;
        }
        for (tsm_dim k = 0, n; k < from.count; k += n) {
            tsm_lane_item v[SCAN_BLOCK];
            n = tsm_dim_min(SCAN_BLOCK, from.count - k);
            tsm_lane_load(lane, v, (tsm_dtype)t->dtype, scan_element(t, a + k * from.step), from.step * size, n);
            step(&best, v, 1, v, 1, (int64_t *)positions->data + b + k * to.step, to.step, k, n);
            tsm_lane_store((tsm_dtype)t->dtype, scan_element(values, b + k * to.step), to.step * size, lane, v, n);
        }
    }
    out[0] = tsm_of_tensor(values);
    out[1] = tsm_of_tensor(positions);
    return TSM_OK;
}
TSM_KERNEL(aten_cummax) {
    return running_extremes(x, in, true, out);
}
TSM_KERNEL(aten_cummin) {
    return running_extremes(x, in, false, out);
}
