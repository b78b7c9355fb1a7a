/* Which nodes are one instruction on registers, and with what operands. */
#ifndef TSMC_CODEGEN_SELECT_H
#define TSMC_CODEGEN_SELECT_H

#include "exporter/codegen/image.h"
#include "exporter/ir/ir.h"

/* The run of registers that values of a type live in. */
typedef enum { REGISTER_VALUE, REGISTER_INT, REGISTER_FLOAT, REGISTER_BOOL, REGISTER_CLASSES } register_class;
register_class register_class_of(const type *t);

typedef struct {
    opcode op;
    const char *pattern; /* of select.def */
} selection;

/* Finds the instruction for a node, one that the version `target` of libtsmobile has (0: the newest). False when the
 * node needs something else (an operator call, control flow, ...). */
bool select_instruction(const ir_node *n, uint32_t target, selection *s);

/* The 16-bit literal that a pattern letter stands for. */
uint16_t select_literal(const ir_node *n, char letter);

/* Whether input i of the node must be in a register even when it is a constant. */
bool select_wants_register(const ir_node *n, uint32_t target, uint32_t i);

/* The form of a fetch or store (LIST_GET_S, SET_ATTR, ...) for one kind of number; the opcode itself where there is
 * none. */
opcode select_typed_form(opcode op, register_class number);

/* The form of a fetch of a container (LIST_PEEK, ...) where the two instructions behind it use one number of it, or
 * take it apart, and drop it; its own opcode otherwise. */
opcode select_peek(const image_instruction *in);

/* Integer and float comparisons, for branches. */
typedef enum { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE } comparison;
typedef struct {
    comparison relation;
    bool is_float;
    bool has_literal; /* the second operand is `literal` */
    int16_t literal;
} compare;
bool select_compare(const ir_node *n, compare *c);

/* The instruction that asks for a comparison of strings, of how they stand to each other: EQK_I and so on. False when
 * the node is none, or the target has no CMP_STR. */
bool select_string_compare(const ir_node *n, uint32_t target, opcode *op);

/* The jump that is taken when the comparison of registers (left, right) holds (`when` true) or does not; a and b are
 * its operands: 0 left, 1 right, 2 the literal. */
void select_compare_jump(compare c, bool when, opcode *op, int *a, int *b, int16_t *literal);

#endif
