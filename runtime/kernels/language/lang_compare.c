/* Comparison of numbers, strings, lists and tuples, of different kinds too. */
#include "runtime/kernels/language/lang.h"

/* -1, 0, 1; 2 when unordered. */
static int compare_numbers(tsm_value a, tsm_value b) {
    lang_number m = tsm_lang_number_of(a), n = tsm_lang_number_of(b);
    if (m.kind == LANG_INT && n.kind == LANG_INT)
        return (m.i > n.i) - (m.i < n.i);
    return isnan(m.c.re) || isnan(n.c.re) ? 2 : (m.c.re > n.c.re) - (m.c.re < n.c.re);
}

static bool compare_is_number(tsm_value v) {
    return v.tag == TSM_TAG_INT || v.tag == TSM_TAG_FLOAT || v.tag == TSM_TAG_BOOL || v.tag == TSM_TAG_COMPLEX;
}

/* Two ints or two floats, as most items of lists are: nothing has to be converted. */
static inline bool is_plain_pair(tsm_value a, tsm_value b) {
    return a.tag == b.tag && (a.tag == TSM_TAG_INT || a.tag == TSM_TAG_FLOAT);
}

/* The only elements of two Tensors; PyTorch's error for other numbers of them. */
static tsm_status single_elements(tsm_exec *x, const tsm_tensor *a, const tsm_tensor *b, tsm_value *m, tsm_value *n) {
    if (a->elements != 1 || b->elements != 1) {
        int dims;
        tsm_dim sizes[TSM_MAX_DIMS];
        TSM_TRY(tsm_broadcast_shapes(x, a->dims, a->sizes, b->dims, b->sizes, &dims, sizes));
        if (a->elements == 0 || b->elements == 0)
            return TSM_RAISE(x, "Boolean value of Tensor with no values is ambiguous");
        return TSM_RAISE(x, "Boolean value of Tensor with more than one value is ambiguous");
    }
    tsm_status status = TSM_OK;
    *m = tsm_tensor_item(x, a, 0, &status);
    TSM_TRY(status);
    *n = tsm_tensor_item(x, b, 0, &status);
    if (status != TSM_OK)
        tsm_drop(x, *m);
    return status;
}

static bool numbers_equal(tsm_value a, tsm_value b) {
    lang_number m = tsm_lang_number_of(a), n = tsm_lang_number_of(b);
    return m.kind == LANG_INT && n.kind == LANG_INT ? m.i == n.i : cx_equal(m.c, n.c);
}

static tsm_status lists_equal(tsm_exec *x, const tsm_list *a, const tsm_list *b, bool *equal) {
    *equal = a->length == b->length;
    for (uint32_t i = 0; *equal && i < a->length; i++) {
        tsm_value m = a->items[i], n = b->items[i];
        if (m.tag ==
            TSM_TAG_LIST) /* Lists of lists are compared as PyTorch compares nested values: no Tensors inside. */
            *equal = tsm_values_equal(x, m, n);
        else
            TSM_TRY(tsm_lang_equal(x, m, n, equal));
    }
    return TSM_OK;
}

tsm_status tsm_lang_equal(tsm_exec *x, tsm_value a, tsm_value b, bool *equal) {
    if (is_plain_pair(a, b)) {
        *equal = a.tag == TSM_TAG_INT ? a.as.i == b.as.i : a.as.f == b.as.f;
        return TSM_OK;
    }
    if (a.tag == TSM_TAG_TENSOR && b.tag == TSM_TAG_TENSOR) {
        tsm_value m, n;
        TSM_TRY(single_elements(x, tsm_as_tensor(a), tsm_as_tensor(b), &m, &n));
        *equal = numbers_equal(m, n);
        tsm_drop(x, m);
        tsm_drop(x, n);
        return TSM_OK;
    }
    if (a.tag == TSM_TAG_LIST && b.tag == TSM_TAG_LIST)
        return lists_equal(x, tsm_as_list(a), tsm_as_list(b), equal);
    *equal = compare_is_number(a) && compare_is_number(b) ? numbers_equal(a, b) : tsm_values_equal(x, a, b);
    return TSM_OK;
}

static tsm_status less_to_depth(tsm_exec *x, tsm_value a, tsm_value b, bool *less, int depth);

static tsm_status tensor_less(tsm_exec *x, tsm_value a, tsm_value b, bool *less) {
    tsm_value m, n;
    TSM_TRY(single_elements(x, tsm_as_tensor(a), tsm_as_tensor(b), &m, &n));
    tsm_status status = less_to_depth(x, m, n, less, 0);
    tsm_drop(x, m);
    tsm_drop(x, n);
    return status;
}

/* By the first pair of items that differs. */
static tsm_status tuple_less(tsm_exec *x, const tsm_tuple *a, const tsm_tuple *b, bool *less, int depth) {
    *less = false;
    for (uint32_t i = 0; i < a->length && i < b->length; i++) {
        bool equal;
        TSM_TRY(tsm_lang_equal(x, a->items[i], b->items[i], &equal));
        if (!equal)
            return less_to_depth(x, a->items[i], b->items[i], less, depth - 1);
    }
    return TSM_OK;
}

static tsm_status less_to_depth(tsm_exec *x, tsm_value a, tsm_value b, bool *less, int depth) {
    if (a.tag == TSM_TAG_COMPLEX || b.tag == TSM_TAG_COMPLEX)
        return tsm_lang_no_complex(x);
    if (a.tag == TSM_TAG_STR && b.tag == TSM_TAG_STR)
        *less = tsm_str_compare(tsm_as_str(a), tsm_as_str(b)) < 0;
    else if (compare_is_number(a) && compare_is_number(b))
        *less = compare_numbers(a, b) == -1;
    else if (a.tag == TSM_TAG_TENSOR && b.tag == TSM_TAG_TENSOR)
        return tensor_less(x, a, b, less);
    else if (a.tag == TSM_TAG_TUPLE && b.tag == TSM_TAG_TUPLE && depth > 0)
        return tuple_less(x, tsm_as_tuple(a), tsm_as_tuple(b), less, depth);
    else
        return TSM_RAISE(x, "%s: these values have no order", tsm_op_name(x));
    return TSM_OK;
}

tsm_status tsm_lang_less(tsm_exec *x, tsm_value a, tsm_value b, bool *less) {
    if (is_plain_pair(a, b)) {
        *less = a.tag == TSM_TAG_INT ? a.as.i < b.as.i : a.as.f < b.as.f;
        return TSM_OK;
    }
    return less_to_depth(x, a, b, less, LANG_ORDERED_DEPTH);
}

TSM_KERNEL(aten_eq_int) {
    bool equal;
    TSM_TRY(tsm_lang_equal(x, *in[0], *in[1], &equal));
    return ret_bool(out, equal);
}
TSM_KERNEL_ALIAS(aten_eq, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_bool, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_float, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_complex, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_int_float, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_float_int, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_float_complex, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_complex_float, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_str, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_device, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_enum, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_int_list, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_float_list, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_bool_list, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_str_list, aten_eq_int);
TSM_KERNEL_ALIAS(aten_eq_Tensor_list, aten_eq_int);

TSM_KERNEL(aten_ne_int) {
    bool equal;
    TSM_TRY(tsm_lang_equal(x, *in[0], *in[1], &equal));
    return ret_bool(out, !equal);
}
TSM_KERNEL_ALIAS(aten_ne, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_bool, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_float, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_complex, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_int_float, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_float_int, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_float_complex, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_complex_float, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_str, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_device, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_enum, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_int_list, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_float_list, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_bool_list, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_str_list, aten_ne_int);
TSM_KERNEL_ALIAS(aten_ne_Tensor_list, aten_ne_int);

/* Orders strings or real numbers: -1, 0, 1; 2 when unordered. */
static tsm_status order(tsm_exec *x, const tsm_value *const *in, int *result) {
    tsm_value a = *in[0], b = *in[1];
    *result = 2;
    if (a.tag == TSM_TAG_COMPLEX || b.tag == TSM_TAG_COMPLEX)
        return tsm_lang_no_complex(x);
    *result = a.tag == TSM_TAG_STR ? tsm_str_compare(tsm_as_str(a), tsm_as_str(b)) : compare_numbers(a, b);
    return TSM_OK;
}

TSM_KERNEL(aten_lt_int) {
    int result;
    TSM_TRY(order(x, in, &result));
    return ret_bool(out, result == -1);
}
TSM_KERNEL_ALIAS(aten_lt, aten_lt_int);
TSM_KERNEL_ALIAS(aten_lt_float, aten_lt_int);
TSM_KERNEL_ALIAS(aten_lt_int_float, aten_lt_int);
TSM_KERNEL_ALIAS(aten_lt_float_int, aten_lt_int);
TSM_KERNEL_ALIAS(aten_lt_str, aten_lt_int);

TSM_KERNEL(aten_le_int) {
    int result;
    TSM_TRY(order(x, in, &result));
    return ret_bool(out, result <= 0);
}
TSM_KERNEL_ALIAS(aten_le, aten_le_int);
TSM_KERNEL_ALIAS(aten_le_float, aten_le_int);
TSM_KERNEL_ALIAS(aten_le_int_float, aten_le_int);
TSM_KERNEL_ALIAS(aten_le_float_int, aten_le_int);
TSM_KERNEL_ALIAS(aten_le_str, aten_le_int);

TSM_KERNEL(aten_gt_int) {
    int result;
    TSM_TRY(order(x, in, &result));
    return ret_bool(out, result == 1);
}
TSM_KERNEL_ALIAS(aten_gt, aten_gt_int);
TSM_KERNEL_ALIAS(aten_gt_float, aten_gt_int);
TSM_KERNEL_ALIAS(aten_gt_int_float, aten_gt_int);
TSM_KERNEL_ALIAS(aten_gt_float_int, aten_gt_int);
TSM_KERNEL_ALIAS(aten_gt_str, aten_gt_int);

TSM_KERNEL(aten_ge_int) {
    int result;
    TSM_TRY(order(x, in, &result));
    return ret_bool(out, result == 0 || result == 1);
}
TSM_KERNEL_ALIAS(aten_ge, aten_ge_int);
TSM_KERNEL_ALIAS(aten_ge_float, aten_ge_int);
TSM_KERNEL_ALIAS(aten_ge_int_float, aten_ge_int);
TSM_KERNEL_ALIAS(aten_ge_float_int, aten_ge_int);
TSM_KERNEL_ALIAS(aten_ge_str, aten_ge_int);

TSM_KERNEL_LIGHT(aten___is__) {
    TSM_UNUSED_IO();
    return ret_bool(out, tsm_values_identical(*in[0], *in[1]));
}
TSM_KERNEL_LIGHT(aten___isnot__) {
    TSM_UNUSED_IO();
    return ret_bool(out, !tsm_values_identical(*in[0], *in[1]));
}
