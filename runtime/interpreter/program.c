/* Opening a file: everything that the interpreter takes for granted is checked here, once. */
#include <string.h>

#define TSMF_DESCRIBE /* before any header that includes the reader */
#include "schema/generated/tsmobile_reader.h"

#include "runtime/interpreter/instance.h"
#include "runtime/interpreter/operators.h"
#include "runtime/value/chars.h"

/* The message goes to the caller's memory through a tsm_exec that has nothing else. */
typedef struct {
    tsm_exec x;
    tsmf_Program root;
} verifier;

#define BAD(v, ...) tsm_fail(&(v)->x, TSM_BAD_FILE, __VA_ARGS__)

/* Limits that keep sums and products of what a file says far from the ends of their types, on 32-bit machines too. */
enum { FILE_ALIGN = 64, MAX_TABLE = 1 << 22, MAX_STACK_SLOTS = 1 << 24, MAX_STACK_FRAMES = 1 << 16 };
#define MAX_ELEMENTS (sizeof(tsm_dim) == 4 ? UINT64_C(1) << 27 : UINT64_C(1) << 44)
#define MAX_DIM (sizeof(tsm_dim) == 4 ? INT64_C(1) << 27 : INT64_C(1) << 44)

static const char operand_letters[][4] = {
#define OP(NAME, since, operands, formula) operands,
#include "runtime/interpreter/opcodes.def"
#undef OP
};

#define OP(NAME, since, operands, formula)                                                                             \
    _Static_assert((since) <= TSM_THIS_VERSION, "the opcode " #NAME " is newer than this version of libtsmobile");
#include "runtime/interpreter/opcodes.def"
#undef OP

/* ---- Tables ---- */

static tsm_status verify_segment(verifier *v, tsm_program *p) {
    uint64_t at = tsmf_Program_segment_offset(v->root), bytes = tsmf_Program_segment_bytes(v->root);
    if (at % 64 || at > p->file_bytes || bytes > p->file_bytes - at)
        return BAD(v, "the segment of weights is not inside the file; is the file cut off?");
    p->segment = p->file + at;
    p->segment_bytes = (size_t)bytes;
    const tsmf_Storage *storages = tsmf_Program_storages(v->root);
    for (uint32_t i = 0; i < tsmf_Program_storages_len(v->root); i++)
        if (storages[i].offset % 64 || storages[i].offset > bytes || storages[i].bytes > bytes - storages[i].offset)
            return BAD(v, "storage %u is not inside the segment", i);
    return TSM_OK;
}

/* What the elements of a tensor reach: false when it is more than `room` elements, or cannot be counted. */
static bool shape_fits(tsmf_TensorData t, uint64_t room) {
    uint64_t last = tsmf_TensorData_offset(t), elements = 1;
    bool is_empty = false;
    if (last > room)
        return false;
    for (uint32_t d = 0; d < tsmf_TensorData_sizes_len(t); d++) {
        int64_t size = tsmf_TensorData_sizes(t)[d], stride = tsmf_TensorData_strides(t)[d];
        if (size < 0 || size > MAX_DIM || stride < 0 || stride > MAX_DIM)
            return false;
        is_empty |= size == 0;
        elements *= size ? (uint64_t)size : 1;
        last += size > 1 ? (uint64_t)(size - 1) * (uint64_t)stride : 0;
        if (elements > MAX_ELEMENTS || last > MAX_ELEMENTS)
            return false;
    }
    return is_empty || last < room;
}

static bool quantizer_fits(tsmf_TensorData t) {
    int32_t axis = tsmf_TensorData_quantizer_axis(t);
    uint8_t dtype = tsmf_TensorData_dtype(t);
    bool is_quantized = dtype == TSM_QINT8 || dtype == TSM_QUINT8 || dtype == TSM_QINT32;
    if (!is_quantized || axis == -2)
        return !is_quantized && axis == -2;
    if (axis < -1 || axis >= (int32_t)tsmf_TensorData_sizes_len(t))
        return false;
    uint64_t channels = axis < 0 ? 1 : (uint64_t)tsmf_TensorData_sizes(t)[axis];
    return channels && tsmf_TensorData_scales_len(t) == channels && tsmf_TensorData_zero_points_len(t) == channels;
}

static tsm_status verify_tensor(verifier *v, uint32_t index, tsmf_TensorData t) {
    uint32_t dims = tsmf_TensorData_sizes_len(t), storage = tsmf_TensorData_storage(t);
    uint8_t dtype = tsmf_TensorData_dtype(t);
    if (!t.p || dtype >= TSM_DTYPE_COUNT || dims > TSM_MAX_DIMS || tsmf_TensorData_strides_len(t) != dims ||
        storage >= tsmf_Program_storages_len(v->root))
        return BAD(v, "constant %u is not a tensor that can be read", index);
    if (!shape_fits(t, tsmf_Program_storages(v->root)[storage].bytes / tsm_dtype_size((tsm_dtype)dtype)))
        return BAD(v, "constant %u reaches out of its storage", index);
    if (!quantizer_fits(t))
        return BAD(v, "constant %u has a quantizer that does not fit it", index);
    return TSM_OK;
}

static bool has_type(const verifier *v, tsmf_Constant c, uint8_t kind) {
    uint32_t t = tsmf_Constant_type(c);
    return t < tsmf_Program_types_len(v->root) && tsmf_Type_kind(tsmf_Program_types(v->root, t)) == kind;
}

/* Items stand before what contains them, so nothing contains itself. */
static tsm_status verify_constant(verifier *v, uint32_t index) {
    tsmf_Constant c = tsmf_Program_constants(v->root, index);
    uint8_t kind = tsmf_Constant_kind(c);
    uint32_t items = tsmf_Constant_items_len(c), type = tsmf_Constant_type(c);
    if (kind >= TSMF_ConstantKind_COUNT)
        return BAD(v, "constant %u is of an unknown kind", index);
    for (uint32_t i = 0; i < items; i++)
        if (tsmf_Constant_items(c)[i] >= index)
            return BAD(v, "constant %u contains one that comes later", index);
    if (type != TSM_NO_INDEX && type >= tsmf_Program_types_len(v->root))
        return BAD(v, "constant %u has no such type", index);
    switch (kind) {
    case TSMF_ConstantKind_Tensor:
        return verify_tensor(v, index, tsmf_Constant_tensor(c));
    case TSMF_ConstantKind_Dict:
        return items % 2 ? BAD(v, "constant %u is half a dict", index) : TSM_OK;
    case TSMF_ConstantKind_Object:
        if (!has_type(v, c, TSMF_TypeKind_Class) || tsmf_Type_elements_len(tsmf_Program_types(v->root, type)) != items)
            return BAD(v, "constant %u is an object without its class", index);
        return TSM_OK;
    case TSMF_ConstantKind_Enum: {
        if (!has_type(v, c, TSMF_TypeKind_Enum))
            return BAD(v, "constant %u is an enum member without its class", index);
        tsmf_Type t = tsmf_Program_types(v->root, type);
        int64_t member = tsmf_Constant_integer(c);
        if (member < 0 || member >= tsmf_Type_members_len(t) ||
            tsmf_Type_field_names_len(t) != tsmf_Type_members_len(t) || tsmf_Type_members(t)[member] >= index)
            return BAD(v, "constant %u is no member of its enum", index);
        return TSM_OK;
    }
    default:
        return TSM_OK;
    }
}

static tsm_status verify_types(verifier *v) {
    uint32_t types = tsmf_Program_types_len(v->root), constants = tsmf_Program_constants_len(v->root);
    for (uint32_t i = 0; i < types; i++) {
        tsmf_Type t = tsmf_Program_types(v->root, i);
        uint8_t kind = tsmf_Type_kind(t);
        uint32_t elements = tsmf_Type_elements_len(t);
        bool bad = kind >= TSMF_TypeKind_COUNT;
        for (uint32_t k = 0; k < elements; k++)
            bad |= tsmf_Type_elements(t)[k] >= types;
        for (uint32_t k = 0; k < tsmf_Type_members_len(t); k++)
            bad |= tsmf_Type_members(t)[k] >= constants;
        for (uint32_t k = 0; k < tsmf_Type_methods_len(t); k++) {
            tsmf_ClassMethod m = tsmf_Type_methods(t, k);
            bad |= tsmf_ClassMethod_name(m) >= tsmf_Program_method_names_len(v->root) ||
                   tsmf_ClassMethod_function(m) >= tsmf_Program_functions_len(v->root);
        }
        bad |= kind == TSMF_TypeKind_Dict ? elements != 2
               : kind == TSMF_TypeKind_List || kind == TSMF_TypeKind_Optional || kind == TSMF_TypeKind_Future
                   ? elements != 1
               : kind == TSMF_TypeKind_Class || kind == TSMF_TypeKind_NamedTuple
                   ? tsmf_Type_field_names_len(t) != elements
                   : false;
        if (bad)
            return BAD(v, "type %u is malformed", i);
    }
    return TSM_OK;
}

static tsm_status verify_frames(verifier *v) {
    uint32_t frames = tsmf_Program_frames_len(v->root), files = tsmf_Program_files_len(v->root);
    const tsmf_Frame *f = tsmf_Program_frames(v->root);
    for (uint32_t i = 0; i < frames; i++) {
        bool known = (f[i].serialized.file == TSM_NO_INDEX || f[i].serialized.file < files) &&
                     (f[i].original.file == TSM_NO_INDEX || f[i].original.file < files);
        /* A caller stands before its callees, so chains end. */
        if (!known || f[i].function_name >= tsmf_Program_strings_len(v->root) ||
            (f[i].caller != TSM_NO_INDEX && f[i].caller >= i))
            return BAD(v, "frame %u is malformed", i);
    }
    return TSM_OK;
}

/* ---- Code ---- */

typedef struct {
    tsmf_Function f;
    const uint32_t *operands;
    uint32_t operand_count, code_length;
    uint32_t ends[4]; /* of the runs of value, int, float, bool registers */
    uint32_t index;
} code_check;

static int run_of(const code_check *c, uint32_t r) {
    for (int k = 0; k < 4; k++)
        if (r < c->ends[k])
            return k;
    return -1;
}

/* Whether register r belongs to a letter of operands: V, I, F, B, S or X. */
static bool is_register(const code_check *c, uint32_t r, char letter) {
    int run = run_of(c, r);
    return run >= 0 && (letter == 'X' || (letter == 'S' ? run > 0 : "VIFB"[run] == letter));
}

static bool is_input(const verifier *v, const code_check *c, uint32_t word) {
    if (word & TSM_WORD_CONSTANT)
        return (word & ~TSM_WORD_CONSTANT) < tsmf_Program_constants_len(v->root);
    int run = run_of(c, word & TSM_WORD_INDEX);
    return run >= 0 && (!(word & TSM_WORD_LAST_USE) || run == 0);
}

/* How many inputs and outputs the list of an opcode may have; -1: any number. */
static void list_shape(const verifier *v, const tsmf_Instruction *in, int *inputs, int *outputs) {
    *inputs = *outputs = -1;
    switch (in->op) {
    case TSM_OPCODE_CALL:
    case TSM_OPCODE_FORK:
        *inputs = (int)tsmf_Function_parameters_len(tsmf_Program_functions(v->root, in->a));
        *outputs = 1;
        return;
    case TSM_OPCODE_INTERFACE_CALL:
        *outputs = 1;
        return;
    case TSM_OPCODE_RET:
        *inputs = 1;
        *outputs = 0;
        return;
    case TSM_OPCODE_RAISE:
    case TSM_OPCODE_WARN:
        *inputs = 2;
        *outputs = 0;
        return;
    case TSM_OPCODE_PRINT:
    case TSM_OPCODE_TUPLE_CONSTRUCT:
    case TSM_OPCODE_NAMED_TUPLE_CONSTRUCT:
    case TSM_OPCODE_ISINSTANCE:
        *outputs = 0;
        return;
    case TSM_OPCODE_TUPLE_SLICE:
        *inputs = 2;
        *outputs = 0;
        return;
    case TSM_OPCODE_LIST_UNPACK:
    case TSM_OPCODE_TUPLE_UNPACK:
        *inputs = 0;
        return;
    case TSM_OPCODE_LIST_CONSTRUCT:
    case TSM_OPCODE_DICT_CONSTRUCT:
    case TSM_OPCODE_GUARD:
        *outputs = 1;
        return;
    case TSM_OPCODE_OP: {
        const tsm_operator *o = tsm_operator_find(tsmf_Program_operators(v->root, in->a));
        *inputs = o->inputs == 255 ? -1 : o->inputs;
        *outputs = o->outputs == 255 ? -1 : o->outputs;
        return;
    }
    default:
        return;
    }
}

static bool verify_list(const verifier *v, const code_check *c, const tsmf_Instruction *in, uint32_t at) {
    if (c->operand_count < 2 || at > c->operand_count - 2)
        return false;
    uint32_t inputs = c->operands[at], outputs = c->operands[at + 1], room = c->operand_count - at - 2;
    if (inputs > room || outputs > room - inputs)
        return false;
    int want_inputs, want_outputs;
    list_shape(v, in, &want_inputs, &want_outputs);
    if ((want_inputs >= 0 && inputs != (uint32_t)want_inputs) ||
        (want_outputs >= 0 && outputs != (uint32_t)want_outputs))
        return false;
    if (in->op == TSM_OPCODE_OP && (inputs > TSM_MAX_OPERATOR_INPUTS || outputs > TSM_MAX_OPERATOR_OUTPUTS))
        return false;
    if (in->op == TSM_OPCODE_INTERFACE_CALL && !inputs)
        return false;
    if (in->op == TSM_OPCODE_DICT_CONSTRUCT && inputs % 2)
        return false;
    const uint32_t *words = c->operands + at + 2;
    uint32_t types = tsmf_Program_types_len(v->root);
    for (uint32_t i = 0; i < inputs; i++)
        if (in->op == TSM_OPCODE_ISINSTANCE ? words[i] >= types
                                            : in->op != TSM_OPCODE_TUPLE_SLICE && !is_input(v, c, words[i]))
            return false;
    if (in->op == TSM_OPCODE_GUARD)
        return words[inputs] < tsmf_Program_plans_len(v->root);
    bool typed = in->op == TSM_OPCODE_LIST_CONSTRUCT || in->op == TSM_OPCODE_DICT_CONSTRUCT;
    for (uint32_t i = 0; i < outputs; i++) {
        uint32_t w = words[inputs + i];
        if (typed ? w >= types : run_of(c, w) < 0)
            return false;
    }
    if (in->op == TSM_OPCODE_FORK)
        return run_of(c, words[inputs]) == 0;
    return true;
}

static bool verify_operand(const verifier *v, const code_check *c, const tsmf_Instruction *in, uint32_t pc, char letter,
                           uint32_t narrow, uint32_t wide) {
    switch (letter) {
    case '-':
    case 'n':
    case 'u':
    case 'N':
    case 's':
        return true;
    case 'k':
        return narrow < tsmf_Program_constants_len(v->root);
    case 'K':
        return wide < tsmf_Program_constants_len(v->root);
    case 'j':
        return (int64_t)pc + 1 + (int16_t)narrow >= 0 && (int64_t)pc + 1 + (int16_t)narrow < c->code_length;
    case 'J':
        return (int64_t)pc + 1 + (int32_t)wide >= 0 && (int64_t)pc + 1 + (int32_t)wide < c->code_length;
    case 't':
        return narrow < tsmf_Program_types_len(v->root);
    case 'T':
        return wide < tsmf_Program_types_len(v->root) &&
               (in->op != TSM_OPCODE_CREATE_OBJECT ||
                tsmf_Type_kind(tsmf_Program_types(v->root, wide)) == TSMF_TypeKind_Class);
    case 'o':
        return narrow < tsmf_Program_operators_len(v->root);
    case 'f':
        return narrow < tsmf_Program_functions_len(v->root);
    case 'm':
        return narrow < tsmf_Program_method_names_len(v->root);
    case 'l':
        return verify_list(v, c, in, narrow);
    case 'L':
        return verify_list(v, c, in, wide);
    default:
        return is_register(c, narrow, letter);
    }
}

/* The run of registers that can hold a constant as a scalar; 0: none. */
static int run_of_constant(const verifier *v, uint32_t index) {
    switch (tsmf_Constant_kind(tsmf_Program_constants(v->root, index))) {
    case TSMF_ConstantKind_Int:
        return 1;
    case TSMF_ConstantKind_Float:
        return 2;
    case TSMF_ConstantKind_Bool:
        return 3;
    default:
        return 0;
    }
}

static bool verify_instruction(const verifier *v, const code_check *c, const tsmf_Instruction *in, uint32_t pc) {
    if (in->op >= TSM_OPCODE_COUNT)
        return false;
    const char *letters = operand_letters[in->op];
    const uint16_t narrow[] = {in->a, in->b, in->c};
    for (int k = 0; letters[k]; k++)
        if (!verify_operand(v, c, in, pc, letters[k], narrow[k], (uint32_t)in->b | (uint32_t)in->c << 16))
            return false;
    switch (in->op) {
    case TSM_OPCODE_FLOORDIVK_I:
    case TSM_OPCODE_REMK_I:
        return (int16_t)in->c > 0;
    case TSM_OPCODE_ADD_I_LOOP:
        return pc + 1 < c->code_length && in[1].op == TSM_OPCODE_LOOP && (int16_t)in[1].c == -2;
    case TSM_OPCODE_WARN:
        return in->a < tsmf_Program_warnings(v->root);
    case TSM_OPCODE_MOVE_S:
        return run_of(c, in->b) == 0 || run_of(c, in->b) == run_of(c, in->a);
    case TSM_OPCODE_LOADC_S:
        return run_of(c, in->a) == run_of_constant(v, (uint32_t)in->b | (uint32_t)in->c << 16);
    default:
        return true;
    }
}

static tsm_status verify_function(verifier *v, uint32_t index) {
    code_check c = {0};
    c.f = tsmf_Program_functions(v->root, index);
    c.index = index;
    c.operands = tsmf_Function_operands(c.f);
    c.operand_count = tsmf_Function_operands_len(c.f);
    c.code_length = tsmf_Function_code_len(c.f);
    c.ends[0] = tsmf_Function_value_registers(c.f);
    c.ends[1] = c.ends[0] + tsmf_Function_int_registers(c.f);
    c.ends[2] = c.ends[1] + tsmf_Function_float_registers(c.f);
    c.ends[3] = c.ends[2] + tsmf_Function_bool_registers(c.f);
    const tsmf_Instruction *code = tsmf_Function_code(c.f);
    const char *name = tsmf_Function_name(c.f);
    for (uint32_t pc = 0; pc < c.code_length; pc++)
        if (!verify_instruction(v, &c, &code[pc], pc))
            return BAD(v, "instruction %u of function %s is malformed", pc, name);
    uint16_t last = c.code_length ? code[c.code_length - 1].op : (uint16_t)TSM_OPCODE_COUNT;
    if (last != TSM_OPCODE_RET && last != TSM_OPCODE_JMP && last != TSM_OPCODE_RAISE)
        return BAD(v, "function %s has no end", name);
    for (uint32_t i = 0; i < tsmf_Function_parameters_len(c.f); i++)
        if (tsmf_Function_parameters(c.f)[i] >= c.ends[3])
            return BAD(v, "function %s has no such parameter register", name);
    const tsmf_WithRange *w = tsmf_Function_withs(c.f);
    for (uint32_t i = 0; i < tsmf_Function_withs_len(c.f); i++)
        if (w[i].begin > w[i].end || w[i].end > c.code_length || w[i].object >= c.ends[0] ||
            w[i].exit_function >= tsmf_Program_functions_len(v->root) ||
            tsmf_Function_parameters_len(tsmf_Program_functions(v->root, w[i].exit_function)) != 4)
            return BAD(v, "a with range of function %s is malformed", name);
    const tsmf_DebugEntry *d = tsmf_Function_debug(c.f);
    for (uint32_t i = 0; i < tsmf_Function_debug_len(c.f); i++)
        if (d[i].frame >= tsmf_Program_frames_len(v->root))
            return BAD(v, "function %s has no such frame", name);
    return TSM_OK;
}

static tsm_status verify_method(verifier *v, uint32_t index) {
    tsmf_Method m = tsmf_Program_methods(v->root, index);
    uint32_t constants = tsmf_Program_constants_len(v->root), types = tsmf_Program_types_len(v->root);
    bool has_self = tsmf_Method_self(m) != TSM_NO_INDEX;
    uint32_t arguments = tsmf_Method_arguments_len(m);
    bool good =
        tsmf_Method_function(m) < tsmf_Program_functions_len(v->root) && tsmf_Method_result(m) < types &&
        (!has_self || tsmf_Method_self(m) < constants) && arguments < TSM_MAX_OPERATOR_INPUTS &&
        tsmf_Function_parameters_len(tsmf_Program_functions(v->root, tsmf_Method_function(m))) == arguments + has_self;
    for (uint32_t i = 0; i < arguments && good; i++) {
        tsmf_Argument a = tsmf_Method_arguments(m, i);
        good = tsmf_Argument_type(a) < types &&
               (tsmf_Argument_default_value(a) == TSM_NO_INDEX || tsmf_Argument_default_value(a) < constants);
    }
    return good ? TSM_OK : BAD(v, "method %s is malformed", tsmf_Method_name(m));
}

static tsm_status verify_bundle(verifier *v) {
    uint32_t constants = tsmf_Program_constants_len(v->root);
    for (uint32_t i = 0; i < tsmf_Program_bundle_len(v->root); i++) {
        tsmf_BundledCase c = tsmf_Program_bundle(v->root, i);
        if (tsmf_BundledCase_method(c) >= tsmf_Program_methods_len(v->root) ||
            tsmf_BundledCase_arguments(c) >= constants ||
            (tsmf_BundledCase_expected(c) != TSM_NO_INDEX && tsmf_BundledCase_expected(c) >= constants))
            return BAD(v, "test case %u is malformed", i);
    }
    return TSM_OK;
}

/* Adds a name to the message, as far as there is room. */
static void add_missing(verifier *v, uint32_t *count, const char *what, const char *name) {
    size_t used = *count ? tsm_chars_length(v->x.message) : 0;
    if (!(*count)++)
        used = tsm_format(v->x.message, v->x.message_bytes, "libtsmobile " TSM_VERSION_STRING " lacks the %s", what);
    if (v->x.message_bytes)
        tsm_format(v->x.message + used, v->x.message_bytes - used, " %s", name);
}

/* The version of a feature that is to know a version's instructions; NULL for another feature. */
static const char *instructions_version(const char *feature) {
    const char *prefix = TSM_FEATURE_INSTRUCTIONS;
    for (; *prefix; prefix++, feature++)
        if (*feature != *prefix)
            return NULL;
    return feature;
}

/* "MAJOR.MINOR.PATCH" as SINCE(MAJOR, MINOR); UINT32_MAX, newer than any, when it is none. */
static uint32_t read_version(const char *text) {
    uint32_t version = 0;
    for (int points = 0; *text; text++) {
        uint32_t minor = version & 0xff, digit = (uint32_t)(*text - '0');
        if (*text == '.') {
            if (points++)
                break;
            version <<= 8;
        } else if (digit > 9 || minor >= 25) {
            return UINT32_MAX;
        } else {
            version += minor * 9 + digit;
        }
    }
    return version;
}

/* Names everything that is missing. */
static tsm_status verify_support(verifier *v) {
    uint32_t missing = 0;
    if (tsmf_Program_version(v->root) != 1)
        return tsm_fail(&v->x, TSM_UNSUPPORTED, "the file has format version %u; this runtime reads version 1",
                        tsmf_Program_version(v->root));
    for (uint32_t i = 0; i < tsmf_Program_features_len(v->root); i++) {
        const char *feature = tsmf_Program_features(v->root, i);
        const char *version = instructions_version(feature);
        if (!version)
            add_missing(v, &missing, "features", feature);
        else if (read_version(version) > TSM_THIS_VERSION)
            return tsm_fail(&v->x, TSM_UNSUPPORTED,
                            "the file needs libtsmobile %s; this is libtsmobile " TSM_VERSION_STRING, version);
    }
    if (missing)
        return TSM_UNSUPPORTED;
    for (uint32_t i = 0; i < tsmf_Program_operators_len(v->root); i++)
        if (!tsm_operator_find(tsmf_Program_operators(v->root, i)))
            add_missing(v, &missing, "operators", tsmf_Program_operators(v->root, i));
    return missing ? TSM_UNSUPPORTED : TSM_OK;
}

static tsm_status verify_limits(verifier *v) {
    const uint32_t tables[] = {tsmf_Program_types_len(v->root),     tsmf_Program_constants_len(v->root),
                               tsmf_Program_storages_len(v->root),  tsmf_Program_functions_len(v->root),
                               tsmf_Program_operators_len(v->root), tsmf_Program_warnings(v->root)};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (tables[i] > MAX_TABLE)
            return BAD(v, "a table of the file is too large");
    if (tsmf_Program_stack_registers(v->root) > MAX_STACK_SLOTS ||
        tsmf_Program_stack_frames(v->root) > MAX_STACK_FRAMES)
        return BAD(v, "the stack that the file asks for is too large");
    return TSM_OK;
}

tsm_status tsm_program_open(tsm_program *program, const void *file, size_t bytes, char *message, size_t message_bytes) {
    verifier v;
    memset(&v, 0, sizeof v);
    memset(program, 0, sizeof *program);
    v.x.message = message;
    v.x.message_bytes = message_bytes;
    if ((uintptr_t)file % FILE_ALIGN)
        return BAD(&v, "the file must lie at a multiple of %d bytes in memory", FILE_ALIGN);
    if (bytes < 8 || memcmp((const char *)file + 4, TSMF_IDENTIFIER, 4) != 0)
        return BAD(&v, "this is not a .tsm file");
    if (!tsm_flat_verify(&tsmf_schema, file, bytes))
        return BAD(&v, "the file is damaged: its tables are malformed");
    program->file = file;
    program->file_bytes = bytes;
    v.root = tsmf_root(file);
    TSM_TRY(verify_support(&v));
    TSM_TRY(verify_limits(&v));
    TSM_TRY(verify_segment(&v, program));
    TSM_TRY(verify_types(&v));
    for (uint32_t i = 0; i < tsmf_Program_constants_len(v.root); i++)
        TSM_TRY(verify_constant(&v, i));
    TSM_TRY(verify_frames(&v));
    for (uint32_t i = 0; i < tsmf_Program_functions_len(v.root); i++)
        TSM_TRY(verify_function(&v, i));
    for (uint32_t i = 0; i < tsmf_Program_methods_len(v.root); i++)
        TSM_TRY(verify_method(&v, i));
    TSM_TRY(verify_bundle(&v));
    program->root = v.root.p;
    return TSM_OK;
}

static tsmf_Program root_of(const tsm_program *program) {
    return (tsmf_Program){program->root};
}

size_t tsm_method_count(const tsm_program *p) {
    return tsmf_Program_methods_len(root_of(p));
}

const char *tsm_method_name(const tsm_program *p, size_t method) {
    return tsmf_Method_name(tsmf_Program_methods(root_of(p), (uint32_t)method));
}

const char *tsm_method_schema(const tsm_program *p, size_t method) {
    return tsmf_Method_schema(tsmf_Program_methods(root_of(p), (uint32_t)method));
}

size_t tsm_method_arguments(const tsm_program *p, size_t method) {
    return tsmf_Method_arguments_len(tsmf_Program_methods(root_of(p), (uint32_t)method));
}

int tsm_method(const tsm_program *p, const char *name) {
    for (size_t i = 0; i < tsm_method_count(p); i++)
        if (!tsm_chars_compare(tsm_method_name(p, i), name))
            return (int)i;
    return -1;
}

size_t tsm_method_bytes(const tsm_program *p, size_t method) {
    uint32_t plan = tsmf_Method_plan(tsmf_Program_methods(root_of(p), (uint32_t)method));
    bool known = plan < tsmf_Program_plans_len(root_of(p));
    return known ? (size_t)tsmf_Plan_buffer_bytes(tsmf_Program_plans(root_of(p), plan)) : 0;
}

size_t tsm_bundle_count(const tsm_program *p) {
    return tsmf_Program_bundle_len(root_of(p));
}
