/* Numbers as text, exactly, without the C library's stdio and stdlib. */
#ifndef TSM_VALUE_TEXT_H
#define TSM_VALUE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TSM_NUMBER_TEXT = 64,        /* enough for every number but large ones in style 'f' */
    TSM_NUMBER_TEXT_FIXED = 352, /* enough for style 'f' of any double with a precision up to 17 */
};

/* Each writes into `to`, without a terminating zero, and returns the length. */
size_t tsm_format_int(char *to, int64_t v);
/* In base 2, 8, 10 or 16 (lower case); base 2 needs 64 bytes. */
size_t tsm_format_unsigned(char *to, uint64_t v, unsigned base);
/* As TorchScript's str(float): "1." when integral and of int64's range, else "%.17g". */
size_t tsm_format_double(char *to, double v);
/* As printf's "%.*<style>" with style 'g', 'e' or 'f'; precision at most 17. Correctly rounded, ties to even. */
size_t tsm_format_number(char *to, double v, char style, int precision);

#endif
