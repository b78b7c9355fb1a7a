/* Values of a pickle that hold no others: numbers, strings, tensors, devices. */
#include "exporter/program/pickled_leaf.h"

ir_constant *pickled_leaf(const pkl_value *v, bool wants_float) {
    switch (v->kind) {
    case PKL_NONE:
        return const_none();
    case PKL_BOOL:
        return const_bool(v->boolean);
    case PKL_INT:
        return wants_float ? const_float((double)v->integer) : const_int(v->integer);
    case PKL_DTYPE:
    case PKL_LAYOUT:
        return const_int(v->integer);
    case PKL_FLOAT:
        return const_float(v->number);
    case PKL_COMPLEX:
        return const_complex(v->complex.real, v->complex.imag);
    case PKL_STR:
        return const_str(v->str.text, v->str.length);
    case PKL_DEVICE:
        return const_device(v->str.text, v->str.length);
    case PKL_TENSOR:
        return const_tensor(v->tensor);
    default:
        return NULL;
    }
}
