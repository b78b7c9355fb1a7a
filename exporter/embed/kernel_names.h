/* The names of the kernels in C, in the order of the operator table; schema/gen_operators.py makes the list. */
#ifndef TSMC_EMBED_KERNEL_NAMES_H
#define TSMC_EMBED_KERNEL_NAMES_H

extern const char *const embed_kernel_names[];

#endif
