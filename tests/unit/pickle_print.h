/* Pickled values as text, for tests. */
#ifndef TESTS_UNIT_PICKLE_PRINT_H
#define TESTS_UNIT_PICKLE_PRINT_H

#include <stdio.h>

#include "exporter/archive/pickle.h"

/* Prints the tree indented, one value a line; what occurs again is printed as a reference to its first occurrence. */
void pkl_print(FILE *out, pkl_value *value);

#endif
