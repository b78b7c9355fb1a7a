/* What --emit-c needs to know of operators: the names of their kernels in C, in the order of the operator table, and
 * arguments by name. schema/gen_operators.py makes the lists. */
#ifndef TSMC_EMBED_KERNEL_NAMES_H
#define TSMC_EMBED_KERNEL_NAMES_H

extern const char *const embed_kernel_names[];
extern const char *const embed_second_kernels[]; /* of tsm_operator; NULL: the operator has none */

/* Operators that finish their results by an activation, and at which of their arguments that and others stand; -1: the
 * operator has none. A row without a name follows the last. */
typedef struct {
    const char *name;
    int activation, residual, groups, weight, stride, dilation;
} embed_finished;
extern const embed_finished embed_finished_operators[];

/* Operators whose kernels' files make texts of values; NULL follows the last. */
extern const char *const embed_text_operators[];

#endif
