/* softmax and log_softmax of neighbouring lines, in blocks of columns, and of a line of doubles. On x86-64 compiled
 * once more for AVX2 (loops.h, TSM_LOOPS). */
#include "runtime/kernels/nn/softmax_rows.h"

#include "runtime/kernels/reduce/steps.h"
#include "runtime/kernels/simd/vec.h"
#include "runtime/kernels/simd/vec_math.h"
#include "runtime/kernels/simd/vmath.h"
#include "runtime/kernels/simd/vmath64.h"

enum { COLUMNS = 128 };

static void softmax_greatest(float *restrict top, const float *v, tsm_dim count, tsm_dim width, tsm_dim n) {
    for (tsm_dim k = 0; k < count; k++, v += width)
        for (tsm_dim i = 0; i < n; i++)
            top[i] = v[i] > top[i] ? v[i] : top[i];
}

/* Rows of n columns, `width` apart, as as many rows of several of them one after the other as there is room for: where
 * nothing lies between few columns. Else as they are. */
typedef struct {
    tsm_dim parts, n, width, count;
    tsm_dim rest; /* rows that are left, of n / parts columns */
} softmax_wide;
static softmax_wide softmax_wide_of(tsm_dim count, tsm_dim width, tsm_dim n) {
    enum { LEAST_ROWS = 4 };
    const bool wide = TSM_NARROW_LANES && n == width && 2 * n <= COLUMNS && count * n >= LEAST_ROWS * COLUMNS;
    const tsm_dim parts = wide ? COLUMNS / n : 1;
    return (softmax_wide){parts, parts * n, parts * width, count / parts, count % parts};
}

/* y = v - top, and its exponentials' sum; with `keep` the exponentials themselves. */
VEC_INLINE void exponentials(float *restrict sum, float *y, const float *v, const float *restrict top, tsm_dim n,
                             const bool keep) {
    if (keep)
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {
            const float e = vm_exp(v[i] - top[i]);
            y[i] = e;
            sum[i] += e;
        }
    else
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {
            const float d = v[i] - top[i];
            y[i] = d;
            sum[i] += vm_exp(d);
        }
}

VEC_INLINE void finish_columns(float *y, const float *restrict by, tsm_dim n, const bool logarithm) {
    if (logarithm)
        for (tsm_dim i = 0; i < n; i++)
            y[i] -= by[i];
    else
        for (tsm_dim i = 0; i < n; i++)
            y[i] /= by[i];
}

VEC_INLINE void columns_of(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n, const bool logarithm) {
    const softmax_wide w = softmax_wide_of(count, width, n);
    const tsm_dim rest = w.count * w.width; /* where these begin */
    float top[COLUMNS], sum[COLUMNS] = {0};
    memcpy(top, v, (size_t)w.n * sizeof *top);
    softmax_greatest(top, v, w.count, w.width, w.n);
    softmax_greatest(top, v + rest, w.rest, width, n);
    softmax_greatest(top, top + n, w.parts - 1, n, n);
    for (tsm_dim i = n; i < w.n; i++)
        top[i] = top[i - n];
    for (tsm_dim k = 0; k < w.count; k++)
        exponentials(sum, y + k * w.width, v + k * w.width, top, w.n, !logarithm);
    for (tsm_dim k = 0; k < w.rest; k++)
        exponentials(sum, y + rest + k * width, v + rest + k * width, top, n, !logarithm);
    for (tsm_dim i = n; i < w.n; i++)
        sum[i % n] += sum[i];
    for (tsm_dim i = 0; i < n && logarithm; i++)
        sum[i] = vm_log(sum[i]);
    for (tsm_dim i = n; i < w.n; i++)
        sum[i] = sum[i - n];
    for (tsm_dim k = 0; k < w.count; k++)
        finish_columns(y + k * w.width, sum, w.n, logarithm);
    for (tsm_dim k = 0; k < w.rest; k++)
        finish_columns(y + rest + k * width, sum, n, logarithm);
}

static void softmax_columns(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n) {
    columns_of(y, v, count, width, n, false);
}
static void log_softmax_columns(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n) {
    columns_of(y, v, count, width, n, true);
}

enum { SOFTMAX_CHAINS = 4 };

VEC_INLINE void row_of_f64(double *row, tsm_dim n, double top, const bool logarithm) {
    double sums[SOFTMAX_CHAINS] = {0};
    for (tsm_dim k = 0, m; k < n; k += m) {
        double e[COLUMNS];
        m = tsm_dim_min(n - k, COLUMNS);
        for (tsm_dim i = 0; i < m; i++) {
            row[k + i] -= top;
            e[i] = vd_exp(row[k + i]);
        }
        tsm_dim i = 0;
        for (; i + SOFTMAX_CHAINS <= m; i += SOFTMAX_CHAINS)
            for (int c = 0; c < SOFTMAX_CHAINS; c++)
                sums[c] += e[i + c];
        for (; i < m; i++)
            sums[0] += e[i];
        if (!logarithm)
            memcpy(row + k, e, (size_t)m * sizeof *e);
    }
    const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]), by = logarithm ? log(sum) : 1 / sum;
    for (tsm_dim k = 0; k < n; k++)
        row[k] = logarithm ? row[k] - by : row[k] * by;
}
static void softmax_row_f64(double *row, tsm_dim n, double top) {
    row_of_f64(row, n, top, false);
}
static void log_softmax_row_f64(double *row, tsm_dim n, double top) {
    row_of_f64(row, n, top, true);
}

static void subtract_both(float *y, const float *v, tsm_dim n, float first, float second) {
    TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) y[i] = v[i] - first - second;
}

/* A row of up to FOLD_BLOCK floats, whose exponentials are added in float. */
#if VEC_LANES >= 8
#define LOG_SOFTMAX_SHORT log_softmax_short
static void log_softmax_short(float *y, const float *v, tsm_dim n, float (*finish)(double sum)) {
    const tsm_dim whole = n - n % VEC_LANES;
    const size_t rest = (size_t)(n - whole);
    const vec_f32 least = vec_set(-INFINITY), part = rest ? vec_load_part_over(v + whole, rest, least) : least;
    vec_f32 top = part, sum = vec_set(0.0f);
    for (tsm_dim i = 0; i < whole; i += VEC_LANES)
        top = vec_at_least(vec_load(v + i), top); /* a NaN that is lost here still makes the sum NaN */
    const float max = vec_greatest(top);
    for (tsm_dim i = 0; i < whole; i += VEC_LANES)
        sum += vec_exp_negative(vec_load(v + i) - max);
    if (rest)
        sum += vec_exp_negative(part - max);
    const float by = finish((double)vec_sum(sum));
    for (tsm_dim i = 0; i < whole; i += VEC_LANES)
        vec_store(y + i, vec_load(v + i) - max - by);
    if (rest)
        vec_store_part(y + whole, part - max - by, rest);
}
#else
#define LOG_SOFTMAX_SHORT NULL
#endif

typedef struct {
    void (*subtract_both)(float *y, const float *v, tsm_dim n, float first, float second);
    void (*columns)(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n);
    void (*log_columns)(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n);
    void (*row_f64)(double *row, tsm_dim n, double top);
    void (*log_row_f64)(double *row, tsm_dim n, double top);
    void (*log_short)(float *y, const float *v, tsm_dim n, float (*finish)(double sum)); /* NULL: none */
} softmax_loops;
TSM_TABLE_CHOSEN(softmax_loops, softmax_loops,
                 {subtract_both, softmax_columns, log_softmax_columns, softmax_row_f64, log_softmax_row_f64,
                  LOG_SOFTMAX_SHORT})

#if !defined(TSM_WIDE_LOOPS)
void tsm_nn_softmax_rows(tsm_exec *x, float *y, const float *v, tsm_dim count, tsm_dim width) {
    const softmax_loops *loops = softmax_loops_for(x);
    for (tsm_dim i = 0; i < width; i += COLUMNS)
        loops->columns(y + i, v + i, count, width, tsm_dim_min(width - i, COLUMNS));
}

void tsm_nn_log_softmax_rows(tsm_exec *x, float *y, const float *v, tsm_dim count, tsm_dim width) {
    const softmax_loops *loops = softmax_loops_for(x);
    for (tsm_dim i = 0; i < width; i += COLUMNS)
        loops->log_columns(y + i, v + i, count, width, tsm_dim_min(width - i, COLUMNS));
}

void tsm_nn_log_softmax_row_f32(tsm_exec *x, float *y, const float *v, tsm_dim n, float (*finish)(double sum)) {
    const softmax_loops *loops = softmax_loops_for(x);
    if (loops->log_short && n <= FOLD_BLOCK) {
        loops->log_short(y, v, n, finish);
        return;
    }
    fold_state top = {0}, sum = {0};
    tsm_fold_choose(x, &tsm_fold_greatest, TSM_LANE_F32)(&top, NULL, v, n);
    tsm_fold_choose(x, &tsm_fold_exponentials, TSM_LANE_F32)(&sum, &top.f, v, n);
    loops->subtract_both(y, v, n, (float)top.f, finish(sum.f));
}

void tsm_nn_softmax_row_f64(tsm_exec *x, double *row, tsm_dim n) {
    fold_state top = {0};
    tsm_fold_choose(x, &tsm_fold_greatest, TSM_LANE_F64)(&top, NULL, row, n);
    softmax_loops_for(x)->row_f64(row, n, top.f);
}

void tsm_nn_log_softmax_row_f64(tsm_exec *x, double *row, tsm_dim n) {
    fold_state top = {0};
    tsm_fold_choose(x, &tsm_fold_greatest, TSM_LANE_F64)(&top, NULL, row, n);
    softmax_loops_for(x)->log_row_f64(row, n, top.f);
}
#endif
