/* Pass lower_chars: letters of strings that are only compared become numbers.
 *
 * `c = text[i]`, `c >= "0"`, `ord(c)`: no string is made for the letter; what is compared is its byte. Where the letter
 * is also used as a string, in branches only, the string is made there. */
#ifndef TSMC_PASSES_LOWER_CHARS_H
#define TSMC_PASSES_LOWER_CHARS_H

#include "exporter/ir/ir.h"

void lower_chars(ir_graph *g);

#endif
