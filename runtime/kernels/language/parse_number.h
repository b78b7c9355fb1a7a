/* What int() and float() make of a text, without the C library's stdlib. */
#ifndef TSM_KERNELS_LANGUAGE_PARSE_NUMBER_H
#define TSM_KERNELS_LANGUAGE_PARSE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the number that `text` of n bytes starts with, as strtod and strtoll (base 10) do: leading white space and a
 * sign are allowed. *used is the number of bytes read. False when there is no number, or it is out of range (for a
 * double also when it is so small that bits were lost). */
bool tsm_parse_double(const char *text, size_t n, size_t *used, double *v);
bool tsm_parse_int(const char *text, size_t n, size_t *used, int64_t *v);

#endif
