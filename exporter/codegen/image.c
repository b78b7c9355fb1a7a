/* The text of an image, and the layout of its storages in the file. */
#include "exporter/codegen/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
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

static uint64_t rounded_up(uint64_t n, uint64_t align) {
    return (n + align - 1) / align * align;
}

/* A storage of its own takes 24 bytes of tables, and 32 to fill up 64 bytes: above this they are of no weight. */
enum { LARGEST_JOINED = 16384 };

/* Storages that become one, by what their bytes are multiples of, the most first: so no gaps are left between them. */
typedef struct {
    uint64_t align;
    uint32_t storage;
} joined_storage;

static int compare_joined(const void *a, const void *b) {
    const joined_storage *x = a, *y = b;
    if (x->align != y->align)
        return x->align > y->align ? -1 : 1;
    return x->storage < y->storage ? -1 : x->storage > y->storage;
}

/* The largest elements of tensors in each storage. */
static uint64_t *element_bytes(const image *m) {
    uint64_t *most = MEM_ARRAY(uint64_t, arrlenu(m->storages) + 1);
    for (size_t i = 0; i < arrlenu(m->constants); i++) {
        const image_tensor *t = m->constants[i].tensor;
        const uint64_t bytes = t ? pt_dtype_size((pt_dtype)t->dtype) : 0;
        if (t && bytes > most[t->storage])
            most[t->storage] = bytes;
    }
    return most;
}

static joined_storage *find_joined(const image *m) {
    joined_storage *found = NULL;
    const uint64_t *elements = element_bytes(m);
    for (size_t i = 0; i < arrlenu(m->storages); i++) {
        const image_storage *s = &m->storages[i];
        if (s->is_mutable || s->is_seen || s->bytes > LARGEST_JOINED)
            continue;
        const uint64_t divisor = s->bytes & -s->bytes;
        const uint64_t align = divisor && divisor < SEGMENT_ALIGN ? divisor : SEGMENT_ALIGN;
        joined_storage j = {align > elements[i] ? align : elements[i], (uint32_t)i};
        arrput(found, j);
    }
    if (found)
        qsort(found, arrlenu(found), sizeof *found, compare_joined);
    return found;
}

/* Places one storage more of the file behind the others. */
static void add_file_storage(image *m, uint64_t bytes, bool is_mutable) {
    image_file_storage s = {m->segment_bytes, bytes, is_mutable};
    arrput(m->file_storages, s);
    m->segment_bytes = rounded_up(m->segment_bytes + bytes, SEGMENT_ALIGN);
}

static void lay_out_joined(image *m) {
    uint64_t at = 0;
    const joined_storage *joined = find_joined(m);
    for (size_t i = 0; i < arrlenu(joined); i++) {
        image_storage *s = &m->storages[joined[i].storage];
        s->offset = at = rounded_up(at, joined[i].align);
        s->in_file = 0;
        at += s->bytes;
    }
    if (joined)
        add_file_storage(m, at, false);
}

void image_lay_out(image *m) {
    for (size_t i = 0; i < arrlenu(m->storages); i++)
        m->storages[i].in_file = IMAGE_NO_INDEX;
    lay_out_joined(m);
    for (size_t i = 0; i < arrlenu(m->storages); i++) {
        image_storage *s = &m->storages[i];
        if (s->in_file != IMAGE_NO_INDEX)
            continue;
        s->in_file = (uint32_t)arrlenu(m->file_storages);
        s->offset = m->segment_bytes;
        add_file_storage(m, s->bytes, s->is_mutable);
    }
}

uint32_t image_file_storage_of(const image *m, const image_tensor *t, uint64_t *offset) {
    const image_storage *s = &m->storages[t->storage];
    *offset = t->offset + (s->offset - m->file_storages[s->in_file].offset) / pt_dtype_size((pt_dtype)t->dtype);
    return s->in_file;
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
