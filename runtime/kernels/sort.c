/* Sorting along a dimension: sort, argsort, topk, kthvalue. Stable; NaN counts as greater than everything, as in PyTorch.
 * Scratch: 32 bytes for each element along the dimension. */
#include "runtime/kernels/lanes.h"

typedef struct {
    tsm_lane_item key;
    int64_t index;
} sort_item;

typedef struct {
    tsm_lane lane; /* TSM_LANE_I64 or TSM_LANE_F64 */
    bool descending;
} sort_order;

/* a must stand before b. */
static bool goes_before(const sort_order *o, const sort_item *a, const sort_item *b) {
    if (o->descending) {
        const sort_item *swap = a;
        a = b;
        b = swap;
    }
    if (o->lane == TSM_LANE_I64)
        return a->key.i < b->key.i;
    return a->key.f64 < b->key.f64 || (b->key.f64 != b->key.f64 && a->key.f64 == a->key.f64);
}

/* Merges runs of doubling length; returns which of the two arrays holds the result. */
static sort_item *merge_sort(const sort_order *o, sort_item *items, sort_item *other, tsm_dim n) {
    for (tsm_dim run = 1; run < n; run *= 2) {
        for (tsm_dim from = 0; from < n; from += 2 * run) {
            tsm_dim middle = from + run < n ? from + run : n, to = middle + run < n ? middle + run : n, left = from, right = middle;
            for (tsm_dim i = from; i < to; i++) {
                bool take_right = left == middle || (right < to && goes_before(o, &items[right], &items[left]));
                other[i] = items[take_right ? right++ : left++];
            }
        }
        sort_item *swap = items;
        items = other;
        other = swap;
    }
    return items;
}

/* One line of a tensor along a dimension: from its number among all lines, where its first element lies. */
static tsm_dim line_start(const tsm_tensor *t, int along, tsm_dim line) {
    tsm_dim at = 0;
    for (int d = t->dims - 1; d >= 0; d--)
        if (d != along) {
            at += line % t->sizes[d] * t->strides[d];
            line /= t->sizes[d];
        }
    return at;
}

/* Sorts every line and writes entries [first, first + count) of it; `values` may be NULL. */
typedef struct {
    tsm_tensor *t, *values, *indices;
    int dim;
    tsm_dim first, count;
    sort_order order;
} sort_job;

static void sort_line(const sort_job *j, tsm_dim line, sort_item *items, tsm_dim n) {
    const tsm_tensor *t = j->t;
    tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype), step = t->dims ? t->strides[j->dim] : 0;
    const char *from = (const char *)t->data + line_start(t, j->dim, line) * size;
    for (tsm_dim i = 0; i < n; i++) {
        tsm_lane_load(j->order.lane, &items[i].key, (tsm_dtype)t->dtype, from + i * step * size, 0, 1);
        items[i].index = i;
    }
    const sort_item *sorted = merge_sort(&j->order, items, items + n, n) + j->first;
    tsm_dim at = line_start(j->indices, j->dim, line), to = t->dims ? j->indices->strides[j->dim] : 0;
    for (tsm_dim i = 0; i < j->count; i++) {
        ((int64_t *)j->indices->data)[at + i * to] = sorted[i].index;
        if (j->values) /* the element itself: conversion there and back would do as well */
            memcpy((char *)j->values->data + (at + i * to) * size, from + sorted[i].index * step * size, (size_t)size);
    }
}

static tsm_status run_sort(tsm_exec *x, sort_job *j, bool wants_values, bool keep, tsm_value *out) {
    tsm_tensor *t = j->t;
    tsm_dim sizes[TSM_MAX_DIMS], n = t->dims ? t->sizes[j->dim] : 1;
    memcpy(sizes, t->sizes, (size_t)t->dims * sizeof *sizes);
    if (t->dims)
        sizes[j->dim] = j->count;
    if (tsm_dtype_is_complex((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "sort(): complex tensors have no order");
    j->order.lane = tsm_dtype_is_floating((tsm_dtype)t->dtype) ? TSM_LANE_F64 : TSM_LANE_I64;
    tsm_status status = wants_values ? tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, sizes, &j->values) : TSM_OK;
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_INT64, t->dims, sizes, &j->indices);
    sort_item *items = status == TSM_OK ? tsm_scratch(x, 2 * (size_t)n * sizeof *items) : NULL;
    if (status == TSM_OK && !items)
        status = TSM_OUT_OF_MEMORY;
    for (tsm_dim line = 0; status == TSM_OK && n && line < t->elements / n; line++)
        sort_line(j, line, items, n);
    tsm_scratch_free(x, items);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, j->values);
        tsm_tensor_drop(x, j->indices);
        return status;
    }
    tsm_tensor *results[] = {wants_values ? j->values : j->indices, j->indices};
    for (int i = 0; i < (wants_values ? 2 : 1); i++) {
        if (!keep && t->dims) { /* of kthvalue: the dimension of size 1 goes */
            tsm_tensor *r = results[i];
            for (int d = j->dim; d + 1 < r->dims; d++) {
                r->sizes[d] = r->sizes[d + 1];
                r->strides[d] = r->strides[d + 1];
            }
            r->dims--;
        }
        out[i] = tsm_of_tensor(results[i]);
    }
    return TSM_OK;
}

static tsm_status sort(tsm_exec *x, tsm_tensor *t, int64_t dim, bool descending, bool wants_values, tsm_value *out) {
    sort_job j = {.t = t, .order = {.descending = descending}};
    TSM_TRY(tsm_wrap_dim(x, dim, t->dims, &j.dim));
    j.count = t->dims ? t->sizes[j.dim] : 1;
    return run_sort(x, &j, wants_values, true, out);
}

TSM_KERNEL(aten_sort) { return sort(x, arg_tensor(in, 0), arg_int(in, 1), arg_bool(in, 2), true, out); }
TSM_KERNEL(aten_sort_stable) { return sort(x, arg_tensor(in, 0), arg_int(in, 2), arg_bool(in, 3), true, out); }
TSM_KERNEL(aten_argsort) { return sort(x, arg_tensor(in, 0), arg_int(in, 1), arg_bool(in, 2), false, out); }
TSM_KERNEL(aten_argsort_stable) { return sort(x, arg_tensor(in, 0), arg_int(in, 2), arg_bool(in, 3), false, out); }

TSM_KERNEL(aten_topk) {
    sort_job j = {.t = arg_tensor(in, 0), .order = {.descending = arg_bool(in, 3)}};
    int64_t k = arg_int(in, 1);
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 2), j.t->dims, &j.dim));
    if (k < 0 || k > (j.t->dims ? j.t->sizes[j.dim] : 1))
        return TSM_RAISE(x, "selected index k out of range");
    j.count = (tsm_dim)k;
    return run_sort(x, &j, true, true, out);
}

TSM_KERNEL(aten_kthvalue) {
    sort_job j = {.t = arg_tensor(in, 0), .count = 1};
    int64_t k = arg_int(in, 1);
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 2), j.t->dims, &j.dim));
    if (k < 1 || k > (j.t->dims ? j.t->sizes[j.dim] : 1))
        return TSM_RAISE(x, "kthvalue(): selected number k out of range for dimension %d", j.dim);
    j.first = (tsm_dim)k - 1;
    return run_sort(x, &j, true, arg_bool(in, 3), out);
}
