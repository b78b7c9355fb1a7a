/* Letters of strings, which are bytes. */
#ifndef TSM_VALUE_LETTER_H
#define TSM_VALUE_LETTER_H

#include "runtime/value/value.h"

/* Raises PyTorch's error for a letter that a string does not have. */
tsm_status tsm_str_no_letter(tsm_exec *x, const tsm_str *s, int64_t at);

#endif
