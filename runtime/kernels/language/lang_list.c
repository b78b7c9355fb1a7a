/* Operators on lists. Lists know nothing of their item type: values do, so that one kernel serves lists of every type.
 */
#include "runtime/kernels/language/lang.h"

static tsm_value list_value(tsm_list *l) {
    return tsm_of(TSM_TAG_LIST, l);
}

tsm_status tsm_lang_ret_list(tsm_exec *x, tsm_value *out, tsm_list *l, tsm_status status) {
    if (status == TSM_OK)
        *out = list_value(l);
    else
        tsm_drop(x, list_value(l));
    return status;
}

/* Appends `count` items, starting at `first`, `step` apart. `from` may be `to` itself. */
static tsm_status append_items(tsm_exec *x, tsm_list *to, const tsm_list *from, lang_slice s) {
    TSM_TRY(tsm_charge(x, s.count));
    TSM_TRY(tsm_list_reserve(x, to, to->length + s.count));
    for (size_t i = 0; i < s.count; i++)
        to->items[to->length++] = tsm_hold(from->items[s.first + (int64_t)i * s.step]);
    return TSM_OK;
}

static lang_slice whole(const tsm_list *l) {
    return (lang_slice){0, 1, l->length};
}

/* A new list of the same static type as `like`. */
static tsm_status make_list_like(tsm_exec *x, const tsm_list *like, size_t capacity, tsm_list **out) {
    TSM_TRY(tsm_make_list(x, capacity, out));
    tsm_set_type(&(*out)->header, tsm_get_type(&like->header));
    return TSM_OK;
}

static tsm_status ret_slice(tsm_exec *x, tsm_value *out, const tsm_list *from, lang_slice s) {
    tsm_list *l;
    TSM_TRY(make_list_like(x, from, s.count, &l));
    return tsm_lang_ret_list(x, out, l, append_items(x, l, from, s));
}

/* ---- Items ---- */

TSM_KERNEL_LIGHT(aten_len_t) {
    TSM_UNUSED_IO();
    return ret_int(out, arg_list(in, 0)->length);
}
TSM_KERNEL_ALIAS(aten_len_any, aten_len_t);

TSM_KERNEL_LIGHT(aten___getitem___t) {
    const tsm_list *l = arg_list(in, 0);
    size_t at;
    if (!lang_position(arg_int(in, 1), l->length, &at))
        return TSM_RAISE(x, "list index out of range");
    *out = tsm_hold(l->items[at]);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_select_t, aten___getitem___t);

TSM_KERNEL_LIGHT(aten__set_item_t) {
    tsm_list *l = arg_list(in, 0);
    size_t at;
    if (!lang_position(arg_int(in, 1), l->length, &at))
        return TSM_RAISE(x, "list index out of range");
    tsm_value old = l->items[at];
    l->items[at] = tsm_hold(*in[2]);
    tsm_drop(x, old);
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

static int64_t list_clamp(int64_t v, int64_t least, int64_t most) {
    return v < least ? least : v > most ? most : v;
}

/* Where a bound of a slice lies: negative ones count from the end; then cut to [least, most]. */
static int64_t bound(int64_t v, int64_t length, int64_t least, int64_t most) {
    return list_clamp(v < 0 ? v + length : v, least, most);
}

/* The greatest int stands for a bound that is not given. */
static bool is_unbounded(const tsm_value *const *in, int i) {
    return arg_is_none(in, i) || arg_int(in, i) == INT64_MAX;
}

tsm_status tsm_lang_slice_of(tsm_exec *x, const tsm_value *const *in, size_t length, lang_slice *slice) {
    int64_t step = arg_int(in, 3), n = (int64_t)length;
    if (step == 0)
        return TSM_RAISE(x, "List slice should have non-zero step");
    if (step == INT64_MIN)
        return TSM_RAISE(x, "List slice step is out of bounds");
    int64_t least = step < 0 ? -1 : 0, most = step < 0 ? n - 1 : n;
    int64_t start = is_unbounded(in, 1) ? (step < 0 ? most : least) : bound(arg_int(in, 1), n, least, most);
    int64_t end = is_unbounded(in, 2) ? (step < 0 ? least : most) : bound(arg_int(in, 2), n, least, most);
    uint64_t distance =
        step > 0 ? (end > start ? (uint64_t)(end - start) : 0) : (start > end ? (uint64_t)(start - end) : 0);
    uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    *slice = (lang_slice){start, step, (size_t)(distance / stride + (distance % stride != 0))};
    return TSM_OK;
}

TSM_KERNEL_LIGHT(aten_slice_t) {
    lang_slice s;
    TSM_TRY(tsm_lang_slice_of(x, in, arg_list(in, 0)->length, &s));
    return ret_slice(x, out, arg_list(in, 0), s);
}

TSM_KERNEL_LIGHT(aten_append_t) {
    TSM_TRY(tsm_list_append(x, arg_list(in, 0), *in[1]));
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

TSM_KERNEL(aten_insert_t) {
    TSM_UNUSED_IO();
    tsm_list *l = arg_list(in, 0);
    return tsm_list_insert(x, l, (size_t)bound(arg_int(in, 1), l->length, 0, l->length), *in[2]);
}

TSM_KERNEL(aten_pop_t) {
    tsm_list *l = arg_list(in, 0);
    size_t at;
    if (l->length == 0)
        return TSM_RAISE(x, "pop from empty list");
    if (!lang_position(arg_int(in, 1), l->length, &at))
        return TSM_RAISE(x, "list index out of range");
    *out = tsm_list_take(l, at);
    return TSM_OK;
}

TSM_KERNEL(aten_Delete_t) {
    TSM_UNUSED_IO();
    tsm_list *l = arg_list(in, 0);
    size_t at;
    if (l->length == 0)
        return TSM_RAISE(x, "pop index out of range");
    if (!lang_position(arg_int(in, 1), l->length, &at))
        return TSM_RAISE(x, "list index out of range");
    tsm_drop(x, tsm_list_take(l, at));
    return TSM_OK;
}

TSM_KERNEL(aten_clear_t) {
    TSM_UNUSED_IO();
    tsm_list_clear(x, arg_list(in, 0));
    return TSM_OK;
}

TSM_KERNEL(aten_reverse_t) {
    TSM_UNUSED_IO();
    tsm_list *l = arg_list(in, 0);
    for (uint32_t i = 0; i < l->length / 2; i++) {
        tsm_value other = l->items[l->length - 1 - i];
        l->items[l->length - 1 - i] = l->items[i];
        l->items[i] = other;
    }
    return TSM_OK;
}

/* ---- Whole lists ---- */

TSM_KERNEL(aten_copy_t) {
    return ret_slice(x, out, arg_list(in, 0), whole(arg_list(in, 0)));
}
TSM_KERNEL_ALIAS(aten_list_t, aten_copy_t);
TSM_KERNEL_ALIAS(aten_Size, aten_copy_t);

TSM_KERNEL(aten_add_t) {
    const tsm_list *a = arg_list(in, 0), *b = arg_list(in, 1);
    tsm_list *l;
    TSM_TRY(make_list_like(x, a, (size_t)a->length + b->length, &l));
    tsm_status status = append_items(x, l, a, whole(a));
    return tsm_lang_ret_list(x, out, l, status == TSM_OK ? append_items(x, l, b, whole(b)) : status);
}

TSM_KERNEL_LIGHT(aten_extend_t) {
    TSM_UNUSED_IO();
    return append_items(x, arg_list(in, 0), arg_list(in, 1), whole(arg_list(in, 1)));
}

TSM_KERNEL_LIGHT(aten_add__t) {
    TSM_TRY(append_items(x, arg_list(in, 0), arg_list(in, 1), whole(arg_list(in, 1))));
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* PyTorch reserves length * times items before it looks at the sign of `times`; the product wraps. */
static tsm_status ret_repeated(tsm_exec *x, tsm_value *out, const tsm_list *from, int64_t times) {
    const uint64_t most_items = INT64_MAX / 16;
    if (from->length * (uint64_t)times > most_items ||
        (times > 0 && from->length && (uint64_t)times > UINT32_MAX / from->length))
        return TSM_RAISE(x, "vector::reserve");
    const size_t total = times > 0 ? from->length * (size_t)tsm_saturate_dim(times) : 0;
    tsm_list *l;
    TSM_TRY(make_list_like(x, from, total, &l));
    tsm_status status = total ? append_items(x, l, from, whole(from)) : TSM_OK;
    while (l->length < total && status == TSM_OK) /* twice as many, and again */
        status = append_items(x, l, l, (lang_slice){0, 1, least_of(l->length, total - l->length)});
    return tsm_lang_ret_list(x, out, l, status);
}

TSM_KERNEL(aten_mul_left_t) {
    return ret_repeated(x, out, arg_list(in, 0), arg_int(in, 1));
}
TSM_KERNEL(aten_mul_right_) {
    return ret_repeated(x, out, arg_list(in, 1), arg_int(in, 0));
}

TSM_KERNEL(aten_mul__t) {
    tsm_list *l = arg_list(in, 0);
    int64_t times = arg_int(in, 1);
    lang_slice once = whole(l);
    if (times <= 0)
        tsm_list_clear(x, l);
    else if (l->length && (uint64_t)times > UINT32_MAX / l->length)
        return TSM_RAISE(x, "vector::reserve");
    else
        TSM_TRY(tsm_list_reserve(x, l, l->length * (size_t)tsm_saturate_dim(times)));
    for (int64_t i = 1; i < times && once.count; i++)
        TSM_TRY(append_items(x, l, l, once));
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

/* ---- Search ---- */

/* The first item equal to `v` from `from` on; l->length when there is none. */
static tsm_status find(tsm_exec *x, const tsm_list *l, tsm_value v, uint32_t from, uint32_t *at) {
    for (*at = from; *at < l->length; ++*at) {
        bool equal;
        TSM_TRY(tsm_lang_equal(x, v, l->items[*at], &equal));
        if (equal)
            break;
    }
    return TSM_OK;
}

TSM_KERNEL(aten___contains___int_list) {
    uint32_t at;
    TSM_TRY(find(x, arg_list(in, 0), *in[1], 0, &at));
    return ret_bool(out, at < arg_list(in, 0)->length);
}
TSM_KERNEL_ALIAS(aten___contains___float_list, aten___contains___int_list);
TSM_KERNEL_ALIAS(aten___contains___str_list, aten___contains___int_list);

TSM_KERNEL(aten_count_int) {
    const tsm_list *l = arg_list(in, 0);
    int64_t n = 0;
    uint32_t at;
    TSM_TRY(find(x, l, *in[1], 0, &at));
    for (; at < l->length; n++)
        TSM_TRY(find(x, l, *in[1], at + 1, &at));
    return ret_int(out, n);
}
TSM_KERNEL_ALIAS(aten_count_float, aten_count_int);
TSM_KERNEL_ALIAS(aten_count_bool, aten_count_int);
TSM_KERNEL_ALIAS(aten_count_str, aten_count_int);
TSM_KERNEL_ALIAS(aten_count_Tensor, aten_count_int);

/* As a C++ stream shows an item: bools as numbers, floats with six digits. */
static tsm_status raise_not_in_list(tsm_exec *x, tsm_value v) {
    char digits[TSM_NUMBER_TEXT];
    tsm_text text = {0};
    tsm_status status = TSM_OK;
    if (v.tag == TSM_TAG_FLOAT)
        status = tsm_text_add(x, &text, digits, tsm_format_number(digits, v.as.f, 'g', 6));
    else
        status = tsm_text_add_value(x, &text, v.tag == TSM_TAG_BOOL ? tsm_int(v.as.b) : v);
    if (status == TSM_OK)
        status = TSM_RAISE(x, "'%.*s' is not in list", (int)text.length, text.text);
    tsm_text_free(x, &text);
    return status;
}

TSM_KERNEL(aten_index_list_int) {
    uint32_t at;
    TSM_TRY(find(x, arg_list(in, 0), *in[1], 0, &at));
    return at < arg_list(in, 0)->length ? ret_int(out, at) : raise_not_in_list(x, *in[1]);
}
TSM_KERNEL_ALIAS(aten_index_list_float, aten_index_list_int);
TSM_KERNEL_ALIAS(aten_index_list_bool, aten_index_list_int);
TSM_KERNEL_ALIAS(aten_index_list_str, aten_index_list_int);
TSM_KERNEL_ALIAS(aten_index_list_Tensor, aten_index_list_int);

TSM_KERNEL(aten_remove_int) {
    TSM_UNUSED_IO();
    tsm_list *l = arg_list(in, 0);
    uint32_t at;
    TSM_TRY(find(x, l, *in[1], 0, &at));
    if (at == l->length)
        return TSM_RAISE(x, "list.remove(x): x not in list");
    tsm_drop(x, tsm_list_take(l, at));
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_remove_float, aten_remove_int);
TSM_KERNEL_ALIAS(aten_remove_bool, aten_remove_int);
TSM_KERNEL_ALIAS(aten_remove_str, aten_remove_int);
TSM_KERNEL_ALIAS(aten_remove_Tensor, aten_remove_int);

/* ---- Reductions ---- */

static bool is_true(tsm_value v) {
    if (v.tag == TSM_TAG_STR)
        return tsm_as_str(v)->length != 0;
    return cx_nonzero(tsm_lang_number_of(v).c); /* an int of 64 bits is 0 exactly when its double is */
}

static bool has_item(const tsm_list *l, bool truth) {
    for (uint32_t i = 0; i < l->length; i++)
        if (is_true(l->items[i]) == truth)
            return true;
    return false;
}

TSM_KERNEL(aten_all_int) {
    TSM_UNUSED_IO();
    return ret_bool(out, !has_item(arg_list(in, 0), false));
}
TSM_KERNEL_ALIAS(aten_all_float, aten_all_int);
TSM_KERNEL_ALIAS(aten_all_bool, aten_all_int);

TSM_KERNEL(aten_any_int) {
    TSM_UNUSED_IO();
    return ret_bool(out, has_item(arg_list(in, 0), true));
}
TSM_KERNEL_ALIAS(aten_any_float, aten_any_int);
TSM_KERNEL_ALIAS(aten_any_bool, aten_any_int);
TSM_KERNEL_ALIAS(aten_any_str, aten_any_int);

/* PyTorch's sum is a C int, so it wraps at 32 bits. */
TSM_KERNEL(aten_sum_int) {
    TSM_UNUSED_IO();
    const tsm_list *l = arg_list(in, 0);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < l->length; i++)
        sum += (uint32_t)tsm_lang_number_of(l->items[i]).i;
    return ret_int(out, (int32_t)sum);
}
TSM_KERNEL_ALIAS(aten_sum_bool, aten_sum_int);

static tsm_complex sum_items(const tsm_list *l) {
    tsm_complex sum = {0, 0};
    for (uint32_t i = 0; i < l->length; i++)
        if (l->items[i].tag == TSM_TAG_FLOAT)
            sum.re += l->items[i].as.f;
        else
            sum = cx_add(sum, tsm_lang_number_of(l->items[i]).c);
    return sum;
}

TSM_KERNEL(aten_sum_float) {
    TSM_UNUSED_IO();
    return ret_float(out, sum_items(arg_list(in, 0)).re);
}
TSM_KERNEL(aten_sum_complex) {
    return tsm_lang_ret_complex(x, out, sum_items(arg_list(in, 0)));
}

/* The least item, or the greatest: the first of equals. */
static tsm_status ret_extreme(tsm_exec *x, const tsm_value *const *in, tsm_value *out, bool greatest) {
    const tsm_list *l = arg_list(in, 0);
    if (l->length == 0)
        return TSM_RAISE(x, "%s() arg is an empty sequence", greatest ? "max" : "min");
    tsm_value best = l->items[0];
    for (uint32_t i = 1; i < l->length; i++) {
        bool better;
        TSM_TRY(greatest ? tsm_lang_less(x, best, l->items[i], &better) : tsm_lang_less(x, l->items[i], best, &better));
        if (better)
            best = l->items[i];
    }
    *out = tsm_hold(best);
    return TSM_OK;
}

TSM_KERNEL(prim_min_self_int) {
    return ret_extreme(x, in, out, false);
}
TSM_KERNEL_ALIAS(prim_min_self_float, prim_min_self_int);
TSM_KERNEL_ALIAS(prim_min_self_bool, prim_min_self_int);
TSM_KERNEL(prim_max_self_int) {
    return ret_extreme(x, in, out, true);
}
TSM_KERNEL_ALIAS(prim_max_self_float, prim_max_self_int);
TSM_KERNEL_ALIAS(prim_max_self_bool, prim_max_self_int);

/* The lesser of two lists, or the greater: by the first pair of items that differs, then by length. Equal lists give
 * the second one; the first one is given when the pair that differs holds a NaN. */
static tsm_status ret_extreme_list(tsm_exec *x, const tsm_value *const *in, tsm_value *out, bool greatest) {
    const tsm_list *a = arg_list(in, 0), *b = arg_list(in, 1);
    bool second = greatest ? b->length >= a->length : b->length <= a->length;
    for (uint32_t i = 0; i < a->length && i < b->length; i++) {
        bool equal;
        TSM_TRY(tsm_lang_equal(x, a->items[i], b->items[i], &equal));
        if (equal)
            continue;
        TSM_TRY(greatest ? tsm_lang_less(x, a->items[i], b->items[i], &second)
                         : tsm_lang_less(x, b->items[i], a->items[i], &second));
        break;
    }
    *out = tsm_hold(*in[second]);
    return TSM_OK;
}

TSM_KERNEL(prim_min_int_list) {
    return ret_extreme_list(x, in, out, false);
}
TSM_KERNEL_ALIAS(prim_min_float_list, prim_min_int_list);
TSM_KERNEL_ALIAS(prim_min_bool_list, prim_min_int_list);

TSM_KERNEL(prim_max_int_list) {
    return ret_extreme_list(x, in, out, true);
}
TSM_KERNEL_ALIAS(prim_max_float_list, prim_max_int_list);
TSM_KERNEL_ALIAS(prim_max_bool_list, prim_max_int_list);

/* ---- Sorting ---- */

/* Merges the sorted runs [from, middle) and [middle, to) of `source` into `target`. */
static tsm_status merge(tsm_exec *x, const tsm_value *source, tsm_value *target, size_t from, size_t middle, size_t to,
                        bool reverse) {
    size_t left = from, right = middle;
    for (size_t i = from; i < to; i++) {
        bool take_right = left == middle;
        if (!take_right && right < to) {
            tsm_value l = source[left], r = source[right];
            TSM_TRY(reverse ? tsm_lang_less(x, l, r, &take_right) : tsm_lang_less(x, r, l, &take_right));
        }
        target[i] = source[take_right ? right++ : left++];
    }
    return TSM_OK;
}

/* Is a to stand before b? In reverse NaN stands before everything and everything before NaN. */
static tsm_status goes_before(tsm_exec *x, tsm_value a, tsm_value b, bool reverse, bool *before) {
    *before = false;
    if (reverse) {
        bool equal;
        TSM_TRY(tsm_lang_equal(x, a, b, &equal));
        if (equal)
            return TSM_OK;
    }
    TSM_TRY(tsm_lang_less(x, a, b, before));
    *before ^= reverse;
    return TSM_OK;
}

enum { FEW_ITEMS = 16 };

/* Puts the item at `i` in its place among those before it, which are sorted. Where NaNs leave no order the result
 * depends on what is compared: first the least item, then the others from the end, as C++'s std::sort does with few
 * items. */
static tsm_status insert_sorted(tsm_exec *x, tsm_value *items, size_t i, bool reverse) {
    const tsm_value v = items[i];
    bool before;
    TSM_TRY(goes_before(x, v, items[0], reverse, &before));
    size_t at = before ? 0 : i;
    while (!before && at > 0) {
        bool shift;
        TSM_TRY(goes_before(x, v, items[at - 1], reverse, &shift));
        if (!shift)
            break;
        at--;
    }
    memmove(items + at + 1, items + at, (i - at) * sizeof *items);
    items[at] = v;
    return TSM_OK;
}

/* What sorting has to look at: the number of items, and the bytes of those that are strs. */
static uint64_t size_of_items(const tsm_list *l) {
    uint64_t size = l->length;
    for (uint32_t i = 0; i < l->length && l->items[i].tag == TSM_TAG_STR; i++)
        size += tsm_as_str(l->items[i])->length;
    return size;
}

/* The tag of all items where they are ints, or floats, else None's. */
static uint32_t kind_of_numbers(const tsm_list *l) {
    const uint32_t tag = l->length ? l->items[0].tag : TSM_TAG_NONE;
    bool same = tag == TSM_TAG_INT || tag == TSM_TAG_FLOAT;
    for (uint32_t i = 1; i < l->length && same; i++)
        same = l->items[i].tag == tag;
    return same ? tag : TSM_TAG_NONE;
}

/* merge() of payloads. */
static void merge_numbers(const tsm_scalar *source, tsm_scalar *target, size_t from, size_t middle, size_t to,
                          uint32_t kind, bool reverse) {
    size_t left = from, right = middle;
    for (size_t i = from; i < to; i++) {
        bool take_right = left == middle;
        if (!take_right && right < to) {
            const tsm_scalar a = source[reverse ? left : right], b = source[reverse ? right : left];
            take_right = kind == TSM_TAG_INT ? a.i < b.i : a.f < b.f;
        }
        target[i] = source[take_right ? right++ : left++];
    }
}

/* Sorts numbers of one kind as payloads, in room for twice as many: half of the memory passes through the cache. */
static void sort_numbers(tsm_list *l, uint32_t kind, bool reverse, tsm_scalar *room) {
    const size_t n = l->length;
    tsm_scalar *source = room, *target = room + n;
    for (size_t i = 0; i < n; i++)
        source[i].i = l->items[i].as.i;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t from = 0; from < n; from += 2 * run) {
            const size_t middle = least_of(from + run, n), to = least_of(middle + run, n);
            merge_numbers(source, target, from, middle, to, kind, reverse);
        }
        tsm_scalar *swap = source;
        source = target;
        target = swap;
    }
    for (size_t i = 0; i < n; i++)
        l->items[i].as.i = source[i].i;
}

/* Sorts in place, keeping the order of equal items. */
static tsm_status list_sort(tsm_exec *x, tsm_list *l, bool reverse) {
    enum { UNITS_OF_TENSORS = 4 }; /* of which every comparison is a call of an operator */
    size_t n = l->length;
    const uint64_t units = n && l->items[0].tag == TSM_TAG_TENSOR ? UNITS_OF_TENSORS : 1;
    if (x->is_charged)
        TSM_TRY(tsm_charge(x, tsm_work(tsm_work_sorting(size_of_items(l)), units)));
    if (n <= FEW_ITEMS) {
        for (size_t i = 1; i < n; i++)
            TSM_TRY(insert_sorted(x, l->items, i, reverse));
        return TSM_OK;
    }
    tsm_value *other = tsm_scratch(x, n * sizeof *other);
    if (!other)
        return TSM_OUT_OF_MEMORY;
    const uint32_t kind = kind_of_numbers(l);
    if (kind != TSM_TAG_NONE) {
        sort_numbers(l, kind, reverse, (tsm_scalar *)(void *)other);
        tsm_scratch_free(x, other);
        return TSM_OK;
    }
    tsm_value *source = l->items, *target = other;
    tsm_status status = TSM_OK;
    for (size_t run = 1; run < n && status == TSM_OK; run *= 2) {
        for (size_t from = 0; from < n && status == TSM_OK; from += 2 * run) {
            size_t middle = least_of(from + run, n), to = least_of(middle + run, n);
            status = merge(x, source, target, from, middle, to, reverse);
        }
        if (status == TSM_OK) { /* else `source` still holds every item once */
            tsm_value *swap = source;
            source = target;
            target = swap;
        }
    }
    if (source != l->items)
        memcpy(l->items, source, n * sizeof *source);
    tsm_scratch_free(x, other);
    return status;
}

TSM_KERNEL(aten_sort_int) {
    TSM_UNUSED_IO();
    return list_sort(x, arg_list(in, 0), arg_bool(in, 1));
}
TSM_KERNEL_ALIAS(aten_sort_float, aten_sort_int);
TSM_KERNEL_ALIAS(aten_sort_bool, aten_sort_int);
TSM_KERNEL_ALIAS(aten_sort_str, aten_sort_int);
TSM_KERNEL_ALIAS(aten_sort_Tensor, aten_sort_int);

TSM_KERNEL(aten_sort_any) {
    TSM_TRY(tsm_lang_check_sortable(x, arg_list(in, 0)));
    return tsm_k_aten_sort_int(x, in, out);
}

TSM_KERNEL(aten_sorted_int) {
    tsm_value copy;
    TSM_TRY(ret_slice(x, &copy, arg_list(in, 0), whole(arg_list(in, 0))));
    return tsm_lang_ret_list(x, out, tsm_as_list(copy), list_sort(x, tsm_as_list(copy), false));
}
TSM_KERNEL_ALIAS(aten_sorted_float, aten_sorted_int);
TSM_KERNEL_ALIAS(aten_sorted_bool, aten_sorted_int);
TSM_KERNEL_ALIAS(aten_sorted_str, aten_sorted_int);
TSM_KERNEL_ALIAS(aten_sorted_Tensor, aten_sorted_int);

TSM_KERNEL(aten_sorted_any) {
    TSM_TRY(tsm_lang_check_sortable(x, arg_list(in, 0)));
    return tsm_k_aten_sorted_int(x, in, out);
}

/* ---- Iteration ---- */

TSM_KERNEL(prim_rangelist) {
    int64_t n = arg_int(in, 0);
    if (n < 0 || n > UINT32_MAX)
        return TSM_RAISE(x, "vector::reserve");
    tsm_list *l;
    TSM_TRY(tsm_charge(x, (uint64_t)n));
    TSM_TRY(tsm_make_list(x, (size_t)tsm_saturate_dim(n), &l));
    for (int64_t i = 0; i < n; i++)
        l->items[l->length++] = tsm_int(i);
    *out = list_value(l);
    return TSM_OK;
}

/* How often range(lo, hi, step) runs. */
TSM_KERNEL(aten___range_length) {
    int64_t lo = arg_int(in, 0), hi = arg_int(in, 1), step = arg_int(in, 2);
    if (step == 0)
        return TSM_RAISE(x, "range() arg 3 must not be zero");
    if (step > 0 ? lo >= hi : lo <= hi)
        return ret_int(out, 0);
    int64_t distance = step > 0 ? wrap_sub(hi, lo) : wrap_sub(lo, hi), stride = step > 0 ? step : wrap_sub(0, step);
    return ret_int(out, wrap_add(1, wrap_sub(distance, 1) / stride));
}

TSM_KERNEL(aten___derive_index) {
    TSM_UNUSED_IO();
    return ret_int(out, wrap_add(arg_int(in, 1), wrap_mul(arg_int(in, 0), arg_int(in, 2))));
}
