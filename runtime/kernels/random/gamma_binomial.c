/* Draws by rejection whose parameters are tensors: gamma and binomial. They take as many numbers of the generator as
 * PyTorch does, in the same order, and round where it does: elements of float32 are floats, what follows from them
 * doubles. */
#include <float.h>

#include "runtime/kernels/loops.h"
#include "runtime/kernels/random/random.h"

static bool is_float_or_double(tsm_dtype dtype) {
    return dtype == TSM_FLOAT32 || dtype == TSM_FLOAT64;
}

/* As an element of float64, or else of float32. */
static double rounded_element(bool is_wide, double number) {
    return is_wide ? number : (double)(float)number;
}

/* ---- gamma ---- */

/* G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", 2000. Below 1 a number for shape + 1
 * is multiplied by a power of a uniform one. Constants that are floats are PyTorch's. */
static double draw_gamma(tsm_random *r, bool is_wide, double shape) {
    double scale = 1;
    if (shape == 0)
        return 0;
    if (shape < 1) {
        scale = pow(1 - random_double(r), rounded_element(is_wide, 1 / shape));
        shape = rounded_element(is_wide, shape + 1);
    }
    const double d = rounded_element(is_wide, shape - (double)(1.0F / 3.0F)), c = 1 / sqrt(9 * d);
    for (;;) {
        double x, y;
        do {
            x = tsm_random_normal(r);
            y = 1 + c * x;
        } while (y <= 0);
        const double v = y * y * y, u = 1 - random_double(r), xx = x * x;
        if (u < 1 - (double)0.0331F * xx * xx || log(u) < 0.5 * xx + d * (1 - v + log(v)))
            return scale * d * v;
    }
}

TSM_KERNEL(aten__standard_gamma) {
    tsm_random *r;
    tsm_tensor *shapes = NULL, *t;
    const tsm_tensor *self = arg_tensor(in, 0);
    const tsm_dtype dtype = (tsm_dtype)self->dtype;
    TSM_TRY(tsm_random_get(x, *in[1], &r));
    if (!is_float_or_double(dtype))
        return tsm_loops_missing(x, "gamma_cpu", dtype);
    TSM_TRY(tsm_tensor_make(x, dtype, self->dims, self->sizes, &t));
    tsm_status status = tsm_tensor_contiguous(x, arg_tensor(in, 0), &shapes);
    const size_t size = tsm_dtype_size(dtype);
    for (tsm_dim i = 0; status == TSM_OK && i < t->elements; i++) {
        double shape, drawn;
        tsm_lane_load(TSM_LANE_F64, &shape, dtype, (const char *)shapes->data + (size_t)i * size, 0, 1);
        if (!(shape >= 0)) { /* PyTorch would try for ever */
            status = TSM_RAISE(x, "_standard_gamma expects numbers that are not negative");
            break;
        }
        const bool is_wide = dtype == TSM_FLOAT64;
        drawn = fmax(is_wide ? DBL_MIN : (double)FLT_MIN, draw_gamma(r, is_wide, shape));
        tsm_lane_store(dtype, (char *)t->data + (size_t)i * size, 0, TSM_LANE_F64, &drawn, 1);
    }
    tsm_tensor_drop(x, shapes);
    return tsm_random_ret(x, status, t, out);
}

/* ---- binomial ---- */

/* Numbers of the tensors' dtype. */
typedef struct {
    double count, chance;
    bool is_wide; /* float64 */
} trials;

static double as_trial(const trials *t, double number) {
    return rounded_element(t->is_wide, number);
}

/* Failures between successes are geometric: they are added up. */
static double few_successes(tsm_random *r, const trials *t) {
    const double log_chance = t->is_wide ? log1p(-t->chance) : (double)log1pf((float)-t->chance);
    double sum = 0, successes = 0;
    for (sum += ceil(log(random_double(r)) / log_chance); !(sum > t->count);
         sum += ceil(log(random_double(r)) / log_chance))
        successes++;
    return successes;
}

/* log(k!) less Stirling's formula for it. */
static double stirling_rest(double k) {
    static const double rests[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                   0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                                   0.00925546218271273, 0.00833056343336287};
    if (k <= 9)
        return rests[(size_t)k];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

/* W. Hoermann, "The generation of binomial random variates", 1993: algorithm BTRS. */
static double many_successes(tsm_random *r, const trials *t) {
    const double n = t->count, p = t->chance, mean = as_trial(t, n * p), rest = as_trial(t, 1 - p);
    const double deviation = as_trial(t, sqrt(as_trial(t, mean * rest)));
    const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, limit = 0.92 - 4.2 / b;
    const double odds = as_trial(t, p / rest), alpha = (2.83 + 5.1 / b) * deviation, more = as_trial(t, n + 1);
    const double m = floor(as_trial(t, more * p));
    for (;;) {
        const double u = random_double(r) - 0.5, v = random_double(r), edge = 0.5 - fabs(u);
        const double k = as_trial(t, floor((2 * a / edge + b) * u + (mean + 0.5)));
        if (!(k >= 0 && k <= n))
            continue;
        if (edge >= 0.07 && v <= limit)
            return k;
        const double left = as_trial(t, n - k), next = as_trial(t, left + 1);
        const double bound = (m + 0.5) * log((m + 1) / (odds * (n - m + 1))) + more * log((n - m + 1) / next) +
                             (k + 0.5) * log(odds * next / as_trial(t, k + 1)) + stirling_rest(m) +
                             stirling_rest(n - m) - stirling_rest(k) - stirling_rest(left);
        if (log(v * alpha / (a / (edge * edge) + b)) <= bound)
            return k;
    }
}

/* For a chance of at most a half. */
static double draw_successes(tsm_random *r, const trials *t) {
    return as_trial(t, t->count * t->chance) >= 10 ? many_successes(r, t) : few_successes(r, t);
}

/* False where the count is no number, for which PyTorch would try for ever. */
static bool draw_binomial(tsm_random *r, trials t, double *drawn) {
    *drawn = t.count <= 0 || t.chance <= 0 ? 0 : t.chance >= 1 ? t.count : t.chance;
    if (t.count <= 0 || !(t.chance > 0 && t.chance < 1))
        return true;
    if (!isfinite(t.count))
        return false;
    if (t.chance <= 0.5) {
        *drawn = draw_successes(r, &t);
        return true;
    }
    t.chance = as_trial(&t, 1 - t.chance);
    *drawn = as_trial(&t, t.count - draw_successes(r, &t));
    return true;
}

static tsm_status fill_binomial(tsm_exec *x, tsm_random *r, tsm_tensor *t, const tsm_tensor *count,
                                const tsm_tensor *chance) {
    tsm_iter it;
    tsm_iter_start(&it, t->dims, t->sizes);
    tsm_iter_add(&it, t);
    tsm_iter_add(&it, count);
    tsm_iter_add(&it, chance);
    tsm_iter_ready(&it);
    while (tsm_iter_next(&it))
        for (tsm_dim i = 0; i < it.sizes[0]; i++) {
            trials given = {.is_wide = t->dtype == TSM_FLOAT64};
            double drawn;
            const tsm_dtype dtype = (tsm_dtype)t->dtype;
            tsm_lane_load(TSM_LANE_F64, &given.count, dtype, (char *)it.data[1] + i * it.strides[1][0], 0, 1);
            tsm_lane_load(TSM_LANE_F64, &given.chance, dtype, (char *)it.data[2] + i * it.strides[2][0], 0, 1);
            if (!draw_binomial(r, given, &drawn))
                return TSM_RAISE(x, "binomial expects counts that are finite");
            tsm_lane_store(dtype, (char *)it.data[0] + i * it.strides[0][0], 0, TSM_LANE_F64, &drawn, 1);
        }
    return TSM_OK;
}

TSM_KERNEL(aten_binomial) {
    tsm_random *r;
    tsm_tensor *t;
    const tsm_tensor *count = arg_tensor(in, 0), *chance = arg_tensor(in, 1);
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    TSM_TRY(tsm_random_get(x, *in[2], &r));
    TSM_TRY(tsm_broadcast_shapes(x, count->dims, count->sizes, chance->dims, chance->sizes, &dims, sizes));
    if (count->dtype != chance->dtype)
        return TSM_RAISE(x, "Found dtype %s but expected %s", tsm_dtype_class_name((tsm_dtype)chance->dtype),
                         tsm_dtype_class_name((tsm_dtype)count->dtype));
    if (!is_float_or_double((tsm_dtype)count->dtype))
        return tsm_loops_missing(x, "binomial_cpu", (tsm_dtype)count->dtype);
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)count->dtype, dims, sizes, &t));
    return tsm_random_ret(x, fill_binomial(x, r, t, count, chance), t, out);
}
