/* The text of an image, and the layout of its storages in the file. */
#include "exporter/codegen/image.h"

#include <inttypes.h>
#include <string.h>

#include "exporter/schema/schema.h"
#include "runtime/interpreter/opcodes.h"
#include "schema/generated/tsmobile_reader.h"

const opcode_info opcode_table[OPCODE_COUNT] = {
#define OP(NAME, since, operands, formula, loops) {#NAME, since, operands, formula},
#include "runtime/interpreter/opcodes.def"
#undef OP
};

enum { SEGMENT_ALIGN = 64 };

/* ---- Versions ---- */

uint32_t image_operator_version(const char *name) {
    const op_schema *s = schema_find(name);
    return s && s->traits.since ? s->traits.since : TSM_FIRST_VERSION;
}

uint32_t image_version(const image *m) {
    uint32_t newest = TSM_FIRST_VERSION;
    for (size_t i = 0; i < arrlenu(m->operators); i++) {
        const uint32_t since = image_operator_version(m->operators[i]);
        newest = since > newest ? since : newest;
    }
    for (size_t i = 0; i < arrlenu(m->functions); i++)
        for (size_t pc = 0; pc < arrlenu(m->functions[i].code); pc++) {
            uint32_t since = opcode_table[m->functions[i].code[pc].op].since;
            newest = since > newest ? since : newest;
        }
    return newest;
}

const char *image_version_text(uint32_t version) {
    return mem_printf("%u.%u.0", version >> 8, version & 0xff);
}

void image_state_version(image *m) {
    uint32_t version = image_version(m);
    if (version > TSM_FIRST_VERSION)
        arrput(m->features, mem_printf(TSM_FEATURE_INSTRUCTIONS "%s", image_version_text(version)));
}

/* ---- Layout ---- */

void image_lay_out(image *m) {
    uint64_t at = 0;
    for (size_t i = 0; i < arrlenu(m->storages); i++) {
        m->storages[i].offset = at;
        at = (at + m->storages[i].bytes + SEGMENT_ALIGN - 1) / SEGMENT_ALIGN * SEGMENT_ALIGN;
    }
    m->segment_bytes = at;
}

/* ---- Plans ---- */

/* Guards are lowered, and plans numbered, in the order in which they are asked. */
uint32_t *image_plans_of(const image *m, const image_method *method) {
    const image_function *f = &m->functions[method->function];
    uint32_t *plans = NULL;
    for (size_t pc = 0; pc < arrlenu(f->code); pc++) {
        if (f->code[pc].op != OPCODE_GUARD)
            continue;
        const uint32_t *list = f->operands + ((uint32_t)f->code[pc].b | (uint32_t)f->code[pc].c << 16);
        const uint32_t plan = list[2 + list[0]];
        size_t at = arrlenu(plans);
        while (at && plans[at - 1] > plan)
            at--;
        arrins(plans, at, plan);
    }
    return plans;
}

/* ---- Text ---- */

static const char *const register_letters = "VIFB";

static void print_register(const image_function *f, uint32_t r, strbuf *out) {
    uint32_t counts[] = {f->value_registers, f->int_registers, f->float_registers, f->bool_registers};
    for (int c = 0; c < 4; c++) {
        if (r < counts[c]) {
            strbuf_printf(out, "%c%u", register_letters[c] + ('a' - 'A'), r);
            return;
        }
        r -= counts[c];
    }
    strbuf_add(out, "r?");
}

static void print_constant(const image *m, uint32_t index, strbuf *out) {
    stack_check();
    const image_constant *c = &m->constants[index];
    switch (c->kind) {
    case TSMF_ConstantKind_None:
        strbuf_add(out, "None");
        break;
    case TSMF_ConstantKind_Bool:
        strbuf_add(out, c->integer ? "True" : "False");
        break;
    case TSMF_ConstantKind_Int:
        strbuf_printf(out, "%" PRId64, c->integer);
        break;
    case TSMF_ConstantKind_Float:
        strbuf_printf(out, "%.9g", c->number);
        strbuf_add(out, strpbrk(strbuf_text(out) + out->length - 1, ".e") ? "" : "f");
        break;
    case TSMF_ConstantKind_Str:
        strbuf_printf(out, "\"%.*s%s\"", (int)(c->text_length < 40 ? c->text_length : 40), c->text ? c->text : "",
                      c->text_length > 40 ? "..." : "");
        break;
    case TSMF_ConstantKind_List:
    case TSMF_ConstantKind_Tuple:
        strbuf_add(out, c->kind == TSMF_ConstantKind_List ? "[" : "(");
        for (size_t i = 0; i < arrlenu(c->items) && i < 8; i++) {
            strbuf_add(out, i ? ", " : "");
            print_constant(m, c->items[i], out);
        }
        strbuf_add(out, arrlenu(c->items) > 8 ? ", ..." : "");
        strbuf_add(out, c->kind == TSMF_ConstantKind_List ? "]" : ")");
        break;
    case TSMF_ConstantKind_Tensor:
        strbuf_printf(out, "k%u<Tensor", index);
        for (size_t i = 0; i < arrlenu(c->tensor->sizes); i++)
            strbuf_printf(out, "%s%" PRId64, i ? "x" : " ", c->tensor->sizes[i]);
        strbuf_add(out, ">");
        break;
    default:
        strbuf_printf(out, "k%u", index);
    }
}

static void print_words(const image *m, const image_function *f, const uint32_t *words, uint32_t n, bool numbers,
                        strbuf *out) {
    for (uint32_t i = 0; i < n; i++) {
        strbuf_add(out, i ? ", " : "");
        if (numbers)
            strbuf_printf(out, "%u", words[i]);
        else if (words[i] & IMAGE_OPERAND_CONSTANT)
            print_constant(m, words[i] & IMAGE_OPERAND_INDEX, out);
        else {
            print_register(f, words[i] & IMAGE_OPERAND_INDEX, out);
            strbuf_add(out, words[i] & IMAGE_OPERAND_LAST_USE ? "'" : "");
        }
    }
}

static void print_list(const image *m, const image_function *f, uint16_t op, uint32_t at, strbuf *out) {
    const uint32_t *list = f->operands + at;
    bool numbers = op == OPCODE_ISINSTANCE || op == OPCODE_TUPLE_SLICE;
    bool plain = op == OPCODE_LIST_CONSTRUCT || op == OPCODE_DICT_CONSTRUCT || op == OPCODE_GUARD;
    strbuf_add(out, "(");
    print_words(m, f, list + 2, list[0], numbers, out);
    strbuf_add(out, ")");
    if (list[1]) {
        strbuf_add(out, op == OPCODE_GUARD ? " plan " : plain ? " type " : " -> ");
        print_words(m, f, list + 2 + list[0], list[1], plain, out);
    }
}

static void print_operand(const image *m, const image_function *f, uint32_t pc, char letter, uint32_t narrow,
                          uint32_t wide, strbuf *out) {
    uint16_t op = f->code[pc].op;
    switch (letter) {
    case '-':
        return;
    case 'n':
        strbuf_printf(out, " %d", (int16_t)narrow);
        return;
    case 'u':
    case 's':
        strbuf_printf(out, " %u", narrow);
        return;
    case 'N':
        strbuf_printf(out, " %d", (int32_t)wide);
        return;
    case 'k':
    case 'K':
        strbuf_add(out, " ");
        print_constant(m, letter == 'k' ? narrow : wide, out);
        return;
    case 'j':
        strbuf_printf(out, " @%d", (int)pc + 1 + (int16_t)narrow);
        return;
    case 'J':
        strbuf_printf(out, " @%d", (int)pc + 1 + (int32_t)wide);
        return;
    case 't':
    case 'T':
        strbuf_printf(out, " %s", m->types[letter == 't' ? narrow : wide].text);
        return;
    case 'o':
        strbuf_printf(out, " %s", m->operators[narrow]);
        return;
    case 'f':
        strbuf_printf(out, " %s", m->functions[narrow].name);
        return;
    case 'm':
        strbuf_printf(out, " .%s", m->method_names[narrow]);
        return;
    case 'l':
    case 'L':
        print_list(m, f, op, letter == 'l' ? narrow : wide, out);
        return;
    default:
        strbuf_add(out, " ");
        print_register(f, narrow, out);
    }
}

static void print_function(const image *m, const image_function *f, strbuf *out) {
    strbuf_printf(out, "function %s(", f->name);
    for (size_t i = 0; i < arrlenu(f->parameters); i++) {
        strbuf_add(out, i ? ", " : "");
        print_register(f, f->parameters[i], out);
    }
    strbuf_printf(out, ")  registers: %u values, %u ints, %u floats, %u bools\n", f->value_registers, f->int_registers,
                  f->float_registers, f->bool_registers);
    for (uint32_t pc = 0; pc < arrlenu(f->code); pc++) {
        const image_instruction *i = &f->code[pc];
        const opcode_info *info = &opcode_table[i->op];
        const uint16_t narrow[] = {i->a, i->b, i->c};
        size_t start = out->length;
        strbuf_printf(out, "%5u  %-16s", pc, info->name);
        for (int k = 0; info->operands[k]; k++)
            print_operand(m, f, pc, info->operands[k], narrow[k], (uint32_t)i->b | (uint32_t)i->c << 16, out);
        for (size_t column = out->length - start; column < 72; column++)
            strbuf_add(out, " ");
        strbuf_printf(out, "  ; %s\n", info->formula);
    }
    for (size_t i = 0; i < arrlenu(f->withs); i++)
        strbuf_printf(out, "       with @%u to @%u: %s\n", f->withs[i].begin, f->withs[i].end,
                      m->functions[f->withs[i].exit_function].name);
    strbuf_add(out, "\n");
}

void image_print(const image *m, strbuf *out) {
    for (size_t i = 0; i < arrlenu(m->methods); i++)
        strbuf_printf(out, "method %s -> function %s\n", m->methods[i].schema,
                      m->functions[m->methods[i].function].name);
    strbuf_printf(out, "%zu constants, %zu types, %zu operators, %zu storages (%" PRIu64 " bytes)\n\n",
                  arrlenu(m->constants), arrlenu(m->types), arrlenu(m->operators), arrlenu(m->storages),
                  m->segment_bytes);
    for (size_t i = 0; i < arrlenu(m->functions); i++)
        print_function(m, &m->functions[i], out);
}
