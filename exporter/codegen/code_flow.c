/* Registers and jumps of written instructions: see code_flow.h. */
#include "exporter/codegen/code_flow.h"

#include <string.h>

/* ---- Operands ---- */

/* What an instruction does with register a: its formula says it. */
static bool writes_a(opcode op) {
    return strstr(opcode_table[op].formula, "R[a] := ") != NULL;
}

static bool reads_a(opcode op) {
    const char *formula = opcode_table[op].formula;
    if (!writes_a(op) || !strncmp(formula, "if ", 3))
        return true;
    for (const char *at = formula; (at = strstr(at, "R[a]")); at += 4)
        if (strncmp(at, "R[a] := ", 8) != 0)
            return true;
    return false;
}

static void add_field(scalar_operand **operands, uint16_t *field, bool is_read, bool is_written) {
    if (asm_class_of_register(*field) != REGISTER_VALUE)
        arrput(*operands, ((scalar_operand){field, NULL, *field, is_read, is_written}));
}

static void add_words(scalar_operand **operands, uint32_t *words, uint32_t count, bool is_written) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = words[i] & IMAGE_OPERAND_INDEX;
        if (words[i] & IMAGE_OPERAND_CONSTANT || index >> LIST_CLASS_SHIFT == REGISTER_VALUE)
            continue;
        int r = (int)(index >> LIST_CLASS_SHIFT << CLASS_SHIFT | (index & (MAX_REGISTERS - 1)));
        arrput(*operands, ((scalar_operand){NULL, &words[i], r, !is_written, is_written}));
    }
}

const scalar_operand *flow_operands(const lowering *l, uint32_t pc) {
    scalar_operand **operands = &((lowering *)l)->operands;
    image_instruction *in = &l->code->code[pc];
    uint16_t *fields[3] = {&in->a, &in->b, &in->c};
    opcode op = (opcode)in->op;
    const char *letters = opcode_table[op].operands;
    arrsetlen(*operands, 0);
    for (int k = 0; letters[k]; k++) {
        if (strchr("IFBSX", letters[k]))
            add_field(operands, fields[k], k > 0 || reads_a(op), k == 0 && writes_a(op));
        else if (asm_is_register_list(op, letters[k])) {
            uint32_t *list = l->code->operands + asm_list_position(in, letters[k]);
            add_words(operands, list + 2, list[0], false);
            if (!asm_output_is_plain(op))
                add_words(operands, list + 2 + list[0], list[1], true);
        }
    }
    return *operands;
}

void flow_set_register(const scalar_operand *o, int r) {
    if (o->field)
        *o->field = (uint16_t)r;
    else
        *o->word = (*o->word & ~IMAGE_OPERAND_INDEX) | asm_list_register(r);
}

/* ---- Control ---- */

bool flow_is_jump(const lowering *l, uint32_t pc) {
    return strpbrk(opcode_table[l->code->code[pc].op].operands, "jJ") != NULL;
}

static bool is_wide(const image_instruction *in) {
    return strchr(opcode_table[in->op].operands, 'J') != NULL;
}

uint32_t flow_target(const lowering *l, uint32_t pc) {
    const image_instruction *in = &l->code->code[pc];
    int32_t offset = is_wide(in) ? (int32_t)((uint32_t)in->b | (uint32_t)in->c << 16) : (int16_t)in->c;
    return (uint32_t)((int64_t)pc + 1 + offset);
}

void flow_set_target(lowering *l, uint32_t pc, uint32_t target) {
    image_instruction *in = &l->code->code[pc];
    uint32_t offset = target - pc - 1;
    if (is_wide(in)) {
        in->b = (uint16_t)(offset & 0xffff);
        in->c = (uint16_t)(offset >> 16);
    } else
        in->c = (uint16_t)offset;
}

bool flow_falls_through(const lowering *l, uint32_t pc) {
    opcode op = (opcode)l->code->code[pc].op;
    return op != OPCODE_JMP && op != OPCODE_RET && op != OPCODE_RAISE;
}

bool flow_is_pure(const lowering *l, uint32_t pc) {
    const image_instruction *in = &l->code->code[pc];
    opcode op = (opcode)in->op;
    if (op == OPCODE_MOVE_S)
        return asm_class_of_register(in->b) != REGISTER_VALUE;
    return writes_a(op) && !reads_a(op) && !strstr(opcode_table[op].formula, "raises") &&
           strspn(opcode_table[op].operands, "IFBSnuNkK-") == strlen(opcode_table[op].operands);
}

/* ---- Liveness ---- */

static void set_bit(uint64_t *set, int i) {
    set[i / 64] |= UINT64_C(1) << i % 64;
}

static void clear_bit(uint64_t *set, int i) {
    set[i / 64] &= ~(UINT64_C(1) << i % 64);
}

void live_step(const lowering *l, const live_scalars *s, uint32_t pc, uint64_t *set) {
    const scalar_operand *o = flow_operands(l, pc);
    for (size_t i = 0; i < arrlenu(o); i++)
        if (o[i].is_written)
            clear_bit(set, live_index(s, o[i].r));
    for (size_t i = 0; i < arrlenu(o); i++)
        if (o[i].is_read)
            set_bit(set, live_index(s, o[i].r));
}

bool live_behind(const live_scalars *s, uint32_t pc, int r) {
    int i = live_index(s, r);
    return s->behind[pc * s->words + (size_t)i / 64] >> i % 64 & 1;
}

bool live_in_front(const lowering *l, const live_scalars *s, uint32_t pc, int r) {
    const scalar_operand *o = flow_operands(l, pc);
    bool is_written = false;
    for (size_t i = 0; i < arrlenu(o); i++) {
        if (o[i].is_read && o[i].r == r)
            return true;
        is_written |= o[i].is_written && o[i].r == r;
    }
    return !is_written && live_behind(s, pc, r);
}

/* Adds what is alive in front of instruction `to` to the set behind `pc`; whether there was more. */
static bool add_front(const live_scalars *s, uint64_t *set, const uint64_t *front, uint32_t to) {
    bool more = false;
    for (size_t w = 0; w < s->words; w++) {
        uint64_t both = set[w] | front[to * s->words + w];
        more |= both != set[w];
        set[w] = both;
    }
    return more;
}

live_scalars flow_liveness(const lowering *l) {
    live_scalars s = {{0}, 0, NULL};
    for (int c = REGISTER_INT; c < REGISTER_CLASSES; c++)
        s.base[c + 1] = s.base[c] + l->used[c];
    s.words = (size_t)s.base[REGISTER_CLASSES] / 64 + 1;
    uint32_t length = (uint32_t)arrlenu(l->code->code);
    uint64_t *front = NULL;
    arrsetlen(s.behind, length * s.words);
    arrsetlen(front, length * s.words);
    memset(s.behind, 0, arrlenu(s.behind) * sizeof *s.behind);
    memset(front, 0, arrlenu(front) * sizeof *front);
    for (bool changed = true, is_first = true; changed; is_first = false) {
        changed = false;
        for (uint32_t pc = length; pc-- > 0;) {
            uint64_t *behind = s.behind + pc * s.words;
            bool more = is_first;
            if (flow_falls_through(l, pc))
                more |= add_front(&s, behind, front, pc + 1);
            if (flow_is_jump(l, pc))
                more |= add_front(&s, behind, front, flow_target(l, pc));
            if (!more)
                continue;
            changed = true;
            memcpy(front + pc * s.words, behind, s.words * sizeof *behind);
            live_step(l, &s, pc, front + pc * s.words);
        }
    }
    arrfree(front);
    return s;
}

void live_free(live_scalars *s) {
    arrfree(s->behind);
}

enum { MOST_WORDS = 1 << 20 };

bool flow_is_too_long(const lowering *l) {
    size_t registers = 0, length = arrlenu(l->code->code);
    for (int c = REGISTER_INT; c < REGISTER_CLASSES; c++)
        registers += (size_t)l->used[c];
    return length > INT16_MAX / 2 || length * (registers / 64 + 1) > MOST_WORDS;
}

/* ---- Leaving out ---- */

static void move_debug_entries(lowering *l, const uint32_t *place, uint32_t length) {
    image_debug_entry *old = l->code->debug, *kept = NULL;
    for (size_t i = 0; i < arrlenu(old); i++) {
        image_debug_entry e = {place[old[i].pc], old[i].frame};
        if (arrlenu(kept) && kept[arrlenu(kept) - 1].pc == e.pc)
            (void)arrpop(kept);
        if (e.pc < length && (!arrlenu(kept) || kept[arrlenu(kept) - 1].frame != e.frame))
            arrput(kept, e);
    }
    l->code->debug = kept;
}

void flow_compact(lowering *l, const bool *is_dead) {
    image_instruction *code = l->code->code;
    uint32_t *place = NULL, length = 0, old_length = (uint32_t)arrlenu(code);
    for (uint32_t pc = 0; pc < old_length; pc++) {
        arrput(place, length);
        length += !is_dead[pc];
    }
    arrput(place, length);
    for (uint32_t pc = 0; pc < old_length; pc++) {
        if (is_dead[pc])
            continue;
        uint32_t target = flow_is_jump(l, pc) ? place[flow_target(l, pc)] : 0;
        code[place[pc]] = code[pc];
        if (flow_is_jump(l, place[pc]))
            flow_set_target(l, place[pc], target);
    }
    arrsetlen(code, length);
    l->code->code = code;
    for (size_t i = 0; i < arrlenu(l->code->withs); i++) {
        l->code->withs[i].begin = place[l->code->withs[i].begin];
        l->code->withs[i].end = place[l->code->withs[i].end];
    }
    move_debug_entries(l, place, length);
    arrfree(place);
}
