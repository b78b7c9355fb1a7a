/* Sums, means, products, any, all, counts over dimensions. */
#include "runtime/kernels/reduce/reduce.h"

#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/reduce/mean_quantized.h"
#include "runtime/kernels/reduce/rows.h"
#include "runtime/kernels/simd/casts.h"

static void sum_c128(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    const tsm_complex *a = items;
    for (tsm_dim i = 0; i < n; i++) {
        s->c.re += a[i].re;
        s->c.im += a[i].im;
    }
}

/* A sum or product as an element: floats are in s->f. */
static void store_total(tsm_tensor *y, tsm_dim index, tsm_lane lane, const fold_state *s) {
    if (lane == TSM_LANE_C128)
        tsm_fold_store(y, index, lane, &s->c);
    else if (lane == TSM_LANE_I64)
        tsm_fold_store(y, index, lane, &s->i);
    else
        tsm_fold_store(y, index, TSM_LANE_F64, &s->f);
}

/* Counted in bytes, side by side, as far as these reach. */
static void count_true(fold_state *s, const void *context, const void *items, tsm_dim n) {
    enum { COUNTERS = 32, MOST = 255 * COUNTERS };
    (void)context;
    const uint8_t *v = items;
    tsm_dim i = 0;
    while (n - i >= COUNTERS) {
        uint8_t counters[COUNTERS] = {0};
        const tsm_dim end = i + tsm_dim_min(n - i, MOST) / COUNTERS * COUNTERS;
        for (; i < end; i += COUNTERS)
            for (int k = 0; k < COUNTERS; k++)
                counters[k] = (uint8_t)(counters[k] + (v[i + k] != 0));
        for (int k = 0; k < COUNTERS; k++)
            s->i += counters[k];
    }
    for (; i < n; i++)
        s->i += v[i] != 0;
}
static tsm_status sum_like(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, tsm_dtype dtype, bool mean,
                           tsm_value *out) {
    reduction r = tsm_fold_plan_in_any_order(t, set, keep);
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make(x, dtype, r.dims, r.sizes, &y));
    tsm_lane lane = tsm_lane_of(dtype == TSM_BOOL ? TSM_INT64 : dtype);
    const double n = mean ? (double)r.count : 1;
    /* Rows shorter than this are joined several at a time (steps.c). */
    enum { SHORT_ROWS = 16 };
    if (t->dtype == TSM_FLOAT32 && dtype == TSM_FLOAT32 && tsm_rows_are(&r) &&
        !(TSM_NARROW_LANES && r.outer_sizes[r.outer - 1] < SHORT_ROWS)) {
        tsm_rows_sum_f32(x, t, &r, y->data, mean);
        return ret_tensor(out, y);
    }
    if (tsm_rows_total(x, t, &r, lane, JOIN_SUMS, n, y))
        return ret_tensor(out, y);
    const bool counts = t->dtype == TSM_BOOL && dtype == TSM_INT64;
    tsm_lane items = counts ? TSM_LANE_MASK : lane;
    fold_step step = counts ? count_true : lane == TSM_LANE_C128 ? sum_c128 : tsm_fold_choose(x, &tsm_fold_sum, lane);
#if TSM_NARROW_LANES
    if (tsm_lane_natural(x, (tsm_dtype)t->dtype) == TSM_LANE_C64 && lane == TSM_LANE_C128) {
        items = TSM_LANE_C64;
        step = tsm_fold_choose(x, &tsm_fold_sum, TSM_LANE_C64);
    }
#endif
    tsm_fold_prepare(x, t, items, &r);
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        tsm_fold(x, t, &r, i, items, step, NULL, &s);
        s.f /= n;
        s.c.re /= n;
        s.c.im /= n;
        store_total(y, i, lane, &s);
    }
    return ret_tensor(out, y);
}

typedef tsm_status reducer(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, tsm_dtype dtype, tsm_value *out);

/* Sum or product as the operator's dtype, argument i, says. Into bools, elements are bools first: 1 and -1 are true. */
static tsm_status reduce_as_asked(tsm_exec *x, const tsm_value *const *in, unsigned set, bool keep, int i, reducer *f,
                                  tsm_value *out) {
    tsm_tensor *t = arg_tensor(in, 0), *bools;
    const tsm_dtype same = tsm_dtype_is_integral((tsm_dtype)t->dtype) ? TSM_INT64 : (tsm_dtype)t->dtype;
    const tsm_dtype dtype = tsm_kernel_dtype_asked(x, in, i, same);
    if (dtype != TSM_BOOL || t->dtype == TSM_BOOL)
        return f(x, t, set, keep, dtype, out);
    TSM_TRY(tsm_tensor_to(x, t, TSM_BOOL, &bools));
    const tsm_status status = f(x, bools, set, keep, dtype, out);
    tsm_tensor_drop(x, bools);
    return status;
}

static tsm_status reduce_sum(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, tsm_dtype dtype, tsm_value *out) {
    return sum_like(x, t, set, keep, dtype, false, out);
}

tsm_status tsm_reduce_sum(tsm_exec *x, tsm_tensor *t, unsigned dims, tsm_value *out) {
    return sum_like(x, t, dims, false, tsm_dtype_is_integral((tsm_dtype)t->dtype) ? TSM_INT64 : (tsm_dtype)t->dtype,
                    false, out);
}

TSM_KERNEL(aten_sum) {
    return reduce_as_asked(x, in, ~0u, false, 1, reduce_sum, out);
}
TSM_KERNEL(aten_sum_dim_IntList) {
    unsigned set;
    TSM_TRY(tsm_fold_read_dims(x, in, 1, arg_tensor(in, 0), &set));
    return reduce_as_asked(x, in, set, arg_bool(in, 2), 3, reduce_sum, out);
}

/* The sum of what is not NaN. */
static tsm_status reduce_numbers(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, tsm_dtype dtype, tsm_value *out) {
    if (!tsm_dtype_is_floating((tsm_dtype)t->dtype))
        return reduce_sum(x, t, set, keep, dtype, out);
    reduction r = tsm_fold_plan_in_any_order(t, set, keep);
    const tsm_lane lane = tsm_lane_of(dtype);
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make(x, dtype, r.dims, r.sizes, &y));
    if (tsm_rows_total(x, t, &r, lane, JOIN_SUMS_OF_NUMBERS, 1, y))
        return ret_tensor(out, y);
    const fold_step step = tsm_fold_choose(x, &tsm_fold_sum_of_numbers, lane);
    tsm_fold_prepare(x, t, lane, &r);
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        tsm_fold(x, t, &r, i, lane, step, NULL, &s);
        store_total(y, i, lane, &s);
    }
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_nansum) {
    unsigned set;
    const tsm_dtype own = (tsm_dtype)arg_tensor(in, 0)->dtype, asked = tsm_kernel_dtype_asked(x, in, 3, own);
    TSM_TRY(tsm_fold_read_dims(x, in, 1, arg_tensor(in, 0), &set));
    if (tsm_dtype_is_floating(own) && !tsm_dtype_is_floating(asked))
        return TSM_RAISE(x, "\"nansum_cpu\" not implemented for '%s'", tsm_dtype_class_name(asked));
    return reduce_as_asked(x, in, set, arg_bool(in, 2), 3, reduce_numbers, out);
}

/* Sums what broadcasting to this shape would have repeated. */
TSM_KERNEL(aten_sum_to_size) {
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims = tsm_arg_ints(x, in, 1, sizes, TSM_MAX_DIMS);
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
    if (t->quantizer)
        return tsm_refuse_quantized(x);
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
    tsm_dtype dtype = tsm_kernel_dtype_asked(x, in, dtype_at, (tsm_dtype)t->dtype);
    if (t->quantizer && tsm_mean_quantized_fits(t) && set == (1u << t->dims) - 4) /* all dimensions but the first two */
        return tsm_mean_quantized(x, t, keep, out);
    if (t->quantizer)
        return tsm_quantized_through_floats(x, in, out);
    const bool is_given = !arg_is_none(in, dtype_at);
    const tsm_dtype asked = is_given ? dtype : (tsm_dtype)t->dtype;
    if (tsm_dtype_is_integral(asked))
        return TSM_RAISE(x,
                         "mean(): could not infer output dtype. %s dtype must be either a floating point or complex "
                         "dtype. Got: %s",
                         is_given ? "Optional" : "Input", tsm_dtype_class_name(asked));
    if (tsm_dtype_is_integral(dtype)) /* the destination's */
        return TSM_RAISE(x, "result type %s can't be cast to the desired output type %s", tsm_dtype_class_name(asked),
                         tsm_dtype_class_name(dtype));
    return sum_like(x, t, set, keep, dtype, true, out);
}
TSM_KERNEL(aten_mean) {
    return mean(x, in, ~0u, false, 1, out);
}
TSM_KERNEL(aten_mean_dim) {
    unsigned set;
    TSM_TRY(tsm_fold_read_dims(x, in, 1, arg_tensor(in, 0), &set));
    return mean(x, in, set, arg_bool(in, 2), 3, out);
}

/* ---- Products, any, all ---- */

static void prod_c128(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0; i < n; i++)
        s->c = cx_mul(s->c, ((const tsm_complex *)items)[i]);
}
static tsm_status reduce_product(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, tsm_dtype dtype, tsm_value *out) {
    reduction r = tsm_fold_plan_in_any_order(t, set, keep);
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make(x, dtype, r.dims, r.sizes, &y));
    const tsm_lane lane = tsm_lane_of(dtype == TSM_BOOL ? TSM_INT64 : dtype);
    if (tsm_rows_total(x, t, &r, lane, JOIN_PRODUCTS, 1, y))
        return ret_tensor(out, y);
    const fold_step step = lane == TSM_LANE_C128 ? prod_c128 : tsm_fold_choose(x, &tsm_fold_product, lane);
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {.f = 1, .i = 1, .c = {1, 0}};
        tsm_fold(x, t, &r, i, lane, step, NULL, &s);
        store_total(y, i, lane, &s);
    }
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_prod) {
    return reduce_as_asked(x, in, ~0u, false, 1, reduce_product, out);
}
TSM_KERNEL(aten_prod_dim_int) {
    int d;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), arg_tensor(in, 0)->dims, &d));
    return reduce_as_asked(x, in, 1u << d, arg_bool(in, 2), 3, reduce_product, out);
}

/* How many elements are not zero, as `any`, `all` or the count. */
typedef enum { QUESTION_ANY, QUESTION_ALL, QUESTION_COUNT } question;

static tsm_status ask_as(tsm_exec *x, const tsm_tensor *t, unsigned set, bool keep, question q, tsm_dtype dtype,
                         tsm_value *out) {
    reduction r = tsm_fold_plan_in_any_order(t, set, keep);
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make(x, dtype, r.dims, r.sizes, &y));
    /* Bools are 0 and 1: their sum counts them. */
    if (q != QUESTION_COUNT || t->dtype == TSM_BOOL) {
        const tsm_lane lane = q == QUESTION_COUNT ? TSM_LANE_I64 : TSM_LANE_MASK;
        if (tsm_rows_total(x, t, &r, lane, q == QUESTION_ALL ? JOIN_PRODUCTS : JOIN_SUMS, 1, y))
            return ret_tensor(out, y);
    }
    for (tsm_dim i = 0; i < r.results; i++) {
        fold_state s = {0};
        tsm_fold(x, t, &r, i, TSM_LANE_MASK, count_true, NULL, &s);
        int64_t answer = q == QUESTION_COUNT ? s.i : q == QUESTION_ANY ? s.i > 0 : s.i == r.count;
        tsm_fold_store(y, i, TSM_LANE_I64, &answer);
    }
    return ret_tensor(out, y);
}

/* A destination of `any` and `all` has either dtype, whatever the tensor has: as such the elements count. */
static tsm_status ask(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, question q, tsm_value *out) {
    if (q == QUESTION_COUNT)
        return ask_as(x, t, set, keep, q, TSM_INT64, out);
    if (!x->dest)
        return ask_as(x, t, set, keep, q, t->dtype == TSM_UINT8 ? TSM_UINT8 : TSM_BOOL, out);
    const tsm_dtype dtype = (tsm_dtype)x->dest->dtype;
    if (dtype != TSM_BOOL && dtype != TSM_UINT8)
        return TSM_RAISE(x, "%s only supports bool tensor for result, got: %s", q == QUESTION_ANY ? "any" : "all",
                         tsm_dtype_class_name(dtype));
    tsm_tensor *as_asked;
    TSM_TRY(tsm_tensor_to(x, t, dtype, &as_asked));
    const tsm_status status = ask_as(x, as_asked, set, keep, q, dtype, out);
    tsm_tensor_drop(x, as_asked);
    return status;
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
    TSM_TRY(tsm_fold_read_dims(x, in, 1, arg_tensor(in, 0), &set));
    return ask(x, arg_tensor(in, 0), set, false, QUESTION_COUNT, out);
}
