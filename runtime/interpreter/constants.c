/* Constants: from the file into values. Text and tensors that nothing changes stay in the file. */
#include <string.h>

#include "runtime/interpreter/instance.h"
#include "runtime/tensor/tensor.h"
#include "runtime/value/parts.h"

/* Gives the tensor in `out`, constant `index`, its quantizer. */
TSM_PART tsm_status tsm_constants_quantize(tsm_exec *x, uint32_t index, tsm_value *out) {
    tsmf_TensorData t = tsmf_Constant_tensor(tsmf_Program_constants(tsm_instance_of(x)->root, index));
    return tsm_tensor_quantize_by(x, tsm_as_tensor(*out), tsmf_TensorData_quantizer_axis(t),
                                  (tsm_dim)tsmf_TensorData_scales_len(t), tsmf_TensorData_scales(t),
                                  tsmf_TensorData_zero_points(t));
}

static tsm_status build_tensor(tsm_instance *inst, uint32_t constant, tsmf_TensorData t, tsm_value *out) {
    tsm_exec *x = &inst->exec;
    uint32_t index = tsmf_TensorData_storage(t);
    const tsmf_Storage *stored = &tsmf_Program_storages(inst->root)[index];
    const uint8_t *bytes = inst->program->segment + stored->offset;
    tsm_dtype dtype = (tsm_dtype)tsmf_TensorData_dtype(t);
    int dims = (int)tsmf_TensorData_sizes_len(t);
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    for (int d = 0; d < dims; d++) {
        sizes[d] = (tsm_dim)tsmf_TensorData_sizes(t)[d];
        strides[d] = (tsm_dim)tsmf_TensorData_strides(t)[d];
    }
    tsm_tensor *made;
    TSM_TRY(tsm_tensor_shell(x, dtype, dims, sizes, strides, &made));
    tsm_storage *s = inst->storages[index];
    if (!s) { /* the first tensor of a storage holds it, others refer to it */
        inst->storages[index] = s = &made->own;
        /* Constant ones are never written: see the interpreter's check of destinations. */
        *s = (tsm_storage){0, TSM_STORAGE_BORROWED | TSM_STORAGE_CONSTANT, (size_t)stored->bytes,
                           (uint8_t *)(uintptr_t)bytes};
        if (stored->mutable_) {
            s->flags = 0;
            s->data = tsm_scratch(x, s->bytes ? s->bytes : 1);
            if (!s->data) {
                tsm_heap_free(&x->heap, made);
                return TSM_OUT_OF_MEMORY;
            }
            memcpy(s->data, bytes, s->bytes);
        }
    }
    made->data = s->data + tsmf_TensorData_offset(t) * tsm_dtype_size(dtype);
    made->storage = s;
    s->references++;
    made->flags = tsmf_TensorData_requires_grad(t) ? TSM_TENSOR_REQUIRES_GRAD : 0;
    *out = tsm_of_tensor(made);
    return tsmf_TensorData_quantizer_axis(t) == -2 ? TSM_OK : tsm_constants_quantize(x, constant, out);
}

static void fill_items(tsm_instance *inst, tsmf_Constant c, tsm_value *items) {
    for (uint32_t i = 0; i < tsmf_Constant_items_len(c); i++)
        items[i] = tsm_hold(inst->constants[tsmf_Constant_items(c)[i]]);
}

static tsm_status build_list(tsm_instance *inst, tsmf_Constant c, tsm_value *out) {
    uint32_t n = tsmf_Constant_items_len(c), type = tsmf_Constant_type(c);
    tsm_list *l;
    TSM_TRY(tsm_make_list(&inst->exec, n, &l));
    *out = tsm_of(TSM_TAG_LIST, l);
    if (type != TSM_NO_INDEX)
        tsm_set_type(&l->header, type);
    fill_items(inst, c, l->items);
    l->length = n;
    return TSM_OK;
}

static tsm_status build_dict(tsm_instance *inst, tsmf_Constant c, tsm_value *out) {
    uint32_t n = tsmf_Constant_items_len(c), type = tsmf_Constant_type(c);
    const uint32_t *items = tsmf_Constant_items(c);
    tsm_dict *d;
    TSM_TRY(tsm_make_dict(&inst->exec, n / 2, &d));
    *out = tsm_of(TSM_TAG_DICT, d);
    if (type != TSM_NO_INDEX)
        tsm_set_type(&d->header, type);
    for (uint32_t i = 0; i < n; i += 2) /* there is room */
        tsm_dict_put(&inst->exec, d, inst->constants[items[i]], inst->constants[items[i + 1]]);
    return TSM_OK;
}

/* Values that few programs have as constants. */
TSM_PART tsm_status tsm_constants_build_rare(tsm_exec *x, uint32_t index, tsm_value *out) {
    tsm_instance *inst = tsm_instance_of(x);
    tsmf_Constant c = tsmf_Program_constants(inst->root, index);
    uint32_t n = tsmf_Constant_items_len(c), type = tsmf_Constant_type(c);
    switch (tsmf_Constant_kind(c)) {
    case TSMF_ConstantKind_Complex:
        return tsm_make_complex(x, tsmf_Constant_number(c), tsmf_Constant_imaginary(c), out);
    case TSMF_ConstantKind_Dict:
        return build_dict(inst, c, out);
    case TSMF_ConstantKind_Tuple: {
        tsm_tuple *t;
        TSM_TRY(tsm_make_tuple(x, n, type == TSM_NO_INDEX ? 0 : type + 1, &t));
        fill_items(inst, c, t->items);
        *out = tsm_of(TSM_TAG_TUPLE, t);
        return TSM_OK;
    }
    default: {
        tsmf_Type t = tsmf_Program_types(inst->root, type);
        uint32_t member = (uint32_t)tsmf_Constant_integer(c);
        return tsm_make_enum(x, type, member, tsmf_Type_field_names(t, member),
                             inst->constants[tsmf_Type_members(t)[member]], out);
    }
    }
}

static tsm_status build(tsm_instance *inst, uint32_t index, tsm_value *out) {
    tsm_exec *x = &inst->exec;
    tsmf_Constant c = tsmf_Program_constants(inst->root, index);
    switch (tsmf_Constant_kind(c)) {
    case TSMF_ConstantKind_None:
    case TSMF_ConstantKind_Generator:
        return TSM_OK;
    case TSMF_ConstantKind_Bool:
        *out = tsm_bool(tsmf_Constant_integer(c) != 0);
        return TSM_OK;
    case TSMF_ConstantKind_Int:
        *out = tsm_int(tsmf_Constant_integer(c));
        return TSM_OK;
    case TSMF_ConstantKind_Float:
        *out = tsm_float(tsmf_Constant_number(c));
        return TSM_OK;
    case TSMF_ConstantKind_Str: {
        const char *text = (const char *)tsmf_Constant_text(c);
        return tsm_make_str_in_place(x, text ? text : "", tsmf_Constant_text_len(c), out);
    }
    case TSMF_ConstantKind_Device:
        out->tag = TSM_TAG_DEVICE;
        out->as.device = (uint32_t)tsmf_Constant_integer(c);
        return TSM_OK;
    case TSMF_ConstantKind_Tensor:
        return build_tensor(inst, index, tsmf_Constant_tensor(c), out);
    case TSMF_ConstantKind_List:
        return build_list(inst, c, out);
    case TSMF_ConstantKind_Object: {
        tsm_object *o;
        TSM_TRY(tsm_make_object(x, tsmf_Constant_type(c), tsmf_Constant_items_len(c), &o));
        fill_items(inst, c, o->slots);
        *out = tsm_of(TSM_TAG_OBJECT, o);
        return TSM_OK;
    }
    default:
        return tsm_constants_build_rare(x, index, out);
    }
}

tsm_status tsm_constants_build(tsm_instance *inst) {
    uint32_t n = tsmf_Program_constants_len(inst->root);
    for (uint32_t i = 0; i < n; i++)
        inst->constants[i] = tsm_none();
    for (uint32_t i = 0; i < tsmf_Program_storages_len(inst->root); i++)
        inst->storages[i] = NULL;
    for (uint32_t i = 0; i < n; i++) {
        tsm_status status = build(inst, i, &inst->constants[i]);
        if (status != TSM_OK) {
            tsm_constants_drop(inst);
            return status;
        }
    }
    return TSM_OK;
}

void tsm_constants_drop(tsm_instance *inst) {
    for (uint32_t i = 0; i < tsmf_Program_constants_len(inst->root); i++) {
        tsm_drop(&inst->exec, inst->constants[i]);
        inst->constants[i] = tsm_none();
    }
}

/* Room for a block's head and rounding. */
enum { BLOCK_OVERHEAD = 32 };

size_t tsm_constants_bytes(const tsm_program *program) {
    tsmf_Program root = {program->root};
    size_t bytes = 0;
    for (uint32_t i = 0; i < tsmf_Program_constants_len(root); i++) {
        tsmf_Constant c = tsmf_Program_constants(root, i);
        size_t n = tsmf_Constant_items_len(c);
        switch (tsmf_Constant_kind(c)) {
        case TSMF_ConstantKind_Tensor:
            bytes += sizeof(tsm_tensor) + 2 * TSM_WORD_BYTES * tsmf_TensorData_sizes_len(tsmf_Constant_tensor(c)) +
                     BLOCK_OVERHEAD;
            bytes += tsmf_TensorData_scales_len(tsmf_Constant_tensor(c)) * 16 + sizeof(tsm_quantizer);
            break;
        case TSMF_ConstantKind_List:
        case TSMF_ConstantKind_Tuple:
        case TSMF_ConstantKind_Object:
            bytes += sizeof(tsm_list) + n * sizeof(tsm_value) + 2 * BLOCK_OVERHEAD;
            break;
        case TSMF_ConstantKind_Dict:
            bytes += sizeof(tsm_dict) + n * (sizeof(tsm_dict_entry) + 2 * sizeof(uint32_t)) + 4 * BLOCK_OVERHEAD;
            break;
        case TSMF_ConstantKind_Str:
        case TSMF_ConstantKind_Enum:
        case TSMF_ConstantKind_Complex:
            bytes += sizeof(tsm_enum) + BLOCK_OVERHEAD;
            break;
        default:
            break;
        }
    }
    const tsmf_Storage *s = tsmf_Program_storages(root);
    for (uint32_t i = 0; i < tsmf_Program_storages_len(root); i++)
        bytes += s[i].mutable_ ? (size_t)s[i].bytes + 64 + BLOCK_OVERHEAD : 0;
    return bytes;
}
