/* The flatbuffer format: all values in one list, referred to by their numbers; number 0 is None. Names of tables and
 * fields are those of mobile_bytecode.fbs of PyTorch, and slots count in its order. */
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "exporter/lite/flatbuffer.h"
#include "exporter/lite/lite.h"

enum {
    MODULE_VERSION,
    MODULE_STATE = 3,
    MODULE_VALUES,
    MODULE_STORAGES = 6,
    MODULE_CLASSES,
    MODULE_OPERATOR_VERSION = 10
};
enum { VALUE_KIND, VALUE };
enum {
    TENSOR_STORAGE,
    TENSOR_DTYPE,
    TENSOR_OFFSET,
    TENSOR_SIZES,
    TENSOR_STRIDES,
    TENSOR_REQUIRES_GRAD,
    TENSOR_QUANTIZED
};
enum { QUANTIZED_SCHEME, QUANTIZED_SCALE, QUANTIZED_ZERO, QUANTIZED_SCALES, QUANTIZED_ZEROS, QUANTIZED_AXIS };
enum { LIST_ITEMS, LIST_TYPE };
enum { DICT_KEYS, DICT_VALUES, DICT_TYPE };
enum { CLASS_NAME, CLASS_KIND, CLASS_ATTRIBUTES };
enum { OBJECT_CLASS, OBJECT_STATE, OBJECT_ATTRIBUTES };
enum { ENUM_CLASS, ENUM_VALUE };
enum { FUNCTION_NAME, FUNCTION_CODE, FUNCTION_OPERATORS, FUNCTION_CONSTANTS, FUNCTION_TYPES, FUNCTION_SCHEMA = 6 };
enum { OPERATOR_NAME, OPERATOR_OVERLOAD, OPERATOR_GIVEN };
enum { SCHEMA_ARGUMENTS, SCHEMA_RETURNS };
enum { ARGUMENT_NAME, ARGUMENT_TYPE, ARGUMENT_DEFAULT };

/* Kinds of values. */
enum {
    KIND_NONE,
    KIND_INT,
    KIND_BOOL,
    KIND_DOUBLE,
    KIND_COMPLEX,
    KIND_TENSOR,
    KIND_STRING,
    KIND_LIST,
    KIND_TUPLE,
    KIND_DICT,
    KIND_OBJECT,
    KIND_INTS,
    KIND_DOUBLES,
    KIND_BOOLS,
    KIND_DEVICE,
    KIND_ENUM,
    KIND_FUNCTION
};
enum { CLASS_WITH_FIELDS = 1 }; /* its objects list their attributes; others have a state */

typedef struct {
    flat_file file;
    lite_module *module;
    flat_vector values, classes;
    pkl_value **made; /* by number; NULL: not yet */
    uint32_t depth;   /* of values that are being made */
    pt_storage *storages;
    uint32_t storage_count;
} reader;

_Noreturn static void fail(const reader *r, const char *what) {
    diag_fail("%s: %s", r->file.name, what);
}

static pkl_value *value_of(reader *r, uint32_t number);

static pkl_value *new_value(pkl_kind kind) {
    pkl_value *v = MEM_NEW(pkl_value);
    v->kind = kind;
    v->height = 1;
    return v;
}

/* ---- Tensors ---- */

static pt_tensor *read_plain_tensor(const reader *r, flat_table t);

static void read_quantizer(const reader *r, flat_table q, pt_tensor *t) {
    /* Numbered as c10::QScheme. */
    static const pt_qscheme schemes[] = {PT_PER_TENSOR_AFFINE, PT_PER_CHANNEL_AFFINE};
    int64_t scheme = flat_int(q, QUANTIZED_SCHEME, 1, 0);
    if (scheme < 0 || scheme > 1)
        fail(r, "a tensor has an unknown quantization scheme");
    t->qscheme = schemes[scheme];
    t->scale = flat_double(q, QUANTIZED_SCALE);
    t->zero_point = flat_int(q, QUANTIZED_ZERO, 4, 0);
    if (t->qscheme == PT_PER_TENSOR_AFFINE)
        return;
    t->scales = read_plain_tensor(r, flat_child(q, QUANTIZED_SCALES));
    t->zero_points = read_plain_tensor(r, flat_child(q, QUANTIZED_ZEROS));
    t->axis = (int)flat_int(q, QUANTIZED_AXIS, 4, 0);
}

static const int64_t *read_dims(const reader *r, flat_vector v) {
    int64_t *dims = MEM_ARRAY(int64_t, v.count + 1);
    for (uint32_t i = 0; i < v.count; i++)
        dims[i] = flat_int_at(&r->file, flat_at(v, i), 4);
    return dims;
}

static pt_tensor *read_plain_tensor(const reader *r, flat_table table) {
    flat_vector sizes = flat_elements(table, TENSOR_SIZES, 4), strides = flat_elements(table, TENSOR_STRIDES, 4);
    uint32_t storage = flat_index(table, TENSOR_STORAGE);
    int64_t dtype = flat_int(table, TENSOR_DTYPE, 1, 0);
    if (!table.at || storage >= r->storage_count || sizes.count > PT_MAX_DIMS || strides.count != sizes.count ||
        dtype < 0 || dtype >= PT_DTYPE_COUNT)
        fail(r, "a tensor is damaged");
    pt_tensor *t = MEM_NEW(pt_tensor);
    t->dtype = (pt_dtype)dtype;
    t->requires_grad = flat_int(table, TENSOR_REQUIRES_GRAD, 1, 0) != 0;
    t->ndim = (int)sizes.count;
    t->sizes = read_dims(r, sizes);
    t->strides = read_dims(r, strides);
    t->storage = &r->storages[storage];
    t->offset = flat_int(table, TENSOR_OFFSET, 4, 0);
    return t;
}

static pt_tensor *read_tensor(const reader *r, flat_table table) {
    pt_tensor *t = read_plain_tensor(r, table);
    flat_table quantizer = flat_child(table, TENSOR_QUANTIZED);
    if (quantizer.at)
        read_quantizer(r, quantizer, t);
    const char *fault = pt_tensor_fault(t);
    if (fault)
        fail(r, mem_printf("a tensor is damaged: %s", fault));
    return t;
}

/* Writers usually align storages; those that are not aligned are copied. */
static const uint8_t *aligned(const uint8_t *data, size_t bytes) {
    enum { ALIGNMENT = 16 };
    if ((uintptr_t)data % ALIGNMENT)
        data = memcpy(mem_alloc_aligned(bytes, ALIGNMENT), data, bytes);
    return data;
}

static void read_storages(reader *r, flat_table module) {
    flat_vector all = flat_elements(module, MODULE_STORAGES, 4);
    r->storage_count = all.count;
    r->storages = MEM_ARRAY(pt_storage, all.count + 1);
    for (uint32_t i = 0; i < all.count; i++) {
        flat_vector data = flat_elements(flat_table_at(all, i), 0, 1);
        r->storages[i] = (pt_storage){mem_printf("storage %u", i), "cpu",
                                      data.count ? aligned(r->file.bytes + data.at, data.count) : NULL, data.count};
    }
}

/* ---- Containers ---- */

static void raise_height(pkl_value *v, const pkl_value *item) {
    if (item->height >= v->height)
        v->height = item->height + 1;
}

static pkl_value *new_sequence(pkl_kind kind, size_t count) {
    pkl_value *v = new_value(kind);
    v->seq.items = MEM_ARRAY(pkl_value *, count + 1);
    v->seq.count = count;
    return v;
}

static pkl_value *item_at(reader *r, flat_vector numbers, uint32_t i) {
    return value_of(r, (uint32_t)flat_int_at(&r->file, flat_at(numbers, i), 4));
}

static pkl_value *read_sequence(reader *r, flat_table t, pkl_kind kind) {
    flat_vector numbers = flat_elements(t, LIST_ITEMS, 4);
    pkl_value *v = new_sequence(kind, numbers.count);
    for (uint32_t i = 0; i < numbers.count; i++) {
        v->seq.items[i] = item_at(r, numbers, i);
        raise_height(v, v->seq.items[i]);
    }
    const char *type = kind == PKL_LIST ? flat_text(t, LIST_TYPE, NULL) : "";
    v->type = *type ? type : NULL;
    return v;
}

/* Lists of numbers hold them directly. */
static pkl_value *read_numbers(const reader *r, flat_table t, pkl_kind kind, uint32_t bytes, const char *type) {
    flat_vector numbers = flat_elements(t, LIST_ITEMS, bytes);
    pkl_value *v = new_sequence(PKL_LIST, numbers.count);
    v->type = type;
    v->height = 2;
    for (uint32_t i = 0; i < numbers.count; i++) {
        pkl_value *item = v->seq.items[i] = new_value(kind);
        if (kind == PKL_FLOAT)
            item->number = flat_double_at(&r->file, flat_at(numbers, i));
        else if (kind == PKL_BOOL)
            item->boolean = flat_int_at(&r->file, flat_at(numbers, i), bytes) != 0;
        else
            item->integer = flat_int_at(&r->file, flat_at(numbers, i), bytes);
    }
    return v;
}

static pkl_value *new_dict(uint32_t count) {
    pkl_value *v = new_value(PKL_DICT);
    v->dict.entries = MEM_ARRAY(pkl_entry, count + 1);
    v->dict.count = count;
    return v;
}

static void set_entry(pkl_value *dict, uint32_t i, pkl_value *key, pkl_value *value) {
    dict->dict.entries[i] = (pkl_entry){key, value};
    raise_height(dict, key);
    raise_height(dict, value);
}

static pkl_value *read_dict(reader *r, flat_table t) {
    flat_vector keys = flat_elements(t, DICT_KEYS, 4), values = flat_elements(t, DICT_VALUES, 4);
    if (keys.count != values.count)
        fail(r, "a dict is damaged");
    pkl_value *v = new_dict(keys.count);
    for (uint32_t i = 0; i < keys.count; i++)
        set_entry(v, i, item_at(r, keys, i), item_at(r, values, i));
    const char *type = flat_text(t, DICT_TYPE, NULL);
    v->type = *type ? type : NULL;
    return v;
}

static pkl_value *new_string(const char *text, size_t length) {
    pkl_value *v = new_value(PKL_STR);
    v->str.text = text;
    v->str.length = length;
    return v;
}

static pkl_value *read_string(flat_table t, pkl_kind kind) {
    size_t length;
    const char *text = flat_text(t, 0, &length);
    pkl_value *v = new_string(text, length);
    v->kind = kind;
    return v;
}

static pkl_value *read_object(reader *r, flat_table t) {
    uint32_t number = flat_index(t, OBJECT_CLASS);
    if (number >= r->classes.count)
        fail(r, "an object has no class");
    flat_table class_table = flat_table_at(r->classes, number);
    pkl_value *v = new_value(PKL_OBJECT);
    v->object.class_name = intern(flat_text(class_table, CLASS_NAME, NULL));
    if (flat_int(class_table, CLASS_KIND, 1, 0) != CLASS_WITH_FIELDS)
        v->object.state = value_of(r, flat_index(t, OBJECT_STATE));
    else {
        flat_vector names = flat_elements(class_table, CLASS_ATTRIBUTES, 4),
                    values = flat_elements(t, OBJECT_ATTRIBUTES, 4);
        if (names.count != values.count)
            fail(r, "an object has not the attributes of its class");
        v->object.state = new_dict(names.count);
        for (uint32_t i = 0; i < names.count; i++) {
            const char *name = flat_text_at(names, i);
            set_entry(v->object.state, i, new_string(name, strlen(name)), item_at(r, values, i));
        }
    }
    raise_height(v, v->object.state);
    return v;
}

static pkl_value *read_enum(reader *r, flat_table t) {
    pkl_value *v = new_value(PKL_ENUM);
    v->enumerator.class_name = intern(flat_text(t, ENUM_CLASS, NULL));
    v->enumerator.value = value_of(r, flat_index(t, ENUM_VALUE));
    raise_height(v, v->enumerator.value);
    return v;
}

/* ---- Values ---- */

static pkl_value *read_scalar(const reader *r, int64_t kind, flat_table t) {
    static const pkl_kind kinds[] = {PKL_NONE, PKL_INT, PKL_BOOL, PKL_FLOAT, PKL_COMPLEX};
    pkl_value *v = new_value(kinds[kind]);
    if (kind != KIND_NONE && !t.at)
        fail(r, "a value is missing");
    if (kind == KIND_INT)
        v->integer = flat_int_at(&r->file, t.at, 8);
    else if (kind == KIND_BOOL)
        v->boolean = flat_int_at(&r->file, t.at, 1) != 0;
    else if (kind == KIND_DOUBLE)
        v->number = flat_double_at(&r->file, t.at);
    else if (kind == KIND_COMPLEX) {
        v->complex.real = flat_double_at(&r->file, t.at);
        v->complex.imag = flat_double_at(&r->file, t.at + 8);
    }
    return v;
}

static pkl_value *read_value(reader *r, int64_t kind, flat_table t) {
    stack_check();
    pkl_value *v;
    switch (kind) {
    case KIND_NONE:
    case KIND_INT:
    case KIND_BOOL:
    case KIND_DOUBLE:
    case KIND_COMPLEX:
        return read_scalar(r, kind, t);
    case KIND_TENSOR:
        v = new_value(PKL_TENSOR);
        v->tensor = read_tensor(r, t);
        return v;
    case KIND_STRING:
        return read_string(t, PKL_STR);
    case KIND_DEVICE:
        return read_string(t, PKL_DEVICE);
    case KIND_LIST:
        return read_sequence(r, t, PKL_LIST);
    case KIND_TUPLE:
        return read_sequence(r, t, PKL_TUPLE);
    case KIND_DICT:
        return read_dict(r, t);
    case KIND_OBJECT:
        return read_object(r, t);
    case KIND_INTS:
        return read_numbers(r, t, PKL_INT, 8, "List[int]");
    case KIND_DOUBLES:
        return read_numbers(r, t, PKL_FLOAT, 8, "List[float]");
    case KIND_BOOLS:
        return read_numbers(r, t, PKL_BOOL, 1, "List[bool]");
    case KIND_ENUM:
        return read_enum(r, t);
    default:
        fail(r, "a value is of an unknown kind");
    }
}

static pkl_value *value_of(reader *r, uint32_t number) {
    if (number >= r->values.count)
        fail(r, "a value's number is out of range");
    if (r->made[number])
        return r->made[number];
    if (++r->depth > LIMIT_VALUE_DEPTH)
        fail(r, mem_printf("values contain themselves, or there are %s", limit_text(OVER_VALUE_DEPTH)));
    flat_table t = flat_table_at(r->values, number);
    pkl_value *v = r->made[number] = read_value(r, flat_int(t, VALUE_KIND, 1, 0), flat_child(t, VALUE));
    r->depth--;
    return v;
}

/* ---- Functions ---- */

static void read_code(const reader *r, flat_vector code, lite_function *f) {
    for (uint32_t i = 0; i < code.count; i++) {
        size_t at = flat_at(code, i);
        lite_instruction in = {lite_opcode_numbered(r->module, (uint8_t)flat_int_at(&r->file, at, 1)),
                               (int32_t)flat_int_at(&r->file, at + 4, 4), (uint16_t)flat_int_at(&r->file, at + 2, 2)};
        arrput(f->code, in);
    }
    if (!code.count)
        fail(r, mem_printf("%s has no code", f->name));
}

static lite_argument *read_arguments(reader *r, flat_vector list) {
    lite_argument *arguments = NULL;
    for (uint32_t i = 0; i < list.count; i++) {
        flat_table t = flat_table_at(list, i);
        lite_argument a = {intern(flat_text(t, ARGUMENT_NAME, NULL)), flat_text(t, ARGUMENT_TYPE, NULL),
                           value_of(r, flat_index(t, ARGUMENT_DEFAULT))};
        arrput(arguments, a);
    }
    return arguments;
}

static lite_function read_function(reader *r, flat_table t) {
    lite_function f = {.name = intern(flat_text(t, FUNCTION_NAME, NULL))};
    read_code(r, flat_elements(t, FUNCTION_CODE, 8), &f);
    flat_vector operators = flat_elements(t, FUNCTION_OPERATORS, 4), types = flat_elements(t, FUNCTION_TYPES, 4),
                constants = flat_elements(t, FUNCTION_CONSTANTS, 4);
    for (uint32_t i = 0; i < operators.count; i++) {
        flat_table o = flat_table_at(operators, i);
        lite_operator op = {
            lite_operator_name(flat_text(o, OPERATOR_NAME, NULL), flat_text(o, OPERATOR_OVERLOAD, NULL)),
            (int32_t)flat_int(o, OPERATOR_GIVEN, 4, -1)};
        arrput(f.operators, op);
    }
    for (uint32_t i = 0; i < constants.count; i++)
        arrput(f.constants, item_at(r, constants, i));
    for (uint32_t i = 0; i < types.count; i++)
        arrput(f.types, flat_text_at(types, i));
    flat_table schema = flat_child(t, FUNCTION_SCHEMA);
    f.arguments = read_arguments(r, flat_elements(schema, SCHEMA_ARGUMENTS, 4));
    f.returns = read_arguments(r, flat_elements(schema, SCHEMA_RETURNS, 4));
    return f;
}

/* ---- The whole ---- */

bool lite_is_flatbuffer(zip_bytes file) {
    return file.size >= 8 && !memcmp(file.bytes + 4, "PTMF", 4);
}

lite_module *lite_read_flatbuffer(const char *name, zip_bytes file) {
    reader r = {.file = {mem_strdup(name), file.bytes, file.size}, .module = MEM_NEW(lite_module)};
    lite_module *m = r.module;
    m->file = r.file.name;
    flat_table module = flat_root(&r.file);
    lite_check_version(m, flat_index(module, MODULE_VERSION));
    m->operator_version = (int)flat_int(module, MODULE_OPERATOR_VERSION, 4, PT_MAX_VERSION);
    if (m->operator_version < 1 || m->operator_version > PT_MAX_VERSION)
        fail(&r, "its operators have an unknown version");
    r.values = flat_elements(module, MODULE_VALUES, 4);
    r.classes = flat_elements(module, MODULE_CLASSES, 4);
    r.made = MEM_ARRAY(pkl_value *, r.values.count + 1);
    read_storages(&r, module);
    m->root = value_of(&r, flat_index(module, MODULE_STATE));
    for (uint32_t i = 0; i < r.values.count; i++) {
        flat_table t = flat_table_at(r.values, i);
        if (flat_int(t, VALUE_KIND, 1, 0) == KIND_FUNCTION)
            arrput(m->functions, read_function(&r, flat_child(t, VALUE)));
    }
    return m;
}
