/* Greatest and least elements, and where they are. */
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/reduce/rows.h"

/* Of parts * n items, the best of some rows each, and of the numbers of these rows: row k of part p is row
 * k * parts + p of n items. The first n become the best of each column, and where it is; the first of equal ones, and
 * of NaNs. */
static void join_extremes_of_parts(tsm_lane lane, bool largest, void *best, int32_t *rows, tsm_dim parts, tsm_dim n) {
    const bool floats = lane == TSM_LANE_F32 || lane == TSM_LANE_F64;
    const tsm_dtype dtype = (tsm_dtype)tsm_dtypes_of_lanes[lane];
    const tsm_dim size = (tsm_dim)tsm_lane_size(lane);
    for (tsm_dim i = 0; i < n; i++) {
        tsm_dim chosen = 0;
        tsm_lane_item was = {.i = 0};
        for (tsm_dim part = 0; part < parts; part++) {
            tsm_lane_item now;
            tsm_lane_load(floats ? TSM_LANE_F64 : TSM_LANE_I64, &now, dtype, (char *)best + (part * n + i) * size, 0,
                          1);
            const bool is_nan = floats && now.f64 != now.f64, was_nan = floats && was.f64 != was.f64;
            const bool is_better = !part || (is_nan && !was_nan) ||
                                   (floats    ? (largest ? now.f64 > was.f64 : now.f64 < was.f64)
                                    : largest ? now.i > was.i
                                              : now.i < was.i),
                       is_equal = floats ? now.f64 == was.f64 || (is_nan && was_nan) : now.i == was.i;
            const tsm_dim row = rows[part * n + i] * parts + part;
            if (is_better || (is_equal && row < rows[chosen * n + i] * parts + chosen)) {
                chosen = part;
                was = now;
            }
        }
        const int32_t row = (int32_t)(rows[chosen * n + i] * parts + chosen);
        memmove((char *)best + i * size, (char *)best + (chosen * n + i) * size, (size_t)size);
        rows[i] = row;
    }
}

/* Elements of n results, which lie in rows, `parts` of which are compared as one. */
static void compare_rows(const rows_job *job, fold_row better, tsm_dim base, tsm_dim parts, void *best, int32_t *rows,
                         tsm_dim n) {
    const reduction *r = job->r;
    const bool largest = job->how == JOIN_GREATEST;
    int64_t items[ROWS_COLUMNS];
    tsm_dim wide = parts * n;
    for (tsm_dim k = 0, beside; k < r->count; k += beside) {
        const tsm_dim row = base + tsm_fold_offset(r->inner, r->inner_sizes, r->inner_strides, k);
        beside = r->count - k < parts ? 1 : wide / n;
        if (beside * n < wide) { /* the rows that are left */
            join_extremes_of_parts(job->lane, largest, best, rows, parts, n);
            wide = n;
        }
        better(best, rows, tsm_rows_items(job, row, items, wide), (int32_t)(k / beside), wide);
    }
    if (wide > n)
        join_extremes_of_parts(job->lane, largest, best, rows, parts, n);
}

/* Elements of n results of few elements each. */
static void compare_gathered(const rows_job *job, fold_row better, tsm_dim base, void *best, int32_t *rows, tsm_dim n) {
    const tsm_dim stride = job->r->inner_strides[0], row = n * (tsm_dim)tsm_lane_size(job->lane);
    rows_room items;
    for (tsm_dim k = 0, m; k < job->r->count; k += m) {
        m = tsm_rows_gather(job, base + k * stride, stride, job->r->count - k, items, n);
        for (tsm_dim i = 0; i < m; i++)
            better(best, rows, (const char *)items + i * row, (int32_t)(k + i), n);
    }
}

/* Results whose elements lie in rows: one row after the other is compared with the best so far. */
static bool extremes_of_rows(tsm_exec *x, const tsm_tensor *t, const reduction *r, bool largest, tsm_lane lane,
                             tsm_tensor *y, tsm_tensor *at) {
    const fold_row better = tsm_fold_choose_row(x, largest, lane);
    rows_job job;
    if (!better || r->count > INT32_MAX || !tsm_rows_plan(x, t, r, lane, largest ? JOIN_GREATEST : JOIN_LEAST, &job))
        return false;
    const tsm_dim width = r->outer_sizes[r->outer - 1];
    /* Where nothing lies between rows, so many are compared as one: that their parts are joined costs a few rows. */
    const tsm_dim parts =
        at && r->inner == 1 && job.step == 1 && r->inner_strides[0] == width && r->count >= 4 * ROWS_COLUMNS
            ? tsm_dim_max(1, ROWS_COLUMNS / width)
            : 1;
    for (tsm_dim i = 0, n; i < r->results; i += n) {
        int64_t best[ROWS_COLUMNS], items[ROWS_COLUMNS];
        int32_t rows[ROWS_COLUMNS] = {0};
        n = tsm_rows_columns(&job, i);
        const tsm_dim base = tsm_fold_offset(r->outer, r->outer_sizes, r->outer_strides, i);
        memcpy(best, tsm_rows_items(&job, base, items, parts * n), (size_t)(parts * n) * tsm_lane_size(lane));
        if (!at)
            tsm_rows_join(&job, i, best, n);
        else if (job.step == 1)
            compare_rows(&job, better, base, parts, best, rows, n);
        else
            compare_gathered(&job, better, base, best, rows, n);
        if (y)
            tsm_rows_store(&job, y, i, best, n);
        for (tsm_dim k = 0; at && k < n; k++)
            ((int64_t *)at->data)[i + k] = rows[k];
    }
    return true;
}

/* Values, positions, or both; `values` or `positions` may be NULL. `set` is ~0u where no dimension was named. Positions
 * count along the reduced elements. */
static tsm_status extreme(tsm_exec *x, tsm_tensor *t, unsigned set, bool keep, bool largest, const char *name,
                          tsm_value *values, tsm_value *positions) {
    reduction r = positions ? tsm_fold_plan(t, set, keep) : tsm_fold_plan_in_any_order(t, set, keep);
    TSM_TRY(tsm_fold_check_sizes(x, t, set, name));
    if (!tsm_dtype_is_ordered((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "%s is not implemented for complex and uint64 tensors", name);
    TSM_TRY(tsm_quantized_check_chosen(x, t));
    tsm_tensor *y = NULL, *at = NULL;
    tsm_status status = values ? tsm_tensor_make(x, (tsm_dtype)t->dtype, r.dims, r.sizes, &y) : TSM_OK;
    if (status == TSM_OK && positions)
        status = tsm_tensor_make(x, TSM_INT64, r.dims, r.sizes, &at);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    tsm_lane lane = tsm_lane_natural(x, (tsm_dtype)t->dtype);
    if (!tsm_fold_greatest.step[lane])
        lane = tsm_lane_of((tsm_dtype)t->dtype);
    const fold_step best = tsm_fold_choose(x, largest ? &tsm_fold_greatest : &tsm_fold_least, lane),
                    find = tsm_fold_choose(x, &tsm_fold_find, lane);
    const bool done = extremes_of_rows(x, t, &r, largest, lane, y, at);
    for (tsm_dim i = 0; i < r.results && !done; i++) {
        fold_state s = {0}, found = {.at = -1};
        tsm_fold(x, t, &r, i, lane, best, NULL, &s);
        if (y && (lane == TSM_LANE_F32 || lane == TSM_LANE_F64))
            tsm_fold_store(y, i, TSM_LANE_F64, &s.f);
        else if (y)
            tsm_fold_store(y, i, TSM_LANE_I64, &s.i);
        if (!at)
            continue;
        tsm_fold(x, t, &r, i, lane, find, &s, &found);
        tsm_fold_store(at, i, TSM_LANE_I64, &found.at);
    }
    if (y) {
        quantized_chosen(y, t);
        *values = tsm_of_tensor(y);
    }
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
    TSM_TRY(tsm_fold_read_dims(x, in, 1, arg_tensor(in, 0), &set));
    if (!arg_list(in, 1)->length)
        set = ~0u;
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
