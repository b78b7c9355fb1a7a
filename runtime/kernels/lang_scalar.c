/* Operators on numbers: arithmetic, comparison, bits, math.
 *
 * Values know their kinds, so one kernel serves every combination of int, float, bool and complex: ints stay ints, an
 * int with a float is computed as float, anything with a complex as complex. */
#include "runtime/kernels/lang.h"

lang_number lang_number_of(tsm_value v) {
    switch (v.tag) {
    case TSM_TAG_FLOAT:
        return (lang_number){LANG_FLOAT, 0, cx(v.as.f, 0)};
    case TSM_TAG_COMPLEX:
        return (lang_number){LANG_COMPLEX, 0, cx(tsm_as_complex(v)->re, tsm_as_complex(v)->im)};
    case TSM_TAG_BOOL:
        return (lang_number){LANG_INT, v.as.b, cx(v.as.b, 0)};
    default:
        return (lang_number){LANG_INT, v.as.i, cx((double)v.as.i, 0)};
    }
}

tsm_status lang_ret_complex(tsm_exec *x, tsm_value *out, tsm_complex c) {
    return tsm_make_complex(x, c.re, c.im, out);
}

/* The two operands and the kind to compute in. */
typedef struct {
    lang_number a, b;
    lang_kind kind;
} operands;

static operands operands_of(const tsm_value *const *in) {
    operands o = {lang_number_of(*in[0]), lang_number_of(*in[1]), LANG_INT};
    o.kind = o.a.kind > o.b.kind ? o.a.kind : o.b.kind;
    return o;
}

static tsm_status no_complex(tsm_exec *x) {
    return TSM_RAISE(x, "%s: not defined for complex numbers", tsm_op_name(x));
}

/* ---- Arithmetic ---- */

TSM_KERNEL(aten_add_int) {
    operands o = operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return lang_ret_complex(x, out, cx_add(o.a.c, o.b.c));
    return o.kind == LANG_INT ? ret_int(out, wrap_add(o.a.i, o.b.i)) : ret_float(out, o.a.c.re + o.b.c.re);
}
TSM_KERNEL_ALIAS(aten_add, aten_add_int);
TSM_KERNEL_ALIAS(aten_add_float, aten_add_int);
TSM_KERNEL_ALIAS(aten_add_complex, aten_add_int);
TSM_KERNEL_ALIAS(aten_add_int_float, aten_add_int);
TSM_KERNEL_ALIAS(aten_add_float_int, aten_add_int);
TSM_KERNEL_ALIAS(aten_add_int_complex, aten_add_int);
TSM_KERNEL_ALIAS(aten_add_complex_int, aten_add_int);
TSM_KERNEL_ALIAS(aten_add_float_complex, aten_add_int);
TSM_KERNEL_ALIAS(aten_add_complex_float, aten_add_int);

TSM_KERNEL(aten_sub_int) {
    operands o = operands_of(in);
    if (o.kind ==
        LANG_COMPLEX) /* a real minuend has no imaginary zero to subtract from: the sign of zeros depends on it */
        return lang_ret_complex(x, out,
                                cx(o.a.c.re - o.b.c.re, o.a.kind == LANG_COMPLEX ? o.a.c.im - o.b.c.im : -o.b.c.im));
    return o.kind == LANG_INT ? ret_int(out, wrap_sub(o.a.i, o.b.i)) : ret_float(out, o.a.c.re - o.b.c.re);
}
TSM_KERNEL_ALIAS(aten_sub, aten_sub_int);
TSM_KERNEL_ALIAS(aten_sub_float, aten_sub_int);
TSM_KERNEL_ALIAS(aten_sub_complex, aten_sub_int);
TSM_KERNEL_ALIAS(aten_sub_int_float, aten_sub_int);
TSM_KERNEL_ALIAS(aten_sub_float_int, aten_sub_int);
TSM_KERNEL_ALIAS(aten_sub_int_complex, aten_sub_int);
TSM_KERNEL_ALIAS(aten_sub_complex_int, aten_sub_int);
TSM_KERNEL_ALIAS(aten_sub_float_complex, aten_sub_int);
TSM_KERNEL_ALIAS(aten_sub_complex_float, aten_sub_int);

/* A real factor scales both parts. */
static tsm_complex multiply(const operands *o) {
    if (o->a.kind != LANG_COMPLEX)
        return cx_scale(o->b.c, o->a.c.re);
    return o->b.kind != LANG_COMPLEX ? cx_scale(o->a.c, o->b.c.re) : cx_mul(o->a.c, o->b.c);
}

TSM_KERNEL(aten_mul_int) {
    operands o = operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return lang_ret_complex(x, out, multiply(&o));
    return o.kind == LANG_INT ? ret_int(out, wrap_mul(o.a.i, o.b.i)) : ret_float(out, o.a.c.re * o.b.c.re);
}
TSM_KERNEL_ALIAS(aten_mul, aten_mul_int);
TSM_KERNEL_ALIAS(aten_mul_float, aten_mul_int);
TSM_KERNEL_ALIAS(aten_mul_complex, aten_mul_int);
TSM_KERNEL_ALIAS(aten_mul_int_float, aten_mul_int);
TSM_KERNEL_ALIAS(aten_mul_float_int, aten_mul_int);
TSM_KERNEL_ALIAS(aten_mul_int_complex, aten_mul_int);
TSM_KERNEL_ALIAS(aten_mul_complex_int, aten_mul_int);
TSM_KERNEL_ALIAS(aten_mul_float_complex, aten_mul_int);
TSM_KERNEL_ALIAS(aten_mul_complex_float, aten_mul_int);

/* The textbook formula, unlike that of Tensors (cx_div): a division by 0 gives NaNs. */
static tsm_complex divide_complex(tsm_complex a, tsm_complex b) {
    double square = b.re * b.re + b.im * b.im;
    return cx((a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square);
}

TSM_KERNEL(aten_div_int) {
    operands o = operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return lang_ret_complex(x, out, divide_complex(o.a.c, o.b.c));
    return ret_float(out, o.a.c.re / o.b.c.re);
}
TSM_KERNEL_ALIAS(aten_div, aten_div_int);
TSM_KERNEL_ALIAS(aten_div_float, aten_div_int);
TSM_KERNEL_ALIAS(aten_div_complex, aten_div_int);

/* The least int divided by -1 wraps to itself, where the processor's division would trap. */
static int64_t divide(int64_t a, int64_t b) {
    return b == -1 ? wrap_sub(0, a) : a / b;
}
static int64_t rest(int64_t a, int64_t b) {
    return b == -1 ? 0 : a % b;
}
static int64_t divide_down(int64_t a, int64_t b) {
    return divide(a, b) - (rest(a, b) != 0 && (a < 0) != (b < 0));
}
static int64_t rest_down(int64_t a, int64_t b) {
    return rest(wrap_add(b, rest(a, b)), b);
}

TSM_KERNEL(aten_floordiv_int) {
    operands o = operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return no_complex(x);
    if (o.kind == LANG_FLOAT)
        return ret_float(out, floor(o.a.c.re / o.b.c.re));
    return o.b.i ? ret_int(out, divide_down(o.a.i, o.b.i)) : TSM_RAISE(x, "division by 0");
}
TSM_KERNEL_ALIAS(aten_floordiv, aten_floordiv_int);
TSM_KERNEL_ALIAS(aten_floordiv_float, aten_floordiv_int);
TSM_KERNEL_ALIAS(aten_floordiv_int_float, aten_floordiv_int);
TSM_KERNEL_ALIAS(aten_floordiv_float_int, aten_floordiv_int);

TSM_KERNEL(aten___round_to_zero_floordiv_int) {
    int64_t divisor = arg_int(in, 1);
    return divisor ? ret_int(out, divide(arg_int(in, 0), divisor)) : TSM_RAISE(x, "division by 0");
}

TSM_KERNEL(aten_remainder_int) {
    operands o = operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return no_complex(x);
    if (o.kind == LANG_FLOAT)
        return ret_float(out, fmod(o.b.c.re + fmod(o.a.c.re, o.b.c.re), o.b.c.re));
    if (!o.b.i) /* where PyTorch's process dies */
        return TSM_RAISE(x, "ZeroDivisionError: integer division or modulo by zero");
    return ret_int(out, rest_down(o.a.i, o.b.i));
}
TSM_KERNEL_ALIAS(aten_remainder, aten_remainder_int);
TSM_KERNEL_ALIAS(aten_remainder_float, aten_remainder_int);
TSM_KERNEL_ALIAS(aten_remainder_int_float, aten_remainder_int);
TSM_KERNEL_ALIAS(aten_remainder_float_int, aten_remainder_int);

static tsm_status ret_pair(tsm_value *out, tsm_value first, tsm_value second) {
    out[0] = first;
    out[1] = second;
    return TSM_OK;
}

TSM_KERNEL(aten_divmod_int) {
    int64_t a = arg_int(in, 0), b = arg_int(in, 1);
    if (!b)
        return TSM_RAISE(x, "ZeroDivisionError: integer division or modulo by zero");
    return ret_pair(out, tsm_int(divide_down(a, b)),
                    tsm_int(rest(a, b) != 0 && (a < 0) != (b < 0) ? rest(a, b) + b : rest(a, b)));
}

TSM_KERNEL(aten_divmod_float) {
    double a = arg_float(in, 0), b = arg_float(in, 1);
    if (b == 0)
        return TSM_RAISE(x, "ZeroDivisionError: float divmod()");
    double remainder = fmod(a, b);
    if (remainder != 0 && (a < 0) != (b < 0))
        remainder += b;
    return ret_pair(out, tsm_float((a - remainder) / b), tsm_float(remainder));
}

/* A whole float as int; raises when it is out of range. */
static tsm_status float_to_int(tsm_exec *x, double v, int64_t *i) {
    if (!(v >= -0x1p63 && v <= 0x1p63)) {
        char text[TSM_NUMBER_TEXT_FIXED];
        int n = (int)tsm_format_number(text, v, 'f', 6);
        return TSM_RAISE(x, "Cannot convert float %.*s to integer", n, text);
    }
    *i = lang_truncate(v);
    return TSM_OK;
}

/* An operand of a mixed divmod: PyTorch narrows it to C's int or float. */
static float narrow_operand(tsm_value v) {
    return v.tag == TSM_TAG_FLOAT ? (float)v.as.f : (float)(int32_t)(uint32_t)v.as.i;
}

TSM_KERNEL(aten_divmod_int_float) {
    float a = narrow_operand(*in[0]), b = narrow_operand(*in[1]);
    if (b == 0)
        return TSM_RAISE(x, "ZeroDivisionError: float divmod()");
    int64_t quotient = 0;
    TSM_TRY(float_to_int(x, floorf(a / b), &quotient));
    return ret_pair(out, tsm_float((double)quotient), tsm_float((double)a - (double)quotient * (double)b));
}
TSM_KERNEL_ALIAS(aten_divmod_float_int, aten_divmod_int_float);

TSM_KERNEL(aten_neg_int) {
    lang_number a = lang_number_of(*in[0]);
    if (a.kind == LANG_COMPLEX)
        return lang_ret_complex(x, out, cx_neg(a.c));
    return a.kind == LANG_INT ? ret_int(out, wrap_sub(0, a.i)) : ret_float(out, -a.c.re);
}
TSM_KERNEL_ALIAS(aten_neg_float, aten_neg_int);
TSM_KERNEL_ALIAS(aten_neg_complex, aten_neg_int);
TSM_KERNEL_ALIAS(aten_neg_Scalar, aten_neg_int);

TSM_KERNEL(prim_abs_int) {
    TSM_UNUSED_IO();
    lang_number a = lang_number_of(*in[0]);
    if (a.kind == LANG_COMPLEX)
        return ret_float(out, cx_abs(a.c));
    return a.kind == LANG_INT ? ret_int(out, a.i < 0 ? wrap_sub(0, a.i) : a.i) : ret_float(out, fabs(a.c.re));
}
TSM_KERNEL_ALIAS(prim_abs_float, prim_abs_int);
TSM_KERNEL_ALIAS(prim_abs_complex, prim_abs_int);

TSM_KERNEL(prim_abs_Scalar) {
    TSM_TRY(tsm_k_prim_abs_int(x, in, out));
    if (in[0]->tag == TSM_TAG_COMPLEX) /* narrowed as other functions of Scalars are, see apply_to_scalar */
        *out = tsm_float((float)out->as.f);
    return TSM_OK;
}

/* The first operand when `first`, in the kind that both have together. */
static tsm_status ret_chosen(tsm_value *out, const operands *o, bool first) {
    const lang_number *n = first ? &o->a : &o->b;
    return o->kind == LANG_INT ? ret_int(out, n->i) : ret_float(out, n->c.re);
}

TSM_KERNEL(prim_max_int) {
    operands o = operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return no_complex(x);
    return ret_chosen(out, &o, o.kind == LANG_INT ? o.a.i > o.b.i : o.a.c.re > o.b.c.re);
}
TSM_KERNEL_ALIAS(prim_max, prim_max_int);
TSM_KERNEL_ALIAS(prim_max_float, prim_max_int);
TSM_KERNEL_ALIAS(prim_max_int_float, prim_max_int);
TSM_KERNEL_ALIAS(prim_max_float_int, prim_max_int);

TSM_KERNEL(prim_min_int) {
    operands o = operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return no_complex(x);
    return ret_chosen(out, &o, o.kind == LANG_INT ? o.a.i < o.b.i : o.a.c.re < o.b.c.re);
}
TSM_KERNEL_ALIAS(prim_min, prim_min_int);
TSM_KERNEL_ALIAS(prim_min_float, prim_min_int);
TSM_KERNEL_ALIAS(prim_min_int_float, prim_min_int);
TSM_KERNEL_ALIAS(prim_min_float_int, prim_min_int);

/* ---- Powers ---- */

static tsm_complex polar(double size, double angle) {
    return cx(size * cos(angle), size * sin(angle));
}

/* As C++'s std::pow, whose special values differ with the kinds of the operands. */
static tsm_complex power(const operands *o) {
    tsm_complex a = o->a.c, b = o->b.c;
    if (o->b.kind != LANG_COMPLEX) {
        if (a.im == 0 && a.re > 0)
            return cx(pow(a.re, b.re), 0);
        tsm_complex l = cx_log(a);
        return polar(exp(b.re * l.re), b.re * l.im);
    }
    if (o->a.kind != LANG_COMPLEX && a.re > 0)
        return polar(pow(a.re, b.re), b.im * log(a.re));
    if (!cx_nonzero(a))
        return b.re > 0 ? cx(0, -0.0) : cx(b.re < 0 ? INFINITY : NAN, NAN);
    return cx_exp(cx_mul(b, cx_log(a)));
}

static tsm_status ret_power(tsm_exec *x, tsm_value *out, const operands *o) {
    return o->kind == LANG_COMPLEX ? lang_ret_complex(x, out, power(o)) : ret_float(out, pow(o->a.c.re, o->b.c.re));
}

TSM_KERNEL(aten_pow_int) {
    operands o = operands_of(in);
    if (o.kind != LANG_COMPLEX && o.a.c.re == 0 && o.b.c.re < 0)
        return TSM_RAISE(x, "0.0 cannot be raised to a negative power");
    return ret_power(x, out, &o);
}
TSM_KERNEL_ALIAS(aten_pow_float, aten_pow_int);
TSM_KERNEL_ALIAS(aten_pow_complex, aten_pow_int);
TSM_KERNEL_ALIAS(aten_pow_int_float, aten_pow_int);
TSM_KERNEL_ALIAS(aten_pow_float_int, aten_pow_int);
TSM_KERNEL_ALIAS(aten_pow_complex_float, aten_pow_int);
TSM_KERNEL_ALIAS(aten_pow_float_complex, aten_pow_int);

/* What an int and a complex number come to as well. Its result is a float, and PyTorch takes what is no float for an
 * int. */
TSM_KERNEL(aten_pow_Scalar_Scalar) {
    operands o = operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return TSM_RAISE(
            x, "isInt() INTERNAL ASSERT FAILED at \"./aten/src/ATen/core/ivalue.h\":602, please report a bug to "
               "PyTorch. (pow of a complex number and an int)");
    return ret_power(x, out, &o);
}

/* An int needs an int result: rounded by pow, as PyTorch computes it. */
TSM_KERNEL(aten_pow_int_to_int) {
    TSM_UNUSED_IO();
    return ret_int(out, lang_truncate(pow((double)arg_int(in, 0), (double)arg_int(in, 1))));
}

/* ---- Comparison ---- */

/* -1, 0, 1; 2 when unordered. */
static int compare_numbers(tsm_value a, tsm_value b) {
    lang_number m = lang_number_of(a), n = lang_number_of(b);
    if (m.kind == LANG_INT && n.kind == LANG_INT)
        return (m.i > n.i) - (m.i < n.i);
    return isnan(m.c.re) || isnan(n.c.re) ? 2 : (m.c.re > n.c.re) - (m.c.re < n.c.re);
}

static bool is_number(tsm_value v) {
    return v.tag == TSM_TAG_INT || v.tag == TSM_TAG_FLOAT || v.tag == TSM_TAG_BOOL || v.tag == TSM_TAG_COMPLEX;
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
    lang_number m = lang_number_of(a), n = lang_number_of(b);
    return m.kind == LANG_INT && n.kind == LANG_INT ? m.i == n.i : cx_equal(m.c, n.c);
}

static tsm_status lists_equal(tsm_exec *x, const tsm_list *a, const tsm_list *b, bool *equal) {
    *equal = a->length == b->length;
    for (uint32_t i = 0; *equal && i < a->length; i++) {
        tsm_value m = a->items[i], n = b->items[i];
        if (m.tag ==
            TSM_TAG_LIST) /* Lists of lists are compared as PyTorch compares nested values: no Tensors inside. */
            *equal = tsm_values_equal(m, n);
        else
            TSM_TRY(lang_equal(x, m, n, equal));
    }
    return TSM_OK;
}

tsm_status lang_equal(tsm_exec *x, tsm_value a, tsm_value b, bool *equal) {
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
    *equal = is_number(a) && is_number(b) ? numbers_equal(a, b) : tsm_values_equal(a, b);
    return TSM_OK;
}

enum { MAX_ORDERED_DEPTH = 32 }; /* of tuples in tuples; bounds the recursion */

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
        TSM_TRY(lang_equal(x, a->items[i], b->items[i], &equal));
        if (!equal)
            return less_to_depth(x, a->items[i], b->items[i], less, depth - 1);
    }
    return TSM_OK;
}

static tsm_status less_to_depth(tsm_exec *x, tsm_value a, tsm_value b, bool *less, int depth) {
    if (a.tag == TSM_TAG_COMPLEX || b.tag == TSM_TAG_COMPLEX)
        return no_complex(x);
    if (a.tag == TSM_TAG_STR && b.tag == TSM_TAG_STR)
        *less = tsm_str_compare(tsm_as_str(a), tsm_as_str(b)) < 0;
    else if (is_number(a) && is_number(b))
        *less = compare_numbers(a, b) == -1;
    else if (a.tag == TSM_TAG_TENSOR && b.tag == TSM_TAG_TENSOR)
        return tensor_less(x, a, b, less);
    else if (a.tag == TSM_TAG_TUPLE && b.tag == TSM_TAG_TUPLE && depth > 0)
        return tuple_less(x, tsm_as_tuple(a), tsm_as_tuple(b), less, depth);
    else
        return TSM_RAISE(x, "%s: these values have no order", tsm_op_name(x));
    return TSM_OK;
}

tsm_status lang_less(tsm_exec *x, tsm_value a, tsm_value b, bool *less) {
    return less_to_depth(x, a, b, less, MAX_ORDERED_DEPTH);
}

TSM_KERNEL(aten_eq_int) {
    bool equal;
    TSM_TRY(lang_equal(x, *in[0], *in[1], &equal));
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
    TSM_TRY(lang_equal(x, *in[0], *in[1], &equal));
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
        return no_complex(x);
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

TSM_KERNEL(aten___is__) {
    TSM_UNUSED_IO();
    return ret_bool(out, tsm_values_identical(*in[0], *in[1]));
}
TSM_KERNEL(aten___isnot__) {
    TSM_UNUSED_IO();
    return ret_bool(out, !tsm_values_identical(*in[0], *in[1]));
}

/* ---- Bits and booleans ---- */

static tsm_status ret_like_first(const tsm_value *const *in, tsm_value *out, int64_t v) {
    return in[0]->tag == TSM_TAG_BOOL ? ret_bool(out, v != 0) : ret_int(out, v);
}

TSM_KERNEL(aten___and___int) {
    TSM_UNUSED_IO();
    return ret_like_first(in, out, lang_number_of(*in[0]).i & lang_number_of(*in[1]).i);
}
TSM_KERNEL_ALIAS(aten___and___bool, aten___and___int);

TSM_KERNEL(aten___or___int) {
    TSM_UNUSED_IO();
    return ret_like_first(in, out, lang_number_of(*in[0]).i | lang_number_of(*in[1]).i);
}
TSM_KERNEL_ALIAS(aten___or___bool, aten___or___int);

TSM_KERNEL(aten___xor___int) {
    TSM_UNUSED_IO();
    return ret_like_first(in, out, lang_number_of(*in[0]).i ^ lang_number_of(*in[1]).i);
}
TSM_KERNEL_ALIAS(aten___xor___bool, aten___xor___int);

TSM_KERNEL(aten___not__) {
    TSM_UNUSED_IO();
    return ret_bool(out, !arg_bool(in, 0));
}

/* Shifts use the low six bits of the distance, as processors do. */
TSM_KERNEL(aten___lshift___int) {
    TSM_UNUSED_IO();
    return ret_int(out, (int64_t)((uint64_t)arg_int(in, 0) << (arg_int(in, 1) & 63)));
}
TSM_KERNEL(aten___rshift___int) {
    TSM_UNUSED_IO();
    return ret_int(out, arg_int(in, 0) >> (arg_int(in, 1) & 63));
}

/* ---- Functions of one number ---- */

typedef double (*real_function)(double);
typedef tsm_complex (*complex_function)(tsm_complex);

/* Applies a function to a number; `of_complex` may be NULL. */
static tsm_status apply(tsm_exec *x, const tsm_value *const *in, tsm_value *out, real_function of_real,
                        complex_function of_complex) {
    lang_number a = lang_number_of(*in[0]);
    if (a.kind != LANG_COMPLEX)
        return ret_float(out, of_real(a.c.re));
    return of_complex ? lang_ret_complex(x, out, of_complex(a.c)) : no_complex(x);
}

static tsm_complex complex_log10(tsm_complex a) {
    return cx_scale(cx_log(a), 1 / 2.30258509299404568402);
}
static double degrees(double v) {
    return v * (180 / CX_PI);
}
static double radians(double v) {
    return v * (CX_PI / 180);
}

TSM_KERNEL(aten_acos_int) {
    return apply(x, in, out, acos, cx_acos);
}
TSM_KERNEL(aten_acosh_int) {
    return apply(x, in, out, acosh, cx_acosh);
}
TSM_KERNEL(aten_asin_int) {
    return apply(x, in, out, asin, cx_asin);
}
TSM_KERNEL(aten_asinh_int) {
    return apply(x, in, out, asinh, cx_asinh);
}
TSM_KERNEL(aten_atan_int) {
    return apply(x, in, out, atan, cx_atan);
}
TSM_KERNEL(aten_atanh_int) {
    return apply(x, in, out, atanh, cx_atanh);
}
TSM_KERNEL(aten_cos_int) {
    return apply(x, in, out, cos, cx_cos);
}
TSM_KERNEL(aten_cosh_int) {
    return apply(x, in, out, cosh, cx_cosh);
}
TSM_KERNEL(aten_exp_int) {
    return apply(x, in, out, exp, cx_exp);
}
TSM_KERNEL(aten_log_int) {
    return apply(x, in, out, log, cx_log);
}
TSM_KERNEL(aten_log10_int) {
    return apply(x, in, out, log10, complex_log10);
}
TSM_KERNEL(aten_sin_int) {
    return apply(x, in, out, sin, cx_sin);
}
TSM_KERNEL(aten_sinh_int) {
    return apply(x, in, out, sinh, cx_sinh);
}
TSM_KERNEL(aten_sqrt_int) {
    return apply(x, in, out, sqrt, cx_sqrt);
}
TSM_KERNEL(aten_tan_int) {
    return apply(x, in, out, tan, cx_tan);
}
TSM_KERNEL(aten_tanh_int) {
    return apply(x, in, out, tanh, cx_tanh);
}
TSM_KERNEL(aten_degrees_int) {
    return apply(x, in, out, degrees, NULL);
}
TSM_KERNEL(aten_erf_int) {
    return apply(x, in, out, erf, NULL);
}
TSM_KERNEL(aten_erfc_int) {
    return apply(x, in, out, erfc, NULL);
}
TSM_KERNEL(aten_expm1_int) {
    return apply(x, in, out, expm1, NULL);
}
TSM_KERNEL(aten_fabs_int) {
    return apply(x, in, out, fabs, NULL);
}
TSM_KERNEL(aten_gamma_int) {
    return apply(x, in, out, tgamma, NULL);
}
TSM_KERNEL(aten_lgamma_int) {
    return apply(x, in, out, lgamma, NULL);
}
TSM_KERNEL(aten_log1p_int) {
    return apply(x, in, out, log1p, NULL);
}
TSM_KERNEL(aten_radians_int) {
    return apply(x, in, out, radians, NULL);
}
TSM_KERNEL(aten_round_int) {
    return apply(x, in, out, rint, NULL);
}

TSM_KERNEL_ALIAS(aten_acos_float, aten_acos_int);
TSM_KERNEL_ALIAS(aten_acosh_float, aten_acosh_int);
TSM_KERNEL_ALIAS(aten_asin_float, aten_asin_int);
TSM_KERNEL_ALIAS(aten_asinh_float, aten_asinh_int);
TSM_KERNEL_ALIAS(aten_atan_float, aten_atan_int);
TSM_KERNEL_ALIAS(aten_atanh_float, aten_atanh_int);
TSM_KERNEL_ALIAS(aten_cos_float, aten_cos_int);
TSM_KERNEL_ALIAS(aten_cosh_float, aten_cosh_int);
TSM_KERNEL_ALIAS(aten_exp_float, aten_exp_int);
TSM_KERNEL_ALIAS(aten_log_float, aten_log_int);
TSM_KERNEL_ALIAS(aten_log10_float, aten_log10_int);
TSM_KERNEL_ALIAS(aten_sin_float, aten_sin_int);
TSM_KERNEL_ALIAS(aten_sinh_float, aten_sinh_int);
TSM_KERNEL_ALIAS(aten_sqrt_float, aten_sqrt_int);
TSM_KERNEL_ALIAS(aten_tan_float, aten_tan_int);
TSM_KERNEL_ALIAS(aten_tanh_float, aten_tanh_int);
TSM_KERNEL_ALIAS(aten_degrees_float, aten_degrees_int);
TSM_KERNEL_ALIAS(aten_erf_float, aten_erf_int);
TSM_KERNEL_ALIAS(aten_erfc_float, aten_erfc_int);
TSM_KERNEL_ALIAS(aten_expm1_float, aten_expm1_int);
TSM_KERNEL_ALIAS(aten_fabs_float, aten_fabs_int);
TSM_KERNEL_ALIAS(aten_gamma_float, aten_gamma_int);
TSM_KERNEL_ALIAS(aten_lgamma_float, aten_lgamma_int);
TSM_KERNEL_ALIAS(aten_log1p_float, aten_log1p_int);
TSM_KERNEL_ALIAS(aten_radians_float, aten_radians_int);
TSM_KERNEL_ALIAS(aten_round_float, aten_round_int);

TSM_KERNEL_ALIAS(aten_acos_complex, aten_acos_int);
TSM_KERNEL_ALIAS(aten_acosh_complex, aten_acosh_int);
TSM_KERNEL_ALIAS(aten_asin_complex, aten_asin_int);
TSM_KERNEL_ALIAS(aten_asinh_complex, aten_asinh_int);
TSM_KERNEL_ALIAS(aten_atan_complex, aten_atan_int);
TSM_KERNEL_ALIAS(aten_atanh_complex, aten_atanh_int);
TSM_KERNEL_ALIAS(aten_cos_complex, aten_cos_int);
TSM_KERNEL_ALIAS(aten_cosh_complex, aten_cosh_int);
TSM_KERNEL_ALIAS(aten_exp_complex, aten_exp_int);
TSM_KERNEL_ALIAS(aten_log_complex, aten_log_int);
TSM_KERNEL_ALIAS(aten_log10_complex, aten_log10_int);
TSM_KERNEL_ALIAS(aten_sin_complex, aten_sin_int);
TSM_KERNEL_ALIAS(aten_sinh_complex, aten_sinh_int);
TSM_KERNEL_ALIAS(aten_sqrt_complex, aten_sqrt_int);
TSM_KERNEL_ALIAS(aten_tan_complex, aten_tan_int);
TSM_KERNEL_ALIAS(aten_tanh_complex, aten_tanh_int);

/* A Scalar (a number whose kind is known only here): PyTorch narrows a real result to 32 bits. */
static tsm_status apply_to_scalar(tsm_exec *x, const tsm_value *const *in, tsm_value *out, real_function of_real,
                                  complex_function of_complex) {
    TSM_TRY(apply(x, in, out, of_real, of_complex));
    if (out->tag == TSM_TAG_FLOAT)
        out->as.f = (float)out->as.f;
    return TSM_OK;
}

TSM_KERNEL(aten_acos_Scalar) {
    return apply_to_scalar(x, in, out, acos, cx_acos);
}
TSM_KERNEL(aten_acosh_Scalar) {
    return apply_to_scalar(x, in, out, acosh, cx_acosh);
}
TSM_KERNEL(aten_asin_Scalar) {
    return apply_to_scalar(x, in, out, asin, cx_asin);
}
TSM_KERNEL(aten_asinh_Scalar) {
    return apply_to_scalar(x, in, out, asinh, cx_asinh);
}
TSM_KERNEL(aten_atan_Scalar) {
    return apply_to_scalar(x, in, out, atan, cx_atan);
}
TSM_KERNEL(aten_atanh_Scalar) {
    return apply_to_scalar(x, in, out, atanh, cx_atanh);
}
TSM_KERNEL(aten_cos_Scalar) {
    return apply_to_scalar(x, in, out, cos, cx_cos);
}
TSM_KERNEL(aten_cosh_Scalar) {
    return apply_to_scalar(x, in, out, cosh, cx_cosh);
}
TSM_KERNEL(aten_exp_Scalar) {
    return apply_to_scalar(x, in, out, exp, cx_exp);
}
TSM_KERNEL(aten_log_Scalar) {
    return apply_to_scalar(x, in, out, log, cx_log);
}
TSM_KERNEL(aten_log10_Scalar) {
    return apply_to_scalar(x, in, out, log10, complex_log10);
}
TSM_KERNEL(aten_sin_Scalar) {
    return apply_to_scalar(x, in, out, sin, cx_sin);
}
TSM_KERNEL(aten_sinh_Scalar) {
    return apply_to_scalar(x, in, out, sinh, cx_sinh);
}
TSM_KERNEL(aten_sqrt_Scalar) {
    return apply_to_scalar(x, in, out, sqrt, cx_sqrt);
}
TSM_KERNEL(aten_tan_Scalar) {
    return apply_to_scalar(x, in, out, tan, cx_tan);
}
TSM_KERNEL(aten_tanh_Scalar) {
    return apply_to_scalar(x, in, out, tanh, cx_tanh);
}
TSM_KERNEL(aten_degrees_Scalar) {
    return apply_to_scalar(x, in, out, degrees, NULL);
}
TSM_KERNEL(aten_erf_Scalar) {
    return apply_to_scalar(x, in, out, erf, NULL);
}
TSM_KERNEL(aten_erfc_Scalar) {
    return apply_to_scalar(x, in, out, erfc, NULL);
}
TSM_KERNEL(aten_expm1_Scalar) {
    return apply_to_scalar(x, in, out, expm1, NULL);
}
TSM_KERNEL(aten_fabs_Scalar) {
    return apply_to_scalar(x, in, out, fabs, NULL);
}
TSM_KERNEL(aten_gamma_Scalar) {
    return apply_to_scalar(x, in, out, tgamma, NULL);
}
TSM_KERNEL(aten_lgamma_Scalar) {
    return apply_to_scalar(x, in, out, lgamma, NULL);
}
TSM_KERNEL(aten_log1p_Scalar) {
    return apply_to_scalar(x, in, out, log1p, NULL);
}
TSM_KERNEL(aten_radians_Scalar) {
    return apply_to_scalar(x, in, out, radians, NULL);
}
TSM_KERNEL(aten_round_Scalar) {
    return apply_to_scalar(x, in, out, rint, NULL);
}

/* Rounds to an int by `of_real` (floor or ceil). */
static tsm_status apply_to_int(tsm_exec *x, const tsm_value *const *in, tsm_value *out, real_function of_real) {
    lang_number a = lang_number_of(*in[0]);
    if (a.kind == LANG_COMPLEX)
        return no_complex(x);
    int64_t rounded = a.i;
    if (a.kind == LANG_FLOAT)
        TSM_TRY(float_to_int(x, of_real(a.c.re), &rounded));
    return ret_int(out, rounded);
}

TSM_KERNEL(aten_floor_int) {
    return apply_to_int(x, in, out, floor);
}
TSM_KERNEL(aten_ceil_int) {
    return apply_to_int(x, in, out, ceil);
}
TSM_KERNEL_ALIAS(aten_floor_float, aten_floor_int);
TSM_KERNEL_ALIAS(aten_floor_Scalar, aten_floor_int);
TSM_KERNEL_ALIAS(aten_ceil_float, aten_ceil_int);
TSM_KERNEL_ALIAS(aten_ceil_Scalar, aten_ceil_int);

/* The argument; that of a real number is pi or 0, by its sign. */
static double angle(lang_number a) {
    if (a.kind == LANG_COMPLEX)
        return cx_arg(a.c);
    return signbit(a.c.re) ? CX_PI : 0;
}

TSM_KERNEL(aten_angle_int) {
    TSM_UNUSED_IO();
    return ret_float(out, angle(lang_number_of(*in[0])));
}
TSM_KERNEL_ALIAS(aten_angle_float, aten_angle_int);
TSM_KERNEL_ALIAS(aten_angle_complex, aten_angle_int);

TSM_KERNEL(aten_angle_Scalar) {
    TSM_UNUSED_IO();
    return ret_float(out, (float)angle(lang_number_of(*in[0])));
}

TSM_KERNEL(aten_isnan_float) {
    TSM_UNUSED_IO();
    tsm_complex c = lang_number_of(*in[0]).c;
    return ret_bool(out, isnan(c.re) || isnan(c.im));
}
TSM_KERNEL_ALIAS(aten_isnan_complex, aten_isnan_float);

TSM_KERNEL(aten_isinf_float) {
    TSM_UNUSED_IO();
    tsm_complex c = lang_number_of(*in[0]).c;
    return ret_bool(out, isinf(c.re) || isinf(c.im));
}
TSM_KERNEL_ALIAS(aten_isinf_complex, aten_isinf_float);

TSM_KERNEL(aten_isfinite_float) {
    TSM_UNUSED_IO();
    tsm_complex c = lang_number_of(*in[0]).c;
    return ret_bool(out, isfinite(c.re) && isfinite(c.im));
}
TSM_KERNEL_ALIAS(aten_isfinite_complex, aten_isfinite_float);

TSM_KERNEL(aten_frexp) {
    TSM_UNUSED_IO();
    double v = arg_float(in, 0);
    int exponent = 0;
    double fraction = isfinite(v) ? frexp(v, &exponent) : v;
    return ret_pair(out, tsm_float(fraction), tsm_int(exponent));
}

TSM_KERNEL(aten_modf) {
    TSM_UNUSED_IO();
    double whole, fraction = modf(arg_float(in, 0), &whole);
    return ret_pair(out, tsm_float(fraction), tsm_float(whole));
}

TSM_KERNEL(aten_ldexp) {
    TSM_UNUSED_IO();
    return ret_float(out, ldexp(arg_float(in, 0), (int)arg_int(in, 1)));
}

TSM_KERNEL(aten_factorial_int) {
    int64_t n = arg_int(in, 0), product = 1;
    if (n < 0)
        return TSM_RAISE(x, "factorial() not defined for negative values");
    for (int64_t i = 2; i <= n && product; i++) /* 66! and all later ones are 0 in 64 bits */
        product = wrap_mul(product, i);
    return ret_int(out, product);
}

/* ---- Functions of two numbers ---- */

typedef double (*real_function2)(double, double);

static tsm_status apply2(tsm_exec *x, const tsm_value *const *in, tsm_value *out, real_function2 f) {
    operands o = operands_of(in);
    return o.kind == LANG_COMPLEX ? no_complex(x) : ret_float(out, f(o.a.c.re, o.b.c.re));
}

TSM_KERNEL(aten_fmod_int) {
    return apply2(x, in, out, fmod);
}
TSM_KERNEL_ALIAS(aten_fmod, aten_fmod_int);
TSM_KERNEL_ALIAS(aten_fmod_float, aten_fmod_int);
TSM_KERNEL_ALIAS(aten_fmod_int_float, aten_fmod_int);
TSM_KERNEL_ALIAS(aten_fmod_float_int, aten_fmod_int);

TSM_KERNEL(aten_mathremainder_int) {
    return apply2(x, in, out, remainder);
}
TSM_KERNEL_ALIAS(aten_mathremainder, aten_mathremainder_int);
TSM_KERNEL_ALIAS(aten_mathremainder_float, aten_mathremainder_int);
TSM_KERNEL_ALIAS(aten_mathremainder_int_float, aten_mathremainder_int);
TSM_KERNEL_ALIAS(aten_mathremainder_float_int, aten_mathremainder_int);

TSM_KERNEL(aten_copysign_int) {
    return apply2(x, in, out, copysign);
}
TSM_KERNEL_ALIAS(aten_copysign, aten_copysign_int);
TSM_KERNEL_ALIAS(aten_copysign_float, aten_copysign_int);
TSM_KERNEL_ALIAS(aten_copysign_int_float, aten_copysign_int);
TSM_KERNEL_ALIAS(aten_copysign_float_int, aten_copysign_int);

TSM_KERNEL(aten_atan2_int) {
    return apply2(x, in, out, atan2);
}
TSM_KERNEL_ALIAS(aten_atan2_float, aten_atan2_int);
TSM_KERNEL_ALIAS(aten_atan2_int_float, aten_atan2_int);
TSM_KERNEL_ALIAS(aten_atan2_float_int, aten_atan2_int);
TSM_KERNEL_ALIAS(aten_atan2_Scalar_Scalar, aten_atan2_int);

/* Of a real number in the real numbers: NaN when negative, whatever the other operand is. */
static tsm_complex log_of(const lang_number *n) {
    return n->kind == LANG_COMPLEX ? cx_log(n->c) : cx(log(n->c.re), 0);
}

/* The logarithm of the first number to the base of the second. */
TSM_KERNEL(aten_log_int_int) {
    operands o = operands_of(in);
    tsm_complex a = log_of(&o.a), b = log_of(&o.b);
    if (o.kind != LANG_COMPLEX)
        return ret_float(out, a.re / b.re);
    return lang_ret_complex(x, out, o.b.kind == LANG_COMPLEX ? divide_complex(a, b) : cx(a.re / b.re, a.im / b.re));
}
TSM_KERNEL_ALIAS(aten_log_float_float, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_int_float, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_float_int, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_complex_complex, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_int_complex, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_complex_int, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_float_complex, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_complex_float, aten_log_int_int);
TSM_KERNEL_ALIAS(aten_log_Scalar_Scalar, aten_log_int_int);

/* From magnitude and angle. */
TSM_KERNEL(aten_polar_int) {
    operands o = operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return no_complex(x);
    return lang_ret_complex(x, out, polar(o.a.c.re, o.b.c.re));
}
TSM_KERNEL_ALIAS(aten_polar_float, aten_polar_int);
TSM_KERNEL_ALIAS(aten_polar_int_float, aten_polar_int);
TSM_KERNEL_ALIAS(aten_polar_float_int, aten_polar_int);
TSM_KERNEL_ALIAS(aten_polar_Scalar_Scalar, aten_polar_int);

TSM_KERNEL(aten_gcd_int) {
    TSM_UNUSED_IO();
    int64_t a = arg_int(in, 0), b = arg_int(in, 1);
    while (b) {
        int64_t r = rest(a, b);
        a = b;
        b = r;
    }
    return ret_int(out, a < 0 ? wrap_sub(0, a) : a);
}
