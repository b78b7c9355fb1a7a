/* Printing, warning, raising, and waiting for futures. */
#include "runtime/kernels/language/lang.h"

TSM_KERNEL(prim_Print) {
    TSM_UNUSED_IO();
    tsm_text t = {0};
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < x->inputs && status == TSM_OK; i++) {
        if (i)
            status = tsm_text_add(x, &t, " ", 1);
        if (status == TSM_OK)
            status = tsm_text_add_value(x, &t, *in[i]);
    }
    if (status == TSM_OK)
        status = tsm_text_add(x, &t, "\n", 1);
    if (status == TSM_OK)
        status = tsm_charge(x, t.length);
    if (status == TSM_OK)
        tsm_print(x, t.text, t.length);
    tsm_text_free(x, &t);
    return status;
}

TSM_KERNEL(aten_warn) {
    TSM_UNUSED_IO();
    tsm_warn(x, arg_str(in, 0)->text, arg_str(in, 0)->length);
    return TSM_OK;
}

TSM_KERNEL(prim_RaiseException) {
    TSM_UNUSED_IO();
    const tsm_str *message = arg_str(in, 0);
    if (arg_is_none(in, 1))
        return TSM_RAISE(x, "%.*s", (int)message->length, message->text);
    return TSM_RAISE(x, "%.*s: %.*s", (int)arg_str(in, 1)->length, arg_str(in, 1)->text, (int)message->length,
                     message->text);
}

TSM_KERNEL(aten_wait) {
    if (in[0]->tag != TSM_TAG_FUTURE)
        return TSM_RAISE(x, "aten::wait: not a Future");
    tsm_value v = tsm_as_future(*in[0])->value;
    if (tsm_as_future(*in[0])->failed && v.tag == TSM_TAG_STR)
        return TSM_RAISE(x, "%.*s", (int)tsm_as_str(v)->length, tsm_as_str(v)->text);
    *out = tsm_hold(v);
    return TSM_OK;
}
