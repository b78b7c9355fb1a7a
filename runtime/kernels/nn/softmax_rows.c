/* softmax and log_softmax of neighbouring lines, in blocks of columns, and of a line of doubles. On x86-64 compiled
 * once more for AVX2 (loops.h, TSM_LOOPS). */
#include "runtime/kernels/nn/softmax_rows.h"

#include "runtime/kernels/reduce/steps.h"
#include "runtime/kernels/simd/vec.h"
#include "runtime/kernels/simd/vmath.h"
#include "runtime/kernels/simd/vmath64.h"

enum { COLUMNS = 128 };

static void softmax_greatest(float *restrict top, const float *v, tsm_dim count, tsm_dim width, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++)
        top[i] = v[i];
    for (tsm_dim k = 1; k < count; k++) {
        v += width;
        for (tsm_dim i = 0; i < n; i++)
            top[i] = v[i] > top[i] ? v[i] : top[i];
    }
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

VEC_INLINE void columns_of(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n, const bool logarithm) {
    float top[COLUMNS], sum[COLUMNS] = {0};
    softmax_greatest(top, v, count, width, n);
    for (tsm_dim k = 0; k < count; k++)
        exponentials(sum, y + k * width, v + k * width, top, n, !logarithm);
    for (tsm_dim i = 0; i < n && logarithm; i++)
        sum[i] = vm_log(sum[i]);
    for (tsm_dim k = 0; k < count; k++, y += width) {
        if (logarithm)
            for (tsm_dim i = 0; i < n; i++)
                y[i] -= sum[i];
        else
            for (tsm_dim i = 0; i < n; i++)
                y[i] /= sum[i];
    }
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

typedef struct {
    void (*subtract_both)(float *y, const float *v, tsm_dim n, float first, float second);
    void (*columns)(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n);
    void (*log_columns)(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n);
    void (*row_f64)(double *row, tsm_dim n, double top);
    void (*log_row_f64)(double *row, tsm_dim n, double top);
} softmax_loops;
TSM_TABLE_CHOSEN(softmax_loops, softmax_loops,
                 {subtract_both, softmax_columns, log_softmax_columns, softmax_row_f64, log_softmax_row_f64})

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
    fold_state top = {0}, sum = {0};
    tsm_fold_choose(x, &tsm_fold_greatest, TSM_LANE_F32)(&top, NULL, v, n);
    tsm_fold_choose(x, &tsm_fold_exponentials, TSM_LANE_F32)(&sum, &top.f, v, n);
    softmax_loops_for(x)->subtract_both(y, v, n, (float)top.f, finish(sum.f));
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
