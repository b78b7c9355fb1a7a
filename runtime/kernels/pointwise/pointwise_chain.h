/* How a chain of pointwise operators is written into the file (tsm::pointwise).
 *
 * Each step is four characters: its letter (pointwise_steps.def), where its result goes, and two operands:
 *
 *   a to d   the tensors
 *   0 to 5   results of earlier steps, by register
 *   A to Z   numbers
 *   y        the result of the chain: the last step's, and no other's
 *   .        no operand */
#ifndef TSM_KERNELS_POINTWISE_POINTWISE_CHAIN_H
#define TSM_KERNELS_POINTWISE_POINTWISE_CHAIN_H

enum {
    CHAIN_TENSORS = 4,
    CHAIN_REGISTERS = 6,
    CHAIN_NUMBERS = 26,
    CHAIN_STEPS = 32, /* at most */
    CHAIN_STEP_TEXT = 4,
};

#endif
