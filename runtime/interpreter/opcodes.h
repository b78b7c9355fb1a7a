/* The opcodes as numbers, in the order of opcodes.def. */
#ifndef TSM_INTERPRETER_OPCODES_H
#define TSM_INTERPRETER_OPCODES_H

#include "runtime/include/tsmobile.h"

enum {
#define OP(NAME, since, operands, formula, loops) TSM_OPCODE_##NAME,
#include "runtime/interpreter/opcodes.def"
#undef OP
    TSM_OPCODE_COUNT
};

/* A version of libtsmobile as a number. Patches add nothing that files can use. */
#define SINCE(major, minor) ((major) << 8 | (minor))
enum { TSM_FIRST_VERSION = SINCE(0, 1), TSM_THIS_VERSION = SINCE(TSM_VERSION_MAJOR, TSM_VERSION_MINOR) };

/* The feature of files whose instructions need a newer libtsmobile than the first: this text and the version. */
#define TSM_FEATURE_INSTRUCTIONS "instructions of "

/* Words of operand lists. */
#define TSM_WORD_CONSTANT 0x80000000u
#define TSM_WORD_LAST_USE 0x40000000u
#define TSM_WORD_INDEX 0x3fffffffu

/* How many inputs an operator call may have: those of calls are gathered on the C stack. */
enum { TSM_MAX_OPERATOR_INPUTS = 64, TSM_MAX_OPERATOR_OUTPUTS = 16 };

/* A type is built of others to this depth at most, counted down to the names of classes. */
enum { TSM_MAX_TYPE_DEPTH = 32 };

#define TSM_NO_INDEX UINT32_MAX

#endif
