/* Changes of .tsm files that keep their form: numbers, operands and characters in place, chosen by the file's schema.
 */
#ifndef TESTS_FUZZ_MUTATE_TSM_H
#define TESTS_FUZZ_MUTATE_TSM_H

#include <stddef.h>
#include <stdint.h>

#include "tests/fuzz/harness.h"

/* Changes one to three numbers of a file, in place; most stay well formed when the file was. */
void mutate_tsm(harness_random *r, uint8_t *file, size_t bytes);

#endif
