/* Finds which parts of libtsmobile instructions and constants of programs can reach. */
#include "exporter/embed/parts.h"

#include <string.h>

#include "exporter/base/mem.h"
#include "exporter/embed/kernel_names.h"
#include "runtime/interpreter/opcodes.h"
#include "runtime/kernels/simd/f32.h"
#include "runtime/operators/operator_table.h"
#include "schema/generated/tsmobile_reader.h"

/* When a program needs a part. */
enum {
    ACTIVATIONS = 1 << 0,  /* a product is finished by an activation that is more than a clamp, or may be */
    RESIDUALS = 1 << 1,    /* a product is added to something */
    DEPTHWISE = 1 << 2,    /* a convolution has groups */
    QUANTIZED = 1 << 3,    /* something is quantized */
    DESTINATIONS = 1 << 4, /* an operator writes to a tensor that it is given */
    TENSOR_TEXTS = 1 << 5, /* an operator that makes texts of values is given what may be a tensor */
    /* A depthwise convolution has this many columns, and pixels this many taps apart. */
    DEPTHWISE_3_1 = 1 << 6,
    DEPTHWISE_3_2 = 1 << 7,
    DEPTHWISE_5_1 = 1 << 8,
    DEPTHWISE_5_2 = 1 << 9,
    LARGE = 1 << 10,          /* an instruction is not one of the small loop's */
    RARE_CONSTANTS = 1 << 11, /* a constant is a dict, tuple, enum or complex number */
    DEPTHWISE_FORMS = DEPTHWISE_3_1 | DEPTHWISE_3_2 | DEPTHWISE_5_1 | DEPTHWISE_5_2
};

/* Of each opcode: which loop has it. */
#define SMALL 0
static const uint16_t opcode_loops[TSM_OPCODE_COUNT] = {
#define OP(NAME, since, operands, formula, loops) loops,
#include "runtime/interpreter/opcodes.def"
#undef OP
};
#undef SMALL

typedef struct {
    bool has_opcode[TSM_OPCODE_COUNT];
    unsigned conditions;
} needs;

/* An operator's call. */
typedef struct {
    tsmf_Program root;
    tsmf_Function f;
    uint32_t pc;
    const char *name;
    const uint32_t *list;
} call;

static const uint32_t *list_of(tsmf_Function f, tsmf_Instruction in) {
    return tsmf_Function_operands(f) + (in.b | (uint32_t)in.c << 16);
}

/* The constant that a word names; false: a register is there. */
static bool constant_of(tsmf_Program root, uint32_t word, tsmf_Constant *c) {
    if (!(word & TSM_WORD_CONSTANT))
        return false;
    *c = tsmf_Program_constants(root, word & ~TSM_WORD_CONSTANT);
    return true;
}

static bool is_kind(const call *o, int argument, int kind, tsmf_Constant *c) {
    return constant_of(o->root, o->list[2 + argument], c) && tsmf_Constant_kind(*c) == kind;
}

static bool is_int_within(const call *o, int argument, int64_t low, int64_t high) {
    tsmf_Constant c;
    return is_kind(o, argument, TSMF_ConstantKind_Int, &c) && tsmf_Constant_integer(c) >= low &&
           tsmf_Constant_integer(c) <= high;
}

/* The last int of a list: a constant, or constructed of constants before the call. 0: not found. */
static int64_t last_of_list(const call *o, int argument) {
    tsmf_Constant c;
    uint32_t word = o->list[2 + argument], n;
    if (constant_of(o->root, word, &c)) {
        n = tsmf_Constant_items_len(c);
        return n ? tsmf_Constant_integer(tsmf_Program_constants(o->root, tsmf_Constant_items(c)[n - 1])) : 0;
    }
    for (uint32_t pc = o->pc; pc-- > 0;) {
        const tsmf_Instruction in = tsmf_Function_code(o->f)[pc];
        if (in.op != TSM_OPCODE_LIST_CONSTRUCT || in.a != (word & TSM_WORD_INDEX))
            continue;
        const uint32_t *made = list_of(o->f, in);
        return made[0] && constant_of(o->root, made[1 + made[0]], &c) ? tsmf_Constant_integer(c) : 0;
    }
    return 0;
}

/* The forms of the depthwise loop that this convolution runs well in; any form computes the same. */
static unsigned depthwise_forms(const call *o, const embed_finished *at) {
    tsmf_Constant weight;
    if (!is_kind(o, at->weight, TSMF_ConstantKind_Tensor, &weight))
        return DEPTHWISE_FORMS;
    const tsmf_TensorData t = tsmf_Constant_tensor(weight);
    const uint32_t dims = tsmf_TensorData_sizes_len(t);
    const int64_t stride = last_of_list(o, at->stride), dilation = last_of_list(o, at->dilation);
    unsigned forms = dims < 3                                  ? 0
                     : tsmf_TensorData_sizes(t)[dims - 3] == 3 ? DEPTHWISE_3_1 | DEPTHWISE_3_2
                     : tsmf_TensorData_sizes(t)[dims - 3] == 5 ? DEPTHWISE_5_1 | DEPTHWISE_5_2
                                                               : 0;
    if (stride && dilation)
        forms &= stride == dilation       ? DEPTHWISE_3_1 | DEPTHWISE_5_1
                 : stride == 2 * dilation ? DEPTHWISE_3_2 | DEPTHWISE_5_2
                                          : 0;
    return forms;
}

static unsigned finished_needs(const call *o, const embed_finished *at) {
    tsmf_Constant c;
    unsigned conditions = 0;
    if (!is_int_within(o, at->activation, TSM_ACT_NONE, TSM_ACT_CLAMP))
        conditions |= ACTIVATIONS;
    if (at->residual >= 0 && !is_kind(o, at->residual, TSMF_ConstantKind_None, &c))
        conditions |= RESIDUALS;
    if (at->groups >= 0 && !is_int_within(o, at->groups, 1, 1))
        conditions |= DEPTHWISE | depthwise_forms(o, at);
    return conditions;
}

/* Whether an input may be a tensor, or hold one. */
static bool may_be_tensor(const call *o, uint32_t word) {
    tsmf_Constant c;
    return constant_of(o->root, word, &c) ? tsmf_Constant_kind(c) >= TSMF_ConstantKind_Tensor
                                          : (word & TSM_WORD_INDEX) < tsmf_Function_value_registers(o->f);
}

static bool is_listed(const char *const *names, const char *name) {
    while (*names && strcmp(*names, name))
        names++;
    return *names != NULL;
}

static void look_at_operator(needs *n, const call *o) {
    const tsm_operator *row = tsm_operator_table;
    while (row->name && strcmp(row->name, o->name))
        row++;
    if (row->kind != TSM_OP_FUNCTIONAL || row->overlap != TSM_OVERLAP_ANY)
        n->conditions |= DESTINATIONS;
    if (strstr(o->name, "quantiz"))
        n->conditions |= QUANTIZED;
    if (!strcmp(o->name, "tsm::pointwise")) /* its code is text, in which activations are steps like others */
        n->conditions |= ACTIVATIONS;
    for (uint32_t i = 0; i < o->list[0] && is_listed(embed_text_operators, o->name); i++)
        if (may_be_tensor(o, o->list[2 + i]))
            n->conditions |= TENSOR_TEXTS;
    for (const embed_finished *at = embed_finished_operators; at->name; at++)
        if (!strcmp(at->name, o->name))
            n->conditions |= finished_needs(o, at);
}

static void look_at_code(needs *n, tsmf_Program root) {
    for (uint32_t i = 0; i < tsmf_Program_functions_len(root); i++) {
        const tsmf_Function f = tsmf_Program_functions(root, i);
        for (uint32_t pc = 0; pc < tsmf_Function_code_len(f); pc++) {
            const tsmf_Instruction in = tsmf_Function_code(f)[pc];
            n->has_opcode[in.op] = true;
            if (in.op == TSM_OPCODE_DICT_PEEK) /* it fails as DICT_GET does */
                n->has_opcode[TSM_OPCODE_DICT_GET] = true;
            n->conditions |= opcode_loops[in.op];
            if (in.op == TSM_OPCODE_OP)
                look_at_operator(n, &(call){root, f, pc, tsmf_Program_operators(root, in.a), list_of(f, in)});
        }
    }
    if (n->has_opcode[TSM_OPCODE_PRINT] || n->has_opcode[TSM_OPCODE_DICT_GET] || n->has_opcode[TSM_OPCODE_DICT_GET_S])
        n->conditions |= TENSOR_TEXTS;
}

static bool is_quantized(unsigned dtype) {
    return dtype == TSM_QINT8 || dtype == TSM_QUINT8 || dtype == TSM_QINT32;
}

static bool is_rare(unsigned kind) {
    return kind == TSMF_ConstantKind_Dict || kind == TSMF_ConstantKind_Tuple || kind == TSMF_ConstantKind_Enum ||
           kind == TSMF_ConstantKind_Complex;
}

static void look_at_constants(needs *n, tsmf_Program root) {
    for (uint32_t i = 0; i < tsmf_Program_constants_len(root); i++) {
        const tsmf_Constant c = tsmf_Program_constants(root, i);
        if (is_rare(tsmf_Constant_kind(c)))
            n->conditions |= RARE_CONSTANTS;
        if (tsmf_Constant_kind(c) == TSMF_ConstantKind_Tensor &&
            is_quantized(tsmf_TensorData_dtype(tsmf_Constant_tensor(c))))
            n->conditions |= QUANTIZED;
    }
    for (uint32_t i = 0; i < tsmf_Program_methods_len(root); i++) {
        const tsmf_Method m = tsmf_Program_methods(root, i);
        for (uint32_t k = 0; k < tsmf_Method_inputs_len(m); k++)
            if (is_quantized(tsmf_TensorInfo_dtype(tsmf_Method_inputs(m, k))))
                n->conditions |= QUANTIZED;
    }
}

static const char head[] =
    "\n/* Parts of libtsmobile that these programs do not reach. */\n"
    "#if defined(__GNUC__) && !defined(_WIN32)\n"
    "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n"
    "typedef struct {\n    void *inst;\n    tsm_exec *x;\n} machine; /* as it begins */\n"
    "typedef struct tsm_tensor tsm_tensor;\ntypedef struct fused_finish fused_finish;\n"
    "typedef struct packed_conv packed_conv;\ntypedef struct pool_window pool_window;\n"
    "typedef struct tsm_depthwise_run tsm_depthwise_run;\ntypedef struct depthwise_inside depthwise_inside;\n"
    "typedef struct {\n    char *text;\n    size_t length, capacity;\n    tsm_status status;\n    bool is_fixed;\n} "
    "tsm_text;\n\n"
    "/* Libraries that choose their loops at run time have no such function, and nobody calls those that call it. */\n"
    "#if !defined(__APPLE__)\n__attribute__((weak))\n#endif\n"
    "void tsm_depthwise_any(const tsm_depthwise_run *d, const depthwise_inside *in);\n"
    "tsm_status tsm_run_small(tsm_instance *inst, uint32_t function, const tsm_value *arguments, uint32_t n, "
    "tsm_value *result);\n"
    "tsm_status tsm_fail(tsm_exec *x, tsm_status status, const char *format, ...);\n\n"
    "static inline tsm_status is_missing(tsm_exec *x) {\n"
    "    return tsm_fail(x, TSM_UNSUPPORTED, \"operators.c was made for programs that do not need a part of "
    "libtsmobile: make it again with this one\");\n}\n\n";

const char *embed_parts(const embed_program *programs) {
    needs n = {0};
    for (size_t i = 0; i < arrlenu(programs); i++) {
        const tsmf_Program root = {programs[i].program.root};
        look_at_code(&n, root);
        look_at_constants(&n, root);
    }
    if (!(n.conditions & DEPTHWISE)) /* nothing calls the forms */
        n.conditions |= DEPTHWISE_FORMS;
    strbuf b = {0};
    strbuf_printf(&b, "%s", head);
#define INSTRUCTION_PART(function, arguments, opcode, other)                                                           \
    if (!n.has_opcode[TSM_OPCODE_##opcode] && !n.has_opcode[TSM_OPCODE_##other])                                       \
        strbuf_printf(&b, "tsm_status %s%s {\n    return is_missing(m->x);\n}\n", #function, #arguments);
#define KERNEL_PART(CONDITION, result, function, arguments, failure)                                                   \
    if (!(n.conditions & CONDITION))                                                                                   \
        strbuf_printf(&b, "%s %s%s {\n    %s\n}\n", #result, #function, #arguments, #failure);
#include "runtime/value/parts.def"
    strbuf_printf(&b, "#endif\n");
    return strbuf_text(&b);
}
