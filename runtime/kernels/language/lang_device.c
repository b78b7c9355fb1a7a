/* Devices: from their names, and their parts. */
#include "runtime/kernels/language/lang.h"

TSM_KERNEL(aten_device) {
    return tsm_device_read(x, arg_str(in, 0)->text, arg_str(in, 0)->length, out);
}

TSM_KERNEL(prim_type) {
    char text[24];
    size_t n = tsm_device_text(*in[0], text, sizeof text);
    const char *colon = memchr(text, ':', n);
    return tsm_lang_ret_str(x, out, text, colon ? (size_t)(colon - text) : n);
}

TSM_KERNEL(prim_index) {
    TSM_UNUSED_IO();
    uint32_t index = in[0]->as.device >> 16;
    *out = index ? tsm_int((int64_t)index - 1) : tsm_none();
    return TSM_OK;
}
