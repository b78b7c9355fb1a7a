/* Enums, optionals and tuples. */
#include "runtime/kernels/language/lang.h"
#include "runtime/value/chars.h"

TSM_KERNEL_LIGHT(prim_EnumName) {
    const char *name = tsm_as_enum(*in[0])->name;
    return tsm_lang_ret_str(x, out, name, tsm_chars_length(name));
}

TSM_KERNEL_LIGHT(prim_EnumValue_int) {
    TSM_UNUSED_IO();
    *out = tsm_hold(tsm_as_enum(*in[0])->value);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(prim_EnumValue_float, prim_EnumValue_int);
TSM_KERNEL_ALIAS(prim_EnumValue_str, prim_EnumValue_int);

TSM_KERNEL_LIGHT(prim_unchecked_cast) {
    TSM_UNUSED_IO();
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(prim_unchecked_unwrap_optional, prim_unchecked_cast);

TSM_KERNEL_LIGHT(aten__unwrap_optional) {
    if (arg_is_none(in, 0))
        return TSM_RAISE(x, "Unwrapping null optional");
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

TSM_KERNEL_LIGHT(prim_Uninitialized) {
    TSM_UNUSED_IO();
    *out = tsm_none();
    return TSM_OK;
}

TSM_KERNEL_LIGHT(prim_TupleIndex) {
    size_t at;
    if (in[0]->tag != TSM_TAG_TUPLE || !lang_position(arg_int(in, 1), tsm_as_tuple(*in[0])->length, &at))
        return TSM_RAISE(x, "Tuple list index out of range");
    *out = tsm_hold(tsm_as_tuple(*in[0])->items[at]);
    return TSM_OK;
}

TSM_KERNEL_LIGHT(prim_TupleUnpack) {
    const tsm_tuple *t = in[0]->tag == TSM_TAG_TUPLE ? tsm_as_tuple(*in[0]) : NULL;
    if (!t || t->length != x->outputs)
        return TSM_RAISE(x, "Expected a tuple of %u elements", (unsigned)x->outputs);
    for (uint32_t i = 0; i < t->length; i++)
        out[i] = tsm_hold(t->items[i]);
    return TSM_OK;
}
