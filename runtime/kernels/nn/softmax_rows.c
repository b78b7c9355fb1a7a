/* softmax and log_softmax of neighbouring lines, in blocks of columns. On x86-64 compiled once more for AVX2 (loops.h,
 * TSM_LOOPS). */
#include "runtime/kernels/nn/softmax_rows.h"

#include "runtime/kernels/simd/vmath.h"

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
static void exponentials(float *restrict sum, float *y, const float *v, const float *restrict top, tsm_dim n,
                         bool keep) {
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

static void softmax_columns(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n, bool logarithm) {
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

typedef void (*softmax_loop)(float *y, const float *v, tsm_dim count, tsm_dim width, tsm_dim n, bool logarithm);
#if defined(TSM_WIDE_LOOPS)
extern const softmax_loop tsm_wide_softmax;
const softmax_loop tsm_wide_softmax = softmax_columns;
#else
static softmax_loop choose(tsm_exec *x) {
#if defined(TSM_TABLES_X86_64) && !defined(TSM_PLAIN)
    extern const softmax_loop tsm_wide_softmax;
    return loops_f32(x)->lanes >= 8 ? tsm_wide_softmax : softmax_columns;
#else
    (void)x;
    return softmax_columns;
#endif
}

void nn_softmax_rows(tsm_exec *x, float *y, const float *v, tsm_dim count, tsm_dim width, bool logarithm) {
    const softmax_loop loop = choose(x);
    for (tsm_dim i = 0; i < width; i += COLUMNS)
        loop(y + i, v + i, count, width, tsm_dim_min(width - i, COLUMNS), logarithm);
}
#endif
