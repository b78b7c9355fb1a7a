/* Operators that change elements at random while a model trains: dropout's family, rrelu. Out of training they are the
 * identity, or a plain activation. */
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/random/random.h"

#include <float.h>

/* ---- Masks ---- */

static void draw_kept(tsm_random *r, const void *how, void *items, tsm_dim n) {
    const double *probability = how;
    uint8_t *y = items;
    for (tsm_dim i = 0; i < n; i++)
        y[i] = random_double(r) < *probability;
}

static tsm_status make_mask(tsm_exec *x, const tsm_tensor *input, bool of_features, double keep, tsm_tensor **mask) {
    tsm_random *r;
    TSM_TRY(tsm_random_get(x, tsm_none(), &r));
    if (!of_features) {
        TSM_TRY(tsm_tensor_make(x, TSM_BOOL, input->dims, input->sizes, mask));
    } else {
        tsm_dim sizes[TSM_MAX_DIMS];
        if (input->dims < 2)
            return TSM_RAISE(x, "Feature dropout requires at least 2 dimensions in the input");
        for (int d = 0; d < input->dims; d++)
            sizes[d] = d < 2 ? input->sizes[d] : 1;
        TSM_TRY(tsm_tensor_make(x, TSM_BOOL, input->dims, sizes, mask));
    }
    tsm_random_fill(r, *mask, TSM_LANE_MASK, draw_kept, &keep);
    return TSM_OK;
}

/* Keeps everything, and draws nothing. */
static tsm_status make_full_mask(tsm_exec *x, const tsm_tensor *input, tsm_tensor **mask) {
    TSM_TRY(tsm_tensor_make(x, TSM_BOOL, input->dims, input->sizes, mask));
    memset((*mask)->data, true, (size_t)(*mask)->elements);
    return TSM_OK;
}

/* ---- What becomes of elements that are dropped (0) and kept (1): factor * element + shift ---- */

typedef struct {
    double factor[2], shift[2];
    bool has_shift;
} fate;

#define DROP_LOOP(name, T)                                                                                             \
    static void name(const void *context, void *const *p, tsm_dim n) {                                                 \
        const fate *f = context;                                                                                       \
        T factor[2] = {(T)f->factor[0], (T)f->factor[1]}, shift[2] = {(T)f->shift[0], (T)f->shift[1]};                 \
        T *y = p[0];                                                                                                   \
        const T *a = p[1];                                                                                             \
        const uint8_t *kept = p[2];                                                                                    \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            T scaled = a[i] * factor[kept[i]];                                                                         \
            y[i] = f->has_shift ? scaled + shift[kept[i]] : scaled;                                                    \
        }                                                                                                              \
    }
DROP_LOOP(drop_f32, float)
DROP_LOOP(drop_f64, double)
static void drop_c128(const void *context, void *const *p, tsm_dim n) {
    const fate *f = context;
    tsm_complex *y = p[0];
    const tsm_complex *a = p[1];
    const uint8_t *kept = p[2];
    for (tsm_dim i = 0; i < n; i++)
        y[i] = (tsm_complex){a[i].re * f->factor[kept[i]] + f->shift[kept[i]], a[i].im * f->factor[kept[i]]};
}
static const tsm_loops drop_loops = {
    "dropout", {[TSM_LANE_F32] = drop_f32, [TSM_LANE_F64] = drop_f64, [TSM_LANE_C128] = drop_c128}, false, NULL};

/* A number rounded to the dtype: PyTorch computes factors and shifts by operators on tensors of the input's dtype. */
static double as_element(tsm_dtype dtype, double number) {
    tsm_lane_item item = {.f64 = number}, element;
    tsm_lane_store(dtype, &element, 0, TSM_LANE_F64, &item, 1);
    tsm_lane_load(TSM_LANE_F64, &item, dtype, &element, 0, 1);
    return item.f64;
}

static fate plain_fate(tsm_dtype dtype, double p) {
    return (fate){{0, as_element(dtype, 1 / as_element(dtype, 1 - p))}, {0, 0}, false};
}

/* Keeps mean and deviation of inputs that have 0 and 1: G. Klambauer et al., "Self-Normalizing Neural Networks", 2017.
 */
static fate alpha_fate(tsm_dtype dtype, double p) {
    double alpha = 1.7580993408473766, a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p));
    double kept = as_element(dtype, alpha * a * p), dropped = as_element(dtype, as_element(dtype, -alpha * a) + kept);
    return (fate){{0, as_element(dtype, a)}, {dropped, kept}, true};
}

static tsm_status dropout_apply(tsm_exec *x, const tsm_value *const *in, const tsm_tensor *mask, const fate *f,
                                tsm_value *out) {
    tsm_tensor *input = arg_tensor(in, 0), *y;
    tsm_dtype dtype = (tsm_dtype)input->dtype;
    tsm_lane lane = tsm_lane_of(dtype);
    tsm_loop loop;
    TSM_TRY(tsm_loops_find(x, &drop_loops, dtype, &loop));
    TSM_TRY(tsm_out_pointwise(x, in, dtype, input->dims, input->sizes, &y));
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, lane, y);
    tsm_map_in(&m, lane, input);
    tsm_map_in(&m, TSM_LANE_MASK, mask);
    return tsm_random_ret(x, tsm_map_run(x, &m, loop, f), y, out);
}

/* ---- The operators ---- */

static tsm_status dropout(tsm_exec *x, const tsm_value *const *in, bool of_features, bool keeps_moments,
                          tsm_value *out) {
    const tsm_tensor *input = arg_tensor(in, 0);
    tsm_dtype dtype = (tsm_dtype)input->dtype;
    double p = arg_float(in, 1);
    if (!(p >= 0 && p <= 1))
        return TSM_RAISE(x, "dropout probability has to be between 0 and 1, but got %s", tsm_kernel_number(p).text);
    if (p == 0 || !arg_bool(in, 2) || !input->elements)
        return tsm_random_ret_self(in, out);
    if (!tsm_dtype_is_floating(dtype))
        return TSM_RAISE(x, "result type Float can't be cast to the desired output type %s",
                         tsm_dtype_class_name(dtype));
    tsm_tensor *mask;
    fate f = p == 1 ? (fate){{0, 0}, {0, 0}, false} : keeps_moments ? alpha_fate(dtype, p) : plain_fate(dtype, p);
    if (p == 1) /* no words are drawn */
        TSM_TRY(tsm_tensor_scalar(x, TSM_BOOL, tsm_bool(false), &mask));
    else
        TSM_TRY(make_mask(x, input, of_features, 1 - p, &mask));
    tsm_status status = dropout_apply(x, in, mask, &f, out);
    tsm_tensor_drop(x, mask);
    return status;
}

TSM_KERNEL(aten_dropout) {
    return dropout(x, in, false, false, out);
}
TSM_KERNEL(aten_alpha_dropout) {
    return dropout(x, in, false, true, out);
}
TSM_KERNEL(aten_feature_dropout) {
    return dropout(x, in, true, false, out);
}
TSM_KERNEL(aten_feature_alpha_dropout) {
    return dropout(x, in, true, true, out);
}

static tsm_status copy_input(tsm_exec *x, const tsm_tensor *input, tsm_value *out) {
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)input->dtype, input->dims, input->sizes, &y));
    return tsm_random_ret(x, tsm_tensor_copy(x, y, input), y, out);
}

/* Gives the mask too. */
TSM_KERNEL(aten_native_dropout) {
    const tsm_tensor *input = arg_tensor(in, 0);
    double keep = 1 - arg_float(in, 1);
    bool is_off = !arg_is_none(in, 2) && !arg_bool(in, 2);
    tsm_tensor *mask;
    if (!input->elements) { /* as in PyTorch: the input itself, and no bools */
        TSM_TRY(tsm_tensor_make(x, (tsm_dtype)input->dtype, input->dims, input->sizes, &mask));
        *out = tsm_hold(*in[0]);
        return ret_tensor(&out[1], mask);
    }
    if (!is_off && !(keep >= 0 && keep <= 1))
        return TSM_RAISE(x, "bernoulli_ expects p to be in [0, 1], but got p=%s", tsm_kernel_number(keep).text);
    if (is_off)
        TSM_TRY(make_full_mask(x, input, &mask));
    else
        TSM_TRY(make_mask(x, input, false, keep, &mask));
    fate f = {{0, keep == 0 ? 0 : 1 / keep}, {0, 0}, false};
    tsm_status status = is_off ? copy_input(x, input, out) : dropout_apply(x, in, mask, &f, out);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, mask);
        return status;
    }
    return ret_tensor(&out[1], mask);
}

/* ---- rrelu ---- */

typedef struct {
    tsm_random *random;
    double lower, upper;
} slopes;

/* Elements up to 0 get random slopes; the others get slope 1 and take no words from the generator. */
#define SLOPE_LOOP(name, T)                                                                                            \
    static void name(const void *context, void *const *p, tsm_dim n) {                                                 \
        const slopes *s = context;                                                                                     \
        T *y = p[0], *noise = p[1];                                                                                    \
        const T *a = p[2];                                                                                             \
        double width = (double)(T)s->upper - (double)(T)s->lower;                                                      \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            noise[i] = a[i] <= 0 ? (T)fma(random_double(s->random), width, (T)s->lower) : 1;                           \
            y[i] = a[i] * noise[i];                                                                                    \
        }                                                                                                              \
    }
SLOPE_LOOP(slope_f32, float)
SLOPE_LOOP(slope_f64, double)
static const tsm_loops slope_loops = {
    "rrelu_with_noise_out_cpu", {[TSM_LANE_F32] = slope_f32, [TSM_LANE_F64] = slope_f64}, false, NULL};

#define LEAK_LOOP(name, T) TSM_LOOP1(name, T, T, T slope = (T) * (const double *)k, a > 0 ? a : a * slope)
LEAK_LOOP(leak_f32, float)
LEAK_LOOP(leak_f64, double)
static const tsm_loops leak_loops = {
    "leaky_relu_cpu", {[TSM_LANE_F32] = leak_f32, [TSM_LANE_F64] = leak_f64}, false, NULL};

/* Row by row, whatever the input's layout. */
static tsm_status draw_slopes(tsm_exec *x, const tsm_tensor *input, tsm_tensor *noise, const slopes *s,
                              tsm_value *out) {
    tsm_dtype dtype = (tsm_dtype)input->dtype;
    tsm_lane lane = tsm_lane_of(dtype);
    tsm_tensor *y;
    tsm_loop loop;
    TSM_TRY(tsm_loops_find(x, &slope_loops, dtype, &loop));
    TSM_TRY(tsm_tensor_make(x, dtype, input->dims, input->sizes, &y));
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, lane, y);
    tsm_map_out(&m, lane, noise);
    tsm_map_in(&m, lane, input);
    return tsm_random_ret(x, tsm_map_run(x, &m, loop, s), y, out);
}

static tsm_status leak(tsm_exec *x, const tsm_value *const *in, int lower, tsm_value *out) {
    double slope = (arg_float(in, lower) + arg_float(in, lower + 1)) / 2;
    return tsm_unary(x, in, arg_tensor(in, 0), &leak_loops, TSM_RESULT_SAME, &slope, out);
}

/* In the words of the distribution that slopes are drawn from. */
static tsm_status check_slopes(tsm_exec *x, const slopes *s) {
    return s->lower <= s->upper && s->upper - s->lower <= FLT_MAX
               ? TSM_OK
               : TSM_RAISE(x, "Expected from <= to to be true, but got false.");
}

TSM_KERNEL(aten_rrelu_with_noise) {
    if (!arg_bool(in, 4))
        return leak(x, in, 2, out);
    slopes s = {NULL, arg_float(in, 2), arg_float(in, 3)};
    TSM_TRY(check_slopes(x, &s));
    const tsm_tensor *input = arg_tensor(in, 0), *noise = arg_tensor(in, 1);
    if (noise->dims != input->dims || memcmp(noise->sizes, input->sizes, (size_t)input->dims * sizeof *input->sizes))
        return TSM_RAISE(x, "rrelu_with_noise: noise must have the shape of the input");
    if (noise->dtype != input->dtype)
        return TSM_RAISE(x, "expected scalar type %s but found %s", tsm_dtype_class_name((tsm_dtype)input->dtype),
                         tsm_dtype_class_name((tsm_dtype)noise->dtype));
    TSM_TRY(tsm_random_get(x, *in[5], &s.random));
    return draw_slopes(x, input, arg_tensor(in, 1), &s, out);
}

TSM_KERNEL(aten_rrelu) {
    if (!(arg_float(in, 1) <= arg_float(in, 2)))
        return TSM_RAISE(x, "Lower bound should be less than or equal to the upper bound");
    if (!arg_bool(in, 3))
        return leak(x, in, 1, out);
    slopes s = {NULL, arg_float(in, 1), arg_float(in, 2)};
    TSM_TRY(check_slopes(x, &s));
    tsm_tensor *noise;
    TSM_TRY(tsm_random_get(x, *in[4], &s.random));
    TSM_TRY(tsm_random_make_like(x, in, arg_tensor(in, 0)->dtype, &noise));
    tsm_status status = draw_slopes(x, arg_tensor(in, 0), noise, &s, out);
    tsm_tensor_drop(x, noise);
    return status;
}
