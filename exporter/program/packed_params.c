/* Packed parameters. PyTorch has written those of convolutions in three forms:
 *     1  (weight, bias, [stride tensors], [padding tensors], [dilation tensors], groups tensor)
 *     2  ("2", [numbers tensor, weight], [bias])            the numbers are int16
 *     3  (3, [numbers], [None, weight, bias])
 * Item 0 tells them apart. The numbers are: spatial dimensions; the strides, the paddings, the dilations and the output
 * paddings of these dimensions; groups; flags, whose lowest bit says that the convolution is transposed. */
#include "exporter/program/packed_params.h"

#include <limits.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

enum { MAX_SPATIAL = 3, STATE_ITEMS = 8 };

_Noreturn static void refuse(const pkl_value *object) {
    diag_fail("the parameters of an object of class %s are in a form that is not known", object->object.class_name);
}

static pkl_value *new_value(pkl_kind kind) {
    pkl_value *v = MEM_NEW(pkl_value);
    v->kind = kind;
    return v;
}

static pkl_value *new_int(int64_t i) {
    pkl_value *v = new_value(PKL_INT);
    v->integer = i;
    return v;
}

static pkl_value *new_sequence(pkl_kind kind, size_t count) {
    pkl_value *v = new_value(kind);
    v->seq.items = MEM_ARRAY(pkl_value *, count);
    v->seq.count = count;
    return v;
}

static pkl_value *ints_of(const int64_t *numbers, size_t count) {
    pkl_value *v = new_sequence(PKL_LIST, count);
    for (size_t i = 0; i < count; i++)
        v->seq.items[i] = new_int(numbers[i]);
    v->type = "List[int]";
    return v;
}

static int64_t tensor_item(const pkl_value *object, const pkl_value *tensor, int64_t i) {
    const pt_tensor *t = tensor->kind == PKL_TENSOR ? tensor->tensor : NULL;
    if (!t || t->layout != PT_STRIDED || i >= pt_tensor_numel(t))
        refuse(object);
    const void *data = pt_tensor_data(t);
    switch (t->dtype) {
    case PT_INT16:
        return ((const int16_t *)data)[i];
    case PT_INT32:
        return ((const int32_t *)data)[i];
    case PT_INT64:
        return ((const int64_t *)data)[i];
    default:
        refuse(object);
    }
}

static const pkl_value *item(const pkl_value *object, const pkl_value *sequence, size_t i) {
    bool is_sequence = sequence->kind == PKL_TUPLE || sequence->kind == PKL_LIST;
    if (!is_sequence || i >= sequence->seq.count)
        refuse(object);
    return sequence->seq.items[i];
}

/* ---- Convolutions ---- */

static pkl_value *make_state(const pkl_value *object, const pkl_value *weight, const pkl_value *bias,
                             const int64_t *numbers, size_t count) {
    size_t spatial = count ? (size_t)numbers[0] : 0;
    if (spatial < 1 || spatial > MAX_SPATIAL || count != 3 + 4 * spatial || weight->kind != PKL_TENSOR)
        refuse(object);
    pkl_value *state = new_sequence(PKL_TUPLE, STATE_ITEMS), **items = state->seq.items,
              *transposed = new_value(PKL_BOOL);
    const int64_t *lists = numbers + 1;
    transposed->boolean = numbers[count - 1] & 1;
    items[0] = (pkl_value *)weight;
    items[1] = (pkl_value *)bias;
    items[2] = ints_of(lists, spatial);
    items[3] = ints_of(lists + spatial, spatial);
    items[4] = ints_of(lists + 3 * spatial, spatial);
    items[5] = ints_of(lists + 2 * spatial, spatial);
    items[6] = new_int(numbers[count - 2]);
    items[7] = transposed;
    return state;
}

static pkl_value *read_first_form(const pkl_value *object, const pkl_value *s) {
    int64_t *numbers = NULL;
    arrput(numbers, (int64_t)item(object, s, 2)->seq.count);
    for (size_t list = 2; list < 5; list++)
        for (size_t i = 0; i < (size_t)numbers[0]; i++)
            arrput(numbers, tensor_item(object, item(object, item(object, s, list), i), 0));
    for (int64_t i = 0; i < numbers[0]; i++)
        arrput(numbers, 0); /* output padding */
    arrput(numbers, tensor_item(object, item(object, s, 5), 0));
    arrput(numbers, 0);
    return make_state(object, item(object, s, 0), item(object, s, 1), numbers, arrlenu(numbers));
}

static pkl_value *read_second_form(const pkl_value *object, const pkl_value *s) {
    const pkl_value *tensors = item(object, s, 1), *numbers_tensor = item(object, tensors, 0);
    int64_t *numbers = NULL;
    if (numbers_tensor->kind != PKL_TENSOR)
        refuse(object);
    for (int64_t i = 0; i < pt_tensor_numel(numbers_tensor->tensor); i++)
        arrput(numbers, tensor_item(object, numbers_tensor, i));
    return make_state(object, item(object, tensors, 1), item(object, item(object, s, 2), 0), numbers, arrlenu(numbers));
}

static pkl_value *read_third_form(const pkl_value *object, const pkl_value *s) {
    const pkl_value *list = item(object, s, 1), *tensors = item(object, s, 2);
    int64_t *numbers = NULL;
    for (size_t i = 0; i < list->seq.count; i++) {
        const pkl_value *number = item(object, list, i);
        if (number->kind != PKL_INT)
            refuse(object);
        arrput(numbers, number->integer);
    }
    return make_state(object, item(object, tensors, 1), item(object, tensors, 2), numbers, arrlenu(numbers));
}

static pkl_value *read_convolution(const pkl_value *object, const pkl_value *s) {
    const pkl_value *first = item(object, s, 0);
    if (first->kind == PKL_TENSOR)
        return read_first_form(object, s);
    if (first->kind == PKL_STR && !strcmp(first->str.text, "2"))
        return read_second_form(object, s);
    if (first->kind == PKL_INT && first->integer == 3)
        return read_third_form(object, s);
    refuse(object);
}

/* ---- Embeddings ---- */

static pkl_value *tensor_value(pt_tensor *t) {
    pkl_value *v = new_value(PKL_TENSOR);
    v->tensor = t;
    return v;
}

/* (1, [weight], [], [bits, ...]): the weight is quint8 or quint4x2 with a float scale and zero point for each row. */
static pkl_value *read_embedding(const pkl_value *object, const pkl_value *s) {
    const pkl_value *weight = item(object, item(object, s, 1), 0);
    const pt_tensor *t = weight->kind == PKL_TENSOR ? weight->tensor : NULL;
    if (!t || t->ndim != 2 || t->qscheme != PT_PER_CHANNEL_AFFINE_FLOAT_QPARAMS || t->axis != 0 ||
        !pt_tensor_is_contiguous(t) || t->sizes[1] % pt_dtype_packed(t->dtype) || t->offset)
        refuse(object);
    pt_tensor *rows = MEM_NEW(pt_tensor);
    int64_t *shape = MEM_ARRAY(int64_t, 4), width = t->sizes[1] / pt_dtype_packed(t->dtype);
    shape[0] = t->sizes[0];
    shape[1] = shape[2] = width;
    shape[3] = 1;
    *rows = (pt_tensor){.dtype = PT_UINT8, .ndim = 2, .sizes = shape, .strides = shape + 2, .storage = t->storage};
    pkl_value *state = new_sequence(PKL_TUPLE, 4), *bits = new_value(PKL_INT);
    bits->integer = CHAR_BIT / pt_dtype_packed(t->dtype);
    state->seq.items[0] = tensor_value(rows);
    state->seq.items[1] = tensor_value(t->scales);
    state->seq.items[2] = tensor_value(t->zero_points);
    state->seq.items[3] = bits;
    return state;
}

pkl_value *packed_params_state(const pkl_value *object) {
    static const struct {
        const char *class_name;
        pkl_value *(*read)(const pkl_value *object, const pkl_value *state);
    } readers[] = {
        {"__torch__.torch.classes.quantized.Conv2dPackedParamsBase", read_convolution},
        {"__torch__.torch.classes.quantized.Conv3dPackedParamsBase", read_convolution},
        {"__torch__.torch.classes.quantized.EmbeddingPackedParamsBase", read_embedding},
    };
    pkl_value *s = object->object.state;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (!strcmp(object->object.class_name, readers[i].class_name)) {
            if (!s)
                refuse(object);
            return readers[i].read(object, s);
        }
    return s;
}
