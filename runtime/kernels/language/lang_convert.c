/* bool, int, float and complex of numbers and strs. */
#include "runtime/kernels/language/lang.h"
#include "runtime/kernels/language/parse_number.h"

TSM_KERNEL(aten_Bool_int) {
    TSM_UNUSED_IO();
    return ret_bool(out, cx_nonzero(tsm_lang_number_of(*in[0]).c));
}
TSM_KERNEL_ALIAS(aten_Bool_float, aten_Bool_int);

TSM_KERNEL(aten_Int_float) {
    TSM_UNUSED_IO();
    lang_number n = tsm_lang_number_of(*in[0]);
    return ret_int(out, n.kind == LANG_INT ? n.i : lang_truncate(n.c.re));
}
TSM_KERNEL_ALIAS(aten_Int_bool, aten_Int_float);

/* Unlike int(float) this one refuses what does not fit. */
TSM_KERNEL(aten_Int_Scalar) {
    lang_number n = tsm_lang_number_of(*in[0]);
    if (n.kind != LANG_INT && (n.c.im != 0 || !(n.c.re >= -0x1p63 && n.c.re < 0x1p63)))
        return TSM_RAISE(x, "value cannot be converted to type int without overflow");
    return ret_int(out, n.kind == LANG_INT ? n.i : (int64_t)n.c.re);
}

TSM_KERNEL(aten_Int_str) {
    const tsm_str *s = arg_str(in, 0);
    size_t used;
    int64_t v;
    if (!tsm_parse_int(s->text, s->length, &used, &v))
        return TSM_RAISE(x, "stoll");
    if (used != s->length)
        return TSM_RAISE(x, "invalid literal for int() with base 10: '%.*s'", (int)s->length, s->text);
    return ret_int(out, v);
}

TSM_KERNEL(aten_Float_int) {
    TSM_UNUSED_IO();
    return ret_float(out, tsm_lang_number_of(*in[0]).c.re);
}
TSM_KERNEL_ALIAS(aten_Float_bool, aten_Float_int);
TSM_KERNEL_ALIAS(aten_Float_Scalar, aten_Float_int);

TSM_KERNEL(aten_Float_str) {
    const tsm_str *s = arg_str(in, 0);
    size_t used;
    double v;
    if (!tsm_parse_double(s->text, s->length, &used, &v))
        return TSM_RAISE(x, "stod");
    if (used != s->length)
        return TSM_RAISE(x, "could not convert string to float: '%.*s'", (int)s->length, s->text);
    return ret_float(out, v);
}

TSM_KERNEL(aten_Complex_Scalar) {
    return tsm_lang_ret_complex(x, out, tsm_lang_number_of(*in[0]).c);
}

/* PyTorch narrows int parts to C's int. */
static double complex_part(tsm_value v) {
    return v.tag == TSM_TAG_INT ? lang_c_int(v.as.i) : tsm_lang_number_of(v).c.re;
}

TSM_KERNEL(aten_Complex_float_float) {
    return tsm_lang_ret_complex(x, out, cx(complex_part(*in[0]), complex_part(*in[1])));
}
TSM_KERNEL_ALIAS(aten_Complex_bool_bool, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_bool_float, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_bool_int, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_float_bool, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_float_int, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_int_bool, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_int_float, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_int_int, aten_Complex_float_float);
