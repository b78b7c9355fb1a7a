/* Greatest and least elements, and where they are. */
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/reduce/steps.h"
#include "runtime/kernels/simd/casts.h"

/* A row of n elements as items of the lane: as they lie, or converted into `items`. */
static const void *extremes_row(const tsm_tensor *t, tsm_lane lane, tsm_cast cast, tsm_dim at, void *items, tsm_dim n) {
    const tsm_dtype dtype = (tsm_dtype)t->dtype;
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype);
    const char *from = (const char *)t->data + at * size;
    if (tsm_lane_is_native(lane, dtype))
        return from;
    if (cast)
        cast(items, from, n);
    else
        tsm_lane_load(lane, items, dtype, from, size, n);
    return items;
}

/* Results whose elements lie in rows: one row after the other is compared with the results, in columns of at most
 * EXTREMES_COLUMNS. */
static bool extremes_of_rows(tsm_exec *x, const tsm_tensor *t, const reduction *r, bool largest, tsm_lane lane,
                             tsm_tensor *y, tsm_tensor *at) {
    enum { EXTREMES_COLUMNS = 128 };
    const fold_row better = tsm_fold_choose_row(x, largest, lane);
    const fold_join_rows join = tsm_fold_choose_join_rows(x, largest ? JOIN_GREATEST : JOIN_LEAST, lane);
    const bool native = tsm_lane_is_native(lane, (tsm_dtype)t->dtype);
    if (!better || !r->inner || !r->outer || r->outer_strides[r->outer - 1] != 1 || !r->count || r->count > INT32_MAX)
        return false;
    const tsm_cast cast = native ? NULL : tsm_cast_find(x, (tsm_dtype)t->dtype, (tsm_dtype)tsm_dtypes_of_lanes[lane]);
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    const tsm_dim width = r->outer_sizes[r->outer - 1];
    for (tsm_dim i = 0, n; i < r->results; i += n) {
        int64_t best[EXTREMES_COLUMNS], items[EXTREMES_COLUMNS];
        int32_t rows[EXTREMES_COLUMNS] = {0};
        n = tsm_dim_min(width - i % width, EXTREMES_COLUMNS);
        const tsm_dim base = tsm_fold_offset(r->outer, r->outer_sizes, r->outer_strides, i);
        memcpy(best, extremes_row(t, lane, cast, base, items, n), (size_t)n * tsm_lane_size(lane));
        for (tsm_dim k = 0, m; k < r->count; k += m) {
            const tsm_dim row = base + tsm_fold_offset(r->inner, r->inner_sizes, r->inner_strides, k);
            const void *found = extremes_row(t, lane, cast, row, items, n);
            m = !at && native ? r->inner_sizes[r->inner - 1] : 1;
            if (at)
                better(best, rows, found, (int32_t)k, n);
            else
                join(best, found, r->inner_strides[r->inner - 1], m, n);
        }
        if (y)
            tsm_lane_store((tsm_dtype)y->dtype, (char *)y->data + i * size, size, lane, best, n);
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
