/* The opcodes as numbers, in the order of opcodes.def. */
#ifndef TSM_INTERPRETER_OPCODES_H
#define TSM_INTERPRETER_OPCODES_H

enum {
#define OP(NAME, operands, formula) TSM_OPCODE_##NAME,
#include "runtime/interpreter/opcodes.def"
#undef OP
    TSM_OPCODE_COUNT
};

/* A feature that a file may need beyond format version 1: opcodes from ADD_I_LOOP on. */
#define TSM_FEATURE_0_2 "instructions of 0.2.0"

/* Words of operand lists. */
#define TSM_WORD_CONSTANT 0x80000000u
#define TSM_WORD_LAST_USE 0x40000000u
#define TSM_WORD_INDEX 0x3fffffffu

/* How many inputs an operator call may have: those of calls are gathered on the C stack. */
enum { TSM_MAX_OPERATOR_INPUTS = 64, TSM_MAX_OPERATOR_OUTPUTS = 16 };

#define TSM_NO_INDEX UINT32_MAX

#endif
