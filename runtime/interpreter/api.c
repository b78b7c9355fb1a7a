/* Values for the caller: making and reading them from outside. Linked only where a program does. */
#include <string.h>

#include "runtime/interpreter/instance.h"
#include "runtime/tensor/tensor.h"
#include "runtime/value/chars.h"

uint32_t tsm_version(void) {
    return TSM_VERSION_NUMBER;
}

/* ---- Making ---- */

void tsm_retain(tsm_value v) {
    tsm_hold(v);
}
void tsm_release(tsm_instance *inst, tsm_value v) {
    tsm_drop(&inst->exec, v);
    tsm_heap_settle(&inst->exec.heap); /* so that the next call's arguments lie where the last call's did */
}

tsm_status tsm_complex_new(tsm_instance *inst, tsm_value *out, double re, double im) {
    return tsm_make_complex(&inst->exec, re, im, out);
}

tsm_status tsm_str_new(tsm_instance *inst, tsm_value *out, const char *text, size_t n) {
    return tsm_make_str(&inst->exec, text, n, out);
}

static tsm_status too_large(tsm_exec *x) {
    return tsm_fail(x, TSM_BAD_ARGUMENT, "a tensor has a negative size or is larger than the address space");
}

static tsm_status check_shape(tsm_exec *x, int dtype, int dims, const tsm_dim *sizes) {
    if (!tsm_dtype_exists(dtype) || dims < 0 || dims > TSM_MAX_DIMS)
        return tsm_fail(x, TSM_BAD_ARGUMENT, "a tensor has an unknown type or more than %d dimensions", TSM_MAX_DIMS);
    size_t bytes = tsm_dtype_size((tsm_dtype)dtype);
    for (int d = 0; d < dims; d++) {
        if (sizes[d] < 0 || (sizes[d] && bytes > (size_t)PTRDIFF_MAX / (size_t)sizes[d]))
            return too_large(x);
        bytes *= sizes[d] ? (size_t)sizes[d] : 1;
    }
    return TSM_OK;
}

tsm_status tsm_tensor_new(tsm_instance *inst, tsm_value *out, tsm_dtype dtype, int dims, const tsm_dim *sizes) {
    tsm_tensor *t;
    TSM_TRY(check_shape(&inst->exec, (int)dtype, dims, sizes));
    TSM_TRY(tsm_tensor_make(&inst->exec, dtype, dims, sizes, &t));
    *out = tsm_of_tensor(t);
    return TSM_OK;
}

tsm_status tsm_tensor_wrap(tsm_instance *inst, tsm_value *out, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                           const tsm_dim *strides, void *data) {
    tsm_exec *x = &inst->exec;
    TSM_TRY(check_shape(x, (int)dtype, dims, sizes));
    tsm_dim row_major[TSM_MAX_DIMS];
    tsm_strides_contiguous(dims, sizes, row_major);
    strides = strides ? strides : row_major;
    size_t bytes;
    if (!tsm_tensor_reach(dims, sizes, strides, tsm_dtype_size(dtype), &bytes))
        return too_large(x);
    tsm_tensor *t;
    TSM_TRY(tsm_tensor_shell(x, dtype, dims, sizes, strides, &t));
    t->own = (tsm_storage){1, TSM_STORAGE_BORROWED, bytes, data};
    t->storage = &t->own;
    t->data = data;
    *out = tsm_of_tensor(t);
    return TSM_OK;
}

static tsm_status set_quantizer(tsm_instance *inst, tsm_value tensor, int axis_word, tsm_dim channels,
                                const double *scales, const int64_t *zero_points) {
    if (tensor.tag != TSM_TAG_TENSOR)
        return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT, "the value is not a tensor");
    return tsm_tensor_quantize_by(&inst->exec, tsm_as_tensor(tensor), axis_word, channels, scales, zero_points);
}

tsm_status tsm_tensor_set_quantizer(tsm_instance *inst, tsm_value tensor, int axis, tsm_dim channels,
                                    const double *scales, const int64_t *zero_points) {
    return set_quantizer(inst, tensor, axis < TSM_MAX_DIMS ? axis : -2, channels, scales, zero_points);
}

tsm_status tsm_tensor_set_float_quantizer(tsm_instance *inst, tsm_value tensor, int axis, tsm_dim channels,
                                          const double *scales, const double *zero_points) {
    const int word = axis >= 0 && axis < TSM_MAX_DIMS ? axis + TSM_QUANTIZER_FLOATS : -2; /* -2 is refused */
    return set_quantizer(inst, tensor, word, channels, scales, (const int64_t *)(const void *)zero_points);
}

tsm_status tsm_list_new(tsm_instance *inst, tsm_value *out, const tsm_value *items, size_t n) {
    tsm_list *l;
    TSM_TRY(tsm_make_list(&inst->exec, n, &l));
    for (size_t i = 0; i < n; i++)
        l->items[i] = tsm_hold(items[i]);
    l->length = (uint32_t)n;
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}

tsm_status tsm_tuple_new(tsm_instance *inst, tsm_value *out, const tsm_value *items, size_t n) {
    tsm_tuple *t;
    TSM_TRY(tsm_make_tuple(&inst->exec, n, 0, &t));
    for (size_t i = 0; i < n; i++)
        t->items[i] = tsm_hold(items[i]);
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return TSM_OK;
}

tsm_status tsm_dict_new(tsm_instance *inst, tsm_value *out) {
    tsm_dict *d;
    TSM_TRY(tsm_make_dict(&inst->exec, 0, &d));
    *out = tsm_of(TSM_TAG_DICT, d);
    return TSM_OK;
}

tsm_status tsm_dict_set(tsm_instance *inst, tsm_value dict, tsm_value key, tsm_value item) {
    if (dict.tag != TSM_TAG_DICT)
        return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT, "the value is not a dict");
    return tsm_dict_put(&inst->exec, tsm_as_dict(dict), key, item);
}

tsm_status tsm_device_parse(tsm_instance *inst, tsm_value *out, const char *text) {
    return tsm_device_read(&inst->exec, text, tsm_chars_length(text), out);
}

static bool ends_in_name(const char *qualified, const char *name) {
    size_t n = tsm_chars_length(qualified), m = tsm_chars_length(name);
    return n >= m && !tsm_chars_compare(qualified + n - m, name) && (n == m || qualified[n - m - 1] == '.');
}

tsm_status tsm_enum_find(tsm_instance *inst, tsm_value *out, const char *class_name, const char *member) {
    tsmf_Program root = inst->root;
    for (uint32_t i = 0; i < tsmf_Program_types_len(root); i++) {
        tsmf_Type t = tsmf_Program_types(root, i);
        if (tsmf_Type_kind(t) != TSMF_TypeKind_Enum || !ends_in_name(tsmf_Type_name(t), class_name))
            continue;
        for (uint32_t k = 0; k < tsmf_Type_members_len(t); k++)
            if (!tsm_chars_compare(tsmf_Type_field_names(t, k), member))
                return tsm_make_enum(&inst->exec, i, k, tsmf_Type_field_names(t, k),
                                     inst->constants[tsmf_Type_members(t)[k]], out);
    }
    return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT, "there is no enum member %s.%s", class_name, member);
}

/* ---- Reading ---- */

bool tsm_tensor_get(tsm_value v, tsm_tensor_view *view) {
    if (v.tag != TSM_TAG_TENSOR)
        return false;
    const tsm_tensor *t = tsm_as_tensor(v);
    const tsm_quantizer *q = t->quantizer;
    *view = (tsm_tensor_view){
        (tsm_dtype)t->dtype, t->dims, t->sizes, t->strides, t->data, .quantizer_axis = -2,
    };
    if (q) {
        view->quantizer_axis = q->axis;
        view->quantizer_channels = q->channels;
        view->scales = q->scales;
        view->zero_points = q->has_float_zero_points ? NULL : q->zero_points;
        view->float_zero_points = q->has_float_zero_points ? q->float_zero_points : NULL;
    }
    return true;
}

bool tsm_complex_get(tsm_value v, double *re, double *im) {
    if (v.tag != TSM_TAG_COMPLEX)
        return false;
    *re = tsm_as_complex(v)->re;
    *im = tsm_as_complex(v)->im;
    return true;
}

const char *tsm_str_get(tsm_value v, size_t *n) {
    if (v.tag != TSM_TAG_STR)
        return NULL;
    *n = tsm_as_str(v)->length;
    return tsm_as_str(v)->text;
}

size_t tsm_sequence_size(tsm_value v) {
    return v.tag == TSM_TAG_LIST ? tsm_as_list(v)->length : v.tag == TSM_TAG_TUPLE ? tsm_as_tuple(v)->length : 0;
}

tsm_value tsm_sequence_get(tsm_value v, size_t i) {
    if (i >= tsm_sequence_size(v))
        return tsm_none();
    return v.tag == TSM_TAG_LIST ? tsm_as_list(v)->items[i] : tsm_as_tuple(v)->items[i];
}

size_t tsm_dict_size(tsm_value v) {
    return v.tag == TSM_TAG_DICT ? tsm_as_dict(v)->length : 0;
}

void tsm_dict_get(tsm_value v, size_t i, tsm_value *key, tsm_value *item) {
    *key = *item = tsm_none();
    if (i >= tsm_dict_size(v))
        return;
    size_t at = 0;
    tsm_dict_entry *e;
    do
        tsm_dict_next(tsm_as_dict(v), &at, &e);
    while (i--);
    *key = e->key;
    *item = e->item;
}

static uint32_t class_of(tsm_value v) {
    return v.tag == TSM_TAG_OBJECT ? tsm_as_object(v)->type
           : v.tag == TSM_TAG_ENUM ? tsm_as_enum(v)->type
                                   : TSM_NO_INDEX;
}

const char *tsm_class_name(tsm_instance *inst, tsm_value v) {
    return class_of(v) == TSM_NO_INDEX ? "" : tsmf_Type_name(tsmf_Program_types(inst->root, class_of(v)));
}

size_t tsm_object_size(tsm_value v) {
    return v.tag == TSM_TAG_OBJECT ? tsm_as_object(v)->length : 0;
}

const char *tsm_object_attribute(tsm_instance *inst, tsm_value v, size_t i, tsm_value *item) {
    *item = tsm_none();
    if (i >= tsm_object_size(v))
        return "";
    *item = tsm_as_object(v)->slots[i];
    return tsmf_Type_field_names(tsmf_Program_types(inst->root, class_of(v)), (uint32_t)i);
}

const char *tsm_enum_get(tsm_instance *inst, tsm_value v, tsm_value *item) {
    (void)inst;
    if (v.tag != TSM_TAG_ENUM)
        return "";
    *item = tsm_as_enum(v)->value;
    return tsm_as_enum(v)->name;
}
