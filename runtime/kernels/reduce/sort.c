/* Order along a dimension: sort, argsort, topk, kthvalue, median, nanmedian, mode. NaN counts as greater than
 * everything. Scratch: 16 bytes for each element along the dimension, twice as many where equal elements keep their
 * order (stable, medians); for a small part of a long line, 16 bytes for each element of the part. */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/reduce/fold.h"
#include "runtime/kernels/reduce/nth_key.h"
#include "runtime/kernels/reduce/ranks.h"

typedef struct sort_job sort_job;

/* Arranges the items of a line; returns where the first that is wanted stands. */
typedef const order_item *(*arrangement)(const sort_job *j, order_item *items, tsm_dim n);

struct sort_job {
    tsm_tensor *t, *values, *indices; /* values is NULL where nobody wants them */
    int dim;
    tsm_dim at, count; /* which entries of an arranged line are written */
    bool descending;
    arrangement arrange;
    bool doubles;                      /* the arrangement needs room for twice the items */
    bool sorted;                       /* topk's argument */
    tsm_dim ties;                      /* lines with equal keys among those that a heap has selected */
    tsm_dim run, apart, results_apart; /* so many lines follow each other at one distance, and their results */
};

static const order_item *arrange_stable(const sort_job *j, order_item *items, tsm_dim n) {
    (void)j;
    return tsm_order_stable(items, items + n, n);
}

static const order_item *arrange_sorted(const sort_job *j, order_item *items, tsm_dim n) {
    (void)j;
    tsm_order_sort(items, n);
    return items;
}

/* tsm_order_nth puts the last item of the part in its place, so only those before it are sorted. */
static const order_item *arrange_top(const sort_job *j, order_item *items, tsm_dim n) {
    if (j->count) {
        tsm_order_nth(items, j->count - 1, n);
        if (j->sorted)
            tsm_order_sort(items, j->count - 1);
    }
    return items;
}

static const order_item *arrange_selected(const sort_job *j, order_item *items, tsm_dim n) {
    tsm_order_select(items, j->at, n);
    return items + j->at;
}

/* Item `nth` as if equal ones kept their order: of those with the key that stands there, in the order of positions. */
static const order_item *stable_nth(order_item *items, tsm_dim nth, tsm_dim n) {
    tsm_dim before = 0, at = 0;
    const int64_t key = tsm_order_key_at(items, items + n, nth, n);
    for (tsm_dim i = 0; i < n; i++)
        before += items[i].key < key;
    for (tsm_dim left = nth - before; items[at].key != key || left-- > 0;)
        at++;
    return items + at;
}

static tsm_dim missing_numbers(const sort_job *j, const order_item *items, tsm_dim n) {
    return tsm_dtype_is_floating((tsm_dtype)j->t->dtype) ? tsm_order_count_nan(items, n) : 0;
}

/* The place in order of the lower of two medians; where there is a NaN, of the first of them. */
static tsm_dim median_place(tsm_dim n, tsm_dim missing) {
    return missing ? n - missing : (n - 1) / 2;
}
/* The same of the numbers, of which there are some. */
static tsm_dim nanmedian_place(tsm_dim n, tsm_dim missing) {
    return (n - missing - 1) / 2;
}

/* Of equal elements as if they kept their order. */
static const order_item *arrange_median(const sort_job *j, order_item *items, tsm_dim n) {
    const tsm_dim missing = missing_numbers(j, items, n);
    return stable_nth(items, median_place(n, missing), n);
}

/* Which of nothing but NaN it is depends on the exchanges of tsm_order_nth. */
static const order_item *arrange_nanmedian(const sort_job *j, order_item *items, tsm_dim n) {
    const tsm_dim missing = missing_numbers(j, items, n);
    if (missing < n)
        return stable_nth(items, nanmedian_place(n, missing), n);
    tsm_order_nth(items, 0, n);
    return items;
}

/* The last of the items with the most frequent key, of the least of such keys; each NaN differs from all others. */
static const order_item *arrange_mode(const sort_job *j, order_item *items, tsm_dim n) {
    const tsm_dim numbers = n - missing_numbers(j, items, n);
    tsm_dim most = 0, last = 0;
    tsm_order_sort(items, n);
    for (tsm_dim i = 0, end; i < numbers; i = end) {
        for (end = i + 1; end < numbers && items[end].key == items[i].key;)
            end++;
        if (end - i > most) {
            most = end - i;
            last = end - 1;
        }
    }
    return items + last;
}

/* One line of a tensor along a dimension: from its number among all lines, where its first element lies. */
static tsm_dim sort_line_start(const tsm_tensor *t, int along, tsm_dim line) {
    tsm_dim at = 0;
    if (t->dims == 2) /* without a division for each of many short lines */
        return line * t->strides[1 - along];
    for (int d = t->dims - 1; d >= 0; d--)
        if (d != along) {
            at += line % t->sizes[d] * t->strides[d];
            line /= t->sizes[d];
        }
    return at;
}

/* Whether equal elements were in the way of shorter ways too often for another try, at line `line`. */
static bool ties_are_usual(const sort_job *j, tsm_dim line) {
    enum { SELDOM = 8 };
    return j->ties > line / SELDOM;
}

/* Where few elements come first, and no two of those that are wanted are equal, nor equal to the one before or behind,
 * every way of selecting finds the same: by a heap, which most elements do not enter. Where few come behind the one
 * that is wanted, they come first the other way round. Returns NULL where keys are equal; a tensor in which they often
 * are is not tried further. */
static const order_item *arranged_by_heap(sort_job *j, tsm_dim line, order_item *items, order_line elements) {
    enum { SMALL = 16, FEW_OF_SMALL = 12, FEW = 24 };
    const bool selects = j->arrange == arrange_selected || (j->arrange == arrange_top && j->sorted);
    tsm_dim at = j->at;
    if (at > elements.n / 2) {
        at = elements.n - 1 - at;
        elements.descending = !elements.descending;
    }
    const tsm_dim end = at + j->count;
    if (!selects || end > elements.n / (end <= SMALL ? FEW_OF_SMALL : FEW) || ties_are_usual(j, line))
        return NULL;
    tsm_order_first(items, end + 1, &elements);
    tsm_dim differ = at ? at - 1 : 0;
    while (differ < end && items[differ].key != items[differ + 1].key)
        differ++;
    j->ties += differ < end;
    return differ == end ? items + at : NULL;
}

/* A small part of a long line needs no items of the whole line. */
static bool is_small_part(const sort_job *j, tsm_dim n) {
    enum { LONG = 64 };
    return j->arrange == arrange_top && j->count <= n / LONG;
}

#if TSM_NARROW_LANES
/* The one item that is wanted of a long line, by its key alone; NULL where that takes too many steps, or where which of
 * equal elements is chosen depends on the exchanges of tsm_order_select. */
static const order_item *arranged_by_key(tsm_exec *x, sort_job *j, tsm_dim at, order_item *items,
                                         const order_line *line) {
    enum { LONG = RANKS_MOST };
    const bool selects = j->arrange == arrange_selected, skips = j->arrange == arrange_nanmedian;
    if (line->n <= LONG || !(selects || skips || j->arrange == arrange_median) || (selects && ties_are_usual(j, at)))
        return NULL;
    const tsm_dim n = line->n, size = tsm_order_key_size(line->dtype);
    const bool is_short = size == sizeof(int32_t);
    const nth_keys k = {items, n, size, (char *)items + n * size};
    tsm_order_keys(line, items);
    tsm_dim nth = j->at, missing = 0;
    if (!selects && tsm_dtype_is_floating(line->dtype))
        missing = tsm_nth_key_count(x, &k, is_short ? INT32_MAX : INT64_MAX);
    if (skips && missing == n)
        return NULL;
    if (skips)
        nth = nanmedian_place(n, missing);
    else if (!selects)
        nth = median_place(n, missing);
    const tsm_dim place = tsm_nth_key_place(x, &k, nth);
    if (place < 0)
        return NULL;
    if (selects &&
        tsm_nth_key_count(x, &k, is_short ? ((const int32_t *)k.keys)[place] : ((const int64_t *)k.keys)[place]) > 1) {
        j->ties++;
        return NULL;
    }
    items[0].index = place;
    return items;
}
#else
#define arranged_by_key(x, j, at, items, line) ((void)(x), NULL)
#endif

static void arrange_line(tsm_exec *x, sort_job *j, tsm_dim line, order_item *items, tsm_dim n) {
    const tsm_tensor *t = j->t;
    tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype), step = t->dims ? t->strides[j->dim] : 0;
    const char *from = (const char *)t->data + sort_line_start(t, j->dim, line) * size;
    const order_line elements = {(tsm_dtype)t->dtype, from, step * size, n, j->descending};
    const bool is_small = is_small_part(j, n);
    const order_item *sorted = is_small ? items : arranged_by_heap(j, line, items, elements);
    if (!sorted)
        sorted = arranged_by_key(x, j, line, items, &elements);
    if (is_small)
        tsm_order_first(items, j->count, &elements);
    else if (!sorted) {
        tsm_order_make(items, &elements);
        sorted = j->arrange(j, items, n);
    }
    tsm_dim at = sort_line_start(j->indices, j->dim, line), to = t->dims ? j->indices->strides[j->dim] : 0;
    for (tsm_dim i = 0; i < j->count; i++) {
        ((int64_t *)j->indices->data)[at + i * to] = sorted[i].index;
        if (!j->values)
            continue;
        /* Copied, not converted back from the key. */
        char *value = (char *)j->values->data + (at + i * to) * size;
        const char *element = from + sorted[i].index * step * size;
        if (size == sizeof(uint32_t))
            memcpy(value, element, sizeof(uint32_t));
        else
            memcpy(value, element, (size_t)size);
    }
}

#if TSM_NARROW_LANES
/* ---- Many lines of few elements, ranked together ---- */

/* Whether equal elements come in the order of their places: those that selection and sorting leave to insertion do. */
static bool keeps_order_of_equal(const sort_job *j, tsm_dim n) {
    enum { INSERTED = 3 };
    return j->arrange == arrange_top ? n <= INSERTED : j->arrange == arrange_sorted ? n <= ORDER_KEPT : j->doubles;
}

/* What of the order of line `line` of a block is wanted first. */
static tsm_dim rank_wanted(const sort_job *j, const ranks_block *b, tsm_dim line) {
    const tsm_dim n = b->first.n, missing = tsm_dtype_is_floating(b->first.dtype) ? (tsm_dim)b->missing[line] : 0;
    if (j->arrange == arrange_median)
        return median_place(n, missing);
    if (j->arrange == arrange_nanmedian)
        return nanmedian_place(n, missing);
    return j->at;
}

static void copy_ranked(const char *from, tsm_dim step, char *to, tsm_dim to_step, const uint8_t *places, tsm_dim count,
                        tsm_dim size) {
    for (tsm_dim i = 0; i < count; i++)
        if (size == sizeof(uint32_t))
            memcpy(to + i * to_step, from + places[i] * step, sizeof(uint32_t));
        else
            memcpy(to + i * to_step, from + places[i] * step, (size_t)size);
}

/* Lines `first` and following, side by side, of which the block tells the order. */
static void write_ranked(tsm_exec *x, sort_job *j, const ranks_block *b, tsm_dim first, order_item *items) {
    const tsm_dim n = b->first.n, size = (tsm_dim)tsm_dtype_size(b->first.dtype),
                  start = sort_line_start(j->indices, j->dim, first), step = j->indices->strides[j->dim];
    const bool keeps = keeps_order_of_equal(j, n);
    for (tsm_dim line = 0; line < b->lines; line++) {
        uint8_t places[RANKS_MOST];
        if (b->equal[line] && (!keeps || (j->arrange == arrange_nanmedian && b->missing[line] == n))) {
            j->ties += !keeps;
            arrange_line(x, j, first + line, items, n);
            continue;
        }
        if (b->wants_mode)
            places[0] = b->mode[line];
        else
            for (tsm_dim i = 0; i < n; i++)
                places[b->rank[i * b->width + line]] = (uint8_t)i;
        const uint8_t *wanted = places + (b->wants_mode ? 0 : rank_wanted(j, b, line));
        const tsm_dim at = start + line * j->results_apart;
        for (tsm_dim i = 0; i < j->count; i++)
            ((int64_t *)j->indices->data)[at + i * step] = wanted[i];
        if (j->values)
            copy_ranked(b->first.from + line * b->apart, b->first.stride, (char *)j->values->data + at * size,
                        step * size, wanted, j->count, size);
    }
}

/* Finds out which lines follow each other evenly: those along the last other dimension, and along more of them where
 * one continues the next. */
static void measure_runs(sort_job *j) {
    const tsm_tensor *t = j->t, *to = j->indices;
    j->run = 1;
    for (int d = t->dims - 1; d >= 0; d--) {
        if (d == j->dim || t->sizes[d] == 1)
            continue;
        if (j->run == 1) {
            j->apart = t->strides[d];
            j->results_apart = to->strides[d];
        } else if (t->strides[d] != j->apart * j->run || to->strides[d] != j->results_apart * j->run)
            break;
        j->run *= t->sizes[d];
    }
}

/* Returns how many lines are done: none where too few follow each other. */
static tsm_dim arrange_ranked(tsm_exec *x, sort_job *j, tsm_dim first, order_item *items, tsm_dim n) {
    enum { FEW = 8 };
    const tsm_tensor *t = j->t;
    const tsm_dtype dtype = (tsm_dtype)t->dtype;
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype);
    if (n > RANKS_MOST || (j->arrange == arrange_mode && n > ORDER_KEPT) ||
        (j->arrange == arrange_top && !j->sorted && j->count > 1) ||
        (!keeps_order_of_equal(j, n) && ties_are_usual(j, first)))
        return 0;
    if (!j->run)
        measure_runs(j);
    const tsm_dim left = j->run - first % j->run;
    if (left < FEW)
        return 0;
    ranks_block b = {.first = {dtype, NULL, t->strides[j->dim] * size, n, j->descending},
                     .apart = j->apart * size,
                     .lines = tsm_dim_min(left, tsm_ranks_lines(dtype, n)),
                     .wants_mode = j->arrange == arrange_mode};
    b.first.from = (const char *)t->data + sort_line_start(t, j->dim, first) * size;
    tsm_ranks_find(x, &b);
    write_ranked(x, j, &b, first, items);
    return b.lines;
}
#else
#define arrange_ranked(x, j, first, items, n) ((tsm_dim)0)
#endif

/* With `keep` off, the dimension of size 1 goes. */
static void remove_dim(tsm_tensor *t, int dim) {
    for (int d = dim; d + 1 < t->dims; d++) {
        t->sizes[d] = t->sizes[d + 1];
        t->strides[d] = t->strides[d + 1];
    }
    t->dims--;
}

static tsm_status arrange_lines(tsm_exec *x, sort_job *j, tsm_dim n) {
    if (!n || !j->t->elements)
        return TSM_OK;
    TSM_TRY(tsm_charge_product(x, (uint64_t)(j->t->elements / n), tsm_work_sorting((uint64_t)n), 1));
    const size_t room = (size_t)(is_small_part(j, n) ? j->count : j->doubles ? 2 * n : n);
    order_item *items = tsm_scratch(x, room * sizeof *items);
    if (!items)
        return TSM_OUT_OF_MEMORY;
    for (tsm_dim line = 0, ranked; line < j->t->elements / n; line += ranked) {
        ranked = arrange_ranked(x, j, line, items, n);
        if (!ranked) {
            arrange_line(x, j, line, items, n);
            ranked = 1;
        }
    }
    tsm_scratch_free(x, items);
    return TSM_OK;
}

static tsm_status sort_run(tsm_exec *x, sort_job *j, bool wants_values, bool keep, tsm_value *out) {
    tsm_tensor *t = j->t;
    tsm_dim sizes[TSM_MAX_DIMS], n = t->dims ? t->sizes[j->dim] : 1;
    memcpy(sizes, t->sizes, (size_t)t->dims * sizeof *sizes);
    if (t->dims)
        sizes[j->dim] = j->count;
    if (!tsm_dtype_is_ordered((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "sort(): %s tensors have no order",
                         tsm_dtype_is_complex((tsm_dtype)t->dtype) ? "complex" : "uint64");
    TSM_TRY(tsm_quantized_check_chosen(x, t));
    tsm_status status = wants_values ? tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, sizes, &j->values) : TSM_OK;
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_INT64, t->dims, sizes, &j->indices);
    if (status == TSM_OK)
        status = arrange_lines(x, j, n);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, j->values);
        tsm_tensor_drop(x, j->indices);
        return status;
    }
    if (wants_values)
        quantized_chosen(j->values, t);
    tsm_tensor *results[] = {wants_values ? j->values : j->indices, j->indices};
    for (int i = 0; i < (wants_values ? 2 : 1); i++) {
        if (!keep && t->dims)
            remove_dim(results[i], j->dim);
        out[i] = tsm_of_tensor(results[i]);
    }
    return TSM_OK;
}

static tsm_status sort(tsm_exec *x, tsm_tensor *t, int64_t dim, bool descending, bool stable, bool wants_values,
                       tsm_value *out) {
    sort_job j = {
        .t = t, .descending = descending, .arrange = stable ? arrange_stable : arrange_sorted, .doubles = stable};
    TSM_TRY(tsm_wrap_dim_or_scalar(x, dim, t->dims, &j.dim));
    j.count = t->dims ? t->sizes[j.dim] : 1;
    return sort_run(x, &j, wants_values, true, out);
}

TSM_KERNEL(aten_sort) {
    return sort(x, arg_tensor(in, 0), arg_int(in, 1), arg_bool(in, 2), false, true, out);
}
TSM_KERNEL(aten_argsort) {
    return sort(x, arg_tensor(in, 0), arg_int(in, 1), arg_bool(in, 2), false, false, out);
}

static bool is_stable(const tsm_value *const *in) {
    return !arg_is_none(in, 1) && arg_bool(in, 1);
}
TSM_KERNEL(aten_sort_stable) {
    return sort(x, arg_tensor(in, 0), arg_int(in, 2), arg_bool(in, 3), is_stable(in), true, out);
}
TSM_KERNEL(aten_argsort_stable) {
    return sort(x, arg_tensor(in, 0), arg_int(in, 2), arg_bool(in, 3), is_stable(in), false, out);
}

TSM_KERNEL(aten_topk) {
    sort_job j = {
        .t = arg_tensor(in, 0), .descending = arg_bool(in, 3), .arrange = arrange_top, .sorted = arg_bool(in, 4)};
    int64_t k = arg_int(in, 1);
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 2), j.t->dims, &j.dim));
    if (k < 0 || k > (j.t->dims ? j.t->sizes[j.dim] : 1))
        return TSM_RAISE(x, "selected index k out of range");
    j.count = j.t->dims ? tsm_saturate_dim(k) : 1; /* a tensor without dimensions gives its element, even for k = 0 */
    return sort_run(x, &j, true, true, out);
}

TSM_KERNEL(aten_kthvalue) {
    sort_job j = {.t = arg_tensor(in, 0), .count = 1, .arrange = arrange_selected};
    int64_t k = arg_int(in, 1);
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 2), j.t->dims, &j.dim));
    TSM_TRY(tsm_fold_check_sizes(x, j.t, 1u << j.dim, "kthvalue"));
    if (k < 1 || k > (j.t->dims ? j.t->sizes[j.dim] : 1))
        return TSM_RAISE(x, "kthvalue(): selected number k out of range for dimension %d", j.dim);
    j.at = tsm_saturate_dim(k) - 1;
    return sort_run(x, &j, true, arg_bool(in, 3), out);
}

static tsm_status one_of_each(tsm_exec *x, const tsm_value *const *in, arrangement arrange, const char *name,
                              tsm_value *out) {
    sort_job j = {.t = arg_tensor(in, 0), .count = 1, .arrange = arrange, .doubles = arrange != arrange_mode};
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), j.t->dims, &j.dim));
    TSM_TRY(tsm_fold_check_sizes(x, j.t, 1u << j.dim, name));
    return sort_run(x, &j, true, arg_bool(in, 2), out);
}
TSM_KERNEL(aten_median_dim) {
    return one_of_each(x, in, arrange_median, "median", out);
}
TSM_KERNEL(aten_nanmedian_dim) {
    return one_of_each(x, in, arrange_nanmedian, "median", out);
}
TSM_KERNEL(aten_mode) {
    return one_of_each(x, in, arrange_mode, "mode", out);
}
