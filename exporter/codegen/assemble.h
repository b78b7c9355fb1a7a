/* The bytecode of one function while it is written: instructions, labels, registers, operand lists and moves.
 *
 * A register is written as class << 14 | number (in operand lists: class << 24 | number); asm_finish, when the number
 * of registers of each class is known, renumbers all into one run. */
#ifndef TSMC_CODEGEN_ASSEMBLE_H
#define TSMC_CODEGEN_ASSEMBLE_H

#include "exporter/codegen/image_builder.h"
#include "exporter/codegen/liveness.h"
#include "exporter/codegen/select.h"

enum { CLASS_SHIFT = 14, LIST_CLASS_SHIFT = 24, MAX_REGISTERS = 1 << CLASS_SHIFT, NO_REGISTER = -1 };

typedef struct {
    uint32_t pc;
    uint32_t label;
    bool is_short;
} jump_fixup;

typedef struct {
    int destination; /* register */
    int source;      /* register, or NO_REGISTER: then `value`, a constant */
    const ir_constant *value;
    bool take; /* the source dies here */
} move;

typedef struct scalar_operand scalar_operand; /* code_flow.h */

typedef struct {
    image_builder *builder;
    function *function;
    image_function *code;
    liveness lives;
    struct {
        const ir_value *key;
        int value;
    } * registers; /* of values alive now */
    struct {
        const ir_value *key;
        int value;
    } * hints; /* registers that values should be computed into */
    struct {
        const ir_value *key;
        int value;
    } * pinned; /* loop variables: their register is not given back when the value dies */
    struct {
        const ir_node *key;
        int value;
    } * fused; /* comparisons that the jump of their branch performs */
    int *free_registers[REGISTER_CLASSES];
    int used[REGISTER_CLASSES];
    uint32_t *labels; /* pc of each */
    jump_fixup *fixups;
    image_with_range *open_withs; /* `end` not known yet */
    uint32_t frame;               /* of the instructions written now, for tracebacks */
    scalar_operand *operands;     /* what flow_operands has found */
} lowering;

/* ---- Instructions ---- */

/* The pc of the next instruction. */
uint32_t asm_here(const lowering *l);
/* Appends an instruction with three 16-bit fields, or with one of 16 and one of 32 bits. */
void asm_emit(lowering *l, opcode op, uint16_t a, uint16_t b, uint16_t c);
void asm_emit_wide(lowering *l, opcode op, uint16_t a, uint32_t d);
/* v as a 16-bit field; an error that names `what` where it does not fit. */
uint16_t asm_narrow(const lowering *l, uint32_t v, const char *what);

/* A place to jump to, before it is known; every label is placed once. */
uint32_t asm_new_label(lowering *l);
void asm_place_label(lowering *l, uint32_t label);
/* Jumps with an offset of 32 bits and of 16 bits. */
void asm_emit_jump(lowering *l, opcode op, uint16_t a, uint32_t label);
void asm_emit_short_jump(lowering *l, opcode op, uint16_t a, uint16_t b, uint32_t label);

/* ---- Registers ---- */

static inline register_class asm_class_of_register(int r) {
    return (register_class)(r >> CLASS_SHIFT);
}

/* Takes a free register of the class; gives one back. */
int asm_take_register(lowering *l, register_class c);
void asm_give_register(lowering *l, int r);
/* The register that holds v now; it is a fault of the exporter when there is none. */
int asm_register_of(const lowering *l, const ir_value *v);
bool asm_has_register(lowering *l, const ir_value *v);
/* A register for a new value: the hinted one when there is one. */
int asm_define(lowering *l, const ir_value *v);
/* The value is dead: its register is free unless it is a loop's or a branch's. */
void asm_end_value(lowering *l, const ir_value *v);
/* Drops and frees values that die without being an input of an instruction. */
void asm_drop_values(lowering *l, ir_value *const *values);
/* Frees the registers of values that die at n, so that its results can take them. Returns the value registers among
 * them (stb_ds array): where the instruction does not drop its inputs itself, asm_emit_drops drops them, all but
 * `except`. */
int *asm_release_inputs(lowering *l, const ir_node *n);
void asm_emit_drops(lowering *l, const int *drops, int except);

/* ---- Operand lists ---- */

/* A register as a word of an operand list. */
uint32_t asm_list_register(int r);
/* Starts a list of that many words of each kind, which the caller appends; returns where it lies. */
uint32_t asm_begin_list(lowering *l, uint32_t inputs, uint32_t outputs);
/* The word of input i of n: a constant, or a register with its last use marked. */
uint32_t asm_input_word(lowering *l, const ir_node *n, uint32_t i);
/* An instruction with an operand list: inputs from `first` on, all outputs. */
void asm_emit_with_list(lowering *l, const ir_node *n, opcode op, uint16_t a, uint32_t first);

/* Whether the operand is a list whose words are registers: those of types and literals hold plain numbers. Where the
 * list of an instruction lies; whether its one output word is a plain number. */
bool asm_is_register_list(opcode op, char letter);
uint32_t asm_list_position(const image_instruction *in, char letter);
bool asm_output_is_plain(opcode op);

/* ---- Moves ---- */

/* A constant into a register. */
void asm_emit_load(lowering *l, int to, const ir_constant *c);
/* One register into another; `take`: the source dies. */
void asm_emit_move(lowering *l, int to, int from, bool take);
/* Appends the move of input i of n (a block's result node or a loop) into a register. */
void asm_add_move(lowering *l, move **moves, const ir_node *n, uint32_t i, int destination);
/* Does all moves as if at once: a move is emitted when no other move still reads its destination; cycles are broken
 * by a spare register. `targets` are all registers that the results end up in, including those that need no move: a
 * source among them is copied, never taken. */
void asm_emit_parallel_moves(lowering *l, move *moves, const int *targets);

/* Resolves the jumps, improves the code (optimize_code.h) and gives the registers their final numbers. */
void asm_finish(lowering *l);

#endif
