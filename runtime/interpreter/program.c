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
    uint32_t nodes;   /* of types that may still be visited */
    uint32_t opcodes; /* that the version has which the file says it needs */
    size_t used;      /* bytes of the message that names what is missing */
} verifier;

#define BAD(v, ...) tsm_fail(&(v)->x, TSM_BAD_FILE, __VA_ARGS__)

/* Limits that keep sums and products of what a file says far from the ends of their types, on 32-bit machines too. */
enum { FILE_ALIGN = 64, MAX_TABLE = 1 << 22, MAX_STACK_SLOTS = 1 << 24, MAX_STACK_FRAMES = 1 << 16 };
#define MAX_ELEMENTS (sizeof(tsm_dim) == 4 ? UINT64_C(1) << 27 : UINT64_C(1) << 44)

/* What an opcode's operands are (opcodes.def). */
static const char opcode_letters[][3] = {
#define OP(NAME, since, operands, formula, loops) operands,
#include "runtime/interpreter/opcodes.def"
#undef OP
};

/* How many opcodes a version has: they stand in the order of the versions that brought them. */
#define OPCODES_OF(version)                                                                                            \
    ((version) < SINCE(0, 2)   ? (uint32_t)TSM_OPCODE_ADD_I_LOOP                                                       \
     : (version) < SINCE(0, 3) ? (uint32_t)TSM_OPCODE_SHL_I                                                            \
                               : (uint32_t)TSM_OPCODE_COUNT)
#define OPCODES_BEFORE(since) ((since) > TSM_FIRST_VERSION ? OPCODES_OF((since)-1) : 0)

#define OP(NAME, since, operands, formula, loops)                                                                      \
    _Static_assert((since) <= TSM_THIS_VERSION, "the opcode " #NAME " is newer than this version of libtsmobile");     \
    _Static_assert(TSM_OPCODE_##NAME >= OPCODES_BEFORE(since) && TSM_OPCODE_##NAME < OPCODES_OF(since),                \
                   "OPCODES_OF tells something else of " #NAME);
#include "runtime/interpreter/opcodes.def"
#undef OP

/* ---- Tables ---- */

/* Whether a vector of the program has such an element. */
static bool has_row(const verifier *v, unsigned slot, uint32_t index) {
    return index < tsm_flat_length(v->root.p, slot);
}

static tsm_status verify_segment(verifier *v, tsm_program *p) {
    uint64_t at = tsmf_Program_segment_offset(v->root), bytes = tsmf_Program_segment_bytes(v->root);
    if (at % 64 || at > p->file_bytes || bytes > p->file_bytes - at)
        return BAD(v, "the segment of weights is not inside the file; is the file cut off?");
    p->segment = p->file + at;
    p->segment_bytes = (size_t)bytes;
    return TSM_OK;
}

/* Storages lie behind each other. */
static bool storage_fits(verifier *v, uint32_t i) {
    const tsmf_Storage *s = &tsmf_Program_storages(v->root)[i];
    uint64_t begin = i ? s[-1].offset + s[-1].bytes : 0, end = tsmf_Program_segment_bytes(v->root);
    return s->offset % 64 == 0 && s->offset >= begin && s->offset <= end && s->bytes <= end - s->offset;
}

/* What the elements of a tensor reach: false when it is more than `room` elements, or cannot be counted. With at most 8
 * dimensions nothing wraps, and MAX_ELEMENTS is a tsm_dim. */
static bool shape_fits(tsmf_TensorData t, uint32_t dims, uint64_t room) {
    uint64_t last = tsmf_TensorData_offset(t), elements = 1;
    const int64_t *sizes = tsmf_TensorData_sizes(t), *strides = tsmf_TensorData_strides(t);
    bool is_empty = false;
    if (last > room)
        return false;
    for (uint32_t d = 0; d < dims; d++) {
        uint64_t size = (uint64_t)sizes[d], stride = (uint64_t)strides[d], steps = size > 1 ? size - 1 : 1;
        if (stride > MAX_ELEMENTS / steps || (size && elements > MAX_ELEMENTS / size))
            return false;
        is_empty |= size == 0;
        elements *= size ? size : 1;
        last += size > 1 ? steps * stride : 0;
    }
    return is_empty || last < room;
}

static bool quantizer_fits(tsmf_TensorData t, uint32_t dims) {
    int32_t axis = tsmf_TensorData_quantizer_axis(t);
    uint8_t dtype = tsmf_TensorData_dtype(t);
    bool is_quantized = dtype == TSM_QINT8 || dtype == TSM_QUINT8 || dtype == TSM_QINT32;
    if (!is_quantized || axis == -2)
        return !is_quantized && axis == -2;
    const uint32_t dimension = (uint32_t)axis & ~(uint32_t)TSM_QUANTIZER_FLOATS;
    if (axis != -1 && dimension >= dims)
        return false;
    uint64_t channels = axis < 0 ? 1 : (uint64_t)tsmf_TensorData_sizes(t)[dimension];
    return channels && tsmf_TensorData_scales_len(t) == channels && tsmf_TensorData_zero_points_len(t) == channels;
}

static bool tensor_fits(const verifier *v, tsmf_TensorData t) {
    uint32_t dims = tsmf_TensorData_sizes_len(t);
    uint8_t dtype = tsmf_TensorData_dtype(t);
    if (!t.p || !tsm_dtype_exists(dtype) || dims > TSM_MAX_DIMS || tsmf_TensorData_strides_len(t) != dims)
        return false;
    const tsmf_Storage *s = &tsmf_Program_storages(v->root)[tsmf_TensorData_storage(t)];
    return shape_fits(t, dims, s->bytes / tsm_dtype_size((tsm_dtype)dtype)) && quantizer_fits(t, dims);
}

static bool is_of_kind(const verifier *v, uint32_t type, uint8_t kind) {
    return tsmf_Type_kind(tsmf_Program_types(v->root, type)) == kind;
}

/* Items stand before what contains them, so nothing contains itself. */
static bool constant_fits(verifier *v, uint32_t index) {
    /* What kind of type a constant of a kind may have; Any: none that anyone looks at. */
    static const uint8_t kinds[TSMF_ConstantKind_COUNT] = {
        [TSMF_ConstantKind_List] = TSMF_TypeKind_List,        [TSMF_ConstantKind_Dict] = TSMF_TypeKind_Dict,
        [TSMF_ConstantKind_Tuple] = TSMF_TypeKind_NamedTuple, [TSMF_ConstantKind_Object] = TSMF_TypeKind_Class,
        [TSMF_ConstantKind_Enum] = TSMF_TypeKind_Enum,
    };
    tsmf_Constant c = tsmf_Program_constants(v->root, index);
    uint32_t kind = tsmf_Constant_kind(c), items = tsmf_Constant_items_len(c), type = tsmf_Constant_type(c);
    if (kind >= TSMF_ConstantKind_COUNT)
        return false;
    for (uint32_t i = 0; i < items; i++)
        if (tsmf_Constant_items(c)[i] >= index)
            return false;
    if (kind == TSMF_ConstantKind_Tensor)
        return tensor_fits(v, tsmf_Constant_tensor(c));
    if (kind == TSMF_ConstantKind_Dict && items % 2)
        return false;
    uint8_t type_kind = kinds[kind];
    if (!type_kind)
        return true;
    if (type == TSM_NO_INDEX)
        return kind != TSMF_ConstantKind_Object && kind != TSMF_ConstantKind_Enum;
    if (!is_of_kind(v, type, type_kind))
        return false;
    tsmf_Type t = tsmf_Program_types(v->root, type);
    int64_t member = tsmf_Constant_integer(c);
    if (kind == TSMF_ConstantKind_Enum)
        return member >= 0 && member < tsmf_Type_members_len(t) && tsmf_Type_members(t)[member] < index;
    return type_kind <= TSMF_TypeKind_Dict || tsmf_Type_elements_len(t) == items;
}

static bool is_built_of_others(uint8_t kind) {
    return kind >= TSMF_TypeKind_List && kind <= TSMF_TypeKind_Future;
}

/* Walks through what a type is built of, down to names. Its depth and v->nodes bound the walk, so no type that passes
 * contains itself, and to compare one value with it takes no more steps than the file has bytes. */
static bool tree_fits(verifier *v, uint32_t type, int depth) {
    tsmf_Type t = tsmf_Program_types(v->root, type);
    if (!depth || !v->nodes--)
        return false;
    bool fits = true;
    if (is_built_of_others(tsmf_Type_kind(t)))
        for (uint32_t i = 0; i < tsmf_Type_elements_len(t) && fits; i++)
            fits = tree_fits(v, tsmf_Type_elements(t)[i], depth - 1);
    return fits;
}

static bool type_fits(verifier *v, uint32_t index) {
    tsmf_Type t = tsmf_Program_types(v->root, index);
    uint32_t elements = tsmf_Type_elements_len(t), names = tsmf_Type_field_names_len(t);
    switch (tsmf_Type_kind(t)) {
    case TSMF_TypeKind_List:
    case TSMF_TypeKind_Optional:
    case TSMF_TypeKind_Future:
        names = 1;
        break;
    case TSMF_TypeKind_Dict:
        names = 2;
        break;
    case TSMF_TypeKind_Enum:
        elements = tsmf_Type_members_len(t);
        break;
    case TSMF_TypeKind_Class:
    case TSMF_TypeKind_NamedTuple:
        break;
    default:
        names = elements;
        break;
    }
    return tsmf_Type_kind(t) < TSMF_TypeKind_COUNT && names == elements && tree_fits(v, index, TSM_MAX_TYPE_DEPTH);
}

/* ---- Code ---- */

typedef struct {
    tsmf_Function f;
    const uint32_t *operands;
    uint32_t operand_count, code_length;
    uint32_t room;    /* words that the lists still to be visited may have */
    uint32_t ends[4]; /* of the runs of value, int, float, bool registers */
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
        return has_row(v, TSMF_SLOT_constants, word & ~TSM_WORD_CONSTANT);
    int run = run_of(c, word & TSM_WORD_INDEX);
    return run >= 0 && (!(word & TSM_WORD_LAST_USE) || run == 0);
}

/* How many inputs and outputs the list of an opcode has. */
enum { ANY_NUMBER = 255 };
typedef struct {
    uint8_t op, inputs, outputs;
} list_form;

static const list_form list_forms[] = {
    {TSM_OPCODE_CALL, ANY_NUMBER, 1},
    {TSM_OPCODE_FORK, ANY_NUMBER, 1},
    {TSM_OPCODE_INTERFACE_CALL, ANY_NUMBER, 1},
    {TSM_OPCODE_RET, 1, 0},
    {TSM_OPCODE_RAISE, 2, 0},
    {TSM_OPCODE_WARN, 2, 0},
    {TSM_OPCODE_PRINT, ANY_NUMBER, 0},
    {TSM_OPCODE_TUPLE_CONSTRUCT, ANY_NUMBER, 0},
    {TSM_OPCODE_NAMED_TUPLE_CONSTRUCT, ANY_NUMBER, 0},
    {TSM_OPCODE_ISINSTANCE, ANY_NUMBER, 0},
    {TSM_OPCODE_TUPLE_SLICE, 2, 0},
    {TSM_OPCODE_LIST_UNPACK, 0, ANY_NUMBER},
    {TSM_OPCODE_TUPLE_UNPACK, 0, ANY_NUMBER},
    {TSM_OPCODE_LIST_CONSTRUCT, ANY_NUMBER, 1},
    {TSM_OPCODE_DICT_CONSTRUCT, ANY_NUMBER, 1},
    {TSM_OPCODE_GUARD, ANY_NUMBER, 1},
};
enum { LIST_FORMS = sizeof list_forms / sizeof list_forms[0] };
_Static_assert(TSM_OPCODE_COUNT <= 255, "opcodes are bytes in list_forms");

static bool is_number(uint32_t n, uint32_t wanted) {
    return wanted == ANY_NUMBER || n == wanted;
}

/* An operator that takes any number takes those that its schema names. */
static bool operator_fits(const tsm_operator *o, uint32_t inputs, uint32_t outputs) {
    uint32_t named = 0;
    while (o->accepted_types[named])
        named++;
    return inputs >= named && is_number(inputs, o->inputs) && is_number(outputs, o->outputs) &&
           inputs <= TSM_MAX_OPERATOR_INPUTS && outputs <= TSM_MAX_OPERATOR_OUTPUTS;
}

/* Whether there may be so many inputs and outputs. */
static bool counts_fit(const verifier *v, const tsmf_Instruction *in, uint32_t inputs, uint32_t outputs) {
    if (in->op == TSM_OPCODE_OP)
        return operator_fits(tsm_operator_find(tsmf_Program_operators(v->root, in->a)), inputs, outputs);
    for (size_t i = 0; i < LIST_FORMS; i++)
        if (list_forms[i].op == in->op &&
            !(is_number(inputs, list_forms[i].inputs) && is_number(outputs, list_forms[i].outputs)))
            return false;
    switch (in->op) {
    case TSM_OPCODE_CALL:
    case TSM_OPCODE_FORK:
        return inputs == tsmf_Function_parameters_len(tsmf_Program_functions(v->root, in->a));
    case TSM_OPCODE_INTERFACE_CALL:
        return inputs > 0;
    case TSM_OPCODE_DICT_CONSTRUCT:
        return inputs % 2 == 0;
    case TSM_OPCODE_NAMED_TUPLE_CONSTRUCT:
        return is_of_kind(v, in->b, TSMF_TypeKind_NamedTuple) &&
               inputs == tsmf_Type_elements_len(tsmf_Program_types(v->root, in->b));
    default:
        return true;
    }
}

static bool input_fits(const verifier *v, const code_check *c, uint32_t op, uint32_t word) {
    return op == TSM_OPCODE_ISINSTANCE ? has_row(v, TSMF_SLOT_types, word)
                                       : op == TSM_OPCODE_TUPLE_SLICE || is_input(v, c, word);
}

static bool output_fits(const verifier *v, const code_check *c, uint32_t op, uint32_t word) {
    switch (op) {
    case TSM_OPCODE_GUARD:
        return has_row(v, TSMF_SLOT_plans, word);
    case TSM_OPCODE_LIST_CONSTRUCT:
    case TSM_OPCODE_DICT_CONSTRUCT:
        return has_row(v, TSMF_SLOT_types, word) &&
               is_of_kind(v, word, op == TSM_OPCODE_LIST_CONSTRUCT ? TSMF_TypeKind_List : TSMF_TypeKind_Dict);
    default:
        return op == TSM_OPCODE_FORK ? run_of(c, word) == 0 : run_of(c, word) >= 0;
    }
}

static bool list_fits(const verifier *v, code_check *c, const tsmf_Instruction *in, uint32_t at) {
    if (c->room < 2 || at > c->operand_count - 2)
        return false;
    uint32_t inputs = c->operands[at], outputs = c->operands[at + 1], room = c->operand_count - at - 2;
    if (inputs > room || outputs > room - inputs || 2 + inputs + outputs > c->room ||
        !counts_fit(v, in, inputs, outputs))
        return false;
    c->room -= 2 + inputs + outputs;
    const uint32_t *words = c->operands + at + 2;
    for (uint32_t i = 0; i < inputs + outputs; i++)
        if (!(i < inputs ? input_fits : output_fits)(v, c, in->op, words[i]))
            return false;
    return true;
}

/* One operand: b and c together when it is wide. */
static bool operand_fits(const verifier *v, code_check *c, const tsmf_Instruction *in, uint32_t pc, char letter,
                         uint32_t value, bool is_wide) {
    switch (letter) {
    case '-':
        return value == 0;
    case 'n':
    case 'u':
    case 'N':
    case 's':
        return true;
    case 'k':
    case 'K':
        return has_row(v, TSMF_SLOT_constants, value);
    case 'j':
    case 'J': {
        int64_t to = (int64_t)pc + 1 + (is_wide ? (int32_t)value : (int16_t)value);
        return to >= 0 && to < c->code_length;
    }
    case 't':
    case 'T':
        return has_row(v, TSMF_SLOT_types, value);
    case 'o':
        return has_row(v, TSMF_SLOT_operators, value);
    case 'f':
        return has_row(v, TSMF_SLOT_functions, value);
    case 'm':
        return has_row(v, TSMF_SLOT_method_names, value);
    case 'l':
    case 'L':
        return list_fits(v, c, in, value);
    default:
        return is_register(c, value, letter);
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

static bool instruction_fits(const verifier *v, code_check *c, const tsmf_Instruction *in, uint32_t pc) {
    if (in->op >= v->opcodes)
        return false;
    const char *letters = opcode_letters[in->op];
    uint32_t wide = (uint32_t)in->b | (uint32_t)in->c << 16;
    if (!operand_fits(v, c, in, pc, letters[0], in->a, false) ||
        !operand_fits(v, c, in, pc, letters[1], letters[2] ? in->b : wide, !letters[2]) ||
        (letters[2] && !operand_fits(v, c, in, pc, letters[2], in->c, false)))
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
        return run_of(c, in->a) == run_of_constant(v, wide);
    case TSM_OPCODE_CREATE_OBJECT:
        return is_of_kind(v, wide, TSMF_TypeKind_Class);
    default:
        return true;
    }
}

static bool code_fits(const verifier *v, code_check *c) {
    const tsmf_Instruction *code = tsmf_Function_code(c->f);
    for (uint32_t pc = 0; pc < c->code_length; pc++)
        if (!instruction_fits(v, c, &code[pc], pc))
            return false;
    uint16_t last = c->code_length ? code[c->code_length - 1].op : (uint16_t)TSM_OPCODE_COUNT;
    return last == TSM_OPCODE_RET || last == TSM_OPCODE_JMP || last == TSM_OPCODE_RAISE;
}

static bool with_fits(const verifier *v, const code_check *c, const tsmf_WithRange *w) {
    return w->begin <= w->end && w->end <= c->code_length && w->object < c->ends[0] &&
           has_row(v, TSMF_SLOT_functions, w->exit_function) &&
           tsmf_Function_parameters_len(tsmf_Program_functions(v->root, w->exit_function)) == 4;
}

static bool function_fits(verifier *v, uint32_t index) {
    code_check c;
    c.f = tsmf_Program_functions(v->root, index);
    c.operands = tsmf_Function_operands(c.f);
    c.room = c.operand_count = tsmf_Function_operands_len(c.f);
    c.code_length = tsmf_Function_code_len(c.f);
    c.ends[0] = tsmf_Function_value_registers(c.f);
    c.ends[1] = c.ends[0] + tsmf_Function_int_registers(c.f);
    c.ends[2] = c.ends[1] + tsmf_Function_float_registers(c.f);
    c.ends[3] = c.ends[2] + tsmf_Function_bool_registers(c.f);
    bool fits = code_fits(v, &c);
    for (uint32_t i = 0; i < tsmf_Function_parameters_len(c.f); i++)
        fits &= tsmf_Function_parameters(c.f)[i] < c.ends[3];
    for (uint32_t i = 0; i < tsmf_Function_withs_len(c.f); i++)
        fits &= with_fits(v, &c, &tsmf_Function_withs(c.f)[i]);
    return fits;
}

static bool method_fits(verifier *v, uint32_t index) {
    tsmf_Method m = tsmf_Program_methods(v->root, index);
    uint32_t arguments = tsmf_Method_arguments_len(m), parameters = arguments + (tsmf_Method_self(m) != TSM_NO_INDEX);
    return arguments < TSM_MAX_OPERATOR_INPUTS &&
           tsmf_Function_parameters_len(tsmf_Program_functions(v->root, tsmf_Method_function(m))) == parameters;
}

/* Adds a name to the message, as far as there is room. */
static tsm_status add_missing(verifier *v, const char *what, const char *name) {
    char *message = v->x.message;
    size_t room = v->x.message_bytes;
    if (!v->used)
        v->used = tsm_format(message, room, "libtsmobile " TSM_VERSION_STRING " lacks the %s", what);
    v->used += tsm_format(message + v->used, room - v->used, " %s", name);
    return TSM_UNSUPPORTED;
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
    int points = 0;
    for (int left = 16; *text; text++) {
        if (!left--)
            return UINT32_MAX;
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
    return points ? version : UINT32_MAX;
}

/* Names everything that is missing. */
static tsm_status verify_support(verifier *v) {
    tsm_status status = TSM_OK;
    uint32_t newest = TSM_FIRST_VERSION;
    if (tsmf_Program_version(v->root) != 1)
        return tsm_fail(&v->x, TSM_UNSUPPORTED, "the file has format version %u; this runtime reads version 1",
                        tsmf_Program_version(v->root));
    for (uint32_t i = 0; i < tsmf_Program_features_len(v->root); i++) {
        const char *feature = tsmf_Program_features(v->root, i);
        const char *version = instructions_version(feature);
        if (!version)
            status = add_missing(v, "features", feature);
        else if (read_version(version) > TSM_THIS_VERSION)
            return tsm_fail(&v->x, TSM_UNSUPPORTED,
                            "the file needs libtsmobile %s; this is libtsmobile " TSM_VERSION_STRING, version);
        else if (read_version(version) > newest)
            newest = read_version(version);
    }
    v->opcodes = OPCODES_OF(newest);
    if (status != TSM_OK)
        return status;
    for (uint32_t i = 0; i < tsmf_Program_operators_len(v->root); i++)
        if (!tsm_operator_find(tsmf_Program_operators(v->root, i)))
            status = add_missing(v, "operators", tsmf_Program_operators(v->root, i));
    return status;
}

/* The tables of the program whose rows are checked one by one, in this order. */
#define TABLE_LIST(X)                                                                                                  \
    X(storages, "storage", storage_fits)                                                                               \
    X(types, "type", type_fits)                                                                                        \
    X(constants, "constant", constant_fits)                                                                            \
    X(functions, "function", function_fits)                                                                            \
    X(methods, "method", method_fits)

typedef struct {
    bool (*fits)(verifier *v, uint32_t index);
    uint8_t slot;
} table_check;

#define X(table, row, fits) {fits, TSMF_SLOT_##table},
static const table_check table_checks[] = {TABLE_LIST(X)};
#undef X
#define X(table, row, fits) row "\0"
static const char table_rows[] = TABLE_LIST(X);
#undef X

static tsm_status verify_tables(verifier *v) {
    if (tsmf_Program_operators_len(v->root) > MAX_TABLE || tsmf_Program_warnings(v->root) > MAX_TABLE ||
        tsmf_Program_stack_registers(v->root) > MAX_STACK_SLOTS ||
        tsmf_Program_stack_frames(v->root) > MAX_STACK_FRAMES)
        return BAD(v, "the file asks for too much memory");
    for (size_t i = 0; i < sizeof table_checks / sizeof table_checks[0]; i++) {
        const table_check *c = &table_checks[i];
        for (uint32_t row = 0; row < tsm_flat_length(v->root.p, c->slot); row++)
            if (row == MAX_TABLE || !c->fits(v, row))
                return BAD(v, "the file is damaged: %s %u is malformed", tsm_name_at(table_rows, (unsigned)i), row);
    }
    return TSM_OK;
}

tsm_status tsm_program_open(tsm_program *program, const void *file, size_t bytes, char *message, size_t message_bytes) {
    verifier v;
    memset(&v, 0, sizeof v);
    memset(program, 0, sizeof *program);
    v.x.message = message;
    v.x.message_bytes = message ? message_bytes : 0;
    if ((uintptr_t)file % FILE_ALIGN)
        return BAD(&v, "the file must lie at a multiple of %d bytes in memory", FILE_ALIGN);
    if (bytes < 8 || memcmp((const char *)file + 4, TSMF_IDENTIFIER, 4) != 0)
        return BAD(&v, "this is not a .tsm file");
    if (!tsm_flat_verify(&tsmf_schema, file, bytes))
        return BAD(&v, "the file is damaged: its tables are malformed");
    program->file = file;
    program->file_bytes = bytes;
    v.root = tsmf_root(file);
    v.nodes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    TSM_TRY(verify_support(&v));
    TSM_TRY(verify_segment(&v, program));
    TSM_TRY(verify_tables(&v));
    program->root = v.root.p;
    return TSM_OK;
}

static tsmf_Program program_root_of(const tsm_program *program) {
    return (tsmf_Program){program->root};
}

size_t tsm_method_count(const tsm_program *p) {
    return tsmf_Program_methods_len(program_root_of(p));
}

const char *tsm_method_name(const tsm_program *p, size_t method) {
    return tsmf_Method_name(tsmf_Program_methods(program_root_of(p), (uint32_t)method));
}

int tsm_method(const tsm_program *p, const char *name) {
    for (size_t i = 0; i < tsm_method_count(p); i++)
        if (!tsm_chars_compare(tsm_method_name(p, i), name))
            return (int)i;
    return -1;
}

size_t tsm_method_bytes(const tsm_program *p, size_t method) {
    uint32_t plan = tsmf_Method_plan(tsmf_Program_methods(program_root_of(p), (uint32_t)method));
    bool known = plan < tsmf_Program_plans_len(program_root_of(p));
    return known ? (size_t)tsmf_Plan_buffer_bytes(tsmf_Program_plans(program_root_of(p), plan)) : 0;
}
