/* Ints that have no value but a formula of names: the sizes of tensors whose arguments' sizes are names.
 *
 * A formula is a polynomial whose variables are names and quotients rounded down, (H+1)//2. It has a normal form: what
 * can be divided stands before a quotient and not in it, and quotients of quotients are one. Formulas that always have
 * one value are therefore mostly one text; such that have one text always have one value. */
#ifndef TSMC_PASSES_ANALYSIS_SYMBOLIC_INT_H
#define TSMC_PASSES_ANALYSIS_SYMBOLIC_INT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct symbolic_int symbolic_int;

/* NULL stands for an int of which nothing is known; so does what has too many terms or too large factors. */
const symbolic_int *symbolic_constant(int64_t value);
const symbolic_int *symbolic_name(const char *name);
const symbolic_int *symbolic_add(const symbolic_int *a, const symbolic_int *b);
const symbolic_int *symbolic_subtract(const symbolic_int *a, const symbolic_int *b);
const symbolic_int *symbolic_multiply(const symbolic_int *a, const symbolic_int *b);
/* Rounded down. By a formula only what is a multiple of it. */
const symbolic_int *symbolic_divide(const symbolic_int *a, const symbolic_int *b);

bool symbolic_is_equal(const symbolic_int *a, const symbolic_int *b);
bool symbolic_is_constant(const symbolic_int *a, int64_t *value);
/* The value for these of the names; false: one is missing, or it is too large. */
bool symbolic_value(const symbolic_int *a, const char *const *names, const int64_t *values, int count, int64_t *value);
/* "?" of NULL. */
const char *symbolic_text(const symbolic_int *a);

#endif
