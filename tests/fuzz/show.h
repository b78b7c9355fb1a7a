/* Shows calls of operators as text, so that the cause of a finding can be read from its input. */
#ifndef TESTS_FUZZ_SHOW_H
#define TESTS_FUZZ_SHOW_H

#include <stddef.h>

#include "runtime/interpreter/operators.h"

/* Prints to the standard error what operator gets, a value for each line. `words` are registers' words. */
void show_call(const tsm_operator *op, const tsm_value *registers, const uint32_t *words, size_t n);

#endif
