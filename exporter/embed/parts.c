/* Finds which parts of libtsmobile instructions and constants of programs can reach. */
#include "exporter/embed/parts.h"

#include <string.h>

#include "exporter/base/mem.h"
#include "exporter/embed/kernel_names.h"
#include "runtime/interpreter/opcodes.h"
#include "runtime/kernels/simd/f32.h"
#include "runtime/value/value.h"
#include "schema/generated/tsmobile_reader.h"

/* When a program needs a part. */
enum {
    ACTIVATIONS = 1 << 0, /* a product is finished by an activation that is more than a clamp, or may be */
    RESIDUALS = 1 << 1,   /* a product is added to something */
    DEPTHWISE = 1 << 2,   /* a convolution has groups */
    QUANTIZED = 1 << 3,   /* something is quantized */
};

typedef struct {
    bool has_opcode[TSM_OPCODE_COUNT];
    unsigned conditions;
} needs;

/* The constant at an operator's argument; false: a register is there. */
static bool constant_at(tsmf_Program root, const uint32_t *list, int argument, tsmf_Constant *c) {
    const uint32_t word = list[2 + argument];
    if (!(word & TSM_WORD_CONSTANT))
        return false;
    *c = tsmf_Program_constants(root, word & ~TSM_WORD_CONSTANT);
    return true;
}

static bool is_int_within(tsmf_Program root, const uint32_t *list, int argument, int64_t low, int64_t high) {
    tsmf_Constant c;
    return constant_at(root, list, argument, &c) && tsmf_Constant_kind(c) == TSMF_ConstantKind_Int &&
           tsmf_Constant_integer(c) >= low && tsmf_Constant_integer(c) <= high;
}

static bool is_none(tsmf_Program root, const uint32_t *list, int argument) {
    tsmf_Constant c;
    return constant_at(root, list, argument, &c) && tsmf_Constant_kind(c) == TSMF_ConstantKind_None;
}

static void look_at_operator(needs *n, tsmf_Program root, const char *name, const uint32_t *list) {
    if (strstr(name, "quantiz"))
        n->conditions |= QUANTIZED;
    if (!strcmp(name, "tsm::pointwise")) /* its code is text, in which activations are steps like others */
        n->conditions |= ACTIVATIONS;
    for (const embed_finished *o = embed_finished_operators; o->name; o++) {
        if (strcmp(o->name, name))
            continue;
        if (!is_int_within(root, list, o->activation, TSM_ACT_NONE, TSM_ACT_CLAMP))
            n->conditions |= ACTIVATIONS;
        if (o->residual >= 0 && !is_none(root, list, o->residual))
            n->conditions |= RESIDUALS;
        if (o->groups >= 0 && !is_int_within(root, list, o->groups, 1, 1))
            n->conditions |= DEPTHWISE;
    }
}

static void look_at_code(needs *n, tsmf_Program root) {
    for (uint32_t i = 0; i < tsmf_Program_functions_len(root); i++) {
        const tsmf_Function f = tsmf_Program_functions(root, i);
        const tsmf_Instruction *code = tsmf_Function_code(f);
        for (uint32_t k = 0; k < tsmf_Function_code_len(f); k++) {
            n->has_opcode[code[k].op] = true;
            if (code[k].op == TSM_OPCODE_OP)
                look_at_operator(n, root, tsmf_Program_operators(root, code[k].a),
                                 tsmf_Function_operands(f) + (code[k].b | (uint32_t)code[k].c << 16));
        }
    }
}

static bool is_quantized(unsigned dtype) {
    return dtype == TSM_QINT8 || dtype == TSM_QUINT8 || dtype == TSM_QINT32;
}

static void look_at_tensors(needs *n, tsmf_Program root) {
    for (uint32_t i = 0; i < tsmf_Program_constants_len(root); i++) {
        const tsmf_Constant c = tsmf_Program_constants(root, i);
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
    "typedef struct packed_conv packed_conv;\ntypedef struct pool_window pool_window;\n\n"
    "tsm_status tsm_fail(tsm_exec *x, tsm_status status, const char *format, ...);\n\n"
    "static inline tsm_status is_missing(tsm_exec *x) {\n"
    "    return tsm_fail(x, TSM_UNSUPPORTED, \"operators.c was made for programs that do not need a part of "
    "libtsmobile: make it again with this one\");\n}\n\n";

const char *embed_parts(const embed_program *programs) {
    needs n = {0};
    for (size_t i = 0; i < arrlenu(programs); i++) {
        const tsmf_Program root = {programs[i].program.root};
        look_at_code(&n, root);
        look_at_tensors(&n, root);
    }
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
