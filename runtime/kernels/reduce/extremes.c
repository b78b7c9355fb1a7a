/* Greatest and least elements, and where they are. */
#include "runtime/kernels/reduce/fold.h"

/* The best of the items so far, in parts, which compilers turn into vectors. A NaN is better than any number. Context:
 * none. */
enum { PARTS = 8 };
#define BEST(T, best, v, COMPARE) ((v)COMPARE(best) || (v) != (v) ? (v) : (best))
#define EXTREME_STEP(T, name, FIELD, COMPARE)                                                                          \
    static void name(fold_state *s, const void *context, const void *items, tsm_dim n) {                               \
        (void)context;                                                                                                 \
        const T *a = items;                                                                                            \
        T best = s->seen ? (T)s->FIELD : a[0], part[PARTS];                                                            \
        tsm_dim i = 0;                                                                                                 \
        for (int k = 0; k < PARTS; k++)                                                                                \
            part[k] = best;                                                                                            \
        for (; i + PARTS <= n; i += PARTS)                                                                             \
            for (int k = 0; k < PARTS; k++) {                                                                          \
                T v = a[i + k];                                                                                        \
                part[k] = BEST(T, part[k], v, COMPARE);                                                                \
            }                                                                                                          \
        for (; i < n; i++)                                                                                             \
            part[0] = BEST(T, part[0], a[i], COMPARE);                                                                 \
        for (int k = 0; k < PARTS; k++)                                                                                \
            best = BEST(T, best, part[k], COMPARE);                                                                    \
        s->FIELD = best;                                                                                               \
        s->seen += n;                                                                                                  \
    }
EXTREME_STEP(float, max_f32, f, >)
EXTREME_STEP(double, max_f64, f, >)
EXTREME_STEP(int64_t, max_i64, i, >)
EXTREME_STEP(float, min_f32, f, <)
EXTREME_STEP(double, min_f64, f, <)
EXTREME_STEP(int64_t, min_i64, i, <)

/* The position of the first item that is as good as the best, which is known by now. */
#define FIND_STEP(T, name, FIELD)                                                                                      \
    static void name(fold_state *s, const void *context, const void *items, tsm_dim n) {                               \
        const T *a = items, best = (T)((const fold_state *)context)->FIELD;                                            \
        for (tsm_dim i = 0; i < n && s->at < 0; i++)                                                                   \
            if (a[i] == best || a[i] != a[i])                                                                          \
                s->at = s->seen + i;                                                                                   \
        s->seen += n;                                                                                                  \
    }
FIND_STEP(float, find_f32, f)
FIND_STEP(double, find_f64, f)
FIND_STEP(int64_t, find_i64, i)

typedef struct {
    tsm_lane lane;
    fold_step greatest, least, find;
} extreme_steps;

static const extreme_steps *steps_of(tsm_dtype dtype) {
    static const extreme_steps f32 = {TSM_LANE_F32, max_f32, min_f32, find_f32},
                               f64 = {TSM_LANE_F64, max_f64, min_f64, find_f64},
                               i64 = {TSM_LANE_I64, max_i64, min_i64, find_i64};
    const tsm_lane lane = tsm_lane_of(dtype);
    return lane == TSM_LANE_F32 ? &f32 : lane == TSM_LANE_F64 ? &f64 : &i64;
}

/* The best of each of `width` neighbouring results, whose elements lie side by side. */
#define EXTREME_ROW(T, COMPARE)                                                                                        \
    for (tsm_dim i = 0; i < n; i++)                                                                                    \
    y[i] = BEST(T, y[i], v[i], COMPARE)
static void row_extremes(float *restrict y, const float *restrict v, tsm_dim n, bool largest) {
    if (largest)
        EXTREME_ROW(float, >);
    else
        EXTREME_ROW(float, <);
}

/* Float results whose elements lie in rows: one row after the other is compared with the results. */
static bool extremes_of_rows(const tsm_tensor *t, const reduction *r, bool largest, tsm_tensor *y) {
    if (t->dtype != TSM_FLOAT32 || !r->inner || !r->outer || r->outer_strides[r->outer - 1] != 1 || !r->count)
        return false;
    const tsm_dim n = r->outer_sizes[r->outer - 1];
    float *to = y->data;
    for (tsm_dim i = 0; i < r->results; i += n, to += n) {
        const float *base = (const float *)t->data + fold_offset(r->outer, r->outer_sizes, r->outer_strides, i);
        memcpy(to, base, (size_t)n * sizeof *to);
        for (tsm_dim k = 1; k < r->count; k++)
            row_extremes(to, base + fold_offset(r->inner, r->inner_sizes, r->inner_strides, k), n, largest);
    }
    return true;
}

/* Values, positions, or both; `values` or `positions` may be NULL. Positions count along the reduced elements. */
static tsm_status extreme(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, bool largest, const char *name,
                          tsm_value *values, tsm_value *positions) {
    reduction r = fold_plan(t, set, keep);
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
    const extreme_steps *steps = steps_of((tsm_dtype)t->dtype);
    bool done = !at && extremes_of_rows(t, &r, largest, y);
    for (tsm_dim i = 0; i < r.results && !done; i++) {
        fold_state s = {0}, found = {.at = -1};
        fold(t, &r, i, steps->lane, largest ? steps->greatest : steps->least, NULL, &s);
        if (y && steps->lane == TSM_LANE_I64)
            fold_store(y, i, TSM_LANE_I64, &s.i);
        else if (y)
            fold_store(y, i, TSM_LANE_F64, &s.f);
        if (!at)
            continue;
        fold(t, &r, i, steps->lane, steps->find, &s, &found);
        fold_store(at, i, TSM_LANE_I64, &found.at);
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
    TSM_TRY(fold_read_dims(x, in, 1, arg_tensor(in, 0), &set));
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
