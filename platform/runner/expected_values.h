/* Values of operators that another run gave (tsmrun --values), to compare with. */
#ifndef RUNNER_EXPECTED_VALUES_H
#define RUNNER_EXPECTED_VALUES_H

#include "tsmobile.h"
#include <stdbool.h>

typedef struct expected_values expected_values;

/* Numbers may differ so much, relative and absolute. */
#define EXPECTED_TOLERANCE 1e-4

typedef struct {
    bool is_known;   /* the file has the operator call */
    bool agrees;     /* types and shapes are the same, and numbers differ by EXPECTED_TOLERANCE at most */
    bool elements;   /* all elements were compared (--values-elements); else the least, the greatest and the mean */
    double largest;  /* difference of two numbers; infinite where one is NaN or infinite and the other is not */
    const char *why; /* what differs besides numbers; NULL: nothing */
} expected_difference;

/* Ends the program when the file has another form. */
expected_values *expected_open(const char *path);

/* Compares a call of an operator. Calls come in the order in which they run; what the file has of a call is the next of
 * the same operator on the same line ("net.py:12"; "": not known). */
expected_difference expected_compare(expected_values *e, const char *operator, const char * line,
                                     const tsm_value *outputs, size_t n);

#endif
