/* The walk over the elements of each result of a reduction. */
#include "runtime/kernels/reduce/fold.h"

tsm_status tsm_fold_read_dims(tsm_exec *x, const tsm_value *const *in, int i, const tsm_tensor *t, unsigned *set) {
    tsm_dim list[TSM_MAX_DIMS];
    int n = i < 0 || arg_is_none(in, i) ? 0 : tsm_arg_ints(x, in, i, list, TSM_MAX_DIMS);
    if (n < 0)
        return TSM_RAISED;
    *set = n ? 0 : (1u << t->dims) - 1;
    for (int k = 0; k < n; k++) {
        int d;
        TSM_TRY(tsm_wrap_dim_or_scalar(x, list[k], t->dims, &d));
        if (*set >> d & 1)
            return TSM_RAISE(x, "dim %d appears multiple times in the list of dims", d);
        *set |= 1u << d;
    }
    return TSM_OK;
}

tsm_status tsm_fold_check_sizes(tsm_exec *x, const tsm_tensor *t, unsigned set, const char *name) {
    if (set == ~0u && !t->elements)
        return TSM_RAISE(x,
                         "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                         "dim with the 'dim' argument.",
                         name);
    for (int d = 0; d < t->dims; d++)
        if ((set >> d & 1) && !t->sizes[d])
            return TSM_RAISE(x, "%s(): Expected reduction dim %d to have non-zero size.", name, d);
    return TSM_OK;
}

/* Appends a dimension to those that are walked. One whose elements continue those of the dimension before is joined
 * with it, so that runs are long. */
static void append_dim(int *dims, tsm_dim *sizes, tsm_dim *strides, tsm_dim size, tsm_dim stride) {
    const int last = *dims - 1;
    if (last >= 0 && strides[last] == tsm_dim_mul(size, stride)) {
        sizes[last] = tsm_dim_mul(sizes[last], size);
        strides[last] = stride;
    } else {
        sizes[*dims] = size;
        strides[(*dims)++] = stride;
    }
}

reduction tsm_fold_plan(const tsm_tensor *t, unsigned set, bool keep) {
    reduction r = {.count = 1, .results = 1};
    for (int d = 0; d < t->dims; d++) {
        if (set >> d & 1) {
            append_dim(&r.inner, r.inner_sizes, r.inner_strides, t->sizes[d], t->strides[d]);
            r.count = tsm_dim_mul(r.count, t->sizes[d]);
            if (keep)
                r.sizes[r.dims++] = 1;
        } else {
            append_dim(&r.outer, r.outer_sizes, r.outer_strides, t->sizes[d], t->strides[d]);
            r.results = tsm_dim_mul(r.results, t->sizes[d]);
            r.sizes[r.dims++] = t->sizes[d];
        }
    }
    return r;
}

reduction tsm_fold_plan_in_any_order(const tsm_tensor *t, unsigned set, bool keep) {
    reduction r = tsm_fold_plan(t, set, keep), sorted = r;
    sorted.inner = 0;
    for (int i = 0; i < r.inner; i++) { /* the largest stride that is left is walked next */
        int next = i;
        for (int d = i + 1; d < r.inner; d++)
            if (r.inner_strides[d] > r.inner_strides[next])
                next = d;
        const tsm_dim size = r.inner_sizes[next], stride = r.inner_strides[next];
        r.inner_sizes[next] = r.inner_sizes[i];
        r.inner_strides[next] = r.inner_strides[i];
        append_dim(&sorted.inner, sorted.inner_sizes, sorted.inner_strides, size, stride);
    }
    return sorted;
}

tsm_dim tsm_fold_offset(int dims, const tsm_dim *sizes, const tsm_dim *strides, tsm_dim i) {
    tsm_dim at = 0;
    for (int d = dims - 1; d > 0; d--) {
        at += i % sizes[d] * strides[d];
        i /= sizes[d];
    }
    return dims > 0 ? at + i * strides[0] : at;
}

void tsm_fold_prepare(tsm_exec *x, const tsm_tensor *t, tsm_lane lane, reduction *r) {
    if (TSM_NARROW_LANES && r->results > 1 && !tsm_lane_is_native(lane, (tsm_dtype)t->dtype))
        r->cast = tsm_cast_find(x, (tsm_dtype)t->dtype, (tsm_dtype)tsm_dtypes_of_lanes[lane]);
}

void tsm_fold(tsm_exec *x, const tsm_tensor *t, const reduction *r, tsm_dim index, tsm_lane lane, fold_step step,
              const void *context, fold_state *s) {
    union {
        tsm_lane_item align;
        char bytes[FOLD_BLOCK * sizeof(tsm_lane_item)];
    } block;
    size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    const bool native = tsm_lane_is_native(lane, (tsm_dtype)t->dtype);
    tsm_dim base = tsm_fold_offset(r->outer, r->outer_sizes, r->outer_strides, index);
    tsm_dim run = r->inner ? r->inner_sizes[r->inner - 1] : 1, stride = r->inner ? r->inner_strides[r->inner - 1] : 1;
    if (TSM_NARROW_LANES && stride == 1 && native && run == r->count && run) { /* often short: no more is looked at */
        step(s, context, (const char *)t->data + base * (tsm_dim)size, run);
        return;
    }
    /* Looking for the cast takes as long as loading some tens of items: only whole blocks are worth that. */
    const tsm_cast cast = !TSM_NARROW_LANES || stride != 1 || native ? NULL
                          : r->cast || run < FOLD_BLOCK
                              ? r->cast
                              : tsm_cast_find(x, (tsm_dtype)t->dtype, (tsm_dtype)tsm_dtypes_of_lanes[lane]);
    for (tsm_dim i = 0; i < r->count; i += run) {
        tsm_dim at =
            base + (r->inner > 1 ? tsm_fold_offset(r->inner - 1, r->inner_sizes, r->inner_strides, i / run) : 0);
        const char *from = (const char *)t->data + at * (tsm_dim)size;
        if (stride == 1 && native) {
            step(s, context, from, run);
            continue;
        }
        for (tsm_dim k = 0; k < run; k += FOLD_BLOCK) {
            tsm_dim n = run - k < FOLD_BLOCK ? run - k : FOLD_BLOCK;
            if (cast)
                cast(block.bytes, from + k * (tsm_dim)size, n);
            else
                tsm_lane_load(lane, block.bytes, (tsm_dtype)t->dtype, from + k * stride * (tsm_dim)size,
                              stride * (tsm_dim)size, n);
            step(s, context, block.bytes, n);
        }
    }
}

void tsm_fold_store(tsm_tensor *y, tsm_dim index, tsm_lane lane, const void *item) {
    if (TSM_NARROW_LANES && y->dtype == TSM_FLOAT32 && lane == TSM_LANE_F64) { /* as most are */
        ((float *)y->data)[index] = (float)*(const double *)item;
        return;
    }
    if (TSM_NARROW_LANES && y->dtype == TSM_BFLOAT16 && lane == TSM_LANE_F64) {
        ((uint16_t *)y->data)[index] = tsm_bfloat16_of_float((float)*(const double *)item);
        return;
    }
    if (TSM_NARROW_LANES && tsm_lane_is_native(lane, (tsm_dtype)y->dtype)) {
        const size_t size = tsm_lane_size(lane);
        memcpy((char *)y->data + (size_t)index * size, item, size);
        return;
    }
    tsm_lane_store((tsm_dtype)y->dtype, (char *)y->data + index * (tsm_dim)tsm_dtype_size((tsm_dtype)y->dtype), 0, lane,
                   item, 1);
}
