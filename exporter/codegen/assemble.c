/* The bytecode of one function while it is written: see assemble.h. */
#include "exporter/codegen/assemble.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/codegen/optimize_code.h"

/* ---- Emitting ---- */

uint32_t asm_here(const lowering *l) {
    return (uint32_t)arrlenu(l->code->code);
}

void asm_emit(lowering *l, opcode op, uint16_t a, uint16_t b, uint16_t c) {
    if (l->frame != IMAGE_NO_INDEX) {
        image_debug_entry *d = l->code->debug;
        if (!arrlenu(d) || d[arrlenu(d) - 1].frame != l->frame) {
            image_debug_entry entry = {asm_here(l), l->frame};
            arrput(l->code->debug, entry);
        }
    }
    image_instruction i = {(uint16_t)op, a, b, c};
    arrput(l->code->code, i);
}

void asm_emit_wide(lowering *l, opcode op, uint16_t a, uint32_t d) {
    asm_emit(l, op, a, (uint16_t)(d & 0xffff), (uint16_t)(d >> 16));
}

uint16_t asm_narrow(const lowering *l, uint32_t v, const char *what) {
    if (v > UINT16_MAX)
        diag_fail("function %s has too many %s", l->function->name, what);
    return (uint16_t)v;
}

uint32_t asm_new_label(lowering *l) {
    arrput(l->labels, 0);
    return (uint32_t)arrlenu(l->labels) - 1;
}

void asm_place_label(lowering *l, uint32_t label) {
    l->labels[label] = asm_here(l);
}

void asm_emit_jump(lowering *l, opcode op, uint16_t a, uint32_t label) {
    jump_fixup f = {asm_here(l), label, false};
    arrput(l->fixups, f);
    asm_emit(l, op, a, 0, 0);
}

void asm_emit_short_jump(lowering *l, opcode op, uint16_t a, uint16_t b, uint32_t label) {
    jump_fixup f = {asm_here(l), label, true};
    arrput(l->fixups, f);
    asm_emit(l, op, a, b, 0);
}

/* ---- Registers ---- */

int asm_take_register(lowering *l, register_class c) {
    int number;
    if (arrlenu(l->free_registers[c]))
        number = arrpop(l->free_registers[c]);
    else
        number = l->used[c]++;
    if (number >= MAX_REGISTERS)
        diag_fail("function %s needs more than %d registers", l->function->name, MAX_REGISTERS);
    return (int)c << CLASS_SHIFT | number;
}

void asm_give_register(lowering *l, int r) {
    arrput(l->free_registers[asm_class_of_register(r)], r & (MAX_REGISTERS - 1));
}

int asm_register_of(const lowering *l, const ir_value *v) {
    ptrdiff_t i = hmgeti(((lowering *)l)->registers, v);
    if (i < 0)
        diag_internal("value %%%u of %s (%s) has no register", v->id, l->function->name, ir_kind_name(v->node->kind));
    return l->registers[i].value;
}

bool asm_has_register(lowering *l, const ir_value *v) {
    return hmgeti(l->registers, v) >= 0;
}

int asm_define(lowering *l, const ir_value *v) {
    ptrdiff_t hint = hmgeti(l->hints, v);
    int r = hint >= 0 ? l->hints[hint].value : asm_take_register(l, register_class_of(v->type));
    hmput(l->registers, v, r);
    if (hint >= 0)
        hmput(l->pinned, v, 1); /* the register belongs to the branch's or loop's result */
    return r;
}

void asm_end_value(lowering *l, const ir_value *v) {
    ptrdiff_t i = hmgeti(l->registers, v);
    if (i < 0)
        return;
    if (hmgeti(l->pinned, v) < 0)
        asm_give_register(l, l->registers[i].value);
    hmdel(l->registers, v);
}

void asm_drop_values(lowering *l, ir_value *const *values) {
    for (size_t i = 0; i < arrlenu(values); i++) {
        if (!asm_has_register(l, values[i]))
            continue;
        int r = asm_register_of(l, values[i]);
        if (asm_class_of_register(r) == REGISTER_VALUE)
            asm_emit(l, OPCODE_DROP, (uint16_t)r, 0, 0);
        asm_end_value(l, values[i]);
    }
}

int *asm_release_inputs(lowering *l, const ir_node *n) {
    int *drops = NULL;
    ir_value **dying = liveness_at(&l->lives, n);
    for (size_t i = 0; i < arrlenu(dying); i++) {
        if (!asm_has_register(l, dying[i]))
            continue;
        int r = asm_register_of(l, dying[i]);
        if (asm_class_of_register(r) == REGISTER_VALUE)
            arrput(drops, r);
        asm_end_value(l, dying[i]);
    }
    return drops;
}

void asm_emit_drops(lowering *l, const int *drops, int except) {
    for (size_t i = 0; i < arrlenu(drops); i++)
        if (drops[i] != except)
            asm_emit(l, OPCODE_DROP, (uint16_t)drops[i], 0, 0);
}

/* ---- Operand lists ---- */

uint32_t asm_list_register(int r) {
    return (uint32_t)asm_class_of_register(r) << LIST_CLASS_SHIFT | (uint32_t)(r & (MAX_REGISTERS - 1));
}

uint32_t asm_begin_list(lowering *l, uint32_t inputs, uint32_t outputs) {
    uint32_t at = (uint32_t)arrlenu(l->code->operands);
    arrput(l->code->operands, inputs);
    arrput(l->code->operands, outputs);
    return at;
}

static bool occurs_later(const ir_node *n, uint32_t i) {
    for (uint32_t k = i + 1; k < ir_input_count(n); k++)
        if (n->inputs[k] == n->inputs[i])
            return true;
    return false;
}

uint32_t asm_input_word(lowering *l, const ir_node *n, uint32_t i) {
    const ir_value *v = n->inputs[i];
    if (!asm_has_register(l, v)) {
        const ir_constant *c = ir_constant_of(v);
        if (!c)
            return (uint32_t)asm_register_of(l, v); /* raises the fault */
        return IMAGE_OPERAND_CONSTANT | builder_operand_constant(l->builder, c);
    }
    uint32_t word = asm_list_register(asm_register_of(l, v));
    if (asm_class_of_register(asm_register_of(l, v)) == REGISTER_VALUE && liveness_dies_at(&l->lives, n, v) &&
        !occurs_later(n, i))
        word |= IMAGE_OPERAND_LAST_USE;
    return word;
}

void asm_emit_with_list(lowering *l, const ir_node *n, opcode op, uint16_t a, uint32_t first) {
    uint32_t outputs = ir_output_count(n);
    uint32_t at = asm_begin_list(l, ir_input_count(n) - first, outputs);
    for (uint32_t i = first; i < ir_input_count(n); i++)
        arrput(l->code->operands, asm_input_word(l, n, i));
    asm_release_inputs(l, n);
    for (uint32_t i = 0; i < outputs; i++)
        arrput(l->code->operands, asm_list_register(asm_define(l, n->outputs[i])));
    asm_emit_wide(l, op, a, at);
}

/* ---- Moves ---- */

void asm_emit_load(lowering *l, int to, const ir_constant *c) {
    uint16_t a = (uint16_t)to;
    switch (asm_class_of_register(to)) {
    case REGISTER_INT:
        if (c->kind == CONST_INT && c->integer >= INT32_MIN && c->integer <= INT32_MAX) {
            asm_emit_wide(l, OPCODE_LOADI, a, (uint32_t)(int32_t)c->integer);
            return;
        }
        break;
    case REGISTER_BOOL:
        if (c->kind == CONST_BOOL) {
            asm_emit(l, OPCODE_LOADB, a, c->boolean, 0);
            return;
        }
        break;
    default:
        break;
    }
    asm_emit_wide(l, asm_class_of_register(to) == REGISTER_VALUE ? OPCODE_LOADC : OPCODE_LOADC_S, a,
                  builder_constant(l->builder, c));
}

void asm_emit_move(lowering *l, int to, int from, bool take) {
    if (to == from)
        return;
    bool to_value = asm_class_of_register(to) == REGISTER_VALUE,
         from_value = asm_class_of_register(from) == REGISTER_VALUE;
    if (to_value && from_value && take)
        asm_emit(l, OPCODE_TAKE, (uint16_t)to, (uint16_t)from, 0);
    else {
        asm_emit(l, to_value ? OPCODE_MOVE : OPCODE_MOVE_S, (uint16_t)to, (uint16_t)from, 0);
        if (take && from_value)
            asm_emit(l, OPCODE_DROP, (uint16_t)from, 0, 0);
    }
}

static bool is_read_by_other(const move *moves, size_t self, int r) {
    for (size_t i = 0; i < arrlenu(moves); i++)
        if (i != self && moves[i].source == r)
            return true;
    return false;
}

void asm_emit_parallel_moves(lowering *l, move *moves, const int *targets) {
    for (size_t i = 0; i < arrlenu(moves); i++)
        for (size_t t = 0; t < arrlenu(targets); t++)
            moves[i].take &= moves[i].source != targets[t];
    while (arrlenu(moves)) {
        bool progress = false;
        for (size_t i = 0; i < arrlenu(moves); i++) {
            if (is_read_by_other(moves, i, moves[i].destination))
                continue;
            move m = moves[i];
            arrdel(moves, i);
            if (m.source == NO_REGISTER)
                asm_emit_load(l, m.destination, m.value);
            else
                asm_emit_move(l, m.destination, m.source, m.take && !is_read_by_other(moves, SIZE_MAX, m.source));
            progress = true;
            break;
        }
        if (progress)
            continue;
        int from = moves[0].source, spare = asm_take_register(l, asm_class_of_register(from));
        asm_emit_move(l, spare, from, true);
        for (size_t i = 0; i < arrlenu(moves); i++)
            if (moves[i].source == from) {
                moves[i].source = spare;
                moves[i].take = true;
            }
        asm_give_register(l, spare);
    }
}

void asm_add_move(lowering *l, move **moves, const ir_node *n, uint32_t i, int destination) {
    const ir_value *v = n->inputs[i];
    move m = {destination, NO_REGISTER, NULL, false};
    /* Nobody reads it. A value register may hold an object until then. */
    if (v->node->kind == IR_UNINITIALIZED &&
        (asm_class_of_register(destination) != REGISTER_VALUE || !asm_has_register(l, v)))
        return;
    if (asm_has_register(l, v)) {
        m.source = asm_register_of(l, v);
        m.take = liveness_dies_at(&l->lives, n, v);
        if (m.source == destination)
            return;
    } else if (ir_is_constant(v))
        m.value = ir_constant_of(v);
    else
        asm_register_of(l, v); /* raises the fault */
    arrput(*moves, m);
}

/* ---- The whole function ---- */

static uint16_t final_register(const int *base, uint16_t r) {
    return (uint16_t)(base[r >> CLASS_SHIFT] + (r & (MAX_REGISTERS - 1)));
}

static bool is_register_letter(char c) {
    return strchr("VIFBSX", c) != NULL;
}

static void renumber_words(const int *base, uint32_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!(words[i] & IMAGE_OPERAND_CONSTANT)) {
            uint32_t flags = words[i] & IMAGE_OPERAND_LAST_USE, w = words[i] & IMAGE_OPERAND_INDEX;
            words[i] = flags | ((uint32_t)base[w >> LIST_CLASS_SHIFT] + (w & ((1u << LIST_CLASS_SHIFT) - 1)));
        }
}

bool asm_is_register_list(opcode op, char letter) {
    return (letter == 'L' || letter == 'l') && op != OPCODE_ISINSTANCE && op != OPCODE_TUPLE_SLICE;
}

uint32_t asm_list_position(const image_instruction *in, char letter) {
    return letter == 'L' ? (uint32_t)in->b | (uint32_t)in->c << 16 : in->c;
}

bool asm_output_is_plain(opcode op) {
    return op == OPCODE_LIST_CONSTRUCT || op == OPCODE_DICT_CONSTRUCT || op == OPCODE_GUARD;
}

static void renumber(lowering *l) {
    int base[REGISTER_CLASSES + 1] = {0};
    for (int c = 0; c < REGISTER_CLASSES; c++)
        base[c + 1] = base[c] + l->used[c];
    if (base[REGISTER_CLASSES] > UINT16_MAX)
        diag_fail("function %s needs more than 65535 registers", l->function->name);
    image_function *f = l->code;
    f->value_registers = (uint16_t)l->used[REGISTER_VALUE];
    f->int_registers = (uint16_t)l->used[REGISTER_INT];
    f->float_registers = (uint16_t)l->used[REGISTER_FLOAT];
    f->bool_registers = (uint16_t)l->used[REGISTER_BOOL];
    for (size_t i = 0; i < arrlenu(f->code); i++) {
        image_instruction *in = &f->code[i];
        const char *letters = opcode_table[in->op].operands;
        uint16_t *fields[3] = {&in->a, &in->b, &in->c};
        for (int k = 0; letters[k]; k++) {
            if (is_register_letter(letters[k]))
                *fields[k] = final_register(base, *fields[k]);
            else if (asm_is_register_list((opcode)in->op, letters[k])) {
                uint32_t at = asm_list_position(in, letters[k]);
                renumber_words(base, f->operands + at + 2,
                               f->operands[at] + (asm_output_is_plain((opcode)in->op) ? 0 : f->operands[at + 1]));
            }
        }
    }
    for (size_t i = 0; i < arrlenu(f->parameters); i++)
        f->parameters[i] = final_register(base, f->parameters[i]);
    for (size_t i = 0; i < arrlenu(f->withs); i++) {
        uint32_t w = f->withs[i].object;
        f->withs[i].object = (uint32_t)base[w >> LIST_CLASS_SHIFT] + (w & ((1u << LIST_CLASS_SHIFT) - 1));
    }
}

static void resolve_jumps(lowering *l) {
    for (size_t i = 0; i < arrlenu(l->fixups); i++) {
        jump_fixup f = l->fixups[i];
        int64_t offset = (int64_t)l->labels[f.label] - (int64_t)f.pc - 1;
        image_instruction *in = &l->code->code[f.pc];
        if (f.is_short) {
            if (offset < INT16_MIN || offset > INT16_MAX)
                diag_internal("a short jump of %s is too long", l->function->name);
            in->c = (uint16_t)(int16_t)offset;
        } else {
            in->b = (uint16_t)((uint32_t)offset & 0xffff);
            in->c = (uint16_t)((uint32_t)offset >> 16);
        }
    }
}

/* Loops whose whole body is ADD_I become one instruction; the LOOP stays behind it. */
static void fuse_loops(image_instruction *code) {
    for (size_t i = 0; i + 1 < arrlenu(code); i++)
        if (code[i].op == OPCODE_ADD_I && code[i + 1].op == OPCODE_LOOP && (int16_t)code[i + 1].c == -2)
            code[i].op = OPCODE_ADD_I_LOOP;
}

/* What fetches or stores a number becomes the instruction for its kind; what fetches a container for one number only
 * says so. */
static void type_fetches(const lowering *l) {
    for (size_t i = 0; i < arrlenu(l->code->code); i++) {
        image_instruction *in = &l->code->code[i];
        bool is_store = in->op == OPCODE_LIST_SET || in->op == OPCODE_SET_ATTR;
        opcode typed = select_typed_form((opcode)in->op, asm_class_of_register(is_store ? in->c : in->a));
        if (builder_has_opcode(l->builder, typed))
            in->op = (uint16_t)typed;
    }
    for (size_t i = 0; i + 2 < arrlenu(l->code->code); i++) {
        image_instruction *in = &l->code->code[i];
        opcode peek = select_peek(in);
        if (builder_has_opcode(l->builder, peek))
            in->op = (uint16_t)peek;
    }
}

void asm_finish(lowering *l) {
    resolve_jumps(l);
    optimize_code(l);
    if (builder_has_opcode(l->builder, OPCODE_ADD_I_LOOP))
        fuse_loops(l->code->code);
    type_fetches(l);
    renumber(l);
}
