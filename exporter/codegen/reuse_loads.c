/* Fetches of numbers that are in a register already: see reuse_loads.h.
 *
 * A copy says that a scalar register holds what lies at a place: an item of a list whose position stands in a register,
 * an item of a tuple, an attribute of an object. Fetches and stores make copies. A copy ends where one of its registers
 * is written, and where something may be stored into the place by another name. */
#include "exporter/codegen/reuse_loads.h"

#include <string.h>

#include "exporter/codegen/code_flow.h"

typedef struct {
    opcode fetch;
    uint16_t container, at; /* operands of the fetch */
    uint16_t number;        /* the register that holds it */
} copy;

typedef struct {
    lowering *l;
    copy *copies;
    size_t words;    /* of a set of copies */
    uint64_t *front; /* for each instruction: copies that are there whichever way led to it */
} reuse;

/* Of instructions times copies. */
enum { MOST_STEPS = 1 << 20 };

static const image_instruction *at(const reuse *r, uint32_t pc) {
    return &r->l->code->code[pc];
}

static uint32_t length_of(const reuse *r) {
    return (uint32_t)arrlenu(r->l->code->code);
}

/* ---- Copies ---- */

static bool fetches(opcode op) {
    return op == OPCODE_LIST_GET_S || op == OPCODE_TUPLE_GET_S || op == OPCODE_GET_ATTR_S;
}

/* The copy that an instruction makes. */
static bool copy_of(const image_instruction *in, copy *c) {
    opcode op = (opcode)in->op;
    if (fetches(op))
        *c = (copy){op, in->b, in->c, in->a};
    else if (op == OPCODE_LIST_SET || op == OPCODE_SET_ATTR)
        *c = (copy){op == OPCODE_LIST_SET ? OPCODE_LIST_GET_S : OPCODE_GET_ATTR_S, in->a, in->b, in->c};
    else
        return false;
    bool is_fresh = !fetches(op) || op != OPCODE_LIST_GET_S || in->a != in->c; /* not x = list[x] */
    return is_fresh && asm_class_of_register(c->number) != REGISTER_VALUE;
}

static int find_copy(const reuse *r, const image_instruction *in) {
    copy c;
    for (size_t i = 0; copy_of(in, &c) && i < arrlenu(r->copies); i++) {
        const copy *k = &r->copies[i];
        if (k->fetch == c.fetch && k->container == c.container && k->at == c.at && k->number == c.number)
            return (int)i;
    }
    return -1;
}

static void collect_copies(reuse *r) {
    copy c;
    for (uint32_t pc = 0; pc < length_of(r); pc++)
        if (copy_of(at(r, pc), &c) && find_copy(r, at(r, pc)) < 0)
            arrput(r->copies, c);
    r->words = arrlenu(r->copies) / 64 + 1;
}

/* ---- What ends a copy ---- */

/* The register is another one behind the instruction. */
static bool writes_value(const lowering *l, uint32_t pc, uint16_t v) {
    const image_instruction *in = &l->code->code[pc];
    opcode op = (opcode)in->op;
    const char *letters = opcode_table[op].operands;
    if (op == OPCODE_TAKE && in->b == v)
        return true;
    if (strchr("VX", letters[0]) && in->a == v && strstr(opcode_table[op].formula, "R[a] := "))
        return true;
    for (int k = 0; letters[k]; k++) {
        if (!asm_is_register_list(op, letters[k]))
            continue;
        const uint32_t *list = l->code->operands + asm_list_position(in, letters[k]);
        for (uint32_t i = 0; i < list[0] + list[1]; i++) {
            uint32_t w = list[2 + i];
            bool is_output = i >= list[0];
            bool changes = is_output ? !asm_output_is_plain(op) : (w & IMAGE_OPERAND_LAST_USE) != 0;
            if (changes && !(w & IMAGE_OPERAND_CONSTANT) && (w & IMAGE_OPERAND_INDEX) == asm_list_register(v))
                return true;
        }
    }
    return false;
}

/* Instructions that store nothing into lists and objects that were there before. */
static bool stores_nothing(opcode op) {
    switch (op) {
    case OPCODE_LOADC:
    case OPCODE_MOVE:
    case OPCODE_MOVE_S:
    case OPCODE_TAKE:
    case OPCODE_DROP:
    case OPCODE_IS_NONE:
    case OPCODE_NOT_NONE:
    case OPCODE_UNWRAP:
    case OPCODE_JNONE:
    case OPCODE_JNOTNONE:
    case OPCODE_LIST_CONSTRUCT:
    case OPCODE_LIST_LEN:
    case OPCODE_LEN:
    case OPCODE_LIST_GET:
    case OPCODE_LIST_GET_S:
    case OPCODE_TUPLE_CONSTRUCT:
    case OPCODE_TUPLE_GET:
    case OPCODE_TUPLE_GET_S:
    case OPCODE_TUPLE_UNPACK:
    case OPCODE_DICT_GET:
    case OPCODE_DICT_GET_S:
    case OPCODE_DICT_HAS:
    case OPCODE_CREATE_OBJECT:
    case OPCODE_GET_ATTR:
    case OPCODE_GET_ATTR_S:
    case OPCODE_CMP_STR:
    case OPCODE_STR_BYTE:
    case OPCODE_STR_GET:
        return true;
    default:
        return strspn(opcode_table[op].operands, "IFBSnuNkKjJ-") == strlen(opcode_table[op].operands);
    }
}

/* Whether the store may change the place of the copy. One of a number leaves places of other types as they are. */
static bool may_change(const image_instruction *in, const copy *c) {
    opcode op = (opcode)in->op;
    register_class stored = asm_class_of_register(in->c);
    if (c->fetch == OPCODE_TUPLE_GET_S || stores_nothing(op))
        return false;
    if (op != OPCODE_LIST_SET && op != OPCODE_SET_ATTR)
        return op != OPCODE_DICT_SET;
    if (c->fetch != (op == OPCODE_LIST_SET ? OPCODE_LIST_GET_S : OPCODE_GET_ATTR_S))
        return false;
    if (stored != REGISTER_VALUE && stored != asm_class_of_register(c->number))
        return false;
    return op == OPCODE_LIST_SET || in->b == c->at;
}

static bool ends(const reuse *r, uint32_t pc, const copy *c) {
    if (may_change(at(r, pc), c) || writes_value(r->l, pc, c->container))
        return true;
    const scalar_operand *o = flow_operands(r->l, pc);
    for (size_t i = 0; i < arrlenu(o); i++)
        if (o[i].is_written && (o[i].r == c->number || (c->fetch == OPCODE_LIST_GET_S && o[i].r == c->at)))
            return true;
    return false;
}

/* ---- Where copies are ---- */

static bool has(const uint64_t *set, size_t i) {
    return set[i / 64] >> i % 64 & 1;
}

/* From the set in front of an instruction to the one behind it. */
static void step(const reuse *r, uint32_t pc, uint64_t *set) {
    for (size_t i = 0; i < arrlenu(r->copies); i++)
        if (has(set, i) && ends(r, pc, &r->copies[i]))
            set[i / 64] &= ~(UINT64_C(1) << i % 64);
    int made = find_copy(r, at(r, pc));
    if (made >= 0)
        set[made / 64] |= UINT64_C(1) << made % 64;
}

/* Only what both sets have stays in front of `to`; whether that was less than before. */
static bool keep_common(const reuse *r, uint32_t to, const uint64_t *set) {
    uint64_t *front = r->front + to * r->words;
    bool less = false;
    for (size_t w = 0; w < r->words; w++) {
        less |= (front[w] & ~set[w]) != 0;
        front[w] &= set[w];
    }
    return less;
}

static void find_copies(reuse *r) {
    uint64_t *set = NULL;
    arrsetlen(set, r->words);
    arrsetlen(r->front, length_of(r) * r->words);
    memset(r->front, 0xff, arrlenu(r->front) * sizeof *r->front);
    memset(r->front, 0, r->words * sizeof *r->front);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = 0; pc < length_of(r); pc++) {
            memcpy(set, r->front + pc * r->words, r->words * sizeof *set);
            step(r, pc, set);
            if (flow_falls_through(r->l, pc) && pc + 1 < length_of(r))
                changed |= keep_common(r, pc + 1, set);
            if (flow_is_jump(r->l, pc))
                changed |= keep_common(r, flow_target(r->l, pc), set);
        }
    }
    arrfree(set);
}

/* The register that holds already what the instruction fetches, best the one that it writes; -1: none. */
static int held_by(const reuse *r, uint32_t pc) {
    const image_instruction *in = at(r, pc);
    int found = -1;
    for (size_t i = 0; fetches((opcode)in->op) && i < arrlenu(r->copies); i++) {
        const copy *c = &r->copies[i];
        if (c->fetch == in->op && c->container == in->b && c->at == in->c &&
            asm_class_of_register(c->number) == asm_class_of_register(in->a) && has(r->front + pc * r->words, i) &&
            found != in->a)
            found = c->number;
    }
    return found;
}

bool reuse_loads(lowering *l) {
    reuse r = {.l = l};
    bool changed = false;
    collect_copies(&r);
    if (arrlenu(r.copies) && length_of(&r) * arrlenu(r.copies) <= MOST_STEPS) {
        find_copies(&r);
        for (uint32_t pc = 0; pc < length_of(&r); pc++) {
            int number = held_by(&r, pc);
            if (number < 0)
                continue;
            l->code->code[pc] = (image_instruction){OPCODE_MOVE_S, at(&r, pc)->a, (uint16_t)number, 0};
            changed = true;
        }
    }
    arrfree(r.front);
    arrfree(r.copies);
    return changed;
}
