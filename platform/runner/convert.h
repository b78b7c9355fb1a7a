/* Arguments, brought to the types that a method declares. */
#ifndef RUNNER_CONVERT_H
#define RUNNER_CONVERT_H

#include "tsmobile.h"

/* Converts argument i of a call of the method in place as PyTorch's Python binding does: a bool or a tensor of one
 * element is an int where one is wanted, a tuple is a list, a list of the right length a tuple. A value that cannot be
 * converted ends the program with exit status 1 and PyTorch's text, as the call would. */
void convert_argument(tsm_instance *inst, const tsm_program *program, size_t method, size_t i, tsm_value *v);

#endif
