/* Instances: laying out the buffer, calling methods. */
#include <string.h>

#include "runtime/interpreter/machine.h"
#include "runtime/interpreter/operators.h"
#include "runtime/value/chars.h"

/* ---- Layout ---- */

enum { BUFFER_ALIGN = 64, MIN_HEAP = 256 };

/* Hands out pieces of the buffer, or only counts when there is none. */
typedef struct {
    uint8_t *at;
    size_t used;
} layout;

static void *piece(layout *l, size_t bytes) {
    void *p = l->at ? l->at + l->used : NULL;
    l->used += (bytes + 15) / 16 * 16;
    return p;
}

static void lay_out(layout *l, tsm_instance *inst, tsmf_Program root, bool profile) {
    uint32_t operators = tsmf_Program_operators_len(root), functions = tsmf_Program_functions_len(root);
    tsm_instance ignored;
    if (!inst)
        inst = &ignored;
    inst->operators = piece(l, operators * TSM_WORD_BYTES);
    inst->functions = piece(l, functions * sizeof *inst->functions);
    inst->constants = piece(l, tsmf_Program_constants_len(root) * sizeof *inst->constants);
    inst->storages = piece(l, tsmf_Program_storages_len(root) * TSM_WORD_BYTES);
    inst->stack = piece(l, tsmf_Program_stack_registers(root) * sizeof *inst->stack);
    inst->frames = piece(l, (tsmf_Program_stack_frames(root) + 1) * sizeof *inst->frames);
    inst->warned = piece(l, tsmf_Program_warnings(root));
    inst->profile = piece(l, profile ? operators * sizeof *inst->profile : 0);
}

size_t tsm_instance_bytes(const tsm_program *program) {
    layout l = {NULL, 0};
    piece(&l, sizeof(tsm_instance));
    lay_out(&l, NULL, (tsmf_Program){program->root}, false);
    const size_t bytes = l.used + tsm_constants_bytes(program) + MIN_HEAP;
    return bytes + tsm_heap_overhead(bytes);
}

static void bind(tsm_instance *inst) {
    tsmf_Program root = inst->root;
    for (uint32_t i = 0; i < tsmf_Program_operators_len(root); i++)
        inst->operators[i] = tsm_operator_find(tsmf_Program_operators(root, i));
    for (uint32_t i = 0; i < tsmf_Program_functions_len(root); i++) {
        tsmf_Function f = tsmf_Program_functions(root, i);
        tsm_function *to = &inst->functions[i];
        to->code = tsmf_Function_code(f);
        to->operands = tsmf_Function_operands(f);
        to->parameters = tsmf_Function_parameters(f);
        to->parameter_count = tsmf_Function_parameters_len(f);
        to->length = tsmf_Function_code_len(f);
        to->values = tsmf_Function_value_registers(f);
        to->ints = to->values + tsmf_Function_int_registers(f);
        to->floats = to->ints + tsmf_Function_float_registers(f);
        to->slots = to->values + (to->floats - to->values + tsmf_Function_bool_registers(f) + 1) / 2;
    }
    inst->stack_slots = tsmf_Program_stack_registers(root);
    inst->frame_limit = tsmf_Program_stack_frames(root) + 1;
    memset(inst->warned, 0, tsmf_Program_warnings(root));
}

static tsm_status refuse_size(const tsm_options *o, size_t missing) {
    tsm_exec x;
    memset(&x, 0, sizeof x);
    if (o) {
        x.message = o->message;
        x.message_bytes = o->message ? o->message_bytes : 0;
    }
    return tsm_fail(&x, TSM_OUT_OF_MEMORY, "the buffer is too small: %zu bytes are missing", missing);
}

static const char *type_text(tsm_exec *x, uint32_t type, bool is_annotation) {
    const tsmf_Type t = tsmf_Program_types(tsm_instance_of(x)->root, type);
    return is_annotation ? tsmf_Type_text(t) : tsmf_Type_name(t);
}

tsm_status tsm_instance_init(tsm_instance **out, const tsm_program *program, const tsm_options *options, void *buffer,
                             size_t bytes) {
    *out = NULL;
    tsmf_Program root = {program->root};
    bool profile = options && options->profile;
    size_t skip = (BUFFER_ALIGN - (uintptr_t)buffer % BUFFER_ALIGN) % BUFFER_ALIGN;
    layout l = {NULL, 0};
    piece(&l, sizeof(tsm_instance));
    lay_out(&l, NULL, root, profile);
    if (skip + l.used + MIN_HEAP > bytes)
        return refuse_size(options, skip + l.used + MIN_HEAP + tsm_constants_bytes(program) - bytes);
    tsm_heap_forget(buffer, bytes);
    l = (layout){(uint8_t *)buffer + skip, 0};
    tsm_instance *inst = piece(&l, sizeof *inst);
    memset(inst, 0, sizeof *inst);
    inst->program = program;
    inst->root = root;
    lay_out(&l, inst, root, profile);
    if (!profile)
        inst->profile = NULL;
    else
        memset(inst->profile, 0, tsmf_Program_operators_len(root) * sizeof *inst->profile);
    tsm_exec *x = &inst->exec;
    x->type_text = type_text;
    x->grad_enabled = true;
    x->fuel = INT64_MAX;
    x->message = inst->short_message;
    x->message_bytes = sizeof inst->short_message;
    if (options) {
        x->platform = options->platform;
        if (options->fuel - 1 < INT64_MAX - 1) {
            x->fuel = (int64_t)options->fuel;
            x->is_limited = true;
        }
        if (options->message && options->message_bytes) {
            x->message = options->message;
            x->message_bytes = options->message_bytes;
        }
    }
    x->message[0] = 0;
    bind(inst);
    inst->buffer_bytes = bytes;
    tsm_heap_init(&x->heap, l.at + l.used, bytes - skip - l.used);
    tsm_status status = tsm_constants_build(inst);
    if (status != TSM_OK)
        return status == TSM_OUT_OF_MEMORY
                   ? refuse_size(options, tsm_instance_bytes(program) > bytes ? tsm_instance_bytes(program) - bytes
                                                                              : x->heap.missing)
                   : status;
    inst->fixed_bytes = skip + l.used + x->heap.used;
    *out = inst;
    return TSM_OK;
}

tsm_status tsm_instance_reset(tsm_instance *inst) {
    tsm_constants_drop(inst);
    memset(inst->warned, 0, tsmf_Program_warnings(inst->root));
    inst->exec.grad_enabled = true;
    tsm_heap_free(&inst->exec.heap, inst->exec.random);
    inst->exec.random = NULL;
    tsm_heap_settle(&inst->exec.heap); /* the same requests then find the same places as in a new instance */
    return tsm_constants_build(inst);
}

/* ---- Types of values ---- */

static bool list_is(tsm_instance *inst, tsm_value v, uint32_t element) {
    const tsm_list *l = tsm_as_list(v);
    for (uint32_t i = 0; i < l->length; i++)
        if (!tsm_value_is(inst, l->items[i], element))
            return false;
    return true;
}

static bool dict_is(tsm_instance *inst, tsm_value v, const uint32_t *elements) {
    size_t at = 0;
    for (tsm_dict_entry *e; tsm_dict_next(tsm_as_dict(v), &at, &e);)
        if (!tsm_value_is(inst, e->key, elements[0]) || !tsm_value_is(inst, e->item, elements[1]))
            return false;
    return true;
}

static bool tuple_is(tsm_instance *inst, tsm_value v, const uint32_t *elements, uint32_t n) {
    const tsm_tuple *t = tsm_as_tuple(v);
    if (t->length != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!tsm_value_is(inst, t->items[i], elements[i]))
            return false;
    return true;
}

static bool implements(const tsm_instance *inst, uint32_t class_type, uint32_t interface) {
    (void)interface; /* the exporter has checked which classes reach a place; here any class with methods will do */
    return tsmf_Type_methods_len(tsmf_Program_types(inst->root, class_type)) > 0;
}

/* A container made with a static type says so itself; then nothing needs to be looked through. */
static bool declared_is(tsm_instance *inst, const tsm_object_header *h, uint32_t type, bool *known) {
    uint32_t declared = tsm_get_type(h);
    *known = declared != TSM_NO_INDEX;
    if (!*known || declared == type)
        return *known;
    tsmf_Type a = tsmf_Program_types(inst->root, declared), b = tsmf_Program_types(inst->root, type);
    uint32_t length = tsmf_Type_text_len(a);
    return length == tsmf_Type_text_len(b) && tsm_count_work(&inst->exec, length) &&
           !tsm_chars_compare(tsmf_Type_text(a), tsmf_Type_text(b));
}

/* Kinds that a value's tag decides: the tag + 1. */
static const uint8_t decided_by_tag[TSMF_TypeKind_COUNT] = {
    [TSMF_TypeKind_Tensor] = TSM_TAG_TENSOR + 1,       [TSMF_TypeKind_Int] = TSM_TAG_INT + 1,
    [TSMF_TypeKind_Float] = TSM_TAG_FLOAT + 1,         [TSMF_TypeKind_Complex] = TSM_TAG_COMPLEX + 1,
    [TSMF_TypeKind_Bool] = TSM_TAG_BOOL + 1,           [TSMF_TypeKind_Str] = TSM_TAG_STR + 1,
    [TSMF_TypeKind_None] = TSM_TAG_NONE + 1,           [TSMF_TypeKind_Device] = TSM_TAG_DEVICE + 1,
    [TSMF_TypeKind_Generator] = TSM_TAG_GENERATOR + 1, [TSMF_TypeKind_AnyList] = TSM_TAG_LIST + 1,
    [TSMF_TypeKind_AnyTuple] = TSM_TAG_TUPLE + 1,      [TSMF_TypeKind_AnyEnum] = TSM_TAG_ENUM + 1,
    [TSMF_TypeKind_AnyClass] = TSM_TAG_OBJECT + 1,     [TSMF_TypeKind_Future] = TSM_TAG_FUTURE + 1,
};

bool tsm_value_is(tsm_instance *inst, tsm_value v, uint32_t type) {
    tsmf_Type t = tsmf_Program_types(inst->root, type);
    const uint32_t *elements = tsmf_Type_elements(t);
    uint32_t n = tsmf_Type_elements_len(t), kind = tsmf_Type_kind(t);
    bool known;
    if (!tsm_count_work(&inst->exec, 1))
        return false;
    if (decided_by_tag[kind])
        return v.tag + 1 == decided_by_tag[kind];
    switch (kind) {
    case TSMF_TypeKind_Any:
        return true;
    case TSMF_TypeKind_Number:
        return v.tag == TSM_TAG_INT || v.tag == TSM_TAG_FLOAT || v.tag == TSM_TAG_COMPLEX || v.tag == TSM_TAG_BOOL;
    case TSMF_TypeKind_List: {
        if (v.tag != TSM_TAG_LIST)
            return false;
        bool same = declared_is(inst, v.as.o, type, &known);
        return known ? same : list_is(inst, v, elements[0]);
    }
    case TSMF_TypeKind_Dict: {
        if (v.tag != TSM_TAG_DICT)
            return false;
        bool same = declared_is(inst, v.as.o, type, &known);
        return known ? same : dict_is(inst, v, elements);
    }
    case TSMF_TypeKind_Tuple:
        return v.tag == TSM_TAG_TUPLE && tuple_is(inst, v, elements, n);
    case TSMF_TypeKind_NamedTuple:
        return v.tag == TSM_TAG_TUPLE && (tsm_as_tuple(v)->type == type + 1 || !tsm_as_tuple(v)->type) &&
               tuple_is(inst, v, elements, n);
    case TSMF_TypeKind_Optional:
        return v.tag == TSM_TAG_NONE || tsm_value_is(inst, v, elements[0]);
    case TSMF_TypeKind_Union:
        for (uint32_t i = 0; i < n; i++)
            if (tsm_value_is(inst, v, elements[i]))
                return true;
        return false;
    case TSMF_TypeKind_Class:
        return v.tag == TSM_TAG_OBJECT && tsm_as_object(v)->type == type;
    case TSMF_TypeKind_Interface:
        return v.tag == TSM_TAG_OBJECT && implements(inst, tsm_as_object(v)->type, type);
    case TSMF_TypeKind_Enum:
        return v.tag == TSM_TAG_ENUM && tsm_as_enum(v)->type == type;
    default:
        return false;
    }
}

/* ---- Calls ---- */

/* Without a limit on work, an argument may take as many steps as the buffer has bytes: 16 for each value in it, as long
 * as its containers do not share parts. */
static tsm_status check_type(tsm_instance *inst, tsm_value v, uint32_t type, bool *fits) {
    tsm_exec *x = &inst->exec;
    const int64_t fuel = x->fuel;
    if (!x->is_limited) {
        x->work = 0;
        x->fuel = (int64_t)inst->buffer_bytes;
    }
    *fits = tsm_value_is(inst, v, type);
    const bool ended = x->work > (uint64_t)x->fuel;
    x->fuel = fuel;
    return !ended          ? TSM_OK
           : x->is_limited ? tsm_machine_out_of_fuel(x)
                           : tsm_fail(x, TSM_BAD_ARGUMENT, "an argument has more parts than the buffer has bytes");
}

static tsm_status check_argument(tsm_instance *inst, tsmf_Method m, uint32_t i, tsm_value *v) {
    tsmf_Argument a = tsmf_Method_arguments(m, i);
    tsmf_Type t = tsmf_Program_types(inst->root, tsmf_Argument_type(a));
    if (tsmf_Type_kind(t) == TSMF_TypeKind_Float && v->tag == TSM_TAG_INT)
        *v = tsm_float((double)v->as.i);
    /* None may stand for a tensor, as PyTorch's undefined ones do; operators refuse it. */
    bool is_undefined = tsmf_Type_kind(t) == TSMF_TypeKind_Tensor && v->tag == TSM_TAG_NONE;
    bool fits;
    TSM_TRY(check_type(inst, *v, tsmf_Argument_type(a), &fits));
    if (is_undefined || fits)
        return TSM_OK;
    return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT,
                    "%s() Expected a value of type '%s' for argument '%s' but instead found type '%s'.\nPosition: "
                    "%u\nDeclaration: %s",
                    tsmf_Method_name(m), tsmf_Type_text(t), tsmf_Argument_name(a), tsm_tag_name(v->tag), i,
                    tsmf_Method_schema(m));
}

tsm_status tsm_call(tsm_instance *inst, int method, const tsm_value *arguments, size_t n, tsm_value *result) {
    *result = tsm_none();
    inst->exec.message[0] = 0;
    tsm_heap_settle(&inst->exec.heap); /* so that a call needs no larger buffer than it did before */
    inst->exec.work = 0;
    if (method < 0 || (uint32_t)method >= tsmf_Program_methods_len(inst->root))
        return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT, "there is no such method");
    tsmf_Method m = tsmf_Program_methods(inst->root, (uint32_t)method);
    uint32_t wanted = tsmf_Method_arguments_len(m), count = 0;
    if (n > wanted)
        return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT,
                        "%s() expected at most %u argument(s) but received %zu argument(s). Declaration: %s",
                        tsmf_Method_name(m), wanted, n, tsmf_Method_schema(m));
    tsm_value all[TSM_MAX_OPERATOR_INPUTS + 1];
    if (tsmf_Method_self(m) != TSM_NO_INDEX)
        all[count++] = inst->constants[tsmf_Method_self(m)];
    for (uint32_t i = 0; i < wanted; i++) {
        tsm_value *v = &all[count++];
        if (i < n) {
            *v = arguments[i];
            TSM_TRY(check_argument(inst, m, i, v));
            continue;
        }
        uint32_t constant = tsmf_Argument_default_value(tsmf_Method_arguments(m, i));
        if (constant == TSM_NO_INDEX)
            return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT, "%s() is missing value for argument '%s'. Declaration: %s",
                            tsmf_Method_name(m), tsmf_Argument_name(tsmf_Method_arguments(m, i)),
                            tsmf_Method_schema(m));
        *v = inst->constants[constant]; /* a list or dict is one object for all calls, as in PyTorch */
    }
    return tsm_run(inst, tsmf_Method_function(m), all, count, result);
}

const char *tsm_error(const tsm_instance *inst) {
    return inst->exec.message;
}
