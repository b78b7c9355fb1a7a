/* Operators on numbers: arithmetic, powers, bits.
 *
 * Values know their kinds, so one kernel serves every combination of int, float, bool and complex: ints stay ints, an
 * int with a float is computed as float, anything with a complex as complex. */
#include "runtime/kernels/language/lang.h"

lang_number tsm_lang_number_of(tsm_value v) {
    lang_kind kind = v.tag == TSM_TAG_FLOAT ? LANG_FLOAT : v.tag == TSM_TAG_COMPLEX ? LANG_COMPLEX : LANG_INT;
    return (lang_number){kind, v.tag == TSM_TAG_BOOL ? v.as.b : kind == LANG_INT ? v.as.i : 0, cx_of(v)};
}

tsm_status tsm_lang_ret_complex(tsm_exec *x, tsm_value *out, tsm_complex c) {
    return tsm_make_complex(x, c.re, c.im, out);
}

lang_operands tsm_lang_operands_of(const tsm_value *const *in) {
    lang_operands o = {tsm_lang_number_of(*in[0]), tsm_lang_number_of(*in[1]), LANG_INT};
    o.kind = o.a.kind > o.b.kind ? o.a.kind : o.b.kind;
    return o;
}

tsm_status tsm_lang_no_complex(tsm_exec *x) {
    return TSM_RAISE(x, "%s: not defined for complex numbers", tsm_op_name(x));
}

/* ---- Arithmetic ---- */

/* A real operand does not count as having an imaginary part of 0: adding that zero could change the sign of the other
 * operand's imaginary zero. */
static tsm_complex scalar_add_complex(const lang_operands *o) {
    double im = o->a.kind != LANG_COMPLEX ? o->b.c.im : o->b.kind != LANG_COMPLEX ? o->a.c.im : o->a.c.im + o->b.c.im;
    return cx(o->a.c.re + o->b.c.re, im);
}

static tsm_complex subtract_complex(const lang_operands *o) {
    double im = o->a.kind != LANG_COMPLEX ? -o->b.c.im : o->b.kind != LANG_COMPLEX ? o->a.c.im : o->a.c.im - o->b.c.im;
    return cx(o->a.c.re - o->b.c.re, im);
}

TSM_KERNEL(aten_add_int) {
    lang_operands o = tsm_lang_operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return tsm_lang_ret_complex(x, out, scalar_add_complex(&o));
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
    lang_operands o = tsm_lang_operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return tsm_lang_ret_complex(x, out, subtract_complex(&o));
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
static tsm_complex scalar_multiply(const lang_operands *o) {
    if (o->a.kind != LANG_COMPLEX)
        return cx_scale(o->b.c, o->a.c.re);
    return o->b.kind != LANG_COMPLEX ? cx_scale(o->a.c, o->b.c.re) : cx_mul(o->a.c, o->b.c);
}

TSM_KERNEL(aten_mul_int) {
    lang_operands o = tsm_lang_operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return tsm_lang_ret_complex(x, out, scalar_multiply(&o));
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

tsm_complex tsm_lang_divide_complex(tsm_complex a, tsm_complex b) {
    double square = b.re * b.re + b.im * b.im;
    return cx((a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square);
}

TSM_KERNEL(aten_div_int) {
    lang_operands o = tsm_lang_operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return tsm_lang_ret_complex(x, out, tsm_lang_divide_complex(o.a.c, o.b.c));
    return ret_float(out, o.a.c.re / o.b.c.re);
}
TSM_KERNEL_ALIAS(aten_div_float, aten_div_int);
TSM_KERNEL_ALIAS(aten_div_complex, aten_div_int);

TSM_KERNEL(aten_div) {
    lang_operands o = tsm_lang_operands_of(in);
    return o.kind == LANG_COMPLEX ? tsm_lang_no_complex(x) : ret_float(out, o.a.c.re / o.b.c.re);
}

/* The least int divided by -1 wraps to itself, where the processor's division would trap. */
static int64_t divide(int64_t a, int64_t b) {
    return b == -1 ? wrap_sub(0, a) : a / b;
}
static int64_t divide_down(int64_t a, int64_t b) {
    return divide(a, b) - (wrap_rest(a, b) != 0 && (a < 0) != (b < 0));
}
static int64_t rest_down(int64_t a, int64_t b) {
    int64_t rest = wrap_rest(a, b);
    return rest != 0 && (a < 0) != (b < 0) ? rest + b : rest;
}

TSM_KERNEL(aten_floordiv_int) {
    lang_operands o = tsm_lang_operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return tsm_lang_no_complex(x);
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
    lang_operands o = tsm_lang_operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return tsm_lang_no_complex(x);
    if (o.kind == LANG_FLOAT)
        return ret_float(out, fmod(o.b.c.re + fmod(o.a.c.re, o.b.c.re), o.b.c.re));
    if (!o.b.i) /* PyTorch divides without a check, which ends its process */
        return TSM_RAISE(x, "integer modulo by zero");
    return ret_int(out, rest_down(o.a.i, o.b.i));
}
TSM_KERNEL_ALIAS(aten_remainder, aten_remainder_int);
TSM_KERNEL_ALIAS(aten_remainder_float, aten_remainder_int);
TSM_KERNEL_ALIAS(aten_remainder_int_float, aten_remainder_int);
TSM_KERNEL_ALIAS(aten_remainder_float_int, aten_remainder_int);

TSM_KERNEL(aten_divmod_int) {
    int64_t a = arg_int(in, 0), b = arg_int(in, 1);
    if (!b)
        return TSM_RAISE(x, "ZeroDivisionError: integer division or modulo by zero");
    return lang_ret_pair(out, tsm_int(divide_down(a, b)), tsm_int(rest_down(a, b)));
}

TSM_KERNEL(aten_divmod_float) {
    double a = arg_float(in, 0), b = arg_float(in, 1);
    if (b == 0)
        return TSM_RAISE(x, "ZeroDivisionError: float divmod()");
    double remainder = fmod(a, b);
    if (remainder != 0 && (a < 0) != (b < 0))
        remainder += b;
    return lang_ret_pair(out, tsm_float((a - remainder) / b), tsm_float(remainder));
}

tsm_status tsm_lang_float_to_int(tsm_exec *x, double v, int64_t *i) {
    if (!(v >= -0x1p63 && v <= 0x1p63)) {
        char text[TSM_NUMBER_TEXT_FIXED];
        int n = (int)tsm_format_number(text, v, 'f', 6);
        return TSM_RAISE(x, "Cannot convert float %.*s to integer", n, text);
    }
    *i = lang_truncate(v);
    return TSM_OK;
}

/* An operand of a mixed divmod: PyTorch narrows it to C's int or float. */
static double narrow_operand(tsm_value v) {
    return v.tag == TSM_TAG_FLOAT ? (double)(float)v.as.f : (double)lang_c_int(v.as.i);
}

/* The quotient is that of C's floats. */
TSM_KERNEL(aten_divmod_int_float) {
    double a = narrow_operand(*in[0]), b = narrow_operand(*in[1]);
    if (b == 0)
        return TSM_RAISE(x, "ZeroDivisionError: float divmod()");
    int64_t quotient = 0;
    TSM_TRY(tsm_lang_float_to_int(x, floorf((float)a / (float)b), &quotient));
    return lang_ret_pair(out, tsm_float((double)quotient), tsm_float(a - (double)quotient * b));
}
TSM_KERNEL_ALIAS(aten_divmod_float_int, aten_divmod_int_float);

TSM_KERNEL(aten_neg_int) {
    lang_number a = tsm_lang_number_of(*in[0]);
    if (a.kind == LANG_COMPLEX)
        return tsm_lang_ret_complex(x, out, cx_neg(a.c));
    return a.kind == LANG_INT ? ret_int(out, wrap_sub(0, a.i)) : ret_float(out, -a.c.re);
}
TSM_KERNEL_ALIAS(aten_neg_float, aten_neg_int);
TSM_KERNEL_ALIAS(aten_neg_complex, aten_neg_int);

TSM_KERNEL(prim_abs_int) {
    TSM_UNUSED_IO();
    lang_number a = tsm_lang_number_of(*in[0]);
    if (a.kind == LANG_COMPLEX)
        return ret_float(out, cx_abs(a.c));
    return a.kind == LANG_INT ? ret_int(out, a.i < 0 ? wrap_sub(0, a.i) : a.i) : ret_float(out, fabs(a.c.re));
}
TSM_KERNEL_ALIAS(prim_abs_float, prim_abs_int);
TSM_KERNEL_ALIAS(prim_abs_complex, prim_abs_int);

/* Results for Scalars (numbers whose kind is known only here): PyTorch narrows them to C's int and float. */
static void narrow(tsm_value *v) {
    if (v->tag == TSM_TAG_INT)
        v->as.i = lang_c_int(v->as.i);
    else if (v->tag == TSM_TAG_FLOAT)
        v->as.f = (float)v->as.f;
}

TSM_KERNEL(aten_neg_Scalar) {
    TSM_TRY(tsm_k_aten_neg_int(x, in, out));
    narrow(out);
    return TSM_OK;
}

TSM_KERNEL(prim_abs_Scalar) {
    TSM_TRY(tsm_k_prim_abs_int(x, in, out));
    narrow(out);
    return TSM_OK;
}

/* The first operand when `first`, in the kind that both have together. */
static tsm_status ret_chosen(tsm_value *out, const lang_operands *o, bool first) {
    const lang_number *n = first ? &o->a : &o->b;
    return o->kind == LANG_INT ? ret_int(out, n->i) : ret_float(out, n->c.re);
}

TSM_KERNEL(prim_max_int) {
    lang_operands o = tsm_lang_operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return tsm_lang_no_complex(x);
    return ret_chosen(out, &o, o.kind == LANG_INT ? o.a.i > o.b.i : o.a.c.re > o.b.c.re);
}
TSM_KERNEL_ALIAS(prim_max, prim_max_int);
TSM_KERNEL_ALIAS(prim_max_float, prim_max_int);
TSM_KERNEL_ALIAS(prim_max_int_float, prim_max_int);
TSM_KERNEL_ALIAS(prim_max_float_int, prim_max_int);

TSM_KERNEL(prim_min_int) {
    lang_operands o = tsm_lang_operands_of(in);
    if (o.kind == LANG_COMPLEX)
        return tsm_lang_no_complex(x);
    return ret_chosen(out, &o, o.kind == LANG_INT ? o.a.i < o.b.i : o.a.c.re < o.b.c.re);
}
TSM_KERNEL_ALIAS(prim_min, prim_min_int);
TSM_KERNEL_ALIAS(prim_min_float, prim_min_int);
TSM_KERNEL_ALIAS(prim_min_int_float, prim_min_int);
TSM_KERNEL_ALIAS(prim_min_float_int, prim_min_int);

/* ---- Powers ---- */

/* As C++'s std::pow, whose special values differ with the kinds of the operands. */
static tsm_complex power(const lang_operands *o) {
    tsm_complex a = o->a.c, b = o->b.c;
    if (o->b.kind != LANG_COMPLEX) {
        if (a.im == 0 && a.re > 0)
            return cx(pow(a.re, b.re), 0);
        tsm_complex l = tsm_cx_log(a);
        return cx_polar(exp(b.re * l.re), b.re * l.im);
    }
    if (o->a.kind != LANG_COMPLEX && a.re > 0)
        return cx_polar(pow(a.re, b.re), b.im * log(a.re));
    if (!cx_nonzero(a))
        return b.re > 0 ? cx(0, b.im < 0 ? 0.0 : -0.0) : cx(b.re < 0 ? INFINITY : NAN, NAN);
    return tsm_cx_exp(tsm_cx_mul_limits(b, tsm_cx_log(a)));
}

static tsm_status ret_power(tsm_exec *x, tsm_value *out, const lang_operands *o) {
    return o->kind == LANG_COMPLEX ? tsm_lang_ret_complex(x, out, power(o))
                                   : ret_float(out, lang_power(o->a.c.re, o->b.c.re));
}

TSM_KERNEL(aten_pow_int) {
    lang_operands o = tsm_lang_operands_of(in);
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

/* PyTorch selects this overload for an int with a complex number too. It takes any result that is no float for an int,
 * and so fails for complex results. */
TSM_KERNEL(aten_pow_Scalar_Scalar) {
    lang_operands o = tsm_lang_operands_of(in);
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

/* ---- Bits and booleans ---- */

static tsm_status ret_like_first(const tsm_value *const *in, tsm_value *out, int64_t v) {
    return in[0]->tag == TSM_TAG_BOOL ? ret_bool(out, v != 0) : ret_int(out, v);
}

TSM_KERNEL(aten___and___int) {
    TSM_UNUSED_IO();
    return ret_like_first(in, out, tsm_lang_number_of(*in[0]).i & tsm_lang_number_of(*in[1]).i);
}
TSM_KERNEL_ALIAS(aten___and___bool, aten___and___int);

TSM_KERNEL(aten___or___int) {
    TSM_UNUSED_IO();
    return ret_like_first(in, out, tsm_lang_number_of(*in[0]).i | tsm_lang_number_of(*in[1]).i);
}
TSM_KERNEL_ALIAS(aten___or___bool, aten___or___int);

TSM_KERNEL(aten___xor___int) {
    TSM_UNUSED_IO();
    return ret_like_first(in, out, tsm_lang_number_of(*in[0]).i ^ tsm_lang_number_of(*in[1]).i);
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
