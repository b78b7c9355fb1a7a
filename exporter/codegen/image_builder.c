/* The tables of an image: types, constants, tensors, functions and names, each entered once. */
#include "exporter/codegen/image_builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/diag.h"
#include "exporter/codegen/debug_info.h"
#include "runtime/interpreter/opcodes.h"
#include "runtime/value/device.h"
#include "runtime/value/value.h"
#include "schema/generated/tsmobile_reader.h"

typedef struct {
    char *key;
    uint32_t value;
} text_index;

struct image_builder {
    program *program;
    image image;
    debug_table *debug; /* NULL when left out */
    text_index *constants, *operators, *method_names;
    struct {
        const type *key;
        uint32_t value;
    } * types;
    unsigned *type_depths; /* the nesting depth of each type; the attributes of a class do not count */
    struct {
        const ir_constant *key;
        uint32_t value;
    } * objects; /* constants that have identity */
    struct {
        const pt_storage *key;
        uint32_t value;
    } * storages;
    struct {
        const function *key;
        uint32_t value;
    } * function_index;
    function **functions;
    uint32_t lowered; /* functions that were handed out by builder_next_function */
    codegen_options options;
};

bool codegen_target_has(uint32_t target, opcode op) {
    return !target || opcode_table[op].since <= target;
}
bool builder_has_opcode(const image_builder *u, opcode op) {
    return codegen_target_has(u->options.target, op);
}
uint32_t builder_target(const image_builder *u) {
    return u->options.target;
}

image_builder *builder_new(program *p, codegen_options o) {
    image_builder *u = MEM_NEW(image_builder);
    u->options = o;
    u->program = p;
    u->debug = o.strip_debug ? NULL : debug_table_new(&u->image);
    return u;
}

image *builder_image(image_builder *u) {
    return &u->image;
}

/* The index of a text in a table of texts, added when new. */
static uint32_t text_in(text_index **index, const char ***table, const char *text) {
    ptrdiff_t at = shgeti(*index, text);
    if (at >= 0)
        return (*index)[at].value;
    uint32_t number = (uint32_t)arrlenu(*table);
    shput(*index, mem_strdup(text), number);
    arrput(*table, text);
    return number;
}

uint32_t builder_operator(image_builder *u, const ir_node *n) {
    const char *name = n->schema ? n->schema->full_name : ir_kind_name(n->kind);
    if (!u->options.observed)
        return text_in(&u->operators, &u->image.operators, name);
    arrput(u->image.operators, name);
    arrput(*u->options.observed, n);
    return (uint32_t)arrlenu(*u->options.observed) - 1;
}

uint32_t builder_plan(image_builder *u, image_plan plan) {
    arrput(u->image.plans, plan);
    return (uint32_t)arrlenu(u->image.plans) - 1;
}

uint32_t builder_method_name(image_builder *u, const char *name) {
    return text_in(&u->method_names, &u->image.method_names, name);
}
uint32_t builder_warning_site(image_builder *u) {
    return u->image.warnings++;
}

/* ---- Functions ---- */

uint32_t builder_function(image_builder *u, function *f) {
    ptrdiff_t at = hmgeti(u->function_index, f);
    if (at >= 0)
        return u->function_index[at].value;
    uint32_t number = (uint32_t)arrlenu(u->functions);
    hmput(u->function_index, f, number);
    arrput(u->functions, f);
    image_function empty = {0};
    arrput(u->image.functions, empty);
    return number;
}

function *builder_next_function(image_builder *u, uint32_t *index) {
    if (u->lowered == arrlenu(u->functions))
        return NULL;
    *index = u->lowered++;
    return u->functions[*index];
}

/* ---- Types ---- */

static uint8_t type_kind_of(const type *t) {
    switch (t->kind) {
    case TYPE_ANY:
        return TSMF_TypeKind_Any;
    case TYPE_TENSOR:
        return TSMF_TypeKind_Tensor;
    case TYPE_INT:
        return TSMF_TypeKind_Int;
    case TYPE_FLOAT:
        return TSMF_TypeKind_Float;
    case TYPE_COMPLEX:
        return TSMF_TypeKind_Complex;
    case TYPE_BOOL:
        return TSMF_TypeKind_Bool;
    case TYPE_STR:
        return TSMF_TypeKind_Str;
    case TYPE_NONE:
        return TSMF_TypeKind_None;
    case TYPE_NUMBER:
        return TSMF_TypeKind_Number;
    case TYPE_DEVICE:
        return TSMF_TypeKind_Device;
    case TYPE_GENERATOR: /* a tensor that holds its state */
        return TSMF_TypeKind_Tensor;
    case TYPE_STORAGE:
        return TSMF_TypeKind_Storage;
    case TYPE_LIST:
        return TSMF_TypeKind_List;
    case TYPE_DICT:
        return TSMF_TypeKind_Dict;
    case TYPE_TUPLE:
        return t->field_names ? TSMF_TypeKind_NamedTuple : TSMF_TypeKind_Tuple;
    case TYPE_OPTIONAL:
        return TSMF_TypeKind_Optional;
    case TYPE_UNION:
        return TSMF_TypeKind_Union;
    case TYPE_FUTURE:
    case TYPE_RREF:
        return TSMF_TypeKind_Future;
    case TYPE_CLASS:
        if (t->name && !strcmp(t->name, "__torch__.torch.classes.dist_rpc.WorkerInfo")) /* known by its name */
            return TSMF_TypeKind_Str;
        return TSMF_TypeKind_Class;
    case TYPE_INTERFACE:
        return TSMF_TypeKind_Interface;
    case TYPE_ENUM:
        return TSMF_TypeKind_Enum;
    case TYPE_ANY_LIST:
        return TSMF_TypeKind_AnyList;
    case TYPE_ANY_TUPLE:
        return TSMF_TypeKind_AnyTuple;
    case TYPE_ANY_ENUM:
        return TSMF_TypeKind_AnyEnum;
    case TYPE_ANY_CLASS:
        return TSMF_TypeKind_AnyClass;
    case TYPE_FUNCTION:
        return TSMF_TypeKind_Function;
    default:
        return TSMF_TypeKind_Capsule;
    }
}

static void describe_class(image_builder *u, uint32_t index, const class_def *c) {
    image_type *t = &u->image.types[index];
    if (c->kind == TYPE_ENUM) {
        for (size_t i = 0; i < arrlenu(c->constants); i++) {
            uint32_t member = builder_constant(u, c->constants[i].value);
            t = &u->image.types[index];
            arrput(t->field_names, c->constants[i].name);
            arrput(t->members, member);
        }
        return;
    }
    for (size_t i = 0; i < arrlenu(c->attributes); i++) {
        const type *declared = c->attributes[i].is_unused ? type_basic(TYPE_NONE) : c->attributes[i].type;
        uint32_t element = builder_type(u, declared);
        t = &u->image.types[index]; /* the table may have moved */
        arrput(t->field_names, c->attributes[i].name);
        arrput(t->elements, element);
    }
}

uint32_t builder_type(image_builder *u, const type *t) {
    stack_check();
    ptrdiff_t at = hmgeti(u->types, t);
    if (at >= 0)
        return u->types[at].value;
    uint32_t index = (uint32_t)arrlenu(u->image.types);
    hmput(u->types, t, index);
    image_type entry = {0};
    entry.kind = type_kind_of(t);
    entry.text = type_annotation(t);
    entry.name = t->name;
    arrput(u->image.types, entry);
    arrput(u->type_depths, 1);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t element = builder_type(u, t->items[i]);
        unsigned depth = u->type_depths[element] + 1;
        if (depth > TSM_MAX_TYPE_DEPTH)
            diag_fail("a type has more than %d levels of containers", TSM_MAX_TYPE_DEPTH);
        u->type_depths[index] = depth > u->type_depths[index] ? depth : u->type_depths[index];
        arrput(u->image.types[index].elements, element);
        if (t->field_names)
            arrput(u->image.types[index].field_names, t->field_names[i]);
    }
    if (t->definition && (t->kind == TYPE_CLASS || t->kind == TYPE_ENUM))
        describe_class(u, index, t->definition);
    return index;
}

/* What interface calls may reach: every method of every class in the image whose name is called through an interface.
 */
void builder_finish_classes(image_builder *u) {
    for (size_t i = 0; i < hmlenu(u->types); i++) {
        const type *t = u->types[i].key;
        if (t->kind != TYPE_CLASS || !t->definition)
            continue;
        image_class_method *methods = NULL;
        for (size_t m = 0; m < arrlenu(u->image.method_names); m++) {
            function *f = class_find_method(t->definition, u->image.method_names[m]);
            if (f) {
                image_class_method entry = {(uint32_t)m, builder_function(u, f)};
                arrput(methods, entry);
            }
        }
        u->image.types[u->types[i].value].methods = methods;
    }
}

/* ---- Tensors ---- */

static uint32_t storage_index(image_builder *u, const pt_storage *s, bool is_mutable) {
    ptrdiff_t at = hmgeti(u->storages, s);
    uint32_t index;
    if (at >= 0)
        index = u->storages[at].value;
    else {
        index = (uint32_t)arrlenu(u->image.storages);
        hmput(u->storages, s, index);
        image_storage entry = {.data = s->data, .bytes = s->size};
        arrput(entry.sources, s);
        arrput(u->image.storages, entry);
    }
    u->image.storages[index].is_mutable |= is_mutable;
    return index;
}

static void add_quantizer(image_tensor *out, const pt_tensor *t) {
    out->quantizer_axis = -2;
    if (t->qscheme == PT_NOT_QUANTIZED)
        return;
    if (t->qscheme == PT_PER_TENSOR_AFFINE) {
        out->quantizer_axis = -1;
        arrput(out->scales, t->scale);
        arrput(out->zero_points, t->zero_point);
        return;
    }
    const bool floats = t->qscheme == PT_PER_CHANNEL_AFFINE_FLOAT_QPARAMS;
    out->quantizer_axis = t->axis + (floats ? TSM_QUANTIZER_FLOATS : 0);
    for (int64_t i = 0; i < t->sizes[t->axis]; i++) {
        const double zero_point = pt_tensor_number(t->zero_points, i);
        int64_t word = (int64_t)(floats ? 0 : zero_point);
        if (floats)
            memcpy(&word, &zero_point, sizeof word);
        arrput(out->scales, pt_tensor_number(t->scales, i));
        arrput(out->zero_points, word);
    }
}

static image_tensor *tensor_data(image_builder *u, const pt_tensor *t, bool is_mutable) {
    if (t->layout != PT_STRIDED)
        diag_fail("sparse tensors are not supported");
    if (!pt_dtype_is_usable(t->dtype))
        diag_fail("tensors of type %s are not supported", pt_dtype_name(t->dtype));
    if (t->ndim > 8)
        diag_fail("a constant tensor has %d dimensions; at most 8 are supported", t->ndim);
    image_tensor *out = MEM_NEW(image_tensor);
    out->dtype = (uint8_t)t->dtype;
    out->storage = storage_index(u, t->storage, is_mutable);
    out->offset = (uint64_t)t->offset;
    out->requires_grad = t->requires_grad;
    out->name = t->name;
    for (int i = 0; i < t->ndim; i++) {
        arrput(out->sizes, t->sizes[i]);
        arrput(out->strides, t->strides[i]);
    }
    add_quantizer(out, t);
    return out;
}

/* ---- Constants ---- */

static uint32_t device_number(const ir_constant *c) {
    const tsm_device_name d = tsm_device_scan(TSM_DEVICE_NAMES, c->string.bytes, c->string.length);
    if (d.fault)
        diag_fail("unknown device '%s'", c->string.bytes);
    return d.device;
}

static const uint8_t constant_kinds[] = {
    [CONST_NONE] = TSMF_ConstantKind_None,       [CONST_BOOL] = TSMF_ConstantKind_Bool,
    [CONST_INT] = TSMF_ConstantKind_Int,         [CONST_FLOAT] = TSMF_ConstantKind_Float,
    [CONST_COMPLEX] = TSMF_ConstantKind_Complex, [CONST_STR] = TSMF_ConstantKind_Str,
    [CONST_DEVICE] = TSMF_ConstantKind_Device,   [CONST_TENSOR] = TSMF_ConstantKind_Tensor,
    [CONST_LIST] = TSMF_ConstantKind_List,       [CONST_TUPLE] = TSMF_ConstantKind_Tuple,
    [CONST_DICT] = TSMF_ConstantKind_Dict,       [CONST_OBJECT] = TSMF_ConstantKind_Object,
    [CONST_ENUM] = TSMF_ConstantKind_Enum,       [CONST_GENERATOR] = TSMF_ConstantKind_Generator,
};

/* Containers and objects that the program may change, and tensors, are one constant for each identity. */
static bool has_identity(const ir_constant *c) {
    return c->kind == CONST_OBJECT || c->kind == CONST_TENSOR || c->is_mutated ||
           ((c->kind == CONST_LIST || c->kind == CONST_TUPLE || c->kind == CONST_DICT) && c->list.count > 64);
}

static void describe_items(image_builder *u, const ir_constant *c, image_constant *out) {
    for (uint32_t i = 0; i < c->list.count; i++)
        arrput(out->items, builder_constant(u, c->list.items[i]));
}

static image_constant describe_constant(image_builder *u, const ir_constant *c) {
    image_constant out = {0};
    out.kind = constant_kinds[c->kind];
    out.type = IMAGE_NO_INDEX;
    switch (c->kind) {
    case CONST_NONE:
    case CONST_GENERATOR:
        break;
    case CONST_BOOL:
        out.integer = c->boolean;
        break;
    case CONST_INT:
        out.integer = c->integer;
        break;
    case CONST_FLOAT:
        out.number = c->real;
        break;
    case CONST_COMPLEX:
        out.number = c->complex.re;
        out.imaginary = c->complex.im;
        break;
    case CONST_STR:
        out.text = c->string.bytes;
        out.text_length = c->string.length;
        break;
    case CONST_DEVICE:
        out.integer = device_number(c);
        break;
    case CONST_TENSOR:
        out.tensor = tensor_data(u, c->tensor, c->is_mutated);
        break;
    case CONST_TUPLE:
        if (c->type->field_names)
            out.type = builder_type(u, c->type);
        describe_items(u, c, &out);
        break;
    case CONST_LIST:
    case CONST_DICT:
    case CONST_OBJECT:
        out.type = builder_type(u, c->type);
        describe_items(u, c, &out);
        break;
    case CONST_ENUM:
        out.type = builder_type(u, c->type);
        out.integer = c->integer;
        break;
    case CONST_FUNCTION:
        diag_fail("the function %s is used as a value", c->function->name);
    }
    return out;
}

/* A text that is equal for equal constants. */
static char *constant_key(const image_constant *c) {
    strbuf b = {0};
    uint64_t bits[2];
    memcpy(&bits[0], &c->number, 8);
    memcpy(&bits[1], &c->imaginary, 8);
    strbuf_printf(&b, "%u %u %" PRId64 " %" PRIx64 " %" PRIx64, c->kind, c->type, c->integer, bits[0], bits[1]);
    for (size_t i = 0; i < arrlenu(c->items); i++)
        strbuf_printf(&b, ",%u", c->items[i]);
    for (size_t i = 0; i < c->text_length; i++)
        strbuf_printf(&b, "%02x", (unsigned char)c->text[i]);
    return b.text;
}

static uint32_t constant_index(image_builder *u, const ir_constant *c) {
    stack_check();
    bool identity = has_identity(c);
    if (identity) {
        ptrdiff_t at = hmgeti(u->objects, c);
        if (at >= 0)
            return u->objects[at].value;
    }
    image_constant described = describe_constant(u, c);
    char *key = identity ? NULL : constant_key(&described);
    ptrdiff_t at = key ? shgeti(u->constants, key) : -1;
    if (at >= 0)
        return u->constants[at].value;
    uint32_t index = (uint32_t)arrlenu(u->image.constants);
    arrput(u->image.constants, described);
    if (identity)
        hmput(u->objects, c, index);
    else
        shput(u->constants, key, index);
    return index;
}

uint32_t builder_constant(image_builder *u, const ir_constant *c) {
    const uint32_t index = constant_index(u, c);
    const image_tensor *t = u->image.constants[index].tensor;
    if (t)
        u->image.storages[t->storage].is_seen = true;
    return index;
}

uint32_t builder_operand_constant(image_builder *u, const ir_constant *c) {
    return c->is_only_read ? constant_index(u, c) : builder_constant(u, c);
}

/* ---- Debug information ---- */

uint32_t builder_frame(image_builder *u, const char *function_name, const ir_scope *scope, source_range range) {
    return u->debug ? debug_frame(u->debug, function_name, scope, range) : IMAGE_NO_INDEX;
}

void builder_finish_debug(image_builder *u) {
    if (u->debug)
        debug_finish(u->debug);
}
